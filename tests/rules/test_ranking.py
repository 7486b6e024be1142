"""Does relevance come first, and does retention follow SPEC A7 to the figure?"""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.model.fact import Category, Modality, Standing
from stilltrue.rules.ranking import (
    CLEARLY_RELEVANT,
    HARDLY_RELEVANT,
    RELEVANT_COSINE,
    relevance,
    score,
    worth_showing,
)
from stilltrue.rules.retention import CORE_FLOOR, FLOOR, retention

SEEN = datetime(2025, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)


def held(days, **standing):
    return retention(Standing(last_seen_at=SEEN, **standing), SEEN + timedelta(days=days))


@pytest.mark.parametrize(
    ("days", "standing", "expected"),
    [
        (0, {}, 1.0),
        (45, {"category": Category.EPISODIC, "importance": 0.0}, math.exp(-1)),
        (90, {"category": Category.EPISODIC, "importance": 0.5}, math.exp(-1)),
        (120, {"category": Category.SEMANTIC, "importance": 0.0}, math.exp(-1)),
        (360, {"category": Category.SEMANTIC, "importance": 1.0}, math.exp(-1)),
        (240, {"category": Category.SEMANTIC, "importance": 0.0, "stability": 2.0}, math.exp(-1)),
        (60, {"category": Category.CORE, "importance": 0.0}, math.exp(-0.5)),
        (10_000, {"category": Category.CORE}, CORE_FLOOR),
        (10_000, {"category": Category.SEMANTIC}, FLOOR),
        (10_000, {"category": Category.PROCEDURAL}, 1.0),
        (1.2, {"category": Category.SEMANTIC, "importance": 0.0, "stability": 0.0}, math.exp(-1)),
    ],
)
def test_A7_retention_is_the_curve_of_the_specification(days, standing, expected):
    assert held(days, **standing) == pytest.approx(expected)


def test_A7_score_is_relevance_times_retention_to_the_power_of_three_tenths():
    assert score(0.8, 0.5) == pytest.approx(0.8 * 0.5**0.3)


@given(retained=st.floats(FLOOR, 1), clear=st.floats(CLEARLY_RELEVANT, 1), hardly=st.floats(0, HARDLY_RELEVANT))
def test_A7_forgetting_never_lifts_an_irrelevant_fact_over_a_clear_answer(retained, clear, hardly):
    assert score(clear, retained) > score(hardly, 1.0)


@given(cosine=st.one_of(st.none(), st.floats(-1, 1.001)), strength=SHARES, coverage=SHARES)
def test_relevance_is_a_share_and_grows_with_each_part(cosine, strength, coverage):
    found = relevance(cosine, strength, coverage)
    assert 0 <= found <= 1 + 1e-9
    assert relevance(1.0, strength, coverage) >= found
    assert relevance(cosine, 1.0, coverage) >= found
    assert relevance(cosine, strength, 1.0) >= found


def test_what_is_seen_later_than_asked_is_fresh():
    assert held(-5) == 1.0


@pytest.mark.parametrize("voice", [Modality.PLAN, Modality.HYPOTHETICAL, Modality.HEARSAY])
def test_an_assertion_comes_before_what_is_not_claimed_and_answers_as_well(voice):
    assert score(0.5, 1.0) > score(0.5, 1.0, voice)
    assert score(0.65, 1.0, voice) > score(0.5, 1.0)


def test_the_cut_keeps_what_shares_a_word_or_lies_near():
    assert worth_showing(RELEVANT_COSINE, shares_words=False)
    assert not worth_showing(RELEVANT_COSINE - 0.01, shares_words=False)
    assert worth_showing(None, shares_words=True)
    assert not worth_showing(None, shares_words=False)
