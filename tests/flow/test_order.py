"""Does it matter in which order dated facts arrive? Row F6: the same facts in any order give the same current state and
the same valid-time history, restatements, retractions and corrections among them (the bar: 500 permutations)."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from stilltrue.settings import Settings
from tests.flow.teller import START, Story, WordEmbedder

WORDS = WordEmbedder()
SLOTS = {"residence": ("Oslo", "Rome", "Bonn"), "employer": ("Bosch", "Nordea", "Apple")}
TEXTS = {
    "residence": {"is": "User lives in {}.", "ends": "User no longer lives in {}.",
                  "never": "Actually, the user has never lived in {}."},
    "employer": {"is": "User works at {}.", "ends": "User no longer works at {}.",
                 "never": "Actually, the user has never worked at {}."},
}  # fmt: skip
OPEN = Settings(max_retired_per_write=1000)
ORDERS = 3  # permutations tried of each example
EXAMPLES = 57  # of each of three kinds: 513 permutations in all, and those of the small cases
THOROUGH = settings(max_examples=EXAMPLES, phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink))


def told(words):
    """Rows of statements (slot, word, value, day), on a day of their own within their slot, and three permutations."""

    def place(slot, least, most):
        one = st.tuples(st.just(slot), st.sampled_from(words), st.sampled_from(SLOTS[slot]))
        return st.lists(one, min_size=least, max_size=most).flatmap(
            lambda rows: st.lists(st.integers(1, 200), min_size=len(rows), max_size=len(rows), unique=True).map(
                lambda days: [(*row, day) for row, day in zip(rows, sorted(days), strict=True)]
            )
        )

    both = st.tuples(place("residence", 2, 5), place("employer", 0, 3)).map(lambda two: two[0] + two[1])
    return both.flatmap(lambda rows: st.tuples(st.just(rows), *[st.permutations(rows)] * ORDERS))


def tell(rows):
    """A story of these rows, told one a day from day 300 on, each dated as it says; what it came to."""
    story = Story.open(WORDS, settings=OPEN)
    for number, (slot, word, value, when) in enumerate(rows):
        said = START + timedelta(days=when)
        story.clock.set(START + timedelta(days=300 + number))
        text = TEXTS[slot][word].format(value)
        story.memory.remember(text, subject="user", attribute=slot, value=value, said_at=said)
    story.clock.set(START + timedelta(days=400))
    current = sorted((r.attribute, r.value) for r in story.memory.lookup("user"))
    past = sorted(
        (slot, s.fact.value, str(s.fact.valid_from), str(s.fact.valid_until), str(s.fact.retirement))
        for slot in SLOTS
        for s in story.memory.history(subject="user", attribute=slot).stretches
        if s.start != s.end and s.word != "corrected"
    )
    wrong = {(slot, s.fact.value) for slot in SLOTS
             for s in story.memory.history(subject="user", attribute=slot).of("corrected")}  # fmt: skip
    served = {day: sorted(r.value for r in story.memory.lookup("user", as_of=START + timedelta(days=day)))
              for day in range(0, 201, 50)}  # fmt: skip
    assert story.memory.check_invariants() == []
    story.memory.close()
    return {"current": current, "past": past, "wrong": wrong, "served": served}


def agree(rows, *orders):
    in_order = tell(sorted(rows, key=lambda row: row[3]))
    for order in orders:
        assert tell(order) == in_order


@pytest.mark.parametrize(
    "words",
    [
        "is Oslo, is Rome, is Oslo",
        "is Oslo, is Oslo, is Rome",
        "is Oslo, is Oslo, is Rome, is Oslo",
        "is Oslo, is Oslo, ends Oslo, is Oslo",
        "is Oslo, never Oslo, is Oslo",
        "is Oslo, is Rome, never Rome, is Rome",
        "is Oslo, is Rome, is Rome, is Bonn",
        "is Oslo, ends Oslo",
        "is Oslo, ends Oslo, is Oslo",
        "is Oslo, ends Oslo, is Rome",
        "is Rome, is Oslo, ends Rome",  # what is over already
        "is Oslo, is Rome, is Rome, ends Oslo",
        "is Rome, is Oslo, ends Rome, is Rome",
        "is Oslo, ends Oslo, ends Oslo",
        "ends Oslo, is Oslo, ends Oslo",
        "is Oslo, never Oslo",
        "is Oslo, is Rome, never Rome",
        "is Oslo, is Oslo, never Oslo",
        "never Oslo, is Oslo, never Oslo",
        "is Oslo, never Rome",
        "never Rome, never Rome",
    ],
)
def test_F6_small_cases_in_every_order(words):
    rows = [("residence", *part.split(), 10 * place) for place, part in enumerate(words.split(", "), start=1)]
    agree(rows, *permutations(rows))


@given(told(("is",)))
@THOROUGH
def test_F6_dated_values_and_restatements_in_any_order(case):
    agree(*case)


@given(told(("is", "is", "ends")))
@THOROUGH
def test_F6_with_retractions_in_any_order(case):
    agree(*case)


@given(told(("is", "is", "never")))
@THOROUGH
def test_F6_with_corrections_in_any_order(case):
    agree(*case)


@pytest.mark.parametrize("turned", [False, True])
def test_F6_a_restatement_of_the_middle_told_last_splits_nothing_twice(turned):
    rows = [("residence", "is", "Oslo", 10), ("residence", "is", "Rome", 20), ("residence", "is", "Oslo", 30),
            ("residence", "is", "Oslo", 15)]  # fmt: skip
    came = tell(rows[::-1] if turned else rows)
    assert [row[1:2] for row in came["past"]] == [("Oslo",), ("Oslo",), ("Rome",)]
    assert came["current"] == [("residence", "Oslo")]
    assert came["served"][50] == ["Oslo"]
