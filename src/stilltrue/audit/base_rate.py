"""How common are clashes in this file? In one that is kept up, what only looks like a clash mostly is none.

The weights were fitted on files in which one nominated pair of some twenty clashes. A file has a rate of its own, which
its pairs tell: the rate under which their sureness, on average, is that rate again (Saerens, Latinne and Decaestecker
2002, "Adjusting the outputs of a classifier to new a priori probabilities"). A few pairs tell little, so the usual rate
counts as so many pairs more. Left to others: how sure a pair is at the usual rate (`audit.weighing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

USUAL_COUNTS: Final = 100
"""Pairs that the usual rate counts for. By cross-validation over plain files (`training.files`) 30 to 200 find the same
there; in those that hold almost no clash fewer pairs are taken for one, the lower it is."""
ROUNDS: Final = 50
CLOSE: Final = 1e-6


def at_own_rate(sure: Sequence[float], usual: float) -> list[float]:
    """How sure each pair of a file is, 0..1, at the file's own rate of clashes. `usual`: the rate of the weights.

    >>> round(at_own_rate([0.5, *[0.001] * 300], usual=0.05)[0], 2), at_own_rate([0.0, 1.0], usual=0.05)
    (0.2, [0.0, 1.0])
    """
    rate, told = usual, list(sure)
    for _ in range(ROUNDS):
        told = [_at(one, rate, usual) for one in sure]
        before, rate = rate, (sum(told) + USUAL_COUNTS * usual) / (len(told) + USUAL_COUNTS)
        if abs(rate - before) < CLOSE:
            break
    return told


def _at(sure: float, rate: float, usual: float) -> float:
    clash, none = sure * rate / usual, (1 - sure) * (1 - rate) / (1 - usual)
    return clash / (clash + none)
