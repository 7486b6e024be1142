"""How does a user's own test use stilltrue? With a clock that stands still, and judges that say what the test wants."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from stilltrue.memory import Memory
from stilltrue.model.timeline import Instant, instant
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from stilltrue.model.combination import Combination
    from stilltrue.model.fact import Statement
    from stilltrue.ports import PairModel
    from stilltrue.settings import Settings


class FrozenClock:
    """A clock that moves only when told to."""

    def __init__(self, start: Instant) -> None:
        """Stand still at `start` (an aware datetime)."""
        self._now = instant(start)

    def now(self) -> Instant:
        """Where it stands, UTC."""
        return self._now

    def set(self, moment: Instant) -> None:
        """Stand at `moment` from now on."""
        self._now = instant(moment)

    def advance(self, seconds: float) -> None:
        """Move on by so many seconds."""
        self._now += timedelta(seconds=seconds)


class ScriptedPairModel:
    """A pair model whose answers a test writes: a function from (existing text, new text) to a relation."""

    model_version = "scripted-1"
    combination: Combination | None = None

    def __init__(self, answer: Callable[[str, str], Relation], confidence: float = 0.95) -> None:
        """`confidence` (0..1) goes to the answered relation, the rest evenly to the others."""
        self._answer = answer
        self._confidence = confidence

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """The scripted distribution of every pair."""
        rest = (1 - self._confidence) / (len(Relation) - 1)
        answers = [self._answer(existing.text, new.text) for existing, new in pairs]
        return [{name: self._confidence if name is told else rest for name in Relation} for told in answers]


def memory(
    clock: FrozenClock, settings: Settings | None = None, pair_model: PairModel | Path | str | None = "off"
) -> Memory:
    """A Memory that lives in this process only. Rules alone judge, unless a `pair_model` is asked for."""
    return Memory.open(":memory:", clock=clock, settings=settings, pair_model=pair_model)
