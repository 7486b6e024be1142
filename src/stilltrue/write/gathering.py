"""What does the decision on a candidate rest on, as the space is now?

Answer: `case_of`, a `Case`: the neighbours that recall finds in one snapshot, what the local judges say of them, marks,
open questions and people's answers. Judging happens after the snapshot is let go; `watched` facts and the subject tell
at the end whether it still holds. Left to others: what is decided (`write.decide`), writing it (`write.apply`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.fact import Retirement
from stilltrue.model.timeline import Interval
from stilltrue.rules.text import exact_hash
from stilltrue.write.as_told import hidden_from
from stilltrue.write.bystanders import concerned, left_alone
from stilltrue.write.case import Case
from stilltrue.write.continuing import settle_tied, tie
from stilltrue.write.dependents import stated_bases
from stilltrue.write.early import awaiting
from stilltrue.write.judge import judge, judge_resolved
from stilltrue.write.recall import gates_of, recall, troubles
from stilltrue.write.standing import Task, policy_of, source_of, standing_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.candidate import Candidate
    from stilltrue.model.change import Tombstone
    from stilltrue.model.conflict import Conflict, Settled
    from stilltrue.model.episode import Episode
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader, Vectors
    from stilltrue.settings import Settings
    from stilltrue.write.judged import Judged, Neighbour


def case_of(
    engine: Engine,
    space: SpaceId,
    task: Task,
    place: int,
    settings: Settings,
    vector: Vectors,
    passes_over: Callable[[Reader, SpaceId, FactId], bool] = lambda *_: False,
) -> Case:
    """All that the decision on a candidate of an episode rests on, as the space is now.

    `passes_over`: neighbours that are judged against this statement when their own turn comes.
    """
    around = _around(engine, space, task, place, settings, vector, passes_over)
    candidate, statement = task.candidates[place], around.statement
    judged = _judged(engine, settings, candidate, task.episode, statement, around.known)
    judged = settle_tied(judged, statement, around.tied) if around.tied else judged
    if statement.text != candidate.statement.text:
        vector = engine.embedder.embed([statement.text])[0]
    conflicts, answers = _asked(engine, space, judged, around.stored)
    return Case(
        space_id=space,
        batch_id=task.batch_id,
        statement=statement,
        source=source_of(task, candidate),
        standing=standing_of(task, candidate, settings),
        judged=tuple(judged),
        policy=policy_of(settings),
        revision=around.revision,
        stamp=around.now,
        vector=vector.tobytes(),
        stored=around.stored,
        forced=task.given.supersedes,
        vouched=task.given.vouched,
        tombstones=around.tombstones,
        flagged=frozenset(conflict.fact_ids for conflict in conflicts),
        pending=tuple(conflict for conflict in conflicts if conflict.status is ConflictStatus.OPEN),
        resolves=candidate.resolves_topic,
        denied=around.denied,
        depends_on=task.given.depends_on or tuple(basis for basis in around.bases if basis not in task.early),
        answers=answers,
        unjudged=_unjudged(engine, space, judged, settings),
        unseen=around.unseen,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What one snapshot of the space shows around a candidate. `tied`: facts that its statement goes on about."""

    now: Instant
    revision: int
    stored: Fact | None
    statement: Statement
    tied: frozenset[FactId]
    known: Sequence[Neighbour]
    tombstones: tuple[Tombstone, ...]
    denied: bool
    bases: Sequence[FactId]
    unseen: tuple[FactId, ...]


def _around(
    engine: Engine,
    space: SpaceId,
    task: Task,
    place: int,
    settings: Settings,
    vector: Vectors,
    passes_over: Callable[[Reader, SpaceId, FactId], bool],
) -> _Around:
    candidate, gates = task.candidates[place], gates_of(engine, settings)
    now, unjudged = engine.clock.now(), task.early[place:]
    with engine.store.read() as reader:
        stored = reader.fact(space, task.early[place]) if task.early else None
        tied = tie(reader, space, candidate, vector, now)
        statement = _prolonged(tied.statement, stored)
        if candidate.resolves_topic:
            found = troubles(reader, space, statement, now)
        else:
            found = recall(reader, space, statement, vector, gates, now, task.given.supersedes, tied.facts)
        known = [
            item for item in found if item.fact.id not in unjudged and not passes_over(reader, space, item.fact.id)
        ]
        if not candidate.resolves_topic:
            known = concerned(known, candidate, statement, task.episode)
        return _Around(
            now=now,
            revision=reader.revision(space),
            stored=stored,
            statement=statement,
            tied=tied.facts,
            known=known,
            tombstones=tuple(reader.tombstones(space, statement.slot.subject, exact_hash(statement.text))),
            denied=_denied(reader, space, statement),
            bases=stated_bases(reader, space, statement, now),
            unseen=hidden_from(reader, space, statement.slot),
        )


def _judged(
    engine: Engine,
    settings: Settings,
    candidate: Candidate,
    episode: Episode,
    statement: Statement,
    known: Sequence[Neighbour],
) -> Sequence[Judged]:
    """What the local judges say of the neighbours; of those that a fix is about nothing needs to be judged."""
    if candidate.resolves_topic:
        return judge_resolved(known)
    judged = judge(engine, settings, statement, known)
    return left_alone(judged, statement, episode, settings.contradiction_threshold)


def _unjudged(engine: Engine, space: SpaceId, judged: Sequence[Judged], settings: Settings) -> frozenset[FactId]:
    same = [item.fact.id for item in judged if item.same(settings.reinforce_threshold)]
    if not same:
        return frozenset()
    with engine.store.read() as reader:
        return awaiting(reader, space, same)


def _prolonged(statement: Statement, stored: Fact | None) -> Statement:
    """A fact kept early may have taken up an earlier mention before its own turn came: it holds from there.

    What is open to the past may have taken up a later one: it reaches as far as both.
    """
    held, said = stored.belief.valid if stored is not None and stored.belief is not None else None, statement.valid
    if held is None:
        return statement
    if held.start is None is said.start and held.end is not None and said.end is not None:
        return replace(statement, valid=Interval(None, max(held.end, said.end)))
    if held.start is None or said.start is None or held.start >= said.start:
        return statement
    return replace(statement, valid=Interval(held.start, said.end))


def _denied(reader: Reader, space: SpaceId, statement: Statement) -> bool:
    """Whether its author only repeats words that somebody else has corrected since (an import run again, D10)."""
    facts = [fact for fact in reader.with_hash(space, exact=exact_hash(statement.text)) if fact.belief is not None]
    same = [fact for fact in facts if fact.statement.slot == statement.slot]
    return bool(same) and all(_corrected_by_another(reader, space, fact, statement.author) for fact in same)


def _corrected_by_another(reader: Reader, space: SpaceId, fact: Fact, author: str | None) -> bool:
    belief = fact.belief
    if belief is None or belief.retirement is not Retirement.CORRECTED or fact.statement.author != author:
        return False
    corrector = reader.fact(space, belief.superseded_by) if belief.superseded_by is not None else None
    return corrector is None or corrector.statement.author != author


def _asked(
    engine: Engine, space: SpaceId, judged: Sequence[Judged], stored: Fact | None
) -> tuple[list[Conflict], tuple[Settled, ...]]:
    """Conflicts over the facts at hand, and people's answers: looked up only where one could be settled or asked."""
    if not any(item.conflicts for item in judged):
        return [], ()
    near = list(dict.fromkeys(item.fact.id for item in judged))
    with engine.store.read() as reader:
        conflicts = reader.conflicts_with(space, near)
        own = [*near, stored.id] if stored is not None else near
        return conflicts, tuple(reader.answers(space, own)) if conflicts else ()
