"""What does a sweep find? Row E3: what was never judged, left undecided, or can be judged better; resumable, linear,
idempotent (E11), taken back by one undo (F4), proposing only in shadow (E9)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stilltrue.connect.importers.chat import read_sessions
from stilltrue.connect.importers.record import Record, Upload
from stilltrue.errors import StateError
from stilltrue.model.fact import Tier
from stilltrue.model.verdict import Relation
from stilltrue.ports import Filter
from stilltrue.settings import Settings
from stilltrue.testing import ScriptedExpert, ScriptedPairModel
from stilltrue.upkeep import sweep
from tests.flow.canon import believed, content, snapshot, timeless
from tests.flow.teller import HOME, WordEmbedder
from tests.flow.test_crash import GIVEN, PLAIN

SESSIONS = Path(__file__).parents[3] / "shared" / "data" / "sessions" / "coding_sessions.json"
LOGS = int(os.environ.get("STILLTRUE_TEST_LOGS", "40"))
"""Random logs told both ways; 200 where there is time for them."""

CITIES = ("Oslo", "Rome", "Bonn", "Turin", "Lyon")
LANGUAGES = ("French", "Italian", "Norwegian", "Dutch")


def unjudged(story, log):
    """Tell a log to a memory that judges nothing: history from before the inline pass."""
    for text, when, given in log:
        story.says(text, when, wait=False, **given)
    drop_jobs(story)
    return story


def drop_jobs(story):
    engine, space = story.memory.engine, story.memory.space
    with engine.store.write(space) as transaction:
        for job in transaction.jobs_of_kind(space, "remember"):
            transaction.finish_job(space, job.id)


def told(story, log):
    for text, when, given in log:
        story.says(text, when, **given)
    return story


def random_log(seed):
    chance = random.Random(seed)
    log = []
    for number in range(chance.randint(3, 9)):
        city, tongue = chance.choice(CITIES), chance.choice(LANGUAGES)
        text, given = chance.choice(
            [
                (f"User moved to {city}.", {**HOME, "value": city}),
                (f"User lives in {city}.", {**HOME, "value": city}),
                (f"User no longer lives in {city}.", {**HOME, "value": city}),
                (f"User speaks {tongue}.", {}),
                (f"User works at {city} Rail.", {}),
            ]
        )
        log.append((text, f"2025-{number + 1:02}-03", given))
    return log


@pytest.mark.parametrize("log", [PLAIN, GIVEN], ids=["plain", "given"])
def test_E3_a_sweep_over_an_unjudged_store_comes_to_what_judging_at_once_comes_to(stories, log):
    now, later = told(stories(), log), unjudged(stories(), log)
    assert content(later.memory) != content(now.memory)
    later.memory.sweep()
    assert content(later.memory) == content(now.memory)


@pytest.mark.parametrize("first", range(0, LOGS, 10))
def test_E3_on_random_logs_too_and_a_second_sweep_changes_nothing(stories, first):
    for seed in range(first, first + 10):
        log = random_log(seed)
        now, later = told(stories(embedder=WordEmbedder()), log), unjudged(stories(embedder=WordEmbedder()), log)
        later.memory.sweep()
        assert content(later.memory) == content(now.memory), log
        before = snapshot(later.memory)
        again = later.memory.sweep()
        assert (again.decisions, again.pairs) == ([], 0), log
        assert snapshot(later.memory) == before
        before = snapshot(now.memory)
        assert now.memory.sweep().decisions == [], log
        assert snapshot(now.memory) == before


def messages(session):
    upload = Upload(json.dumps([session]), "", None)
    return [one for one in read_sessions(upload) if isinstance(one, Record)]


@pytest.mark.skipif(not SESSIONS.exists(), reason=f"the coding sessions are not at {SESSIONS}")
@pytest.mark.parametrize("dropped", [True, False], ids=["no job is left", "the jobs are left"])
def test_E3_the_coding_sessions_kept_unjudged_and_swept_come_to_what_judging_at_once_comes_to(stories, dropped):
    now, later = stories(), stories()
    told_from = datetime(2026, 1, 1, tzinfo=UTC)
    for story in (now, later):
        story.clock.set(told_from)
    for session in json.loads(SESSIONS.read_text(encoding="utf-8")):
        for one in messages(session):
            said = {"said_at": one.said_at, "role": one.role, "author": one.author, "topic": one.topic, **one.given}
            for story in (now, later):
                story.memory.remember(one.text, origin=one.origin, wait=story is now, **said)
    for story in (now, later):
        story.clock.advance(3600)
    if dropped:
        drop_jobs(later)
    assert content(later.memory) != content(now.memory)
    later.memory.sweep()
    assert content(later.memory) == content(now.memory)
    before = snapshot(later.memory)
    again = later.memory.sweep()
    assert (again.decisions, again.pairs) == ([], 0)
    assert snapshot(later.memory) == before


@pytest.mark.parametrize("dropped", [True, False], ids=["swept", "drained"])
def test_B13_what_was_kept_early_is_found_by_likeness_once_it_is_judged(stories, dropped):
    story = stories()
    story.says("The deployment failed because the disk was full.", wait=False)
    story.clock.advance(60)
    if dropped:
        drop_jobs(story)
    story.memory.sweep()
    with story.memory.engine.store.read() as reader:
        (vector,) = story.memory.engine.embedder.embed(["The deployment failed because the disk was full."])
        (hit,) = reader.near(story.memory.space, vector, 3, Filter(valid_at=story.clock.now()))
    assert hit.score == pytest.approx(1.0, abs=1e-5)


def near(story, text):
    """Texts found by likeness alone, best first."""
    with story.memory.engine.store.read() as reader:
        (vector,) = story.memory.engine.embedder.embed([text])
        hits = reader.near(story.memory.space, vector, 9, Filter(valid_at=story.clock.now()))
        return [one.statement.text for one in reader.facts(story.memory.space, [hit.fact_id for hit in hits])]


def vectors(story):
    """Which fact was given its vector at which revision."""
    with story.memory.engine.store.read() as reader:
        return [tuple(row) for row in reader._session.rows("SELECT fact_id, revision FROM vectors ORDER BY fact_id")]


SAID = [("The lake is deep.", "2025-01-01", {}), ("Ada collects stamps.", "2025-01-02", {}),
        ("The deployment failed because the disk was full.", "2025-01-03", {})]  # fmt: skip


@pytest.mark.parametrize("shadow", [True, False], ids=["in shadow", "in earnest"])
def test_E3_judged_facts_that_were_kept_without_a_vector_get_one(stories, tmp_path, shadow):
    path = tmp_path / "memory.db"
    first = told(stories(path, embedder=WordEmbedder()), SAID)
    with first.memory.engine.store.write(first.memory.space) as transaction:
        # As versions left it that gave what they judged late no vector.
        others = "SELECT fact_id FROM facts WHERE text <> ?"
        transaction._session.run(f"DELETE FROM vectors WHERE fact_id IN ({others})", (SAID[1][0],))
    first.memory.close()
    story = stories(path, embedder=WordEmbedder(), clock=first.clock)
    story.says("The well is deep.", "2025-01-04", wait=False)  # its own job gives it one, later
    engine, space = story.memory.engine, story.memory.space
    assert near(story, SAID[0][0]) == [SAID[1][0]]
    before = snapshot(story.memory)
    sweep.run(engine, space, shadow=shadow)
    assert snapshot(story.memory) == before
    assert len(near(story, SAID[0][0])) == (1 if shadow else 3)
    given = vectors(story)
    sweep.run(engine, space, shadow=shadow)
    assert vectors(story) == given


class LaterEmbedder(WordEmbedder):
    """Another version of the embedder: its vectors are not to be compared with the first one's."""

    model_version = "words-2"

    def embed(self, texts):
        return super().embed(texts)[:, ::-1].copy()


def test_E3_a_newer_embedder_gives_judged_facts_its_own_vectors_and_stubs_none(stories, tmp_path):
    path = tmp_path / "memory.db"
    first = told(stories(path, embedder=WordEmbedder()), SAID)
    with first.memory.engine.store.write(first.memory.space) as transaction:
        (fact_id,) = [one.fact_id for one in transaction.decisions(first.memory.space) if one.text == SAID[1][0]]
        transaction.set_tier(first.memory.space, fact_id, Tier.HOT, Tier.STUB, None)
    first.memory.close()
    story = stories(path, embedder=LaterEmbedder(), clock=first.clock)
    assert near(story, SAID[0][0]) == []
    story.memory.sweep()
    assert near(story, SAID[0][0])[0] == SAID[0][0]
    assert sorted(near(story, SAID[0][0])) == sorted([SAID[0][0], SAID[2][0]])
    before = snapshot(story.memory)
    assert story.memory.sweep().decisions == []
    assert snapshot(story.memory) == before


def test_F4_one_undo_takes_a_whole_sweep_back(stories):
    story = unjudged(stories(), PLAIN)
    before = timeless(snapshot(story.memory))
    report = story.memory.sweep()
    assert report.changing
    assert timeless(snapshot(story.memory)) != before
    story.memory.undo(report.batch_id)
    assert timeless(snapshot(story.memory)) == before
    assert story.memory.sweep().decisions == []  # a person had the last word


def test_F4_a_plan_tells_what_a_sweep_would_do_and_touches_nothing(stories):
    story = unjudged(stories(), PLAIN)
    before = snapshot(story.memory)
    counts = dict(story.memory.stats().counts)
    plan = story.memory.sweep(plan=True)
    assert (snapshot(story.memory), dict(story.memory.stats().counts)) == (before, counts)
    done = story.memory.sweep()
    assert [one.action for one in plan.decisions] == [one.action for one in done.decisions]
    assert [one.targets for one in plan.changing] == [one.targets for one in done.changing]


class Killed(BaseException):
    """Like a process that is killed, but that the test survives."""


def test_E3_a_sweep_killed_in_the_middle_goes_on(stories, tmp_path):
    log = [
        (f"Box {n} is {colour}.", when, {"subject": f"box {n}", "attribute": "color", "value": colour})
        for n in range(40)
        for when, colour in (("2025-01-01", "red"), ("2025-01-02", "blue"))
    ]
    whole = unjudged(stories(embedder=WordEmbedder()), log)
    whole.memory.sweep()
    story = unjudged(stories(tmp_path / "memory.db", embedder=WordEmbedder()), log)
    seen = []

    def dies(done, _whole):
        seen.append(done)
        if done == 60:
            raise Killed

    with pytest.raises(Killed):
        story.memory.sweep(dies)
    first = [one.batch_id for one in story.memory.drain(asks=False)][-1:]
    assert content(story.memory) == content(whole.memory)
    assert story.memory.stats().counts["jobs"] == 0
    story.memory.undo(first[0])  # both halves are one batch
    assert len(story.memory.lookup("box 3", "color")) == 2


def test_E3_only_what_a_newer_model_could_change_is_judged_again(stories):
    asked = []

    def model(version, answer):
        def says(old, new):
            asked.append((old, new))
            return answer

        made = ScriptedPairModel(says)
        made.model_version = version
        return made

    log = [("The old fox prefers the hill.", "2025-01-01", {"subject": "fox", "attribute": "haunt"}),
           ("The old fox favours the valley.", "2025-02-01", {"subject": "fox", "attribute": "haunt"})]  # fmt: skip
    story = stories(pair_model=model("one", Relation.NONE))
    told(story, [*log, ("User moved to Rome.", "2025-03-01", {**HOME, "value": "Rome"})])
    told(story, [("User moved to Oslo.", "2025-04-01", {**HOME, "value": "Oslo"})])
    assert len(asked) == 1
    assert story.memory.sweep().pairs == 0
    story.memory.engine = type(story.memory.engine)(
        **{name: getattr(story.memory.engine, name) for name in ("store", "embedder", "clock", "entropy", "settings")},
        pair_model=model("two", Relation.UPDATE),
    )
    report = story.memory.sweep()
    assert report.pairs == 1
    assert [one.action for one in report.decisions] == ["SUPERSEDE"]
    assert len(asked) == 2
    assert story.memory.sweep().pairs == 0


def test_E9_a_sweep_in_shadow_proposes_and_changes_nothing_else(stories):
    story = unjudged(stories(), PLAIN)
    before = snapshot(story.memory)
    report = story.memory.sweep(shadow=True)
    assert report.decisions
    assert all(one.proposal for one in report.decisions)
    assert snapshot(story.memory) == before
    assert story.memory.sweep(shadow=True).decisions == []


def test_E13_the_sweep_can_be_switched_off(stories):
    story = unjudged(stories(settings=Settings(supersession_sweep_enabled=False)), PLAIN)
    with pytest.raises(StateError, match="supersession_sweep_enabled"):
        story.memory.sweep()


def test_C3_what_is_undecided_is_put_to_an_llm_in_batches(stories):
    log = [(text, when, {"subject": f"guide {n}", "attribute": "hiking"}) for n in range(6)
           for text, when in ((f"Guide {n} enjoys long hikes in Norway.", "2025-01-01"),
                              (f"Guide {n} hikes in Norway mostly alone.", "2025-02-01"))]  # fmt: skip
    story = told(stories(pair_model="off"), log)
    undecided = story.memory.stats().undecided
    assert undecided >= 6
    expert = ScriptedExpert(lambda *_: Relation.UPDATE)
    engine = story.memory.engine
    story.memory.engine = type(engine)(
        **{name: getattr(engine, name) for name in ("store", "embedder", "clock", "entropy", "settings", "pair_model")},
        expert=expert,
    )
    report = story.memory.sweep()
    assert len(expert.pairs) >= 6
    assert len(expert.requests) == -(-len(expert.pairs) // 20)
    assert story.memory.stats().undecided < undecided
    assert report.changing
    asked = len(expert.pairs)
    assert story.memory.sweep().decisions == []
    assert len(expert.pairs) == asked


def test_E3_the_models_are_asked_ahead_in_pages_and_what_they_said_is_used(stories):
    batches = []

    class Batches(ScriptedPairModel):
        def relations(self, pairs):
            batches.append(len(pairs))
            return super().relations(pairs)

    log = [(f"Guide {n} {text}", "2025-01-01", {"subject": f"guide {n}", "attribute": "hiking"}) for n in range(20)
           for text in ("enjoys long hikes in Norway.", "hikes in Norway mostly alone.")]  # fmt: skip
    story = unjudged(stories(embedder=WordEmbedder(), pair_model=Batches(lambda *_: Relation.NONE)), log)
    batches.clear()
    report = story.memory.sweep()
    assert report.pairs >= 20
    assert max(batches) >= 20  # a page at once
    assert sum(batches) - max(batches) <= 0.1 * max(batches)  # and hardly anything beside it


def test_E3_the_pairs_grow_with_the_facts(stories):
    pairs = {}
    for facts in (60, 120, 240):
        log = [(f"Box {n // 2} is {'red' if n % 2 else 'blue'}.", "2025-01-01",
                {"subject": f"box {n // 2}", "attribute": "color"}) for n in range(facts)]  # fmt: skip
        judge = ScriptedPairModel(lambda *_: Relation.UPDATE)  # how many are judged does not depend on how
        story = unjudged(stories(embedder=WordEmbedder(), pair_model=judge), log)
        report = story.memory.sweep()
        assert report.facts == facts
        pairs[facts] = report.pairs
    assert pairs[240] <= 4.4 * pairs[60]
    assert pairs[120] <= 2.2 * pairs[60]


def test_E15_proposals_are_graded_with_an_interval_applied_and_undone(stories):
    story = unjudged(stories(), GIVEN[:2])
    story.memory.sweep(shadow=True)
    real = unjudged(stories(), GIVEN[:2])
    real.memory.sweep()
    (proposal,) = story.memory.review().open()
    assert story.memory.review().precision().ungraded == 1
    story.memory.review().grade(proposal.id, right=False)
    assert story.memory.review().apply().decisions == []  # graded wrong
    story.memory.review().grade(proposal.id, right=True)
    told = story.memory.review().precision()
    assert (told.right, told.wrong, told.ungraded) == (1, 0, 0)
    assert told.interval == pytest.approx((0.2065, 1.0), abs=1e-4)
    before = timeless(snapshot(story.memory))
    done = story.memory.review().apply()
    assert [one.action for one in done.decisions] == ["SUPERSEDE"]
    assert story.values() == real.values() == ["Rome"]
    assert story.memory.proposals() == []
    assert [reason for _, reason in story.memory.review().apply(proposal.id).refused] == ["it was carried out already"]
    story.memory.undo(done.batch_id)
    assert timeless(snapshot(story.memory)) == before
    assert story.memory.proposals()


@pytest.mark.parametrize("whole_batch", [True, False])
def test_E15_undone_and_redone_proposals_are_listed_as_they_stand(stories, whole_batch):
    story = unjudged(stories(embedder=WordEmbedder()), GIVEN[:2])
    story.memory.sweep(shadow=True)
    rows = story.memory.proposals()
    assert rows
    done = story.memory.review().apply()
    named = done.batch_id if whole_batch else done.decisions[0].id
    for _ in range(2):
        undone = story.memory.undo(named)
        assert (story.values(), story.memory.proposals()) == (["Oslo", "Rome"], rows)
        story.memory.undo(undone.id)
        assert (story.values(), story.memory.proposals()) == (["Rome"], [])
        assert story.memory.review().apply().decisions == []
    story.memory.undo(named)
    assert (story.memory.proposals(), len(story.memory.review().apply().decisions)) == (rows, 1)
    assert story.memory.proposals() == []


def test_E15_a_stale_proposal_is_refused_with_the_reason(stories):
    story = stories(settings=Settings(shadow_mode=True))
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.on("2025-03-01").memory.forget(old.fact_id)
    before = snapshot(story.memory)
    told = story.memory.review().apply(new.id)
    assert told.decisions == []
    ((name, reason),) = told.refused
    assert name == new.id
    assert "changed" in reason
    assert snapshot(story.memory) == before
    with pytest.raises(StateError, match="no proposal"):
        story.memory.review().apply(old.id)


def test_E3_a_sweep_beside_a_writer_loses_nothing(stories, tmp_path):
    log = [(f"Box {n} is {colour}.", when, {"subject": f"box {n}", "attribute": "color", "value": colour})
           for n in range(30) for when, colour in (("2025-01-01", "red"), ("2025-01-02", "blue"))]  # fmt: skip
    story = unjudged(stories(tmp_path / "memory.db", embedder=WordEmbedder()), log)
    story.on("2025-02-01")
    writer = stories(tmp_path / "memory.db", embedder=WordEmbedder(), clock=story.clock)

    def write():
        for n in range(30):
            writer.say(f"Box {n} is green now.", subject=f"box {n}", attribute="color", value="green")

    thread = threading.Thread(target=write)
    thread.start()
    story.memory.sweep()
    thread.join(120)
    story.memory.sweep()
    for n in range(30):
        assert story.values(f"box {n}", "color") == ["green"]
        assert story.values(f"box {n}", "color", as_of="2025-01-15") == ["blue"]


def test_E3_a_slot_of_many_facts_is_judged_through_with_a_bounded_number_of_pairs_each(stories):
    asked = []

    def says(old, new):
        asked.append((old, new))
        return Relation.NONE

    story = stories(embedder=WordEmbedder(), pair_model=ScriptedPairModel(says))
    log = [(f"Ada collects thing {n}.", "2025-01-01", {"subject": "ada", "attribute": "verb:collect", "value": str(n),
            "cardinality": "many"}) for n in range(60)]  # fmt: skip
    told(story, log)
    engine, space = story.memory.engine, story.memory.space
    with engine.store.write(space) as transaction:  # as if the last had never been judged
        transaction._session.run("DELETE FROM judgements")
    report = story.memory.sweep()
    assert 24 * 30 <= report.pairs <= 24 * 60
    again = story.memory.sweep()
    assert (again.pairs, again.decisions) == (0, [])


def lives(story):
    """What is believed of each fact; by whom it was ended depends on who came first."""
    facts = believed(story.memory)
    return sorted((one.statement.text, str(one.belief.valid), str(one.belief.retirement)) for one in facts)


WRITES = """
from stilltrue.testing import FrozenClock
from tests.flow.teller import Story, WordEmbedder, day
import sys
story = Story.open(WordEmbedder(), sys.argv[1], clock=FrozenClock(day("2025-02-01")))
for n in range(12, 24):
    story.say(f"Box {n} is green now.", subject=f"box {n}", attribute="color", value="green")
"""


def test_E3_a_sweep_beside_a_thread_and_another_process_ends_as_a_serial_run_does(stories, tmp_path):
    log = [(f"Box {n} is {colour}.", when, {"subject": f"box {n}", "attribute": "color", "value": colour})
           for n in range(24) for when, colour in (("2025-01-01", "red"), ("2025-01-02", "blue"))]  # fmt: skip
    news = [(f"Box {n} is green now.", "2025-02-01", {"subject": f"box {n}", "attribute": "color", "value": "green"})
            for n in range(24)]  # fmt: skip
    serial = told(stories(embedder=WordEmbedder()), [*log, *news])
    story = unjudged(stories(tmp_path / "memory.db", embedder=WordEmbedder()), log).on("2025-02-01")
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "src")])
    command = [sys.executable, "-c", WRITES, str(tmp_path / "memory.db")]
    other = subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": paths})
    writer = stories(tmp_path / "memory.db", embedder=WordEmbedder(), clock=story.clock)
    thread = threading.Thread(target=told, args=(writer, news[:12]))
    thread.start()
    story.memory.sweep()
    thread.join(120)
    assert other.wait(120) == 0
    story.memory.sweep()
    assert lives(story) == lives(serial)
    for n in range(24):
        assert story.values(f"box {n}", "color", as_of="2025-01-15") == ["blue"]
