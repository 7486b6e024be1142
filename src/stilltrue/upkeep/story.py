"""Where would somebody who reads this memory as one story be confused? An LLM reads it; each place becomes a question.

Answer: `read_story` tells the facts of a space in the order in which they were said, those that forgetting left, cut
into chapters; what the expert reports is checked, compared with what was asked before, and opened as conflicts, each a
decision of its own in one batch that `undo` takes back. How it went is kept, failures too. `handle` does it for a job
that writes left: no write ever waits for it, and where nobody answers the job is put off.

Left to others: what is told, refused or asked before (`rules.story`), asking (`ports.Expert.tell`), when a job is left
(`write.wake`), the confusions that can be found without an LLM (`upkeep.detective`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError
from stilltrue.model.change import ChangeSet, ConflictChanged
from stilltrue.model.conflict import Conflict
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.expert import Unheard
from stilltrue.model.ids import BatchId, ConflictId, DecisionId
from stilltrue.model.story import StoryLine, StoryRun
from stilltrue.model.timeline import iso
from stilltrue.rules.story import (
    MOST_QUESTIONS,
    Forgetting,
    age,
    asked_before,
    chapters,
    doubts,
    merged,
    refusal,
    survives,
)
from stilltrue.write.apply import write_changes
from stilltrue.write.retrying import PAUSES, next_day

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.job import Job
    from stilltrue.model.story import Confusion, Confusions, Outline
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Undecided
    from stilltrue.ports import Reader
    from stilltrue.settings import Settings

NOBODY: Final = "llm: none is configured, so nobody reads the story; set llm"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading came to: how it went, the decisions that opened a question, and what failed.

    `revision` and `latest`: as of when it was read, and when the newest fact had been recorded.
    """

    run: StoryRun
    revision: int = 0
    latest: Instant | None = None
    decisions: tuple[Decision, ...] = ()
    failures: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True)
class _Told:
    """A story as it was told: its lines, how many facts there were, the newest of them, and the revision."""

    lines: tuple[StoryLine, ...]
    facts: int
    latest: Instant | None
    revision: int


# Jobs


def handle(engine: Engine, space: SpaceId, job: Job) -> list[Decision]:
    """Read the story for one job and finish it. Doing it twice opens nothing twice."""
    begun = engine.clock.now()
    pause = timedelta(seconds=engine.settings_of(space).story_debounce_seconds)
    seed = str(job.payload["since"])
    reading = read_story(engine, space, since=datetime.fromisoformat(seed), seed=seed)
    left = _again(job, reading.failures, engine.clock.now())
    with engine.store.write(space) as transaction:
        transaction.finish_job(space, job.id)
        if left is not None:
            transaction.add_job(left)
        elif transaction.added_since(space, reading.revision):
            # Said while the story was read, and not in it; this job stood in the way of another.
            payload = {"since": iso(reading.latest or begun)}
            transaction.add_job(replace(job, payload=payload, due_at=begun + pause, attempts=0, failure=""))
    return list(reading.decisions)


def _again(job: Job, failures: Sequence[Undecided], now: Instant) -> Job | None:
    """The job for later, where nobody answered; its seed stays, so what was answered is found in the cache."""
    unheard = [one for one in failures if isinstance(one, Unheard)]
    if not unheard:
        return None
    if all(one.tomorrow for one in unheard):
        return replace(job, due_at=next_day(now), failure="")
    if job.attempts >= len(PAUSES):
        return None
    return replace(job, due_at=now + PAUSES[job.attempts], attempts=job.attempts + 1, failure="")


# Reading


def read_story(
    engine: Engine, space: SpaceId, *, since: Instant | None = None, seed: str = "", whole: bool = False
) -> Reading:
    """Read the story now. What was recorded `since` set it off and is told in any case; of the rest most is forgotten,
    by `seed`, unless the `whole` is asked for. Without an LLM nothing is read, and the run says so. Raises StoreError.
    """
    now, settings = engine.clock.now(), engine.settings_of(space)
    run = StoryRun(id=engine.new_id(now), space_id=space, at=now, seed=seed)
    if engine.expert is None:
        return Reading(replace(run, failure=NOBODY))
    with engine.store.read() as reader:
        told = _told(reader, space, settings, now, None if whole else _Forgets(seed, since))
    parts = chapters(told.lines, settings.story_characters, settings.story_overlap)
    heard = engine.expert.tell(space, parts, settings.allowance())
    reading = _settle(engine, replace(run, facts=told.facts, told=len(told.lines), chapters=len(parts)), told, heard)
    with engine.store.write(space) as transaction:
        transaction.add_story_run(reading.run)
    return reading


@dataclass(frozen=True, slots=True)
class _Forgets:
    """How a story is sampled."""

    seed: str
    since: Instant | None


def _told(reader: Reader, space: SpaceId, settings: Settings, now: Instant, forgets: _Forgets | None) -> _Told:
    outlines = reader.outlines(space)
    kept = (
        [one.id for one in outlines] if forgets is None else _sampled(reader, space, settings, now, outlines, forgets)
    )
    lines = tuple(_line(fact, now) for fact in reader.facts(space, kept))
    latest = max((one.recorded_at for one in outlines), default=None)
    return _Told(lines, len(outlines), latest, reader.revision(space))


def _sampled(
    reader: Reader,
    space: SpaceId,
    settings: Settings,
    now: Instant,
    outlines: Sequence[Outline],
    forgets: _Forgets,
) -> list[FactId]:
    """Those that forgetting leaves, in the order told."""
    certain = _certain(reader, space, outlines, forgets.since)
    doubted = doubts(reader.conflicts(space, None))
    rates = Forgetting(settings.forgetting_day, settings.forgetting_week, settings.forgetting_older)
    return [
        one.id
        for one in outlines
        if one.id in certain
        or survives(forgets.seed, one.id, rates.keeps(age(one.said_at, now), doubted.get(one.id, 0)))
    ]


def _certain(reader: Reader, space: SpaceId, outlines: Sequence[Outline], since: Instant | None) -> set[FactId]:
    """What set the reading off, and what shares a slot or a judged pair with it: never forgotten (B4)."""
    triggers = [one for one in outlines if since is not None and max(one.recorded_at, one.last_said_at) >= since]
    slots = {(one.subject, one.attribute) for one in triggers if one.attribute is not None}
    certain = {one.id for one in triggers}
    return (
        certain
        | {one.id for one in outlines if (one.subject, one.attribute) in slots}
        | reader.judged_beside(space, sorted(certain))
    )


def _line(fact: Fact, now: Instant) -> StoryLine:
    statement, belief = fact.statement, fact.belief
    start, end = (None, None) if belief is None else (belief.valid.start, belief.valid.end)
    return StoryLine(
        fact_id=fact.id,
        text=statement.text,
        said_at=statement.said_at,
        recorded_at=fact.recorded_at,
        author=statement.author,
        topic=statement.topic,
        again=fact.standing.last_seen_at if fact.standing.last_seen_at > statement.said_at else None,
        over=end if end is not None and end <= now else None,
        begins=start if start is not None and start > now else None,
    )


# What was found


def _settle(engine: Engine, run: StoryRun, told: _Told, heard: Confusions) -> Reading:
    """Open what is worth a question; count the rest."""
    lines = {line.fact_id: line for line in told.lines}
    batch_id = BatchId(engine.new_id(run.at))
    found, made = merged(heard.found), list[Decision]()
    fates: Counter[str] = Counter()
    for one in found:
        if refusal(one, lines) is not None or len(made) == MOST_QUESTIONS:
            fates["dropped"] += 1
            continue
        decision = _open(engine, run, batch_id, told, one)
        if isinstance(decision, str):
            fates[decision] += 1
        else:
            made.append(decision)
    failure = "; ".join(dict.fromkeys(one.reason for one in heard.failures))
    done = replace(
        run, found=len(found), opened=len(made), known=fates["known"], dropped=fates["dropped"], failure=failure
    )
    return Reading(done, told.revision, told.latest, tuple(made), heard.failures)


def _open(engine: Engine, run: StoryRun, batch_id: BatchId, told: _Told, one: Confusion) -> Decision | str:
    """The decision that asks; or "known" where it was asked before, "dropped" where its facts changed meanwhile."""
    space, lines = run.space_id, {line.fact_id: line for line in told.lines}
    change_set = _change_set(engine, run, batch_id, told, one)
    with engine.store.write(space) as transaction:
        if asked_before(one.fact_ids, transaction.conflicts(space, None), lines):
            return "known"
        try:
            return write_changes(transaction, change_set)
        except StaleJudgementError:
            return "dropped"


def _change_set(engine: Engine, run: StoryRun, batch_id: BatchId, told: _Told, one: Confusion) -> ChangeSet:
    """The question stands in the conflict alone, where an erasure finds it."""
    conflict = Conflict(
        id=ConflictId(engine.new_id(run.at)),
        space_id=run.space_id,
        kind=one.kind,
        fact_ids=one.fact_ids,
        question=one.question,
        opened_at=run.at,
    )
    decision = Decision(
        id=DecisionId(engine.new_id(run.at)),
        space_id=run.space_id,
        batch_id=batch_id,
        action=Action.ASK,
        text=f"{one.kind.value} in the story",
        decided_at=run.at,
        conflict_id=conflict.id,
        receipt=Receipt(
            rule=f"an LLM read the story and found a confusion: {one.kind.value}",
            reason=f"reading {run.id} of {len(told.lines)} facts out of {told.facts}",
        ),
    )
    return ChangeSet(
        space_id=run.space_id,
        decision=decision,
        changes=(ConflictChanged(None, conflict),),
        revision=told.revision,
        watched=one.fact_ids,
    )
