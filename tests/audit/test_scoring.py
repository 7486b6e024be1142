"""How do the pairs of an audit bear on each other: by their file's rate, and by lines that clash surer elsewhere?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.audit.agreeing import tell_the_same
from stilltrue.audit.base_rate import at_own_rate
from stilltrue.audit.rivals import given_way

SURE = st.floats(0.0, 1.0)
PAIRS = st.dictionaries(st.tuples(st.integers(0, 6), st.integers(7, 12)), st.floats(0.01, 0.99), max_size=20)


@given(st.lists(SURE, max_size=40), st.floats(0.01, 0.5))
def test_F8_a_rate_leaves_the_order_of_pairs_and_every_share_a_share(sure, usual):
    told = at_own_rate(sure, usual)
    assert len(told) == len(sure)
    assert all(0.0 <= one <= 1.0 for one in told)
    for (one, after), (other, later) in zip(
        zip(sure, told, strict=True), sorted(zip(sure, told, strict=True)), strict=True
    ):
        assert (one <= other) <= (after <= later + 1e-12)


def test_F8_a_doubtful_pair_counts_for_less_in_a_file_that_is_kept_up():
    kept_up = at_own_rate([0.5, *[0.002] * 300], usual=0.05)[0]
    neglected = at_own_rate([0.5, *[0.95] * 30, *[0.002] * 270], usual=0.05)[0]
    assert kept_up < 0.3
    assert neglected > 0.5


def test_F8_a_few_pairs_tell_little_of_a_rate():
    assert at_own_rate([0.5, 0.01], usual=0.05)[0] == pytest.approx(0.5, abs=0.1)


@given(PAIRS)
def test_F8_giving_way_makes_no_pair_surer_and_leaves_the_surest_of_its_lines(sure):
    kept = given_way(sure)
    assert kept.keys() == sure.keys()
    for pair, one in sure.items():
        rivals = [other for lines, other in sure.items() if set(lines) & set(pair)]
        assert kept[pair] <= one + 1e-9
        assert (kept[pair] == one) == (one >= max(rivals))


def test_F8_a_cell_beside_the_changed_line_gives_way_to_what_was_changed():
    kept = given_way({("stack", "moved"): 0.9, ("beside", "moved"): 0.6, ("far", "apart"): 0.6})
    assert kept[("stack", "moved")] == 0.9
    assert kept[("far", "apart")] == 0.6
    assert kept[("beside", "moved")] < 0.25


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("`read` returns at most 2,000 lines.", "Raised `read` from 500 to 2,000 lines.", True),
        ("`read` returns at most 500 lines.", "Raised `read` from 500 to 2,000 lines.", False),
        ("Tickets are in Linear.", "We moved from Jira to Linear in March.", True),
        ("Tickets are in Jira.", "We moved from Jira to Linear in March.", False),
        ("Open from Monday to Friday.", "The shop opens Monday to Friday.", False),
        ("The lease runs for two weeks.", "The lease runs for 14 days.", True),
        ("The lease runs for two weeks.", "The lease runs for 15 days.", False),
        ("The lease runs for two weeks.", "Trials run for 14 days.", False),
    ],
)
def test_F8_what_came_to_be_so_agrees_with_what_is_so(one, other, same):
    assert tell_the_same(one, other) is same
    assert tell_the_same(other, one) is same
