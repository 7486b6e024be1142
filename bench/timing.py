"""How are times taken so that they can be compared? In turns, within one run, and told as ratios alone.

On shared cores one second differs from the next. So what is measured and its floor take turns call by call, and what is
reported is a percentile of the one over a percentile of the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Seconds = list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report: a ratio (or a size), what it is measured against, and what is demanded.

    `demanded`: the most (or, with `least`, the least) that meets the demand; None where there is none.
    """

    bench: str
    what: str
    against: str
    number: float
    n: int
    demanded: float | None = None
    least: bool = False
    unit: str = "×"

    @property
    def met(self) -> bool | None:
        """Whether the demand is met; None where there is none."""
        if self.demanded is None:
            return None
        return self.number >= self.demanded if self.least else self.number <= self.demanded


def timed(action: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def in_turns(rounds: int, *actions: Callable[[int], object]) -> list[Seconds]:
    """Seconds of each action in each round; the actions of a round follow one another."""
    taken: list[Seconds] = [[] for _ in actions]
    for number in range(rounds):
        for seconds, action in zip(taken, actions, strict=True):
            begun = time.perf_counter()
            action(number)
            seconds.append(time.perf_counter() - begun)
    return taken


def percentile(seconds: Sequence[float], share: float) -> float:
    """The percentile, 0..100."""
    return float(np.percentile(seconds, share))
