"""Which facts rest on something that no longer holds? Listed for somebody to look at, never edited (SPEC F9).

A mark is shown while the fact itself stands and what it rests on does not: a ground that ends next month is listed next
month. How marks come and go is `write.dependents`' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.change import LinkKind
from stilltrue.model.fact import Status
from stilltrue.model.ids import FactId
from stilltrue.read.present import present
from stilltrue.read.results import Recheck

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.read.results import Result

_STANDING = (Status.ACTIVE, Status.FUTURE)


def rechecks(engine: Engine, space: SpaceId) -> tuple[Recheck, ...]:
    """Facts that need a look, oldest first, each with what it rested on. Raises StoreError."""
    now = engine.clock.now()
    with engine.store.read() as reader:
        ids = dict.fromkeys(FactId(link.from_id) for link in reader.rechecks(space))
        facts = reader.facts(space, list(ids))
        cards = [(fact, fallen_grounds(reader, space, fact, now)) for fact in facts]
        return tuple(
            Recheck(fact=present(reader, space, fact, at=now), grounds=grounds) for fact, grounds in cards if grounds
        )


def fallen_grounds(reader: Reader, space: SpaceId, fact: Fact, now: Instant) -> tuple[Result, ...]:
    """What a standing fact is marked for: facts it rests on that hold no longer."""
    if fact.status(now) not in _STANDING:
        return ()
    links = reader.links(space, fact.id)
    ids = [link.to_id for link in links if link.kind is LinkKind.RECHECK and link.from_id == fact.id]
    grounds = (present(reader, space, ground, at=now) for ground in reader.facts(space, ids))
    return tuple(ground for ground in grounds if ground.status not in _STANDING)
