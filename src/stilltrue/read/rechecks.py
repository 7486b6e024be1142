"""Which facts rest on something that no longer holds? Listed for somebody to look at, never edited (SPEC F9).

A mark is shown while the fact itself stands and what it rests on does not: a basis that ends next month is listed next
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
        cards = [(fact, fallen_bases(reader, space, fact, now)) for fact in facts]
        return tuple(Recheck(fact=present(reader, space, fact, at=now), bases=bases) for fact, bases in cards if bases)


def fallen_bases(reader: Reader, space: SpaceId, fact: Fact, now: Instant) -> tuple[Result, ...]:
    """What a standing fact is marked for: facts it rests on that hold no longer."""
    if fact.status(now) not in _STANDING:
        return ()
    links = reader.links(space, fact.id)
    ids = [link.to_id for link in links if link.kind is LinkKind.RECHECK and link.from_id == fact.id]
    bases = (present(reader, space, basis, at=now) for basis in reader.facts(space, ids))
    return tuple(basis for basis in bases if basis.status not in _STANDING)
