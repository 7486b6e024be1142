"""F10: which presuppositions of a text are stale, by a story told through the public API, with the shipped judge?"""

from datetime import UTC, datetime
from time import thread_time

import pytest

from stilltrue.errors import AccessError, InvalidInputError
from stilltrue.model.fact import Status
from stilltrue.rules.presuppositions import presuppositions
from stilltrue.testing import FrozenClock, memory
from tests.read.check_cases import CASES, TOLD

TODAY = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def told():
    clock = FrozenClock(TODAY)
    with memory(clock, pair_model="bundled") as made:
        for day, text in TOLD:
            clock.set(datetime.fromisoformat(day).replace(tzinfo=UTC))
            made.remember(text)
        clock.set(TODAY)
        yield made
        assert made.check_invariants() == []


def test_there_are_enough_cases():
    silent = [text for text, words in CASES if not words]
    assert len(CASES) >= 60
    assert len(silent) * 2 >= len(CASES)


@pytest.mark.parametrize(("text", "words"), CASES, ids=[text for text, _ in CASES])
def test_F10_a_text_is_stale_only_where_memory_says_so(told, text, words):
    found = told.check(text).stale
    if not words:
        assert [(one.words, one.instead) for one in found] == []
        return
    assert len(found) == 1, [(one.words, one.assumes, one.instead) for one in found]
    assert words in found[0].words
    assert text[found[0].start : found[0].end] == found[0].words
    assert found[0].citations[0].sources[0].quote


def test_F10_a_stale_one_tells_what_holds_instead_since_when_and_by_which_words(told):
    text = "Please update the Postgres 14 cluster."
    (stale,) = told.check(text).stale
    assert (stale.words, stale.start, stale.end) == ("Postgres 14", 18, 29)
    assert stale.instead == "We upgraded the database to Postgres 17."
    assert stale.since == datetime(2025, 3, 5, tzinfo=UTC)
    assert stale.relation.is_conflict
    assert 0.9 <= stale.confidence <= 1
    now, before = stale.citations[:2]
    assert (now.status, before.status) == (Status.ACTIVE, Status.SUPERSEDED)
    assert before.sources[0].quote == "We run Postgres 14 in production."
    assert told.history(before.fact_id).fact.superseded_by == now.fact_id


def test_F10_what_was_withdrawn_is_stale_by_the_words_that_withdrew_it(told):
    (stale,) = told.check("Flush the Redis cache.").stale
    assert stale.instead == "Redis was removed."
    assert stale.citations[0].status is Status.RETRACTED


def test_F10_several_stale_words_come_in_the_order_of_the_text(told):
    text = "Ask Dana, the CTO, about the Postgres 14 cluster, and send the bill to my flat in Portland."
    assert [one.words for one in told.check(text).stale] == ["Dana, the CTO", "Postgres 14", "my flat in Portland"]


def test_F10_a_check_writes_nothing(told):
    before = told.stats()
    told.check("Restart the Jenkins server.")
    assert told.stats() == before


def test_F10_an_empty_memory_flags_nothing():
    with memory(FrozenClock(TODAY), pair_model="bundled") as empty:
        assert [text for text, _ in CASES if empty.check(text).stale] == []


def test_F10_another_space_is_not_asked(told):
    assert told.in_space("other").check("Restart the Jenkins server.").stale == ()
    told.in_space("group").set_members(["ada"])
    with pytest.raises(AccessError):
        told.in_space("group")


@pytest.mark.parametrize("text", ["", "  \n", "x" * 8_001])
def test_F10_no_text_and_an_endless_one_are_refused(told, text):
    with pytest.raises(InvalidInputError):
        told.check(text)


@pytest.mark.parametrize(
    "text",
    [
        "our " * 1_999,
        "A " * 3_900,
        "(" * 8_000,
        "the 9:30 " * 800,
        "Dana, the " * 790,
        "since we use " * 600,
        "`a.b" * 1_999,
    ],
    ids=lambda text: text[:10],
)
@pytest.mark.alone
def test_F10_hostile_texts_are_read_in_time(text):
    started = thread_time()
    presuppositions(text)
    assert thread_time() - started < 2
