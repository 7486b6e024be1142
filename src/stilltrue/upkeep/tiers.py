"""How does a fact move between tiers? As a decision with a row each: nothing that is true depends on it (SPEC A8).

A fact that becomes a stub loses its vector, one that stops being a stub gets it back; its row keeps the words, because
late facts are judged against them and undo needs them, and readers are shown a short text (`read.present`).

Left to others: when a fact moves (`rules.retention`), passes (`upkeep.retention`), recalls (`upkeep.recalls`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.change import ChangeSet, TierChanged
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Tier
from stilltrue.model.ids import DecisionId, FactId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.ids import BatchId, SpaceId


@dataclass(frozen=True, slots=True)
class Move:
    """One fact out of one tier into another."""

    fact_id: FactId
    text: str
    before: Tier
    after: Tier


def moving(
    engine: Engine, space: SpaceId, moves: Sequence[Move], batch_id: BatchId, revision: int, rule: str
) -> ChangeSet:
    """The moves as one decision, ready to be written; stubs that come back are embedded here, outside a transaction."""
    bare = [move for move in moves if move.before is Tier.STUB and move.text]
    found: dict[FactId, bytes] = {}
    if bare:
        vectors = engine.embedder.embed([move.text for move in bare])
        found = {move.fact_id: vector.tobytes() for move, vector in zip(bare, vectors, strict=True)}
    now = engine.clock.now()
    ids = tuple(move.fact_id for move in moves)
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.MAINTAIN,
        text="",
        decided_at=now,
        targets=ids,
        receipt=Receipt(rule=rule, reason=told(moves)),
    )
    changes = tuple(TierChanged(move.fact_id, move.before, move.after, found.get(move.fact_id)) for move in moves)
    return ChangeSet(space_id=space, decision=decision, changes=changes, revision=revision, watched=ids)


def told(moves: Sequence[Move]) -> str:
    """How many went where.

    >>> cools = Move(FactId("1"), "", Tier.HOT, Tier.COLD)
    >>> told([cools, cools, Move(FactId("3"), "", Tier.COLD, Tier.STUB)])
    '2 hot to cold, 1 cold to stub'
    """
    counted = Counter(f"{move.before.value} to {move.after.value}" for move in moves)
    return ", ".join(f"{count} {way}" for way, count in counted.items())
