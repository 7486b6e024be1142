"""What is there to settle? Open conflicts with the facts they are about, oldest first; answering is `write`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.ids import ConflictId
from stilltrue.read.present import present
from stilltrue.read.results import OpenConflict

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader


def conflicts(
    engine: Engine, space: SpaceId, status: ConflictStatus | None = ConflictStatus.OPEN
) -> tuple[OpenConflict, ...]:
    """Conflicts of a status (default: open; None: all), oldest first. Raises StoreError."""
    now = engine.clock.now()
    with engine.store.read() as reader:
        found = sorted(reader.conflicts(space, status), key=lambda item: (item.opened_at, item.id))
        return tuple(_with_facts(reader, space, item, now) for item in found)


def conflict(engine: Engine, space: SpaceId, id_fragment: str) -> OpenConflict:
    """One conflict, whatever its status. Raises NotFoundError, InvalidInputError, StoreError."""
    with engine.store.read() as reader:
        found = reader.conflict(space, ConflictId(reader.find_id(space, "conflicts", id_fragment)))
        return _with_facts(reader, space, found, engine.clock.now())


def _with_facts(reader: Reader, space: SpaceId, item: Conflict, now: Instant) -> OpenConflict:
    facts = reader.facts(space, item.fact_ids)
    return OpenConflict(conflict=item, facts=tuple(present(reader, space, fact, at=now) for fact in facts))
