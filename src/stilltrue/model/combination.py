"""How much does what the rules said change a trained model's probability of a conflict?

Answer: `Combination`, a value fitted beside the model (``training/``) and kept in its card. Left to others: who said
what (`rules.combining`), what follows (`rules.policy`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LEAST: Final = 0.001
"""No judge is surer than this either way."""


@dataclass(frozen=True, slots=True)
class Combination:
    """What rules add to a model, in log-odds of a conflict: `shifts` by the name that `marks` gives what a rule said.

    `bias` is added to every pair, `scale` stretches the model's own log-odds. `same_relation` is added to the log of
    the relation that the settling rule named, before the likeliest relation of a side is chosen.
    """

    shifts: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0
    scale: float = 1.0
    same_relation: float = 0.0

    def conflict(self, model: float, marks: Iterable[str]) -> float:
        """The probability of a conflict, from the model's and from what the rules said.

        >>> round(Combination({"ended: conflict": 1.0}).conflict(0.5, ["ended: conflict"]), 3)
        0.731
        """
        model = min(max(model, LEAST), 1 - LEAST)
        odds = self.bias + self.scale * math.log(model / (1 - model)) + sum(self.shifts.get(mark, 0.0) for mark in marks)
        return min(max(1 / (1 + math.exp(-odds)), LEAST), 1 - LEAST)
