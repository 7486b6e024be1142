"""What did the space look like when a fact was told, as far as judging goes?

Answer: a store whose readers show everything but facts that were told later and are still to be judged: their turn
comes, and they see this fact then. Deciding on facts one after the other through it comes to what deciding on each when
it was told would have come to. What was told later and is judged already shows, as it would to any write.

Left to others: which facts await their turn (`write.early`), in which order (`upkeep.sweep`).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.slot import Slot
    from stilltrue.ports import Filter, Hit, Reader, Store, Vectors

    Hides = Callable[[Reader, Sequence[Fact]], set[FactId]]


def as_told(engine: Engine, fact_id: FactId, hides: Hides) -> Engine:
    """The engine, reading as of the time when a fact was told. `hides`: which of others await their turn."""
    return replace(engine, store=cast("Store", _Then(engine.store, fact_id, hides)))


def hidden_from(reader: Reader, space: SpaceId, slot: Slot) -> tuple[FactId, ...]:
    """Facts of a slot that a reader of such an engine does not show: once they are judged, it would."""
    if not isinstance(reader, _Sight):
        return ()
    return reader.hidden(space, slot)


class _Then:
    """Passes on all that it does not limit."""

    def __init__(self, store: Store, fact_id: FactId, hides: Hides) -> None:
        self._store = store
        self._fact_id = fact_id
        self._hides = hides

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._store.read() as reader:
            yield cast("Reader", _Sight(reader, self._fact_id, self._hides))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        return getattr(self._store, name)


class _Sight:
    """A reader that finds nothing that awaits its turn; what is asked for by its id is shown all the same."""

    def __init__(self, reader: Reader, fact_id: FactId, hides: Hides) -> None:
        self._reader = reader
        self._fact_id = fact_id
        self._hides = hides

    def in_slot(self, space: SpaceId, subject: str, attribute: str | None) -> list[Fact]:
        return self._shown(self._reader.in_slot(space, subject, attribute))

    def with_hash(self, space: SpaceId, *, exact: str | None = None, normal: str | None = None) -> list[Fact]:
        return self._shown(self._reader.with_hash(space, exact=exact, normal=normal))

    def hidden(self, space: SpaceId, slot: Slot) -> tuple[FactId, ...]:
        everything = self._reader.in_slot(space, slot.subject, slot.attribute)
        shown = {fact.id for fact in self._shown(everything)}
        return tuple(fact.id for fact in everything if fact.id not in shown)

    def ids_in_slot(
        self, space: SpaceId, subject: str, attribute: str | None, limit: int, where: Filter
    ) -> list[FactId]:
        return self._reader.ids_in_slot(space, subject, attribute, limit, self._until(where))

    def mentioning(self, space: SpaceId, words: Sequence[str], limit: int, where: Filter) -> list[Hit]:
        return self._reader.mentioning(space, words, limit, self._until(where))

    def near(self, space: SpaceId, vector: Vectors, limit: int, where: Filter) -> list[Hit]:
        return self._reader.near(space, vector, limit, self._until(where))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the reader has
        return getattr(self._reader, name)

    def _until(self, where: Filter) -> Filter:
        return replace(where, awaiting=self._fact_id)

    def _shown(self, facts: list[Fact]) -> list[Fact]:
        hidden = self._hides(self._reader, facts)
        return [fact for fact in facts if fact.id not in hidden]
