"""A story told to a memory: what the tests of this folder share to say a thing on a day and ask what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stilltrue.model.decision import Decision
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Embedder, Expert, PairModel
    from stilltrue.read.results import FactHistory, OpenConflict, Result
    from stilltrue.settings import Settings

START = datetime(2025, 1, 1, 9, tzinfo=UTC)

HOME = {"subject": "user", "attribute": "residence"}
"""The slot of most stories here: one city at a time, and it can change."""


def day(text: str) -> Instant:
    """An instant from an ISO date or time; UTC unless it says otherwise.

    >>> day("2025-03-01").isoformat()
    '2025-03-01T00:00:00+00:00'
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class WordEmbedder:
    """Texts to vectors by their words alone: quick, and the same everywhere. Fills `ports.Embedder`."""

    model_version = "words-1"
    dimensions = 64

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One hashed bag of words a text, of length 1."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[sum(map(ord, word)) * 31 % self.dimensions] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


class Story:
    """A memory with its clock. Every statement is said on a day; the clock never runs back by itself."""

    def __init__(self, memory: Memory, clock: FrozenClock) -> None:
        self.memory = memory
        self.clock = clock

    @classmethod
    def open(
        cls,
        embedder: Embedder,
        path: Path | str = ":memory:",
        *,
        settings: Settings | None = None,
        pair_model: PairModel | None = None,
        expert: Expert | None = None,
        space: str = "default",
        clock: FrozenClock | None = None,
    ) -> Story:
        """A fresh story, or the one in the file `path`."""
        clock = clock or FrozenClock(START)
        memory = Memory.open(
            path,
            space=space,
            settings=settings,
            clock=clock,
            embedder=embedder,
            pair_model=pair_model,
            expert=expert,
        )
        return cls(memory, clock)

    def on(self, when: str) -> Story:
        """Stand at a day or time."""
        self.clock.set(day(when))
        return self

    def says(self, text: str, when: str | None = None, **given: object) -> list[Decision]:
        """Remember a text, on a day where one is given."""
        if when is not None:
            self.on(when)
        return self.memory.remember(text, **given)

    def say(self, text: str, when: str | None = None, **given: object) -> Decision:
        """Remember a text that makes one statement."""
        decisions = self.says(text, when, **given)
        assert len(decisions) == 1, [decision.text for decision in decisions]
        return decisions[0]

    def home(self, city: str, when: str | None = None, text: str | None = None, **given: object) -> Decision:
        """The user lives in a city, with the slot given."""
        return self.say(text or f"User lives in {city}.", when, **{**HOME, "value": city, **given})

    def fact(self, fact_id: str | None) -> Result:
        """A fact as it stands now."""
        assert fact_id is not None
        return self.memory.history(fact_id).fact

    def life(self, fact_id: str | None) -> FactHistory:
        """All about a fact."""
        assert fact_id is not None
        return self.memory.history(fact_id)

    def values(self, subject: str = "user", attribute: str = "residence", **when: object) -> list[str | None]:
        """What a slot holds, by lookup, in order of the words."""
        return sorted(result.value or "" for result in self.memory.lookup(subject, attribute, **when))

    def served(self, query: str, **when: object) -> list[str]:
        """The texts that a search serves, best first."""
        return [result.text for result in self.memory.search(query, **when).results]

    def conflicts(self, status: str | None = "open") -> tuple[OpenConflict, ...]:
        """Conflicts of a status."""
        return self.memory.conflicts(status)

    def kinds(self, decision: Decision) -> list[str]:
        """The kinds of history rows a decision left, in order."""
        return [row.kind for row in self.memory.explain(decision.id).decisions[0].changes]
