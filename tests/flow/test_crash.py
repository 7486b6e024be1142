"""What if judging is put off, or the process dies in between? Rows B13, C1, E8: a write is durable before any judging,
drain() comes to the same as waiting, a death at any point between keeping and judging loses and doubles nothing, and no
model is called while a transaction is open."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from stilltrue.errors import ModelError
from tests.flow.canon import content, snapshot
from tests.flow.teller import HOME, START, Story, WordEmbedder, day

PLAIN = [
    ("User lives in Oslo. User speaks French. User has a dog called Rex.", "2025-01-02", {}),
    ("User works at Bosch.", "2025-01-05", {}),
    ("User moved to Rome.", "2025-02-02", {}),
    ("User no longer has a dog called Rex.", "2025-03-02", {}),
    ("User speaks Italian. User lives in Rome.", "2025-03-05", {}),
    ("In 2019 User lived in Paris.", "2025-03-06", {}),
    ("Actually, the user has never worked at Bosch.", "2025-03-07", {}),
]
GIVEN = [
    ("User lives in Oslo.", "2025-01-02", {**HOME, "value": "Oslo"}),
    ("User moved to Rome.", "2025-02-02", {**HOME, "value": "Rome"}),
    ("User lives in Rome.", "2025-03-02", {**HOME, "value": "Rome"}),
    ("User lived in Bonn before.", "2025-03-05", {**HOME, "value": "Bonn", "valid_from": "2024-05-01"}),
    ("User no longer lives in Rome.", "2025-04-05", {**HOME, "value": "Rome"}),
    ("User moved to Turin.", "2025-05-05", {**HOME, "value": "Turin"}),
    ("Actually, the user has never lived in Turin; it was Nice.", "2025-05-07", {**HOME, "value": "Nice"}),
]


class Broken(WordEmbedder):
    """Dies at the nth call: raises, or takes the whole process with it."""

    def __init__(self, after=0, status=None):
        self.left = after
        self.status = status

    def embed(self, texts):
        if self.left == 0:
            if self.status is not None:
                os._exit(self.status)
            raise ModelError("the embedder is broken; mend it")
        self.left -= 1
        return super().embed(texts)


def counts(story):
    found = dict(story.memory.stats().counts)
    return {name: found[name] for name in ("episodes", "facts", "current", "jobs")}


def test_B13_the_write_returns_before_any_judging_and_is_durable(stories, tmp_path):
    story = stories(tmp_path / "memory.db", embedder=Broken())  # any call of a model would raise
    (kept,) = story.says("User lives in Oslo.", "2025-01-02", value="Oslo", wait=False, **HOME)
    assert (kept.action, kept.receipt.considered) == ("ACCEPT", ())
    assert kept.decided_at >= day("2025-01-02")
    other = stories(tmp_path / "memory.db", embedder=WordEmbedder(), clock=story.clock)
    assert other.fact(kept.fact_id).text == "User lives in Oslo."
    assert other.fact(kept.fact_id).recorded_at == kept.decided_at
    assert other.values() == ["Oslo"]
    assert other.memory.stats().counts["jobs"] == 1
    assert len(other.memory.drain()) == 1
    assert other.memory.stats().counts["jobs"] == 0


@pytest.mark.parametrize("log", [PLAIN, GIVEN], ids=["plain", "given"])
def test_B13_drain_comes_to_the_same_as_waiting(stories, log):
    now, later = stories(embedder=WordEmbedder()), stories(embedder=WordEmbedder())
    for text, when, given in log:
        now.says(text, when, **given)
        later.says(text, when, wait=False, **given)
        later.memory.drain()
    assert content(later.memory) == content(now.memory)


@pytest.mark.parametrize("log", [PLAIN, GIVEN], ids=["plain", "given"])
def test_B13_draining_once_at_the_end_comes_to_the_same(stories, log):
    now, later = stories(embedder=WordEmbedder()), stories(embedder=WordEmbedder())
    for text, when, given in log:
        now.says(text, when, **given)
        later.says(text, when, wait=False, **given)
    later.memory.drain()
    asked = [(attribute, when) for attribute in ("residence", "employer", "languages", "pet")
             for when in ("2019-06-01", "2025-01-10", "2025-02-20", "2025-03-20", "2025-05-20")]  # fmt: skip
    for attribute, when in asked:
        told = now.values("user", attribute, as_of=when)
        assert later.values("user", attribute, as_of=when) == told, (attribute, when)
    before = snapshot(later.memory)
    assert later.memory.drain() == []
    assert snapshot(later.memory) == before


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("after", range(4))
def test_B13_a_judge_that_fails_midway_loses_nothing(stories, tmp_path, wait, after):
    path = tmp_path / "memory.db"
    whole = stories(embedder=WordEmbedder())
    whole.home("Oslo", "2025-01-01")
    whole.says(PLAIN[0][0], "2025-01-02")
    ready = stories(path, embedder=WordEmbedder())
    ready.home("Oslo", "2025-01-01")
    broken = stories(path, embedder=Broken(after), clock=ready.clock)
    try:
        broken.says(PLAIN[0][0], "2025-01-02", wait=wait)
        broken.memory.drain()
        assert after >= 3
    except ModelError:
        assert after < 3
        assert counts(broken)["jobs"] == 1
    assert counts(broken)["episodes"] == 2
    mended = stories(path, embedder=WordEmbedder(), clock=ready.clock)
    mended.memory.drain()
    assert content(mended.memory) == content(whole.memory)
    before = snapshot(mended.memory)
    assert mended.memory.drain() == []
    assert snapshot(mended.memory) == before
    assert counts(mended)["jobs"] == 0


def _die(path, after, wait):
    story = Story.open(Broken(after, status=9), path)
    story.says(PLAIN[0][0], "2025-01-02", wait=wait)
    story.memory.drain()
    os._exit(0)


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("after", range(3))
def test_B13_a_process_that_dies_midway_loses_nothing(stories, tmp_path, wait, after):
    path = tmp_path / "memory.db"
    process = multiprocessing.get_context("fork").Process(target=_die, args=(path, after, wait))
    process.start()
    process.join(60)
    assert process.exitcode == 9
    whole = stories(embedder=WordEmbedder())
    whole.says(PLAIN[0][0], "2025-01-02")
    mended = stories(path, embedder=WordEmbedder()).on("2025-01-02")
    assert counts(mended)["jobs"] == 1
    mended.memory.drain()
    assert content(mended.memory) == content(whole.memory)
    assert mended.memory.drain() == []


def test_C1_every_way_in_goes_through_the_same_steps(stories):
    ways = []
    for way in ("text", "messages", "deferred", "batch"):
        story = stories(embedder=WordEmbedder())
        for number, text in enumerate(("User lives in Oslo.", "User moved to Rome.", "User lives in Rome.")):
            story.on(f"2025-0{number + 1}-01")
            if way == "messages":
                story.memory.remember(messages=[{"role": "user", "content": text}])
            elif way == "batch":
                with story.memory.batch():
                    story.says(text, role="user")
            else:
                story.says(text, role="user", wait=way != "deferred")
                story.memory.drain()
        ways.append(content(story.memory))
        assert story.values() == ["Rome"]
        assert len(story.memory.history(subject="user", attribute="residence").of("superseded")) == 1
    assert all(way == ways[0] for way in ways)


def test_C1_without_the_llm_step_the_local_judges_still_work(story):
    story.memory.configure(classify_before_write=False)
    story.home("Oslo", "2025-01-01")
    assert story.home("Rome", "2025-02-01", "User moved to Rome.").action == "SUPERSEDE"


@pytest.mark.parametrize("deed", ["undo", "forget", "never true", "erase"])
def test_B13_what_was_taken_back_before_judging_stays_so(stories, deed):
    story = stories(embedder=WordEmbedder())
    (kept,) = story.says("User lives in Oslo.", "2025-01-02", wait=False)
    story.on("2025-01-03")
    if deed == "undo":
        story.memory.undo(kept.id)
    elif deed == "erase":
        story.memory.erase(kept.fact_id)
    else:
        story.memory.forget(kept.fact_id, never_true=deed == "never true")
    story.memory.drain()
    assert story.values() == []
    assert story.served("Where does the user live? Oslo") == []
    assert story.memory.stats().counts["jobs"] == 0


class Watching(WordEmbedder):
    """Notes whether the store's write lock was held at any call."""

    def __init__(self):
        self.store = None
        self.calls = 0
        self.inside = 0

    def embed(self, texts):
        self.calls += 1
        self.inside += self.store is not None and self.store._lock._owner is not None
        return super().embed(texts)


def test_E8_no_model_is_called_inside_a_write(stories, tmp_path):
    watching = Watching()
    story = stories(tmp_path / "memory.db", embedder=watching)
    watching.store = story.memory.engine.store
    for text, when, given in GIVEN + [(text, "2025-06-01", given) for text, _, given in PLAIN]:
        story.says(text, when, **given)
        story.says(f"{text} Indeed.", when, wait=False, **given)
    story.memory.drain()
    story.memory.search("Where does the user live?")
    assert watching.calls > len(GIVEN)
    assert watching.inside == 0


def test_B13_a_repeated_origin_is_taken_once(stories):
    story = stories(embedder=WordEmbedder())
    assert len(story.says("User lives in Oslo.", origin="file:1")) == 1
    before = snapshot(story.memory)
    assert story.says("User lives in Oslo.", "2025-03-01", origin="file:1") == []
    assert story.says("User lives in Oslo.", "2025-03-01", origin="file:1", wait=False) == []
    assert snapshot(story.memory) == before
    assert story.clock.now() > START


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize(
    ("first", "then", "action"),
    [
        ("I have a dog.", "I no longer have a dog.", "RETRACT"),
        ("I live in Oslo.", "I live in Oslo.", "REINFORCE"),
        ("I have a dog.", "I live in Oslo.", "ACCEPT"),
    ],
)
def test_B13_an_origin_may_come_again_when_all_it_had_changed_is_undone(stories, first, then, action, wait):
    story = stories(embedder=WordEmbedder())
    story.say(first, "2025-01-01")
    decided = story.says(then, "2025-05-01", origin="file:1", wait=wait) + story.memory.drain()
    assert decided[-1].action == action
    held = snapshot(story.memory)
    assert story.says(then, "2025-06-01", origin="file:1") == []
    undone = story.memory.undo(decided[0].batch_id)
    redone = story.memory.undo(undone.id)
    assert story.says(then, "2025-06-01", origin="file:1") == []
    assert snapshot(story.memory) == held
    story.memory.undo(redone.id)
    assert [made.action for made in story.says(then, "2025-06-01", origin="file:1")] == [action]
    assert story.says(then, "2025-06-01", origin="file:1") == []
