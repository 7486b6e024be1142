"""Does an LLM that is down, or that may not be asked today, cost a fact or a vote? Rows A6, C3, B13 and issue 4."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from stilltrue.model.expert import Unheard
from stilltrue.model.verdict import Relation
from stilltrue.testing import ScriptedExpert
from stilltrue.write.retrying import PAUSES
from tests.flow.canon import content

WAYS = pytest.mark.parametrize("inline", [True, False], ids=["inside the write", "deferred"])
PLACES = ("Norway", "Spain", "Japan", "Peru", "Kenya", "Wales")
OLD, NEW = "User enjoys long hikes in {0}.", "User hikes in {0} mostly alone."
DOWN = Unheard("llm: localhost cannot be reached")


class Outage:
    """A server that is down until a time, and then says that the newer statement replaces the older."""

    def __init__(self, clock, until):
        self.clock = clock
        self.until = until
        self.refused = 0

    def __call__(self, old, new):
        if self.clock.now() < self.until:
            self.refused += 1
            return DOWN
        same = next(place for place in PLACES if place in new) in old
        return Relation.UPDATE if same and "alone" in new else Relation.NONE


@pytest.fixture
def begin(stories):
    def opened(answer=None, *, inline=False, hours=1, **knobs):
        story = stories(pair_model="off")
        outage = Outage(story.clock, story.clock.now() + timedelta(hours=hours))
        expert = ScriptedExpert(answer or outage)
        story.memory.engine = replace(story.memory.engine, expert=expert)
        story.memory.configure(classify_before_write=inline, similarity_gate=0.3, **knobs)
        return story, expert, outage

    return opened


def jobs(story):
    with story.memory.engine.store.read() as reader:
        return reader.jobs(story.memory.space, story.clock.now() + timedelta(days=99), 999)


def undecided(story):
    with story.memory.engine.store.read() as reader:
        return [pair.judgement.reason for pair in reader.judged(story.memory.space, undecided_only=True)]


def hour_of_traffic(story):
    """A write every five minutes, each followed by a worker that drains; what was kept."""
    kept = []
    for place in PLACES:
        for text in (OLD, NEW):
            [decision] = story.memory.remember(text.format(place))
            kept.append(decision.fact_id)
            story.memory.drain()
            story.clock.advance(300)
    return kept


@WAYS
def test_C3_an_hour_without_an_llm_loses_no_write_and_no_vote(begin, inline):
    story, _, outage = begin(inline=inline)
    kept = hour_of_traffic(story)
    assert len(set(kept)) == 2 * len(PLACES)
    assert outage.refused > 0
    assert undecided(story).count(DOWN.reason) == len(PLACES)
    assert {story.fact(fact_id).status for fact_id in kept} == {"active"}
    while jobs(story):
        story.clock.advance(300)
        story.memory.drain()
    assert story.clock.now() < outage.until + timedelta(hours=2)
    assert DOWN.reason not in undecided(story)
    assert [story.fact(fact_id).status for fact_id in kept] == ["superseded", "active"] * len(PLACES)


@WAYS
def test_C3_the_outage_leaves_the_memory_that_there_would_be_without_it(begin, inline):
    ends = []
    for hours in (1, 0):
        story, _, _ = begin(inline=inline, hours=hours)
        hour_of_traffic(story)
        while jobs(story):
            story.clock.advance(300)
            story.memory.drain()
        ends.append(content(story.memory))
    assert ends[0] == ends[1]


@WAYS
def test_C3_it_is_asked_eight_times_after_longer_and_longer_pauses_and_then_left_undecided(begin, inline):
    story, expert, _ = begin(lambda *_: DOWN, inline=inline)
    began = story.clock.now()
    for text in (OLD, NEW):
        story.memory.remember(text.format("Norway"))
    asked = [began] * len(expert.requests)
    while jobs(story):
        story.memory.drain()
        asked += [story.clock.now()] * (len(expert.requests) - len(asked))
        story.clock.advance(60)
    assert len(asked) == 8
    assert [later - earlier for earlier, later in pairwise(asked)] == list(PAUSES)
    assert undecided(story) == [DOWN.reason]


def test_C3_an_answer_that_is_of_no_use_is_not_asked_for_again(begin):
    story, expert, _ = begin(lambda *_: "llm: no clean answer, even when asked again")
    for text in (OLD, NEW):
        story.memory.remember(text.format("Norway"))
    story.memory.drain()
    assert (len(expert.requests), jobs(story)) == (1, [])
    assert undecided(story) == ["llm: no clean answer, even when asked again"]


def test_C3_only_the_pairs_without_a_vote_are_asked_about_again(begin):
    down = [True]
    story, expert, _ = begin(lambda old, _: DOWN if down[0] and "long" in old else Relation.NONE)
    for text in ("User packs a tent for hikes in Norway.", OLD.format("Norway"), NEW.format("Norway")):
        story.memory.remember(text)
    story.memory.drain()
    assert len(expert.pairs) > 1
    (job,) = jobs(story)
    assert (job.attempts, len(job.payload["near"])) == (1, 1)
    down[0] = False
    asked = len(expert.pairs)
    story.clock.advance(60)
    story.memory.drain()
    assert [old for old, _ in expert.pairs[asked:]] == [OLD.format("Norway")]
    assert (jobs(story), undecided(story)) == ([], [])


def test_C3_a_drain_leaves_an_llm_alone_that_does_not_answer(begin, monkeypatch):
    monkeypatch.setattr("stilltrue.write.jobs.AT_ONCE", 2)
    story, expert, _ = begin()
    for place in PLACES:
        for text in (OLD, NEW):
            story.memory.remember(text.format(place))
    assert len(jobs(story)) > 4
    story.memory.drain()
    assert len(expert.requests) == 1
    assert sum(job.attempts for job in jobs(story)) == 2


@WAYS
def test_A6_what_the_budget_refuses_waits_for_the_next_day(begin, inline):
    story, expert, _ = begin(lambda *_: Relation.UPDATE, inline=inline, llm_calls_per_day=0)
    kept = [
        story.say(OLD.format("Norway"), "2026-02-01").fact_id,
        story.say(NEW.format("Norway"), "2026-03-01").fact_id,
    ]
    story.memory.drain()
    (job,) = jobs(story)
    assert (job.due_at, job.attempts) == (datetime(2026, 3, 2, tzinfo=UTC), 0)
    assert undecided(story) == ["budget: no calls are left today"]
    story.memory.configure(llm_calls_per_day=9)
    assert story.memory.drain() == []
    story.clock.set(datetime(2026, 3, 2, tzinfo=UTC))
    assert [one.action for one in story.memory.drain()] == ["SUPERSEDE"]
    assert [story.fact(fact_id).status for fact_id in kept] == ["superseded", "active"]
    assert (jobs(story), len(expert.requests)) == ([], 1)
