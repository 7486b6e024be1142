"""What does a memory hold, from its first fact to its last? No question, no ranking: the order in which it was stored.

That order never changes, so that somebody who reads page by page meets no fact twice and misses none that stays true,
whatever is written meanwhile. Answers to questions are `search`'s and `lookup`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.read.present import present

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Filter
    from stilltrue.read.results import Result


def listed(engine: Engine, space: SpaceId, where: Filter, after: int, limit: int) -> list[tuple[int, Result]]:
    """The first `limit` facts stored behind the place `after` (0: from the start) that `where` admits, each with its
    place. Raises StoreError.
    """
    with engine.store.read() as reader:
        rows = reader.stored_order(space, after, limit, where)
        facts = reader.facts(space, [fact_id for _, fact_id in rows])
        return [
            (place, present(reader, space, fact, at=where.valid_at, known_at=where.known_at))
            for (place, _), fact in zip(rows, facts, strict=True)
        ]
