"""Does the page about the judge show every figure of the files, and nothing else?"""

import copy
import json
import re
from xml.etree import ElementTree as ET

import pytest

from tests.training.judged_cases import TEN
from training import figures, report
from training.diagram import reliability
from training.markdown import NOTHING, counted, quoted, share, signed, table

MISSING = re.compile(r"\bNone\b|\bnan\b|\$\w|\{[a-z_]+\}")


def result(part):
    """A small evaluation, made by the functions that make the real one."""
    ways = {way: figures.figures(TEN, figures.said_by(way, TEN)) for way in ("rules", "model", "both")}
    brief = figures.brief(TEN, figures.said_by("both", TEN))
    off = {kind: {"changed": 1, **brief} for kind in ("hard", "plain", "families")}
    quiet = {kind: {"changed": 0, **brief} for kind in ("hard", "plain", "families")}
    return {
        "part": part,
        "model": "tiny-1",
        "policy": {
            "ask_threshold": 0.5,
            "contradiction_threshold": 0.72,
            "supersession_min_confidence": 0.7,
            "reinforce_threshold": 0.85,
        },
        "anchors": {"hard": 1, "plain": 1, "families": 1},
        "kinds": dict.fromkeys(("hard", "plain", "families", "corpus"), ways),
        "fresh": {"hard": dict.fromkeys(ways, brief)},
        "traps": figures.by_trap(TEN),
        "languages": figures.by_language(TEN),
        "sources": figures.grouped(TEN, lambda case: case.source),
        "thresholds": {kind: figures.by_threshold(TEN) for kind in ("hard", "plain", "families")},
        "ablation": [
            {"off": "guards", "whole_step": True, **off},
            {"off": "guards: other subject", "whole_step": False, **off},
            {"off": "twins", "whole_step": True, **quiet},
        ],
        "sample": {"pairs": 10},
        "errors": figures.worst(TEN, 4) if part == "dev" else [],
    }


PEERS = {
    "measured": "run elsewhere",
    "hard_pairs": 720,
    "plain_pairs": 166,
    "rows": [{"who": "a|b", "hard": None, "plain": {"precision": 0.9, "recall": 0.1, "f1": 0.2}}],
}


@pytest.fixture
def results():
    curve = ({"pairs": 1000, "hard F1": 0.5}, {"pairs": 2000, "hard F1": 0.61234})
    return report.Results(result("test"), result("dev"), PEERS, curve)


def test_the_page_has_every_table_and_no_hole(results):
    text = report.page(results)
    assert text.startswith("# How often is it right?\n")
    assert not MISSING.search(text)
    assert "60.0% of the conflicts it reports are conflicts" in text
    assert "| hard: rules alone | 0.60 (0.23–0.88) | 0.60 (0.23–0.88) | 0.60 " in text
    assert "| other subject | 2 | – | 0.50 (1 of 2) | 0.00 (0 of 2) |" in text
    assert "| – other subject | 0.000 |" in text
    assert "Without any effect on these pairs: twins." in text
    assert "| 2,000 | 0.612 |" in text
    assert "| a&#124;b | – | 0.90 / 0.10 / 0.20 |" in text
    assert "\n\n\n" not in text


def test_every_row_of_a_table_has_as_many_cells_as_its_heading(results):
    for block in re.findall(r"(?:^\|.*\n)+", report.page(results), re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1, block


def test_without_a_learning_curve_there_is_no_heading_for_it(results):
    assert "more pairs help" in report.page(results)
    bare = report.Results(results.test, results.dev, results.peers)
    assert "more pairs help" not in report.page(bare)


def test_a_figure_that_is_missing_stops_the_page(results):
    broken = copy.deepcopy(results.test)
    del broken["kinds"]["hard"]["both"]["auc"]
    with pytest.raises(KeyError):
        report.page(report.Results(broken, results.dev, results.peers))


def test_the_diagram_is_well_formed_and_counts_its_pairs(results):
    root = ET.fromstring(report.diagram(results))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    words = [node.text for node in root.iter(f"{space}text")]
    assert "hard, 10 pairs" in words
    assert len([node for node in root.iter(f"{space}rect") if node.get("class") == "bar"]) == 3 * 8
    assert "prefers-color-scheme: dark" in root.find(f"{space}style").text


def test_the_diagram_escapes_its_titles_and_takes_empty_bins():
    drawn = reliability([("a < b & c", figures.bins([], []))])
    assert ET.fromstring(drawn) is not None
    assert 'class="bar"' not in drawn


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a | b", "a &#124; b"),
        ("<script>", "&lt;script&gt;"),
        ("x &amp; y", "x &amp;amp; y"),
        ("`code` *b* _i_ [l](u)", "&#96;code&#96; &#42;b&#42; &#95;i&#95; &#91;l&#93;(u)"),
        ("two\nlines", "two lines"),
    ],
)
def test_quoted_words_mean_nothing_to_markdown_or_html(words, expected):
    assert quoted(words) == expected


def test_numbers_in_cells():
    assert share(figures.share(0, 0)) == counted(figures.share(0, 0)) == NOTHING
    assert counted(figures.share(12, 14)) == "0.86 (12 of 14)"
    assert [signed(value) for value in (0.01, -0.01, -0.0001)] == ["+0.010", "−0.010", "0.000"]
    assert table(["a", "b"], [["1", "2"]]) == ["| a | b |", "| --- | --: |", "| 1 | 2 |", ""]


class TestTheModelCard:
    def test_the_section_is_added_once_and_then_replaced(self, results):
        section = report.card_section(results)
        once = report.with_section("# The embedder\n", section)
        assert once == f"# The embedder\n\n{section}"
        again = report.with_section(once.replace("tiny-1", "tiny-0") + "\n# After\n", section)
        assert again == f"{once}\n# After\n"

    def test_the_command_writes_the_same_bytes_twice(self, results, tmp_path):
        for part in ("test", "dev"):
            (tmp_path / f"judge_{part}.json").write_text(json.dumps(result(part)), "utf-8")
        (tmp_path / "judge_peers.json").write_text(json.dumps(PEERS), "utf-8")
        card = tmp_path / "CARD.md"
        told = ["--results", str(tmp_path), "--docs", str(tmp_path), "--card", str(card)]
        written = []
        for _ in range(2):
            assert report.main(told) == 0
            written.append([(tmp_path / name).read_bytes() for name in (report.PAGE, report.DIAGRAM, card.name)])
        assert written[0] == written[1]


@pytest.mark.parametrize("name", [report.PAGE, report.DIAGRAM, "the model card"])
def test_what_is_committed_is_what_the_command_writes(name):
    try:
        results = report.Results.of(report.RESULTS)
    except FileNotFoundError as absent:
        pytest.skip(f"nothing measured yet: {absent.filename}")
    if name == "the model card":
        card = report.CARD.read_text("utf-8")
        assert report.with_section(card, report.card_section(results)) == card
        return
    text = {report.PAGE: report.page, report.DIAGRAM: report.diagram}[name](results)
    assert (report.ROOT / "docs" / name).read_text("utf-8") == text, "run: python -m training card"
