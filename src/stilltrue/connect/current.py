"""What does a space hold to be true now? Its current statements, all or the weightiest, to be shown unasked.

Answer: a page at a time, by what retention sees of facts; questions, plans, hearsay and the like claim nothing about
the present and are left out. What is relevant to a question is `Memory.search`'s business.
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Category, Modality

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact, Kept
    from stilltrue.ports import Reader

_PAGE: Final = 500
_PRESENT: Final = frozenset({Modality.ASSERTION, Modality.RULE})


def current_facts(memory: Memory, limit: int | None = None) -> list[Fact]:
    """Current facts in the order stored; with a `limit` the weightiest: core ones first, then by importance and age."""
    memory.members()  # refuses strangers
    with memory.engine.store.read() as reader:
        kept = _serving(memory, reader)
        if limit is not None:
            kept = iter(nlargest(limit * 2, kept, key=_weight))
        ids = [one.id for one in kept]
        facts = [fact for fact in reader.facts(memory.space, ids) if fact.statement.modality in _PRESENT]
    if limit is not None:
        return facts[:limit]
    return sorted(facts, key=lambda fact: (fact.recorded_at, fact.id))


def _serving(memory: Memory, reader: Reader) -> Iterator[Kept]:
    now, after = memory.engine.clock.now(), ""
    while page := reader.kept(memory.space, after, _PAGE):
        yield from (one for one in page if one.belief.serves(now))
        after = page[-1].id


def _weight(kept: Kept) -> tuple[bool, float, object]:
    standing = kept.standing
    return standing.category is Category.CORE, standing.importance, standing.last_seen_at
