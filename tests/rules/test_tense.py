"""Which questions ask about the past (SPEC D7), and which only look as if they did?"""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stilltrue.model.timeline import Interval
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.tense import LONGEST_QUESTION, asks_about_past, past_period

CASES = json.loads(Path(__file__).with_name("tense.json").read_text(encoding="utf-8"))
ENTRIES = {name: table for name, table in lexicon("historical").items() if name != "words"}
NOW = datetime(2025, 6, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize("query", CASES["past"])
def test_asks_about_the_past(query):
    assert asks_about_past(query) is not None


@pytest.mark.parametrize("query", CASES["present"])
def test_asks_about_now(query):
    assert asks_about_past(query) is None


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_each_entry_fires_and_holds_still_as_it_says(name):
    entry = ENTRIES[name]
    assert entry["why"]
    assert asks_about_past(entry["fires"]) is not None
    assert asks_about_past(entry["still"]) is None


def test_case_quotes_and_spaces_do_not_matter():
    assert asks_about_past("  WHICH TOOLS DON’T\nWE USE ANYMORE ?") is not None


@pytest.mark.parametrize(
    "hostile",
    [
        "did ",
        "was before ",
        "since i ",
        "used to ",
        "a",
        "\u0000",
        "'",
        "when did ",
        "have ever",
        "i i i ",
        "my a our b ",
    ],
)
@pytest.mark.alone
def test_hostile_text_is_read_quickly(hostile):
    text = (hostile * 9000)[: 8 * 1024]
    asks_about_past(text)
    started = time.thread_time()
    asks_about_past(text)
    assert time.thread_time() - started < 0.5  # 50 ms on a quiet machine; tests share theirs
    assert len(text) > LONGEST_QUESTION


def test_a_year_in_the_question_names_its_period():
    period = past_period("Where did I live in 2019?", NOW, "UTC")
    assert period == Interval(datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "query",
    [
        "Where will we meet in 2030?",
        "What should I do with the receipts of 2019?",
        "Where do I live?",
        "When is the launch on 1 September 2025?",
    ],
)
def test_no_past_period(query):
    assert past_period(query, NOW, "UTC") is None
