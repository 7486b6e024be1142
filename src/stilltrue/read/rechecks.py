"""Which facts rest on something that no longer holds? Listed for somebody to look at, never edited (SPEC F9).

A mark is shown while the fact itself stands and what it rests on does not: a basis that ends next month is listed next
month. How marks come and go is `write.dependents`' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.read.present import present
from stilltrue.read.results import Recheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.read.results import Result


def rechecks(engine: Engine, space: SpaceId) -> tuple[Recheck, ...]:
    """Facts that need a look, oldest first, each with what it rested on. Raises StoreError."""
    now = engine.clock.now()
    with engine.store.read() as reader:
        rests_on: dict[FactId, list[FactId]] = {}
        for link in reader.marks(space, now):
            rests_on.setdefault(link.from_id, []).append(link.to_id)
        facts = reader.facts(space, list(rests_on))
        return tuple(
            Recheck(
                fact=present(reader, space, fact, at=now, marked=rests_on),
                bases=_bases(reader, space, rests_on[fact.id], now),
            )
            for fact in facts
        )


def fallen_bases(reader: Reader, space: SpaceId, fact: Fact, now: Instant) -> tuple[Result, ...]:
    """What a standing fact is marked for: facts it rests on that hold no longer."""
    if not reader.marked(space, [fact.id], now):
        return ()
    return _bases(reader, space, [link.to_id for link in reader.marks(space, now) if link.from_id == fact.id], now)


def _bases(reader: Reader, space: SpaceId, ids: Sequence[FactId], now: Instant) -> tuple[Result, ...]:
    return tuple(present(reader, space, basis, at=now) for basis in reader.facts(space, ids))
