"""How did it come to be so? The whole life of one fact, and the timeline of one slot.

`history_of_fact` walks the chain of supersessions both ways (D3) and lists beliefs, changes and sources;
`history_of_slot` lays all facts of a slot on the axis of valid time. Why each decision fell is `read.explain`'s.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Status
from stilltrue.model.ids import FactId
from stilltrue.read.lookup import slot_names
from stilltrue.read.present import belief_of, present
from stilltrue.read.results import FactHistory, Stretch, Timeline

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.read.results import Result

_EVER: Final = datetime.min.replace(tzinfo=UTC)
_CURRENT: Final = "current"


def history_of_fact(engine: Engine, space: SpaceId, id_fragment: str) -> FactHistory:
    """All about the fact whose id begins or ends with `id_fragment` (at least 6 characters).

    Raises NotFoundError, InvalidInputError for a fragment that is too short or fits several, StoreError.
    """
    now = engine.clock.now()
    with engine.store.read() as reader:
        fact = reader.fact(space, FactId(reader.find_id(space, "facts", id_fragment)))
        return FactHistory(
            fact=present(reader, space, fact, at=now),
            beliefs=reader.beliefs(space, fact.id),
            chain=tuple(present(reader, space, link, at=now) for link in _chain(reader, space, fact)),
            rows=tuple(reader.history(space, fact_id=fact.id)),
        )


def history_of_slot(
    engine: Engine, space: SpaceId, subject: str, attribute: str | None = None, *, known_at: Instant | None = None
) -> Timeline:
    """What the slot held, in valid-time order, what is still to come last; withdrawn facts left out.

    `known_at`: as the store believed it then. Raises InvalidInputError for a blank name, StoreError.
    """
    names = slot_names(subject, attribute)
    now = engine.clock.now()
    with engine.store.read() as reader:
        facts = {fact.id: fact for name, key in names for fact in reader.in_slot(space, name, key)}
        stretches = [
            _stretch(present(reader, space, fact, at=now, known_at=known_at))
            for fact in facts.values()
            if belief_of(reader, space, fact, known_at) is not None
        ]
    name, key = names[-1]
    return Timeline(subject=name, attribute=key, at=now, stretches=tuple(sorted(stretches, key=_place)))


def _stretch(result: Result) -> Stretch:
    word = _CURRENT if result.status is Status.ACTIVE else result.status.value
    return Stretch(fact=result, start=result.valid_from, end=result.valid_until, word=word)


def _place(stretch: Stretch) -> tuple[bool, Instant, bool, Instant, str]:
    """Order on the axis: an open start is the oldest, an open end the latest."""
    end = stretch.end or _EVER
    return (stretch.word == Status.FUTURE, stretch.start or _EVER, stretch.end is None, end, stretch.fact.id)


def _chain(reader: Reader, space: SpaceId, fact: Fact) -> list[Fact]:
    """The fact, all it replaced and all that replaced it, each once, in valid-time order.

    Links that run in a circle (a hand-edited store) end where they began.
    """
    found: dict[FactId, Fact] = {fact.id: fact}
    fresh = [fact]
    while fresh:
        ids = dict.fromkeys(neighbour for link in fresh for neighbour in _neighbours(link))
        fresh = reader.facts(space, [fact_id for fact_id in ids if fact_id not in found])
        found.update({link.id: link for link in fresh})
    return sorted(found.values(), key=_chain_place)


def _neighbours(fact: Fact) -> tuple[FactId, ...]:
    successor = fact.belief.superseded_by if fact.belief else None
    return fact.supersedes if successor is None else (*fact.supersedes, successor)


def _chain_place(fact: Fact) -> tuple[Instant, Instant, str]:
    start = fact.belief.valid.start if fact.belief else fact.statement.valid.start
    return (start or _EVER, fact.recorded_at, fact.id)
