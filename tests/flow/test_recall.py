"""Which facts are put before the judges? Likeness nominates, generously where the subject is one, and never decides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stilltrue.testing import FrozenClock, memory

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def considered(story, text):
    """The texts that were judged for a statement."""
    (decision,) = story.memory.remember(text)
    return {item.text for item in decision.receipt.considered}


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("I am a vegetarian.", "I had a steak with my sister on Sunday."),
        ("Ada works at Bosch.", "Ada signed a contract with Airbus."),
    ],
)
def test_A2_a_little_likeness_is_enough_within_one_subject(story, known, told):
    story.memory.remember(known)
    assert considered(story, told) == {known}


def test_A2_between_two_subjects_it_is_not(story):
    story.memory.remember("Ben is a vegetarian.")
    assert considered(story, "Ada had a steak with her sister on Sunday.") == set()


def test_A2_the_gate_is_a_knob(story):
    story.memory.configure(subject_gate=0.6)
    story.memory.remember("I am a vegetarian.")
    assert considered(story, "I had a steak with my sister on Sunday.") == set()
    story.memory.configure(subject_gate=0.2)
    assert considered(story, "I grilled a steak yesterday.") >= {"I am a vegetarian."}


def test_C2_no_more_than_max_candidates(story):
    for food in ("rice", "bread", "kale", "plums", "cheese", "soup", "fish", "corn"):
        story.memory.remember(f"User cooked {food} on a camping trip.")
    story.memory.configure(subject_gate=-1.0, max_candidates=3)
    assert len(considered(story, "User dislikes long meetings.")) == 3


def test_A2_rules_alone_are_shown_what_is_alike():
    with memory(FrozenClock(NOON)) as alone:
        alone.remember("I am a vegetarian.")
        (decision,) = alone.remember("I had a steak with my sister on Sunday.")
        assert decision.receipt.considered == ()
