"""What becomes of the pairs that writes left to the LLM? Many jobs are asked about in few requests, then each fact is
decided on again, in the order in which they were said.

Answer: `classify` gathers the pairs of all jobs that are still worth asking, puts them to the expert in one call, and
takes each fact through `decide` once more with its votes: alone with the neighbours asked about, its belief as it is
now. What the votes do not change stays as it was. A pair without a clean vote is kept undecided, with the reason; where
that may pass, its job is put off in the same transaction. `due` counts what such a run would ask, without asking.

Left to others: which pairs are left to it (`write.ask_expert`), until when it is put off (`write.retrying`), when it
runs (`write.jobs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from stilltrue.errors import NotFoundError, StaleJudgementError
from stilltrue.model.change import BeliefChanged, ConflictChanged
from stilltrue.model.conflict import Answer, ConflictStatus
from stilltrue.model.decision import Action, Cost
from stilltrue.model.expert import Unheard, Usage, Vote
from stilltrue.model.fact import Retirement
from stilltrue.model.ids import BatchId, FactId
from stilltrue.model.timeline import Interval
from stilltrue.write.apply import apply
from stilltrue.write.ask_expert import Hearing, with_votes, worth_asking
from stilltrue.write.bystanders import left_alone
from stilltrue.write.case import AGAIN, Case
from stilltrue.write.decide import decide, pairs_of
from stilltrue.write.judge import judge, judge_version, ordered
from stilltrue.write.judged import Neighbour
from stilltrue.write.leasing import still_held
from stilltrue.write.retrying import again
from stilltrue.write.standing import policy_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import Change, ChangeSet, JudgedPair
    from stilltrue.model.conflict import Conflict, Settled
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.fact import Belief, Fact, Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.job import Job
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.settings import Settings
    from stilltrue.write.judged import Judged

HEARD: Final = "an LLM was asked meanwhile and sees no conflict"
ATTEMPTS = 25  # as in `remember`: another writer may change the fact while it is decided on


@dataclass(frozen=True, slots=True)
class Recalled:
    """A fact that is decided on again: its case, the episode that said it, the neighbours worth asking about.

    `bare`: nothing rests on the fact yet, so a vote may take it back.
    """

    case: Case
    episode: Episode
    items: tuple[Judged, ...]
    bare: bool


def due(engine: Engine, space: SpaceId, jobs: Sequence[Job]) -> list[tuple[Statement, Statement]]:
    """The (existing, new) pairs that these jobs would have the LLM asked about."""
    settings = engine.settings_of(space)
    return list(_pairs([recalled(engine, space, settings, job) for job in jobs]).values())


def _pairs(found: Sequence[Recalled | None]) -> dict[frozenset[FactId], tuple[Statement, Statement]]:
    """Each pair once, by its two facts: it may be open from both sides."""
    return {
        _both(one, item): ordered(one.case.statement, item) for one in found if one is not None for item in one.items
    }


def _both(one: Recalled, item: Judged) -> frozenset[FactId]:
    fact = one.case.stored
    return frozenset({item.fact.id} if fact is None else {item.fact.id, fact.id})


def classify(engine: Engine, space: SpaceId, jobs: Sequence[Job]) -> tuple[list[Decision], bool]:
    """Ask about all pairs of these jobs in one call, then decide on each fact again.

    What was decided; and whether anybody answered, as far as something was asked.
    """
    settings = engine.settings_of(space)
    found = [recalled(engine, space, settings, job) for job in jobs]
    hearings, usage = _hear(engine, space, settings, found)
    decisions = []
    for job, hearing in zip(jobs, hearings, strict=True):
        hearing.usage, usage = usage, Usage()
        made = _decide_again(engine, space, settings, job, hearing)
        if made is None:
            usage = hearing.usage
        else:
            decisions.append(made)
    told = [vote for hearing in hearings for vote in hearing.said.values()]
    return decisions, not told or not all(isinstance(vote, Unheard) for vote in told)


def _hear(
    engine: Engine, space: SpaceId, settings: Settings, found: Sequence[Recalled | None]
) -> tuple[list[Hearing], Usage]:
    """The votes, a hearing a job, and what they cost together."""
    hearings = [Hearing() for _ in found]
    pairs = _pairs(found)
    if engine.expert is None or not pairs:
        return hearings, Usage()
    told = engine.expert.classify(space, list(pairs.values()), settings.allowance())
    votes = dict(zip(pairs, told.votes, strict=True))
    for hearing, one in zip(hearings, found, strict=True):
        if one is not None:
            hearing.said.update((item.fact.id, votes[_both(one, item)]) for item in one.items)
    return hearings, told.usage


def _decide_again(engine: Engine, space: SpaceId, settings: Settings, job: Job, hearing: Hearing) -> Decision | None:
    """The decision with the votes; None where there was none to take, and then only the judgements are kept."""
    for _ in range(ATTEMPTS):
        found = recalled(engine, space, settings, job) if hearing.said else None
        if found is None:
            _finish(engine, space, job, (), None)
            return None
        left = again(job, hearing.said, engine.clock.now())
        case = with_votes(engine, settings, found.case, found.episode, hearing.said)
        case = replace(case, judged=tuple(item for item in case.judged if item.fact.id in hearing.said))
        case = replace(case, cost=_cost(case, hearing.usage))
        decided = decide(case, partial(engine.new_id, case.stamp), judge_version(engine))
        if not any(isinstance(vote, Vote) for vote in hearing.said.values()):
            _finish(engine, space, job, _judged(engine, case), left)
            return None
        try:
            kept = replace(settled(decided, found, case), judged=_judged(engine, case))
            return apply(engine.store, kept, job.id, left, held=job.id)
        except StaleJudgementError:
            continue
    message = f"space {space!r} changed {ATTEMPTS} times while a fact was decided on again; drain() tries once more"
    raise StaleJudgementError(message)


def _cost(case: Case, usage: Usage) -> Cost:
    return Cost(pairs=len(case.judged), llm_calls=usage.calls, llm_tokens=usage.tokens, cache_hits=usage.cache_hits)


def _judged(engine: Engine, case: Case) -> tuple[JudgedPair, ...]:
    """The judgements to keep, also where the fact itself is taken back."""
    return pairs_of(case, case.stored.id if case.stored is not None else None, judge_version(engine))


def _finish(engine: Engine, space: SpaceId, job: Job, judged: Sequence[JudgedPair], left: Job | None) -> None:
    """Nothing is decided: why its pairs stay open is kept, and the job is done, or put off as `left`."""
    with engine.store.write(space) as transaction:
        still_held(transaction, space, job.id)
        for pair in judged:
            transaction.put_judged(space, pair)
        transaction.finish_job(space, job.id)
        if left is not None:
            transaction.add_job(left)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store holds about the fact of a job. `retired`: how many facts it has retired already."""

    revision: int
    fact: Fact
    belief: Belief
    near: list[Neighbour]
    sources: tuple[Source, ...]
    episode: Episode
    conflicts: list[Conflict]
    answers: tuple[Settled, ...]
    retired: int
    tied: bool


def _read(reader: Reader, space: SpaceId, job: Job) -> _Known | None:
    """None where the fact is gone, or nothing that the job asks about is left."""
    fact = _fact(reader, space, FactId(str(job.payload["fact"])))
    if fact is None or fact.belief is None:
        return None
    near = _near(reader, space, fact, job.payload)
    sources = reader.sources(space, fact.id)
    if not near or not sources:
        return None
    ids = {fact.id, *(item.fact.id for item in near)}
    return _Known(
        revision=reader.revision(space),
        fact=fact,
        belief=fact.belief,
        near=near,
        sources=sources,
        episode=reader.episode(space, fact.episode_id),
        conflicts=reader.conflicts_with(space, sorted(ids)),
        answers=tuple(reader.answers(space, sorted(ids))),
        retired=_retired_by(reader, space, fact),
        tied=bool(reader.links(space, fact.id)) or len(sources) > 1,
    )


def recalled(engine: Engine, space: SpaceId, settings: Settings, job: Job) -> Recalled | None:
    """The fact of a job with the neighbours it names, judged by the local judges as they are now; None: it is gone."""
    with engine.store.read() as reader:
        known = _read(reader, space, job)
    if known is None:
        return None
    case = _case(engine, settings, known, BatchId(str(job.payload["batch"])))
    items = worth_asking(engine, settings, case, known.episode)
    return Recalled(case, known.episode, items, bare=not known.tied and known.belief.retirement is None)


def _case(engine: Engine, settings: Settings, known: _Known, batch_id: BatchId) -> Case:
    fact, start, policy = known.fact, known.belief.valid.start, policy_of(settings)
    spoken = replace(fact.statement, valid=Interval(start, _end(fact.statement, start)))
    judged = judge(engine, settings, spoken, known.near)
    return Case(
        space_id=fact.space_id,
        batch_id=batch_id,
        statement=replace(fact.statement, valid=known.belief.valid),
        source=next((one for one in known.sources if one.episode_id == fact.episode_id), known.sources[0]),
        standing=fact.standing,
        judged=tuple(left_alone(judged, spoken, known.episode, settings.contradiction_threshold)),
        policy=replace(policy, max_retired_per_write=max(0, policy.max_retired_per_write - known.retired)),
        revision=known.revision,
        stamp=engine.clock.now(),
        stored=fact,
        flagged=frozenset(conflict.fact_ids for conflict in known.conflicts),
        pending=tuple(conflict for conflict in known.conflicts if conflict.status is ConflictStatus.OPEN),
        again=True,
        answers=known.answers,
    )


def _fact(reader: Reader, space: SpaceId, fact_id: FactId) -> Fact | None:
    """The fact as it is believed now; None where it was taken back, erased or corrected since."""
    try:
        fact = reader.fact(space, fact_id)
    except NotFoundError:
        return None
    gone = fact.belief is None or fact.belief.retirement is Retirement.CORRECTED
    return None if gone else fact


def _near(reader: Reader, space: SpaceId, fact: Fact, payload: Mapping[str, object]) -> list[Neighbour]:
    """The neighbours that the job names, as far as they are believed, with why they were nominated."""
    listed = payload["near"]
    named = {FactId(str(one[0])): one for one in listed} if isinstance(listed, (list, tuple)) else {}
    return [
        Neighbour(
            fact=other,
            nominated_by=str(named[other.id][1]),
            similarity=named[other.id][2],
            sources=reader.sources(space, other.id),
        )
        for other in reader.facts(space, list(named))
        if other.id != fact.id and other.belief is not None and other.belief.retirement is not Retirement.CORRECTED
    ]


def _retired_by(reader: Reader, space: SpaceId, fact: Fact) -> int:
    """How many facts this one has retired already: deciding in two steps must not retire more than one step may."""
    made = [one for one in reader.decisions(space, fact_id=fact.id) if one.fact_id == fact.id]
    return sum(len(one.targets) for one in made if one.action is Action.SUPERSEDE)


def _end(statement: Statement, start: Instant | None) -> Instant | None:
    """The end that was stated, where it lies after what is now believed to be the start."""
    end = statement.valid.end
    return end if end is None or start is None or end >= start else None


def settled(decided: ChangeSet, found: Recalled, case: Case, why: str = HEARD) -> ChangeSet:
    """The changes of a second decision: questions that no longer stand are dismissed, and what others rest on stays.

    `why` a question stands no longer.
    """
    fact = case.stored
    answered = [change.after for change in decided.changes if isinstance(change, ConflictChanged)]
    known = {conflict.id for conflict in answered if conflict is not None}
    still = [one for one in case.pending if one.id not in known and not _void(one, case)]
    void = [one for one in case.pending if one.id not in known and _void(one, case)]
    bare = found.bare and not any(fact is not None and fact.id in one.fact_ids for one in still)
    kept = [change for change in decided.changes if bare or not _withdraws(change, fact)]
    rule = f"{AGAIN}{decided.decision.receipt.rule}"
    receipt = replace(decided.decision.receipt, rule=rule, reason=rule)
    about = decided.decision.fact_id or (fact.id if fact is not None else None)
    decision = replace(decided.decision, fact_id=about, receipt=receipt)
    return replace(decided, decision=decision, changes=(*kept, *(_dismissed(one, case, why) for one in void)))


def _void(conflict: Conflict, case: Case) -> bool:
    """Whether a question about the fact is only about pairs that are now seen to be no conflict."""
    if case.stored is None or case.stored.id not in conflict.fact_ids:
        return False
    judged = {item.fact.id: item for item in case.judged}
    others = [judged.get(fact_id) for fact_id in conflict.fact_ids if fact_id != case.stored.id]
    return all(item is not None and item.verdict is not None and not item.conflicts for item in others)


def _dismissed(conflict: Conflict, case: Case, reason: str) -> Change:
    after = replace(
        conflict, status=ConflictStatus.DISMISSED, closed_at=case.stamp, answer=Answer.DISMISS, reason=reason
    )
    return ConflictChanged(conflict, after)


def _withdraws(change: Change, fact: Fact | None) -> bool:
    return isinstance(change, BeliefChanged) and fact is not None and change.fact_id == fact.id and change.after is None
