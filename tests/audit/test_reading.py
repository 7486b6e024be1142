"""Does every claim of a memory file stand on the lines that an editor shows?"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.audit.reading import read_claims
from stilltrue.audit.structure import lines_of
from stilltrue.settings import Settings

CASES = json.loads((Path(__file__).parent / "cases" / "reading.json").read_text(encoding="utf-8"))
SETTINGS = Settings()


def read(text):
    return read_claims("CLAUDE.md", text, saved_at=None, settings=SETTINGS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_F8_claims_stand_on_their_lines(case):
    found = read(case["text"])
    assert [[one.line, one.end_line, one.text] for one in found] == case["claims"]
    told = {
        "dated": [one.dated.date().isoformat() if one.dated else None for one in found],
        "headings": [list(one.headings) for one in found],
        "leads": [list(one.leads) for one in found],
        "judged": [one.statement.text for one in found],
        "voices": [one.statement.modality.value for one in found],
    }
    for name, expected in case.items():
        if name in told:
            assert told[name] == expected, name


def test_F8_scopes_of_headings_reach_the_statement():
    [claim] = read("# Ports\n\n## Staging\n\n- The API listens on port 8080.\n")
    assert ("environment", "staging") in claim.statement.slot.qualifiers


PIECES = st.sampled_from(
    [
        *("# A\n", "## Staging\n", "- item one is here\n", "  - nested `x` here\n", "1. step\n", "```\n", "> quote\n"),
        *("| a | b |\n|---|---|\n| c | d e |\n", "word two three.\n", "\n", "---\n", "Title\n===\n", "**Bold**\n\n"),
        *("- 2025-03-12: moved.\n", "\r\n", "<!-- c\n", "-->\n", "\ufeff", "é🚀 x\n", "    code\n", "\t- tab\n"),
        *("Never:\n", "~~gone~~ kept word\n", "\x0c", "\u2028", "a\rb"),
        *(
            "and `a\nb` then. ",
            "<!-- c\nd --> after. ",
            "[see\nthis](\n/x) now. ",
            "Term\n: what it is\n",
            "~~x\ny~~ z. ",
        ),
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join)))
def test_F8_any_text_is_read_and_words_stand_on_their_lines(text):
    lines = lines_of(text).split("\n")
    for claim in read(text):
        assert 1 <= claim.line <= claim.end_line <= len(lines)
        there = "".join("\n".join(lines[claim.line - 1 : claim.end_line]).split())
        first = next((word for word in claim.text.replace("`", " ").split() if word.isascii() and word.isalnum()), "")
        assert first in there
