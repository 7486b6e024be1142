"""How does a change set become rows? In one transaction: everything it says, its decision and its history, or nothing.

Before the first row is written it is checked that what was judged has not changed meanwhile (compare-and-set). No
model is called here; nothing is decided here. What rests on a fact that falls is marked on the way, whoever let it
fall (`write.dependents`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from stilltrue.errors import NotFoundError, StaleJudgementError
from stilltrue.model.change import (
    BeliefChanged,
    Change,
    ConflictChanged,
    FactAdded,
    HistoryRow,
    Link,
    LinkChanged,
    LinkKind,
    SourceChanged,
    StandingChanged,
    TierChanged,
    TombstoneChanged,
)
from stilltrue.model.codec import encode
from stilltrue.model.decision import Action
from stilltrue.model.ids import short
from stilltrue.model.timeline import Interval
from stilltrue.rules.text import exact_hash, normal_hash
from stilltrue.write.dependents import rechecks
from stilltrue.write.leasing import still_held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.change import ChangeSet
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Belief
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.job import Job
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Store, Transaction

PROPOSAL = "supersession_proposal"
TIER = "tier_changed"
CONFLICT = "conflict_changed"
RECHECK = "recheck_changed"


def apply(
    store: Store,
    change_set: ChangeSet,
    finishes: str | None = None,
    leaves: Job | None = None,
    wakes: Job | None = None,
    held: str | None = None,
) -> Decision:
    """Write it, where the job `held` is still in our hand.

    With it the job `finishes` is done, the job `leaves` is there, and `wakes` unless it waits already.
    Raises StaleJudgementError or TakenOverError, and then wrote nothing.
    """
    with store.write(change_set.space_id) as transaction:
        if held is not None:
            still_held(transaction, change_set.space_id, held)
        decision = write_changes(transaction, change_set)
        if finishes is not None:
            transaction.finish_job(change_set.space_id, finishes)
        if leaves is not None:
            transaction.add_job(leaves)
        if wakes is not None:
            transaction.wake_job(wakes)
        return decision


def write_changes(transaction: Transaction, change_set: ChangeSet) -> Decision:
    """Write a change set inside a transaction that the caller holds; the decision is stamped with its time."""
    space = change_set.space_id
    if transaction.changed_since(space, change_set.revision, change_set.subject, change_set.watched):
        message = f"space {space!r} changed while the statement was judged; judge it again"
        raise StaleJudgementError(message)
    decision = replace(change_set.decision, decided_at=transaction.now)
    changes = (*_once(change_set.changes), *rechecks(transaction, change_set))
    fresh = [change for change in changes if not _holds(transaction, space, change)]
    again = decision.action is Action.UNDO
    stamped = [_stamp(change, transaction.now, again=again) for change in fresh]
    for change in stamped:
        _write(transaction, space, change)
    for fact_id, vector in change_set.vectors:
        transaction.set_vector(space, fact_id, vector)
    transaction.add_decision(decision)
    for change in stamped:
        transaction.add_history(row_of(decision, change, kind_of(change)))
    for change in change_set.proposed:
        transaction.add_history(row_of(decision, change, PROPOSAL))
    for pair in change_set.judged:
        transaction.put_judged(space, pair)
    return decision


def _once(changes: Sequence[Change]) -> list[Change]:
    """Of one standing, or one question, the last word counts; compare-and-set asks what was there before the first."""
    kept: dict[tuple[str, object], Change] = {}
    standings: dict[FactId, StandingChanged] = {}
    questions: dict[str | None, ConflictChanged] = {}
    for number, change in enumerate(changes):
        match change:
            case StandingChanged(fact_id=fact_id, after=standing):
                first = standings.setdefault(fact_id, change)
                kept["standing", fact_id] = replace(first, after=standing)
            case ConflictChanged(after=conflict):
                opened = questions.setdefault(_conflict_of(change), change)
                kept["question", _conflict_of(change)] = replace(opened, after=conflict)
            case _:
                kept["other", number] = change
    return list(kept.values())


def _holds(transaction: Transaction, space: SpaceId, change: Change) -> bool:
    """Whether a tie, mention or mark is so already: writing it again would make its undo take away too much."""
    match change:
        case LinkChanged(link=link, present=present):
            return (link in transaction.links(space, link.to_id)) == present
        case TierChanged(fact_id=fact_id, after=tier):
            return any(fact.standing.tier is tier for fact in transaction.facts(space, (fact_id,)))
        case SourceChanged(source=source, present=present):
            known = transaction.sources(space, source.fact_id)
            if present:
                return source in known
            return not any((one.episode_id, one.span) == (source.episode_id, source.span) for one in known)
        case ConflictChanged(before=None, after=None):
            return True
        case TombstoneChanged(tombstone=mark, present=present):
            return (mark in transaction.tombstones(space, mark.subject or "", mark.text_hash or "")) == present
        case _:
            return False


def _stamp(change: Change, now: Instant, *, again: bool) -> Change:
    """Recorded times are the transaction's: no decision knows them before it is written.

    `again`: an undoing, which brings a question back with the times it had.
    """
    if isinstance(change, FactAdded):
        belief = _known(change.fact.belief, now)
        return replace(change, fact=replace(change.fact, belief=belief, recorded_at=now))
    if isinstance(change, BeliefChanged):
        return replace(change, after=_known(change.after, now))
    if isinstance(change, ConflictChanged) and change.after is not None and not again:
        return replace(change, after=_dated(change.before, change.after, now))
    return change


def _known(belief: Belief | None, now: Instant) -> Belief | None:
    return None if belief is None else replace(belief, known=Interval(now, None))


def _dated(before: Conflict | None, after: Conflict, now: Instant) -> Conflict:
    if before is None:
        return replace(after, opened_at=now)
    return replace(after, closed_at=now if after.closed_at is not None else None)


def _write(transaction: Transaction, space: SpaceId, change: Change) -> None:
    match change:
        case FactAdded(fact=fact, sources=sources, vector=vector):
            text = fact.statement.text
            transaction.add_fact(fact, vector, exact_hash(text), normal_hash(text))
            for source in sources:
                transaction.set_source(space, source, present=True)
        case BeliefChanged(fact_id=fact_id, before=before, after=after):
            transaction.set_belief(space, fact_id, before, after)
        case StandingChanged(fact_id=fact_id, before=old_standing, after=standing):
            transaction.set_standing(space, fact_id, old_standing, standing)
        case TierChanged(fact_id=fact_id, before=before, after=after, vector=vector):
            transaction.set_tier(space, fact_id, before, after, vector)
        case SourceChanged(source=source, present=present):
            transaction.set_source(space, source, present=present)
        case LinkChanged(link=link, present=present):
            transaction.set_link(space, link, present=present)
        case ConflictChanged(before=old, after=new):
            _unchanged(transaction, space, change)
            if new is not None:
                transaction.put_conflict(new)
            elif old is not None:
                transaction.drop_conflict(space, old.id)
        case TombstoneChanged(tombstone=tombstone, present=present):
            transaction.set_tombstone(space, tombstone, present=present)
        case _:
            assert_never(change)


def _unchanged(transaction: Transaction, space: SpaceId, change: ConflictChanged) -> None:
    """Compare-and-set of a question: whether it is open, and how it was answered."""
    named = change.before or change.after
    if named is None:
        return
    try:
        held = transaction.conflict(space, named.id)
    except NotFoundError:
        held = None
    if _answer(held) != _answer(change.before):
        message = f"conflict {short(named.id)} was changed meanwhile; look at it again"
        raise StaleJudgementError(message)


def _answer(conflict: Conflict | None) -> tuple[object, ...] | None:
    return None if conflict is None else (conflict.status, conflict.answer, conflict.kept)


_KINDS = {
    FactAdded: "fact_added",
    BeliefChanged: "belief_changed",
    StandingChanged: "standing_changed",
    TierChanged: TIER,
    SourceChanged: "source_changed",
    LinkChanged: "link_changed",
    ConflictChanged: CONFLICT,
    TombstoneChanged: "tombstone_changed",
}


def kind_of(change: Change) -> str:
    """The change's name in history."""
    if isinstance(change, LinkChanged) and change.link.kind is LinkKind.RECHECK:
        return RECHECK
    return _KINDS[type(change)]


def row_of(decision: Decision, change: Change, kind: str) -> HistoryRow:
    """A change as history tells it; vectors are derived, and left out."""
    slim = replace(change, vector=None) if isinstance(change, (FactAdded, TierChanged)) else change
    return HistoryRow(
        seq=0,
        space_id=decision.space_id,
        decision_id=decision.id,
        batch_id=decision.batch_id,
        at=decision.decided_at,
        kind=kind,
        fact_id=_fact_of(change),
        conflict_id=_conflict_of(change),
        reason=decision.receipt.reason,
        payload=encode(slim),
    )


def _fact_of(change: Change) -> FactId | None:
    match change:
        case FactAdded(fact=fact):
            return fact.id
        case BeliefChanged(fact_id=fact_id) | StandingChanged(fact_id=fact_id) | TierChanged(fact_id=fact_id):
            return fact_id
        case LinkChanged(link=Link(kind=LinkKind.DEPENDS_ON | LinkKind.RECHECK) as link):
            return link.from_id  # what rests on a fact changes nothing about that fact
        case SourceChanged(source=source):
            return source.fact_id
        case LinkChanged(link=link):
            return link.to_id
        case _:
            return None


def _conflict_of(change: Change) -> str | None:
    if not isinstance(change, ConflictChanged):
        return None
    conflict = change.after or change.before
    return conflict.id if conflict is not None else None
