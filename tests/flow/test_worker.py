"""Who does what writes leave for later? Rows B8, B13, C3: a thread or a process, several at once without doing a job
twice; what fails is put off and stops nothing else, and after the last attempt it is kept and shown."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from stilltrue.errors import ModelError, TakenOverError
from stilltrue.memory import Memory
from stilltrue.model.job import Claim, Lease
from stilltrue.settings import Settings
from stilltrue.upkeep.thread import Worker, work_everywhere
from stilltrue.upkeep.worker import ATTEMPTS, LONGEST_PAUSE, pause, work
from stilltrue.write import remember
from tests.flow.canon import content
from tests.flow.teller import WordEmbedder


class Choosy(WordEmbedder):
    """Fails at texts with a word."""

    word = "Oslo"

    def embed(self, texts):
        if self.word and any(self.word in text for text in texts):
            raise ModelError("the embedder does not know that town; mend it")
        return super().embed(texts)


def jobs(story):
    with story.memory.engine.store.read() as reader:
        return reader.jobs_of_kind(story.memory.space, "remember")


def test_B8_a_job_that_fails_stops_no_other_and_is_tried_again_later(stories):
    choosy = Choosy()
    story = stories(embedder=choosy)
    for text in ("User lives in Oslo.", "User speaks French.", "User works at Bosch."):
        story.says(text, wait=False)
    story.clock.advance(60)  # a clock that stands still falls behind the stamps of several writes
    round_ = work(story.memory.engine, story.memory.space)
    assert (len(round_.decisions), len(round_.tried)) == (2, 1)
    (left,) = jobs(story)
    assert left.attempts == 1
    assert "mend it" in left.failure
    assert left.due_at == story.clock.now() + pause(1)
    assert work(story.memory.engine, story.memory.space).done == 0  # not before its time
    story.clock.set(left.due_at)
    choosy.word = ""
    assert work(story.memory.engine, story.memory.space).done == 1
    assert jobs(story) == []


def test_B8_after_the_last_attempt_a_job_is_kept_as_failed_and_shown(stories):
    choosy = Choosy()
    story = stories(embedder=choosy)
    story.says("User lives in Oslo.", wait=False)
    waits = []
    for _ in range(ATTEMPTS):
        before = story.clock.now()
        assert work(story.memory.engine, story.memory.space).tried
        waits.append(jobs(story)[0].due_at - before)
        story.clock.set(jobs(story)[0].due_at)
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_PAUSE
    assert work(story.memory.engine, story.memory.space).done == 0
    assert story.memory.stats().counts["jobs_failed"] == 1
    with pytest.raises(ModelError, match="mend it"):
        story.memory.drain()
    choosy.word = ""
    assert len(story.memory.drain()) == 1
    assert story.memory.stats().counts["jobs_failed"] == 0


def test_B13_a_lease_keeps_others_away_until_it_ends_or_its_owner_is_gone(stories):
    story = stories(embedder=WordEmbedder())
    story.says("User lives in Oslo.", wait=False)
    store, space, now = story.memory.engine.store, story.memory.space, story.clock.now()
    elsewhere = Lease("another machine/1/x", now + pause(1))
    with store.write(space) as transaction:
        claim = Claim(kind="remember", due_at=now, lease=elsewhere, limit=9)
        assert len(transaction.claim_jobs(space, claim)) == 1
        assert transaction.claim_jobs(space, claim) == []
    assert story.memory.drain() == []
    story.clock.set(elsewhere.until)
    assert len(story.memory.drain()) == 1


def test_B13_two_workers_do_no_job_twice(stories, tmp_path):
    story = stories(tmp_path / "memory.db", embedder=WordEmbedder())
    texts = [f"Box {n} is red." for n in range(60)]
    for n, text in enumerate(texts):
        story.says(text, wait=False, subject=f"box {n}", attribute="color", value="red")
    story.clock.advance(60)
    rounds = []
    other = stories(tmp_path / "memory.db", embedder=WordEmbedder(), clock=story.clock)
    engines = [story.memory.engine, other.memory.engine]
    threads = [
        threading.Thread(target=lambda engine=engine: rounds.append(work(engine, story.memory.space)))
        for engine in engines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [one.failure for one in rounds] == [None, None]
    assert sum(one.done for one in rounds) == len(texts)
    decided = [one.text for round_ in rounds for one in round_.decisions]
    assert sorted(decided) == sorted(texts)
    assert jobs(story) == []


def test_B13_a_thread_does_what_is_due_in_every_space_and_leaves_running_writes_alone(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=WordEmbedder(), pair_model="off") as memory:
        other = memory.in_space("other")
        worker = Worker(memory.engine, poll_seconds=0.01)
        for n in range(20):
            memory.remember(f"Box {n} is red.", subject=f"box {n}", attribute="color", value="red")
            other.remember(f"User likes game {n}.", wait=False)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and other.stats().counts["jobs"]:
            time.sleep(0.02)
        worker.stop()
        assert not worker.alive
        assert other.stats().counts["jobs"] == 0
        with memory.engine.store.read() as reader:
            decisions = reader.decisions(memory.space)
        assert [one.action for one in decisions] == ["ACCEPT"] * 20  # each once: the thread kept off them
        assert memory.check_invariants() == []


def test_B8_a_memory_opened_with_a_worker_judges_by_itself_and_closes(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=WordEmbedder(), pair_model="off", worker=True) as memory:
        memory.start_worker()
        memory.remember("User lives in Oslo.", wait=False)
        memory.remember("User moved to Rome.", wait=False)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and memory.stats().counts["jobs"]:
            time.sleep(0.02)
        assert memory.stats().counts["jobs"] == 0
        assert [one.text for one in memory.lookup("user", "residence")] == ["User moved to Rome."]
        assert memory.check_invariants() == []


def test_C3_one_look_everywhere_says_what_was_done(stories):
    story = stories(embedder=WordEmbedder())
    story.says("User lives in Oslo.", wait=False)
    (done,) = work_everywhere(story.memory.engine)
    assert (done.space, done.jobs, done.decisions, done.failed) == ("default", 1, 1, 0)
    assert work_everywhere(story.memory.engine) == []
    assert content(story.memory)["facts"]


def test_B13_who_lost_the_job_while_away_writes_nothing_over_the_one_who_took_it(stories, tmp_path):
    told = stories(tmp_path / "memory.db", embedder=WordEmbedder())
    told.says("User lives in Oslo.", "2025-01-01")
    told.says("User moved to Rome.", "2025-02-01", wait=False)
    told.clock.advance(60)
    engine, space = told.memory.engine, told.memory.space
    store, now = engine.store, told.clock.now()

    class Paused(WordEmbedder):
        """Away for longer than the lease at the first text: another machine's worker has the job then."""

        took = False

        def embed(self, texts):
            if not self.took:
                self.took = True
                with store.write(space) as transaction:
                    for job in transaction.jobs_of_kind(space, "remember"):
                        transaction.let_go(space, job.id)
                    claim = Claim(kind="remember", due_at=now, lease=Lease("elsewhere/1/x", now + pause(9)), limit=9)
                    assert transaction.claim_jobs(space, claim)
            return super().embed(texts)

    before = content(told.memory)
    round_ = work(replace(engine, embedder=Paused()), space)
    assert round_.decisions == []
    assert round_.failure is None
    assert content(told.memory) == before
    (job,) = jobs(told)
    with store.read() as reader:
        assert reader.leases(space) == ("elsewhere/1/x",)  # and it is still the other's
    assert job.attempts == 0
    told.clock.set(now + pause(9))
    assert len(told.memory.drain()) == 1


def test_E3_a_worker_begins_a_sweep_by_itself_now_and_then(stories):
    story = stories(embedder=WordEmbedder(), settings=Settings(sweep_hours=10))
    for text, when in (("User lives in Oslo.", "2025-01-01"), ("User moved to Rome.", "2025-02-01")):
        story.says(text, when, wait=False, subject="user", attribute="residence", value=text.split()[-1][:-1])
    engine, space = story.memory.engine, story.memory.space
    with engine.store.write(space) as transaction:
        for job in transaction.jobs_of_kind(space, "remember"):
            transaction.finish_job(space, job.id)
    story.clock.advance(60)
    work_everywhere(engine)
    assert story.values() == ["Oslo", "Rome"]  # appointed, not begun
    with engine.store.read() as reader:
        (job,) = reader.jobs_of_kind(space, "sweep_when_due")
    assert 10 <= (job.due_at - story.clock.now()).total_seconds() / 3600 <= 15
    story.clock.set(job.due_at)
    work_everywhere(engine)
    assert story.values() == ["Rome"]
    with engine.store.read() as reader:
        (following,) = reader.jobs_of_kind(space, "sweep_when_due")
        assert reader.jobs_of_kind(space, "sweep") == []
    assert following.due_at > job.due_at
    assert story.memory.stats().counts["jobs"] == 0


def test_E3_no_sweep_comes_by_itself_where_none_is_wanted(stories):
    story = stories(embedder=WordEmbedder(), settings=Settings(sweep_hours=0))
    story.says("User lives in Oslo.", "2025-01-01")
    work_everywhere(story.memory.engine)
    with story.memory.engine.store.read() as reader:
        assert reader.jobs_of_kind(story.memory.space, "sweep_when_due") == []


def test_B13_a_job_that_another_took_over_gives_up_no_other_that_was_taken_with_it(story, monkeypatch):
    for text in ("User lives in Oslo.", "User speaks French.", "User works at Bosch."):
        story.says(text, wait=False)
    story.clock.advance(60)
    resume, lost = remember.resume, [True]

    def once_lost(*args, **how):
        if lost and lost.pop():
            raise TakenOverError("somebody else has it")
        return resume(*args, **how)

    monkeypatch.setattr(remember, "resume", once_lost)
    round_ = work(story.memory.engine, story.memory.space)
    assert (len(round_.decisions), round_.tried, jobs(story)) == (3, [], [])
