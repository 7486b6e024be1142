"""What does a memory hold, from its first fact to its last? No question, no ranking: the order in which it was stored.

That order never changes, so that somebody who reads page by page meets no fact twice and misses none that stays true,
whatever is written meanwhile. Answers to questions are `search`'s and `lookup`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Retirement
from stilltrue.read.present import belief_of, present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Filter, Reader
    from stilltrue.read.results import Result

_AT_ONCE: Final = 200


def listed(engine: Engine, space: SpaceId, where: Filter, after: int, limit: int) -> list[tuple[int, Result]]:
    """The first `limit` facts stored behind the place `after` (0: from the start) that `where` admits, each with its
    place. Raises StoreError.
    """
    found: list[tuple[int, Result]] = []
    with engine.store.read() as reader:
        for place, fact in _stored(reader, space, after):
            if len(found) == limit:
                break
            if _admits(reader, space, fact, where):
                shown = present(reader, space, fact, at=where.valid_at, known_at=where.known_at)
                found.append((place, shown))
    return found


def _stored(reader: Reader, space: SpaceId, after: int) -> Iterator[tuple[int, Fact]]:
    while rows := reader.stored_order(space, after, _AT_ONCE):
        held = {fact.id: fact for fact in reader.facts(space, [fact_id for _, fact_id in rows])}
        yield from ((place, held[fact_id]) for place, fact_id in rows if fact_id in held)
        after = rows[-1][0]


def _admits(reader: Reader, space: SpaceId, fact: Fact, where: Filter) -> bool:
    """As `ports.Filter` says."""
    belief = belief_of(reader, space, fact, where.known_at)
    if belief is None or belief.retirement is Retirement.CORRECTED:
        return False
    return where.include_superseded or belief.serves(where.valid_at)
