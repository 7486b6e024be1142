"""Are sentences cut where they end, with exact spans? Case table: tests/rules/reading/sentences.json."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.rules.sentences import split

CASES = json.loads((Path(__file__).parent / "reading" / "sentences.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:60])
def test_split(case):
    found = split(case["text"])
    assert [sentence.text for sentence in found] == case["sentences"]
    for name in ("context", "speaker"):
        if name in case:
            assert [getattr(sentence, name) for sentence in found] == case[name]


MARKS = [
    "- ",
    "# ",
    "```\n",
    "**a:**\n",
    "user: ",
    "I am. ",
    "and we are ",
    "; ",
    "\n",
    '"',
    "(",
    "1. ",
    "e.g. ",
    "x",
    "?",
    "| a |",
]


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(MARKS), max_size=40).map("".join)))
@settings(max_examples=300, deadline=None)
def test_spans_are_exact_and_in_order(text):
    at = 0
    for sentence in split(text):
        assert sentence.span.of(text) == sentence.text
        assert sentence.span.start >= at
        assert sentence.text.strip() == sentence.text != ""
        at = sentence.span.end


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ". ",
        "and i am ",
        "; ",
        '"a. ',
        "(",
        "- \n",
        "```\n",
        "**a:**\n",
        "user: a\n",
        "e.g. ",
        ", but we are ",
        "a\n",
    ],
)
def test_hostile_text_costs_little(unit):
    text = (unit * 8192)[:8192]
    split(text)
    took = []
    for _ in range(3):
        begun = time.thread_time()
        split(text)
        took.append(time.thread_time() - begun)
    assert min(took) < 0.3  # linear: about 30 ms when the machine is idle, ten times that when it is crowded
