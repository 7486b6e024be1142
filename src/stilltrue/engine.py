"""What is every verb given? The parts that `wiring` (or a test) put together, and nothing global beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.ids import uuid7

if TYPE_CHECKING:
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Embedder, Entropy, Expert, PairModel, Store
    from stilltrue.settings import Settings


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

    def settings_of(self, space: SpaceId) -> Settings:
        """The settings in force in a space: its own over the engine's."""
        with self.store.read() as reader:
            own = reader.space_settings(space)
        return self.settings.replace(own) if own else self.settings

    def new_id(self, at: Instant) -> str:
        """A fresh UUIDv7."""
        return uuid7(at, self.entropy(10))
