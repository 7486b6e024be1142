"""Do the pages that are made from code, and the table of the specification's rows, say what is so?

Each page is made anew and held against the committed one; `make reference` writes them. Then: no row is without a test,
no test names a row that is not there, and the words of the specification are in the glossary.
"""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from docs.generate import cli_page, python_page, settings_page, spec_rows, text
from docs.generate.__main__ import PAGES
from stilltrue.memory import Memory
from stilltrue.settings import Settings

ROOT = Path(__file__).parents[2]
ROWS = {"A": 9, "B": 14, "C": 13, "D": 12, "E": 15, "F": 12}
"""How many rows each section of the specification has."""
WORDS = (
    "space", "episode", "fact", "slot", "value", "relation", "verdict", "decision", "change", "conflict",
    "valid time", "recorded time",
)  # fmt: skip
"""The words that the specification defines."""


def specified():
    return [f"{letter}{number}" for letter, most in ROWS.items() for number in range(1, most + 1)]


@pytest.mark.parametrize("name", PAGES)
def test_what_is_committed_is_what_is_made(name):
    assert PAGES[name]() == (ROOT / name).read_text("utf-8"), f"{name} is not what the code says; run `make reference`"


class TestRows:
    def test_every_row_has_a_title_and_only_they_have(self):
        assert list(spec_rows.kept()) == specified()

    def test_every_row_is_shown_by_a_test_or_a_story(self):
        tests, cases = spec_rows.tests_by_row(ROOT / "tests"), spec_rows.cases_by_row(ROOT / "tests")
        kept = spec_rows.kept()
        assert [row for row in specified() if not spec_rows.about(kept[row], tests[row]) and not cases[row]] == []

    def test_a_file_that_is_near_a_row_does_not_show_it(self):
        near, shows = ("faces/test_near.py", "test_B13_other"), ("flow/test_b.py", "test_B13_it")
        assert spec_rows.about({"apart": [near[0]]}, [near, shows]) == [shows]
        assert spec_rows.about({}, [near, shows]) == [near, shows]

    def test_no_test_names_a_row_that_is_not_there(self):
        named = {**spec_rows.tests_by_row(ROOT / "tests"), **spec_rows.cases_by_row(ROOT / "tests")}
        assert set(named) <= set(specified())

    def test_what_shows_nothing_is_not_counted(self, tmp_path):
        (tmp_path / "test_x.py").write_text(
            "import pytest\n"
            "def test_A1_B2_both(): ...\n"
            "class TestY:\n    async def test_a1_within(self): ...\n"
            "@pytest.mark.xfail(reason='not yet')\ndef test_A1_later(): ...\n"
            "def helper_A1_none(): ...\n"
            "def test_A1000_is_no_row(): ...\n",
            encoding="utf-8",
        )
        both, within = ("test_x.py", "test_A1_B2_both"), ("test_x.py", "TestY::test_a1_within")
        assert spec_rows.tests_by_row(tmp_path) == {"A1": [both, within], "B2": [both]}

    def test_a_story_that_is_known_to_fail_shows_nothing(self, tmp_path):
        (tmp_path / "flow" / "scenarios").mkdir(parents=True)
        told = [
            {"id": "good", "topic": "A1: as told"},
            {"id": "bad", "topic": "A1, C2"},
            {"id": "other", "topic": "AB12"},
        ]
        lines = "\n".join(json.dumps(story) for story in told)
        (tmp_path / "flow" / "scenarios" / "s.jsonl").write_text(lines, encoding="utf-8")
        (tmp_path / "flow" / "known_failures.json").write_text('{"bad": "a judge to come"}', encoding="utf-8")
        assert spec_rows.cases_by_row(tmp_path) == {"A1": [("flow/scenarios/s.jsonl", "good")]}

    def test_of_many_those_of_each_file_come_before_a_second_of_any(self):
        many = [
            ("rules/test_a.py", "one"),
            ("flow/test_b.py", "one"),
            ("flow/test_b.py", "two"),
            ("zoo/test_c.py", "one"),
        ]
        assert spec_rows.chosen([*many, ("flow/test_b.py", "three")]) == [many[1], many[0], many[3], many[2]]

    def test_a_file_that_is_named_by_hand_and_gone_stops_the_page(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"bench/results/gone\.md"):
            spec_rows.links_by_hand(tmp_path, {"also": ["gone | bench/results/gone.md"]})


class TestReference:
    def test_every_verb_stands_in_the_python_page(self):
        page = python_page.page()
        public = {name for name in dir(Memory) if not name.startswith("_")}
        assert {name for name in public if f"### {name}\n" not in page} == set()

    def test_every_setting_stands_in_its_page(self):
        page = settings_page.page()
        assert [field.name for field in dataclasses.fields(Settings) if f"| `{field.name}` |" not in page] == []

    def test_every_verb_of_the_command_line_stands_in_its_page(self):
        headings = set(re.findall(r"^#+ stilltrue (.+)$", cli_page.page(), re.MULTILINE))
        assert {"remember", "ask", "audit", "hook install", "token new", "notes write"} <= headings

    @pytest.mark.parametrize(
        ("words", "shown"),
        [("a | b", "a \\| b"), ("<b> `<b>`", "\\<b> `<b>`"), ("two\nlines", "two lines"), ("snake_case", "snake_case")],
    )
    def test_words_cannot_break_a_table(self, words, shown):
        assert text.cell(words) == shown

    def test_every_row_of_a_table_has_as_many_cells_as_its_heading(self):
        for name, page in PAGES.items():
            for rows in re.findall(r"(?:^\|.*\n)+", page(), re.MULTILINE):
                assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows.splitlines()}) == 1, (
                    f"{name}: {rows[:80]}"
                )


def test_the_glossary_has_every_word_of_the_specification():
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    assert [word for word in WORDS if f"\n| {word} |" not in glossary] == []
