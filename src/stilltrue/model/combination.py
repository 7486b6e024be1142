"""How much does what the rules said change a trained model's probability of a conflict?

Answer: `Combination`, a value fitted beside the model (``training/``) and kept in its card: a few weights of log-odds.
Left to others: who said what (`rules.combining`), what follows (`rules.policy`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST: Final = 0.001
"""No judge is surer than this either way."""

EVEN: Final = 0.5
KNOB: Final = 0.72
"""What SPEC D11 calls the probability from which a fact is retired, on the scale of its knobs."""


def log_odds(chance: float) -> float:
    """The log-odds of a probability, which is kept `LEAST` away from certainty.

    >>> log_odds(0.5), round(log_odds(1.0), 2)
    (0.0, 6.91)
    """
    chance = min(max(chance, LEAST), 1 - LEAST)
    return math.log(chance / (1 - chance))


@dataclass(frozen=True, slots=True)
class Combination:
    """Log-odds of a conflict = `bias` + `scale` × the model's + the settling rule's × the weight of its kind.

    A rule has the log-odds of its measured worth; `sources` holds a weight for each kind of rule, apart for
    pairs in one slot, where rules are at home (0: not heard).
    `unsettled` is added where no rule settled the pair. `same_relation` is added to the log of the relation that the
    settling rule named, before the likeliest relation of a side is chosen. `apply` is the probability of a conflict
    from which so few were wrong that the engine may act on its own.
    """

    sources: Mapping[str, float] = field(default_factory=dict)
    unsettled: float = 0.0
    bias: float = 0.0
    scale: float = 1.0
    same_relation: float = 0.0
    apply: float = KNOB

    def certainty(self, conflict: float) -> float:
        """The same on the scale of policy's knobs, where `KNOB` stands for the probability `apply`.

        >>> found = Combination(apply=0.9)
        >>> [round(found.certainty(chance), 2) for chance in (0.5, 0.7, 0.9, 0.95)]
        [0.5, 0.61, 0.72, 0.86]
        """
        if conflict <= EVEN:
            return conflict
        low, high, start, end = (
            (EVEN, self.apply, EVEN, KNOB) if conflict < self.apply else (self.apply, 1.0, KNOB, 1.0)
        )
        return start + (conflict - low) * (end - start) / (high - low)

    def conflict(self, model: float, rule: tuple[str, float] | None) -> float:
        """The probability of a conflict, from the model's and from the rule that settled the pair, if one did.

        >>> round(Combination({"typed, in a slot": 0.5}).conflict(0.5, ("typed, in a slot", 0.9)), 3)
        0.75
        """
        told = self.unsettled if rule is None else self.sources.get(rule[0], 0.0) * log_odds(rule[1])
        odds = self.bias + self.scale * log_odds(model) + told
        return min(max(1 / (1 + math.exp(-odds)), LEAST), 1 - LEAST)
