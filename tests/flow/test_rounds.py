"""What comes round by itself, once a worker runs? Rows A8 and B8: a pass of maintenance a day, and the story."""

from __future__ import annotations

from datetime import timedelta

from stilltrue.testing import ScriptedExpert
from stilltrue.upkeep.thread import work_everywhere
from tests.flow.teller import WordEmbedder


def test_A8_a_worker_sees_to_a_pass_a_day_and_none_before(stories):
    story = stories(embedder=WordEmbedder())
    story.says("User lives in Oslo.")
    for _ in range(2):
        assert work_everywhere(story.memory.engine) == []
    assert story.memory.stats().counts["jobs"] == 0
    for passes in (1, 2):
        story.clock.advance(timedelta(days=1).total_seconds() + 60)
        assert [one.failed for one in work_everywhere(story.memory.engine)] == [0]
        assert story.memory.stats().counts["passes"] == passes
    assert story.memory.engine.store.check_invariants() == []


def test_B8_a_worker_reads_the_story_that_a_write_left(stories):
    expert = ScriptedExpert()
    story = stories(embedder=WordEmbedder(), pair_model="off", expert=expert)
    story.says("User lives in Oslo.")
    assert expert.chapters == []
    story.clock.advance(story.memory.settings.story_debounce_seconds + 60)
    work_everywhere(story.memory.engine)
    assert expert.chapters == [["User lives in Oslo."]]
    assert story.memory.stats().counts["story_waiting"] == 0
    assert story.memory.engine.store.check_invariants() == []
