"""How does what was said become decisions? One call a step: keep, extract, recall, judge, decide, apply.

The episode is durable before anything is judged, with a job that repeats the rest if the process dies in between.
Judging happens outside the transaction; if the space changed meanwhile, the statement is judged again.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from stilltrue.errors import StaleJudgementError
from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.change import ChangeSet, FactAdded
from stilltrue.model.codec import decode, encode
from stilltrue.model.decision import Action, Cost, Decision, Receipt
from stilltrue.model.episode import Episode
from stilltrue.model.fact import Belief, Fact
from stilltrue.model.ids import BatchId, DecisionId, EpisodeId, FactId, SpaceId
from stilltrue.model.job import Job
from stilltrue.model.timeline import Interval
from stilltrue.write.apply import PROPOSAL, apply, write_changes
from stilltrue.write.ask_expert import Hearing, later, wanted, with_votes
from stilltrue.write.case import AGAIN, Case
from stilltrue.write.early import KEPT_EARLY, as_it_was, decide_early, left_by_erasure
from stilltrue.write.extract import extract
from stilltrue.write.extract_expert import wants_expert
from stilltrue.write.gathering import case_of
from stilltrue.write.judge import judge_version
from stilltrue.write.leasing import at_work, lease
from stilltrue.write.said import check_text
from stilltrue.write.standing import Task, source_of, standing_of
from stilltrue.write.undo import in_force
from stilltrue.write.unread import found_again, keep_unread, with_reading
from stilltrue.write.wake import story_job

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader, Transaction
    from stilltrue.settings import Settings
    from stilltrue.write.said import Said

JOB_KIND = "remember"
ATTEMPTS = 25  # a statement is judged anew each time another writer changed its subject; then the job keeps it


def remember(
    engine: Engine,
    space: SpaceId,
    said: Said,
    given: Given,
    batch_id: BatchId,
    *,
    wait: bool,
    asks: bool = True,
) -> list[Decision]:
    """Keep what was said and decide about every statement in it; with `wait` False only keep it, to be judged later.

    With `asks` False no LLM is asked in the write, whatever the settings say: the local reader reads, and open pairs
    are left to `drain()`.
    A text whose `origin` the space already holds is not remembered twice, unless all it had said was undone.
    Raises InvalidInputError for text that cannot be kept; nothing was written then.
    """
    settings = _in_force(engine, space, asks=asks)
    check_text(said.text, settings)
    with engine.store.read() as reader:
        known = reader.episode_of_origin(space, said.origin) if said.origin is not None else None
        if known is not None and not _undone(reader, space, known):
            return []
        for fact_id in (*given.supersedes, *given.depends_on):
            reader.fact(space, fact_id)
    episode = known or _episode(engine, space, said)
    if wait and asks and wants_expert(engine, settings, given):
        job = keep_unread(engine, episode, given, batch_id, settings, JOB_KIND, anew=known is None)
        return resume(engine, space, job)
    task = _keep(engine, space, episode, given, batch_id, settings, wait=wait, anew=known is None)
    if not wait:
        with engine.store.read() as reader:
            return [item for item in reader.decisions(space, batch_id=batch_id) if item.episode_id == task.episode.id]
    with at_work(engine, space, task.job_id):
        return settle(engine, space, task, settings, skip=0)


def _in_force(engine: Engine, space: SpaceId, *, asks: bool) -> Settings:
    """The space's settings; with `asks` False the LLM is left for later, whatever they say."""
    settings = engine.settings_of(space)
    return replace(settings, classify_before_write=asks and settings.classify_before_write)


def _undone(reader: Reader, space: SpaceId, episode: Episode) -> bool:
    """Whether everything that an episode had changed was taken back, so that it may be remembered again."""
    if not episode.text.strip():
        return False
    changed = 0
    for decision in reader.decisions(space, episode_id=episode.id):
        rows = reader.history(space, decision_id=decision.id)
        touched = next((row.fact_id for row in rows if row.fact_id is not None and row.kind != PROPOSAL), None)
        if touched is None:
            continue
        # An undoing touches all that the decision did: one of its facts tells.
        if decision.id in {one.id for one in in_force(reader.decisions(space, fact_id=touched))}:
            return False
        changed += 1
    return changed > 0


def _episode(engine: Engine, space: SpaceId, said: Said) -> Episode:
    now = engine.clock.now()
    return Episode(
        id=EpisodeId(engine.new_id(now)),
        space_id=space,
        text=said.text,
        said_at=said.said_at or now,
        recorded_at=now,
        author=said.author,
        topic=said.topic,
        role=said.role,
        origin=said.origin,
    )


def _keep(
    engine: Engine,
    space: SpaceId,
    episode: Episode,
    given: Given,
    batch_id: BatchId,
    settings: Settings,
    *,
    wait: bool,
    anew: bool,
) -> Task:
    candidates = tuple(extract(episode, given, settings))
    task = Task(episode=episode, given=given, candidates=candidates, batch_id=batch_id)
    job_id = engine.new_id(engine.clock.now()) if candidates else None
    with engine.store.write(space) as transaction:
        if anew:
            transaction.add_episode(replace(episode, recorded_at=transaction.now))
        if job_id is None:
            return task
        early = () if wait else _keep_early(engine, space, task, settings, transaction)
        payload = {"episode": episode.id, "given": encode(given), "batch": batch_id, "early": list(early)}
        job = Job(id=job_id, space_id=space, kind=JOB_KIND, payload=payload, due_at=transaction.now)
        transaction.add_job(job, lease(transaction.now) if wait else None)
    return replace(task, job_id=job_id, early=early)


def _keep_early(
    engine: Engine, space: SpaceId, task: Task, settings: Settings, transaction: Transaction
) -> tuple[FactId, ...]:
    """The candidates as facts at once, in their order."""
    sets = [_early(engine, space, task, candidate, settings, transaction.now) for candidate in task.candidates]
    revision = transaction.revision(space)
    for item in sets:
        write_changes(transaction, replace(item, revision=revision))
    if (wakes := story_job(engine, settings, sets[0], transaction.now)) is not None:
        transaction.wake_job(wakes)
    return tuple(item.decision.fact_id for item in sets if item.decision.fact_id is not None)


def _early(
    engine: Engine, space: SpaceId, task: Task, candidate: Candidate, settings: Settings, now: Instant
) -> ChangeSet:
    """The candidate as a fact before it is judged (B13): served at once, undecided until its job has run."""
    fact_id = FactId(engine.new_id(now))
    fact = Fact(
        id=fact_id,
        space_id=space,
        statement=candidate.statement,
        belief=Belief(valid=candidate.statement.valid, known=Interval(now, None)),
        standing=standing_of(task, candidate, settings),
        recorded_at=now,
        episode_id=task.episode.id,
    )
    source = replace(source_of(task, candidate), fact_id=fact_id)
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=task.batch_id,
        action=Action.ACCEPT,
        text=candidate.statement.text,
        decided_at=now,
        fact_id=fact_id,
        episode_id=task.episode.id,
        author=task.episode.author,
        receipt=Receipt(rule=KEPT_EARLY, reason=KEPT_EARLY),
    )
    return ChangeSet(space_id=space, decision=decision, changes=(FactAdded(fact, (source,)),), revision=0)


def settle(engine: Engine, space: SpaceId, task: Task, settings: Settings, skip: int) -> list[Decision]:
    """Decide about the candidates of an episode, in the order of its text, from number `skip` on."""
    decisions = []
    for place in range(skip, len(task.candidates)):
        last = place == len(task.candidates) - 1
        decisions.append(_decide_one(engine, space, task, place, settings, finishes=task.job_id if last else None))
    return decisions


def _decide_one(
    engine: Engine, space: SpaceId, task: Task, place: int, settings: Settings, *, finishes: str | None
) -> Decision:
    begun = time.perf_counter()
    vector = engine.embedder.embed([task.candidates[place].statement.text])[0]
    hearing = Hearing()
    then = as_it_was(engine, space, task.early[place]) if task.early else engine
    for _ in range(ATTEMPTS):
        case = case_of(then, space, task, place, settings, vector)
        change_set = _decided(engine, case, hearing, begun)
        items = wanted(engine, settings, case, task.episode, change_set)
        if items and settings.classify_before_write:
            hearing.ask(engine, settings, case, items)
            case = with_votes(engine, settings, case, task.episode, hearing.said)
            change_set = _decided(engine, case, hearing, begun)
            left = later(engine, case, change_set, items, hearing)
        else:
            left = later(engine, case, change_set, items)
        change_set = with_reading(change_set, task, place)
        try:
            wakes = story_job(engine, settings, change_set, case.stamp)
            return apply(engine.store, embedded(engine, change_set), finishes, left, wakes, task.job_id)
        except StaleJudgementError:
            continue
    message = (
        f"space {space!r} changed {ATTEMPTS} times while one statement was judged; it is kept and judged by drain()"
    )
    raise StaleJudgementError(message)


def _decided(engine: Engine, case: Case, hearing: Hearing, begun: float) -> ChangeSet:
    usage = hearing.usage
    cost = Cost(
        pairs=len(case.judged),
        llm_calls=usage.calls,
        llm_tokens=usage.tokens,
        cache_hits=usage.cache_hits,
        seconds=round(time.perf_counter() - begun, 6),
    )
    return decide_early(replace(case, cost=cost), partial(engine.new_id, case.stamp), judge_version(engine))


def embedded(engine: Engine, change_set: ChangeSet) -> ChangeSet:
    """Facts that a decision made from old ones (a run that resumes) get their vectors before the transaction opens."""
    bare = [item for item in change_set.changes if isinstance(item, FactAdded) and item.vector is None]
    if not bare:
        return change_set
    vectors = engine.embedder.embed([item.fact.statement.text for item in bare])
    filled = {id(item): replace(item, vector=vector.tobytes()) for item, vector in zip(bare, vectors, strict=True)}
    return replace(change_set, changes=tuple(filled.get(id(item), item) for item in change_set.changes))


def resume(engine: Engine, space: SpaceId, job: Job, *, asks: bool = True) -> list[Decision]:
    """Finish an episode whose judging was put off or cut short: what was decided already is not decided again.

    `asks` as in `remember`.
    """
    settings = _in_force(engine, space, asks=asks)
    with at_work(engine, space, job.id):
        task, skip = _taken_up(engine, space, job, settings, asks=asks)
    with at_work(engine, space, task.job_id):
        if skip < len(task.candidates):
            return settle(engine, space, task, settings, skip)
        with engine.store.write(space) as transaction:
            transaction.finish_job(space, task.job_id or job.id)
    return []


def _taken_up(engine: Engine, space: SpaceId, job: Job, settings: Settings, *, asks: bool) -> tuple[Task, int]:
    """What a job is about, and how many of its candidates are decided on. Its id changes where another reader reads."""
    payload = job.payload
    given = decode(Given, payload["given"])
    early = tuple(FactId(str(item)) for item in _list(payload["early"]))
    batch_id = BatchId(str(payload["batch"]))
    with engine.store.read() as reader:
        episode = reader.episode(space, EpisodeId(str(payload["episode"])))
        made = [item for item in reader.decisions(space, batch_id=batch_id) if item.episode_id == episode.id]
        decided = [item for item in made if not item.receipt.rule.startswith(AGAIN)]
    skip = len(decided) - len(early)
    job, found, skip = found_again(engine, episode, given, settings, job, skip, asks=asks)
    task = Task(
        episode=episode, given=given, candidates=found.candidates, batch_id=batch_id, job_id=job.id, early=early
    )
    task = replace(task, unread=found.reason, usage=found.usage)
    left = left_by_erasure(engine, episode, early, skip, found.candidates) if early else None
    if left is not None:
        return replace(task, early=tuple(left), candidates=tuple(left.values())), 0
    if early and len(early) != len(task.candidates):
        task = replace(task, early=())
    return task, skip


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []
