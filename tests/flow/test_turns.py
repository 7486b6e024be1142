"""Does it matter which of the things that were told are judged at once and which later? Rows F6, E3 and F4 where the
turn of a fact comes after others that say the same, or that part its stays, have been decided on."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.flow.canon import snapshot
from tests.flow.teller import HOME, WordEmbedder, day
from tests.flow.test_sweep import lives, told


def residence(said):
    """Texts about where the user lives, a word or two and a day each, as `told` takes them."""
    words = {"is": "User lives in {}.", "ends": "User no longer lives in {}."}
    return [
        (words[word].format(city), f"2025-01-{day}", {**HOME, "value": city})
        for word, city, day in (one.split() for one in said.split(", "))
    ]


def mixed(story, log, late):
    """A log told on one day, each text dated; those at the places in `late` are judged afterwards."""
    story.on("2025-02-10")
    for place, (text, when, given) in enumerate(log):
        story.memory.remember(text, said_at=when, wait=place not in late, **given)
    story.clock.advance(60)
    story.memory.drain()
    story.memory.sweep()
    return story


@pytest.mark.parametrize(
    "said",
    ["is Oslo 01, is Oslo 03, is Rome 02", "is Oslo 01, is Rome 02, is Oslo 03, is Rome 04",
     "is Oslo 01, is Oslo 02, is Rome 03, is Oslo 04", "is Oslo 01, ends Oslo 02, is Oslo 03"],
)  # fmt: skip
def test_F6_in_whatever_order_it_comes_and_whichever_is_judged_later(stories, said):
    log = residence(said)
    expected = lives(told(stories(embedder=WordEmbedder(), pair_model="off"), sorted(log, key=lambda one: one[1])))
    for order in permutations(log):
        for late in ({0}, {1}, {0, 2}):
            story = mixed(stories(embedder=WordEmbedder(), pair_model="off"), order, late)
            assert lives(story) == expected, (order, late)


def test_E3_a_stay_that_goes_on_after_an_end_told_late_is_left_as_it_is(stories):
    story = stories(embedder=WordEmbedder(), pair_model="off").on("2025-02-10")
    for text, when, given in residence("is Oslo 01, is Oslo 20, ends Oslo 10"):
        story.memory.remember(text, said_at=when, **given)
    assert story.values() == ["Oslo"]
    before = snapshot(story.memory)
    assert story.memory.sweep().decisions == []
    assert snapshot(story.memory) == before


def test_F4_what_was_told_again_before_its_turn_is_taken_back_as_it_came(stories):
    story = stories(embedder=WordEmbedder(), pair_model="off").on("2025-02-10")
    early, again = residence("is Bonn 13, is Bonn 24")
    for text, when, given in residence("is Oslo 04, is Oslo 16"):
        story.memory.remember(text, said_at=when, **given)
    story.memory.remember(early[0], said_at=early[1], wait=False, **early[2])
    (second,) = story.memory.remember(again[0], said_at=again[1], **again[2])
    before = snapshot(story.memory)["facts"]
    (turn,) = story.memory.drain()
    assert turn.action == "SUPERSEDE"
    assert story.life(second.fact_id).fact.valid_from == day("2025-01-24")
    assert [one.text for one in story.memory.explain(turn.id).decisions] == [early[0]]
    story.memory.undo(turn.id)
    assert snapshot(story.memory)["facts"] == before
