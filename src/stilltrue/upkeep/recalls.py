"""Which facts did readers use? Counted in memory while they read, written when nobody waits for it (SPEC A7, A8).

Answer: `read.verbs` notes in the engine's tally what a search returned and what an answer rests on; `count` writes what
was noted, and takes what was asked for out of the archive. Writes count on their way once something has waited for a
minute, jobs and closing count the rest; a process that dies loses at most what it noted since. Recalls steer the order
of results and what is archived, never what is true, so that loss changes no answer.

Left to others: what recalls do to a fact's retention (`rules.retention`), how tiers are moved (`upkeep.tiers`).
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError, StilltrueError
from stilltrue.model.fact import Tier
from stilltrue.model.ids import BatchId
from stilltrue.upkeep.tiers import Move, moving
from stilltrue.write.apply import apply

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import FactId, SpaceId

PATIENCE: Final = timedelta(minutes=1)
"""How long a recall waits for a write to take it along: an agent that reads before each write pays one more small
transaction a minute, not one a write."""


def count_when_due(engine: Engine, space: SpaceId) -> None:
    """Count what has waited long enough. Raises StoreError."""
    since = engine.tally.since(space)
    if since is not None and abs(engine.clock.now() - since) >= PATIENCE:
        count(engine, space)


def count(engine: Engine, space: SpaceId) -> int:
    """Write what was noted; how many facts. Raises StoreError."""
    noted = engine.tally.take(space)
    if not noted:
        return 0
    with engine.store.write(space) as transaction:
        for fact_id, times, at in noted:
            transaction.record_recalls(space, (fact_id,), at, times)
    ids = list(dict.fromkeys(fact_id for fact_id, _, _ in noted))
    with suppress(StaleJudgementError):  # whoever moved it meanwhile has looked at it; the next pass looks again
        _warm(engine, space, ids)
    return len(ids)


def count_all(engine: Engine) -> None:
    """Count what waits in any space, as well as it goes: a memory that is being closed has nobody to complain to."""
    for space in engine.tally.spaces():
        with suppress(StilltrueError):
            count(engine, space)


def _warm(engine: Engine, space: SpaceId, fact_ids: list[FactId]) -> None:
    with engine.store.read() as reader:
        revision = reader.revision(space)
        moves = [
            Move(fact.id, fact.statement.text, fact.standing.tier, Tier.HOT)
            for fact in reader.facts(space, fact_ids)
            if fact.standing.tier is not Tier.HOT and fact.belief is not None
        ]
    if moves:
        batch_id = BatchId(engine.new_id(engine.clock.now()))
        apply(engine.store, moving(engine, space, moves, batch_id, revision, "asked for again"))
