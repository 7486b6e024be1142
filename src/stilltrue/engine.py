"""What is every verb given? The parts that `wiring` (or a test) put together, and nothing global beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from stilltrue.model.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Embedder, Entropy, Expert, PairModel, Store
    from stilltrue.settings import Settings


class Tally:
    """Which facts readers were served since the last count, kept in memory so that no reading waits for a write.

    Threads may share it. One entry a fact and day (UTC); beyond `MOST` entries new ones are not taken.
    """

    MOST = 100_000

    def __init__(self) -> None:
        """Nothing was served yet."""
        self._lock = Lock()
        self._served: dict[SpaceId, dict[tuple[date, FactId], tuple[int, Instant]]] = {}
        self._since: dict[SpaceId, Instant] = {}

    def note(self, space: SpaceId, fact_ids: Iterable[FactId], at: Instant) -> None:
        """These were served."""
        with self._lock:
            served = self._served.setdefault(space, {})
            self._since.setdefault(space, at)
            for fact_id in fact_ids:
                key = (at.date(), fact_id)
                if key in served or len(served) < self.MOST:
                    times, last = served.get(key, (0, at))
                    served[key] = (times + 1, max(last, at))

    def since(self, space: SpaceId) -> Instant | None:
        """Since when something waits to be counted; None where nothing does."""
        with self._lock:
            return self._since.get(space)

    def take(self, space: SpaceId) -> list[tuple[FactId, int, Instant]]:
        """What was served, oldest day first: fact, how often that day, when last. It is not kept here any more."""
        with self._lock:
            served = self._served.pop(space, {})
            self._since.pop(space, None)
        return [(fact_id, *served[day, fact_id]) for day, fact_id in sorted(served)]

    def spaces(self) -> list[SpaceId]:
        """Where something waits to be counted."""
        with self._lock:
            return list(self._served)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """`pair_model` and `expert` (an LLM) are optional judges: without them what they could settle is undecided."""

    store: Store
    embedder: Embedder
    clock: Clock
    entropy: Entropy
    settings: Settings
    pair_model: PairModel | None = None
    expert: Expert | None = None
    tally: Tally = field(default_factory=Tally)

    def settings_of(self, space: SpaceId) -> Settings:
        """The settings in force in a space: its own over the engine's."""
        with self.store.read() as reader:
            own = reader.space_settings(space)
        return self.settings.replace(own) if own else self.settings

    def new_id(self, at: Instant) -> str:
        """A fresh UUIDv7."""
        return uuid7(at, self.entropy(10))
