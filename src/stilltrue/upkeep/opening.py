"""How does a confusion become a question, and when is the question over?

Answer: `open_conflict` opens one over an unordered set of facts unless it was asked before; a question that was
answered or dismissed is asked again only with a fact that was said since (B6). `close_settled` closes what the story
has settled meanwhile. Each is a decision with history and undo, written in a transaction of its own.

Left to others: what is confusing (`rules.narrative`, an LLM), what a person's answer changes (`write.resolve`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError
from stilltrue.model.change import ChangeSet, ConflictChanged
from stilltrue.model.conflict import Answer, Conflict, ConflictKind, ConflictStatus
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.ids import ConflictId, DecisionId, FactId, short
from stilltrue.rules.questions import sound
from stilltrue.write.apply import write_changes
from stilltrue.write.standing import policy_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import BatchId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.rules.narrative import Confusion

_STORIES: Final = frozenset(
    {ConflictKind.REVERSAL, ConflictKind.AMBIGUITY, ConflictKind.STALE, ConflictKind.CONTRADICTION}
)
_BY: Final = "the local detective"  # what it saw is the reason: that may name a thing, and an erasure empties it
SETTLED: Final = "settled by what was said since"


def known_already(reader: Reader, space: SpaceId, found: Confusion) -> bool:
    """Whether its facts in doubt were asked about, and nothing that is new since speaks for asking again (B6)."""
    return any(_covers(reader, space, one, found) for one in _asked(reader, space, found))


def _asked(reader: Reader, space: SpaceId, found: Confusion) -> list[Conflict]:
    """Conflicts over all of its facts in doubt, whatever their status."""
    core = sorted(found.core)
    return [one for one in reader.conflicts_with(space, core) if found.core <= set(one.fact_ids)]


def _covers(reader: Reader, space: SpaceId, one: Conflict, found: Confusion) -> bool:
    if one.status is ConflictStatus.OPEN or one.closed_at is None:
        return True
    new = [fact_id for fact_id in found.fact_ids if fact_id not in one.fact_ids]
    return not any(fact.recorded_at > one.closed_at for fact in reader.facts(space, new))


def open_conflict(engine: Engine, space: SpaceId, found: Confusion, batch_id: BatchId) -> Decision | None:
    """Ask about it; None where it was asked before, or a fact of it has changed since it was read.

    In shadow mode the question is only written down.
    """
    shadow = policy_of(engine.settings_of(space)).shadow
    now = engine.clock.now()
    with engine.store.write(space) as transaction:
        facts = transaction.facts(space, found.fact_ids)
        whole = len(facts) == len(found.fact_ids) and all(fact.belief is not None for fact in facts)
        asked = _asked(transaction, space, found)
        twice = transaction.conflict_about(space, found.fact_ids) is not None
        if not whole or twice or any(_covers(transaction, space, one, found) for one in asked):
            return None
        change = ConflictChanged(None, _conflict(engine, space, found, facts, asked, now))
        latest = max(facts, key=lambda fact: (fact.statement.said_at, fact.id)).id
        decision = replace(_decision(engine, space, batch_id, now, change, Action.ASK, found.rule), fact_id=latest)
        change_set = ChangeSet(
            space_id=space,
            decision=replace(decision, proposal=shadow),
            changes=() if shadow else (change,),
            proposed=(change,) if shadow else (),
            revision=transaction.revision(space),
        )
        return write_changes(transaction, change_set)


def _conflict(
    engine: Engine, space: SpaceId, found: Confusion, facts: Sequence[Fact], asked: Sequence[Conflict], now: Instant
) -> Conflict:
    before = max(asked, key=lambda one: one.opened_at, default=None)
    reason = f"asked again: {short(before.id)} was {before.status.value} before this was said" if before else ""
    told = sorted(facts, key=lambda fact: (fact.statement.said_at, fact.id), reverse=True)
    return Conflict(
        id=ConflictId(engine.new_id(now)),
        space_id=space,
        kind=found.kind,
        fact_ids=found.fact_ids,
        question=sound(found.question, [fact.statement for fact in told]),
        opened_at=now,
        reason=reason,
    )


def _decision(
    engine: Engine,
    space: SpaceId,
    batch_id: BatchId,
    now: Instant,
    change: ConflictChanged,
    action: Action,
    rule: str,
) -> Decision:
    after = change.after
    return Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=action,
        text=after.question if after is not None else "",
        decided_at=now,
        conflict_id=after.id if after is not None else None,
        receipt=Receipt(rule=_BY, reason=rule),
    )


# Closing


def close_settled(engine: Engine, space: SpaceId, fact_ids: Sequence[FactId], batch_id: BatchId) -> list[Decision]:
    """Close the open stories about these facts that leave nothing open any more."""
    with engine.store.read() as reader:
        asked = [one for one in reader.conflicts_with(space, fact_ids) if one.status is ConflictStatus.OPEN]
        over = [one for one in asked if _over(one, reader.facts(space, one.fact_ids), engine.clock.now())]
    closed = (_close(engine, space, one, batch_id) for one in over)
    return [decision for decision in closed if decision is not None]


def _over(conflict: Conflict, facts: Sequence[Fact], now: Instant) -> bool:
    """Whether what was said since leaves at most one side standing."""
    told = sorted(facts, key=lambda fact: (fact.statement.said_at, fact.id))
    if any(fact.belief is None for fact in told):
        return conflict.kind in _STORIES
    match conflict.kind:
        case ConflictKind.REVERSAL:
            return not _stands(told[-1], now)
        case ConflictKind.AMBIGUITY | ConflictKind.CONTRADICTION:
            return sum(_stands(fact, now) for fact in told) < 2  # noqa: PLR2004 - it takes two to differ
        case ConflictKind.STALE:
            return not _stands(told[0], now) or told[0].standing.last_seen_at > told[-1].statement.said_at
        case _:
            return False


def _stands(fact: Fact, now: Instant) -> bool:
    return fact.belief is not None and fact.belief.serves(now)


def _close(engine: Engine, space: SpaceId, conflict: Conflict, batch_id: BatchId) -> Decision | None:
    now = engine.clock.now()
    with engine.store.read() as reader:
        revision = reader.revision(space)
        standing = [fact.id for fact in reader.facts(space, conflict.fact_ids) if _stands(fact, now)]
    kept = standing[0] if len(standing) == 1 else None
    after = replace(
        conflict,
        status=ConflictStatus.ANSWERED,
        closed_at=now,
        answer=Answer.KEEP if kept is not None else Answer.REWRITE,
        kept=kept,
        reason=SETTLED,
    )
    change = ConflictChanged(conflict, after)
    decision = _decision(engine, space, batch_id, now, change, Action.RESOLVE, SETTLED)
    change_set = ChangeSet(
        space_id=space, decision=decision, changes=(change,), revision=revision, watched=conflict.fact_ids
    )
    try:
        with engine.store.write(space) as transaction:
            if transaction.conflict(space, conflict.id) != conflict:
                return None
            return write_changes(transaction, change_set)
    except StaleJudgementError:
        return None
