"""How does memory let go? Forgetting retracts and keeps the history; erasing removes the text everywhere (D10).

Both are decisions with a reason. Forgetting can be undone; erasing cannot, and leaves a tombstone without content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import NotFoundError, StateError
from stilltrue.model.change import ChangeSet, HistoryRow, Tombstone, TombstoneKind
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Retirement
from stilltrue.model.ids import BatchId, DecisionId, EpisodeId, FactId, SpaceId, short
from stilltrue.model.verdict import Undecided
from stilltrue.write.apply import apply
from stilltrue.write.draft import Draft
from stilltrue.write.judged import Judged, Neighbour

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader


def forget(
    engine: Engine, space: SpaceId, fragment: str, batch_id: BatchId, *, reason: str = "", never_true: bool = False
) -> Decision:
    """Retract a fact by hand: it stops being true now, or with `never_true` it never was (and does not come back).

    Raises NotFoundError for an unknown id, StateError if the fact is not believed any more.
    """
    now = engine.clock.now()
    draft = Draft(now, lambda: engine.new_id(now))
    with engine.store.read() as reader:
        fact = reader.fact(space, FactId(reader.find_id(space, "facts", fragment)))
        revision = reader.revision(space)
    if fact.belief is None or (fact.belief.retirement is not None and not never_true):
        message = f"fact {short(fact.id)} is {fact.status(now).value} already; there is nothing to forget"
        raise StateError(message)
    item = Judged(Neighbour(fact=fact, nominated_by="caller"), Undecided("asked for by a person"))
    if never_true:
        draft.correct(item, None)
        draft.bury(TombstoneKind.NEVER_TRUE, fact.statement, now)
    else:
        draft.close(item, now, None, Retirement.RETRACTED)
        draft.bury(TombstoneKind.RETRACTED, fact.statement, now)
    said = reason or ("marked as never true" if never_true else "forgotten on request")
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.FORGET,
        text=fact.statement.text,
        decided_at=now,
        fact_id=None,
        targets=(fact.id,),
        receipt=Receipt(rule="a person asked", reason=said),
    )
    changes = tuple(draft.changes)
    return apply(
        engine.store,
        ChangeSet(space_id=space, decision=decision, changes=changes, revision=revision, watched=(fact.id,)),
    )


def erase(engine: Engine, space: SpaceId, fragment: str, batch_id: BatchId, *, reason: str = "") -> Decision:
    """Remove a fact's text everywhere, or with an episode's id that text and every fact from it. Cannot be undone.

    Raises NotFoundError for an unknown id.
    """
    with engine.store.read() as reader:
        fact_ids, episode_ids = _doomed(reader, space, fragment)
    with engine.store.write(space) as transaction:
        now = transaction.now
        for fact_id in fact_ids:
            fact = transaction.fact(space, fact_id)
            if fact.belief is not None:
                transaction.set_belief(space, fact_id, fact.belief, None)
        transaction.erase(space, fact_ids, episode_ids)
        transaction.set_tombstone(space, _mark(now), present=True)
        decision = Decision(
            id=DecisionId(engine.new_id(now)),
            space_id=space,
            batch_id=batch_id,
            action=Action.ERASE,
            text="",
            decided_at=now,
            targets=tuple(fact_ids),
            receipt=Receipt(rule="a person asked", reason=reason or "erased on request"),
        )
        transaction.add_decision(decision)
        for fact_id in fact_ids:
            transaction.add_history(_row(decision, fact_id))
        return decision


def _row(decision: Decision, fact_id: FactId) -> HistoryRow:
    return HistoryRow(
        seq=0,
        space_id=decision.space_id,
        decision_id=decision.id,
        batch_id=decision.batch_id,
        at=decision.decided_at,
        kind="erased",
        fact_id=fact_id,
        conflict_id=None,
        reason=decision.receipt.reason,
    )


def _mark(now: Instant) -> Tombstone:
    return Tombstone(kind=TombstoneKind.ERASED, subject=None, attribute=None, value_key=None, text_hash=None, at=now)


def _doomed(reader: Reader, space: SpaceId, fragment: str) -> tuple[list[FactId], list[EpisodeId]]:
    """A fact goes alone (its words are blanked inside its episodes); an episode goes with all facts from it."""
    try:
        return [FactId(reader.find_id(space, "facts", fragment))], []
    except NotFoundError:
        episode_id = EpisodeId(reader.find_id(space, "episodes", fragment))
        return reader.facts_of_episode(space, episode_id), [episode_id]
