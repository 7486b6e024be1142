"""Which facts are put before the judges? Likeness nominates, generously where the subject is one, and never decides."""

from __future__ import annotations

import pytest


def considered(story, text):
    """The texts that were judged for a statement."""
    (decision,) = story.memory.remember(text)
    return {item.text for item in decision.receipt.considered}


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("User is vegetarian.", "User ate a steak last night."),
        ("Ada works at Bosch.", "Ada signed a contract with Airbus."),
    ],
)
def test_A2_a_little_likeness_is_enough_within_one_subject(story, known, told):
    story.memory.remember(known)
    assert considered(story, told) == {known}


def test_A2_between_two_subjects_it_is_not(story):
    story.memory.remember("Ben is vegetarian.")
    assert considered(story, "Ada ate a steak last night.") == set()


def test_A2_the_gate_is_a_knob(story):
    story.memory.configure(subject_gate=0.95)
    story.memory.remember("User is vegetarian.")
    assert considered(story, "User ate a steak last night.") == set()
    story.memory.configure(subject_gate=0.2)
    assert considered(story, "User grilled a steak yesterday.") >= {"User is vegetarian."}


def test_C2_no_more_than_max_candidates(story):
    for food in ("rice", "bread", "kale", "plums", "cheese", "soup", "fish", "corn"):
        story.memory.remember(f"User cooked {food} on a camping trip.")
    story.memory.configure(subject_gate=-1.0, max_candidates=3)
    assert len(considered(story, "User dislikes long meetings.")) == 3
