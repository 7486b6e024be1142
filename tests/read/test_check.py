"""F10: which presuppositions of a text are stale, by a story told through the public API, with the shipped judge?"""

from datetime import UTC, datetime

import pytest

from stilltrue.errors import AccessError, InvalidInputError
from stilltrue.model.fact import Status
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
