"""What probability does a pair model's score deserve?

Answer: `Calibration`, a value that is measured when a model is built and applied here. Scores become probabilities by
a softmax at a temperature; then, where the model has one, a rising line of points maps the raw probability of a
conflict to the calibrated one. The second step moves mass between the three conflicts and the three others as
groups: inside a group the proportions stay.

Left to others: how the numbers were fitted (``training/``), what a conflict of some probability may do
(``stilltrue.rules.policy``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.model.verdict import CONFLICTS, Relation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Table: TypeAlias = npt.NDArray[np.float64]
    """One row a pair, one column a label."""

RELATIONS: Final = tuple(Relation)
"""The order of columns wherever probabilities of relations stand in a table."""

_CONFLICT_COLUMNS: Final = [place for place, name in enumerate(RELATIONS) if name in CONFLICTS]
_OTHER_COLUMNS: Final = [place for place, name in enumerate(RELATIONS) if name not in CONFLICTS]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How scores become probabilities. The default changes nothing beyond the softmax.

    `temperature`: scores are divided by it (above 1: less sure). `conflict_map`: points (raw, calibrated), both
    probabilities of a conflict 0..1; raw rises from point to point, calibrated never falls; between two points the
    line is straight, before the first and after the last it is flat. Empty: no second step.
    """

    temperature: float = 1.0
    conflict_map: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for a temperature that is not above 0, or points that are no rising line inside 0..1."""
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            message = f"the temperature must be a number above 0, not {self.temperature}"
            raise ValueError(message)
        inside = all(0 <= value <= 1 for point in self.conflict_map for value in point)
        rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(self.conflict_map))
        if not (inside and rising):
            message = f"the points of the conflict map must rise inside 0..1: {self.conflict_map}"
            raise ValueError(message)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Calibration:
        """The calibration in a model card. Raises ValueError, TypeError or AttributeError for what is none."""
        points = tuple((float(raw), float(true)) for raw, true in facts.get("conflict_map") or ())
        return cls(float(facts.get("temperature", 1.0)), points)

    def probabilities(self, scores: npt.NDArray[np.floating[Any]]) -> Table:
        """Each row's softmax at the temperature; rows sum to 1.

        >>> import numpy as np
        >>> Calibration(temperature=2.0).probabilities(np.array([[2.0, 0.0]])).round(3).tolist()
        [[0.731, 0.269]]
        """
        import numpy as np

        scaled = scores.astype(np.float64) / self.temperature
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        table: Table = powers / powers.sum(axis=1, keepdims=True)
        return table

    def with_conflicts_mapped(self, relations: Table) -> Table:
        """The table (columns as `RELATIONS`, rows summing to 1) with the mass of conflicts moved along the map.

        >>> import numpy as np
        >>> raw = np.array([[0.2, 0.2, 0.0, 0.3, 0.3, 0.0]])
        >>> Calibration(conflict_map=((0, 0), (0.4, 0.8), (1, 1))).with_conflicts_mapped(raw).round(3).tolist()
        [[0.4, 0.4, 0.0, 0.1, 0.1, 0.0]]
        """
        if not self.conflict_map:
            return relations
        import numpy as np

        raw, true = zip(*self.conflict_map, strict=True)
        wanted = np.interp(relations[:, _CONFLICT_COLUMNS].sum(axis=1), raw, true)
        table = np.empty_like(relations)
        table[:, _CONFLICT_COLUMNS] = _shared_out(relations[:, _CONFLICT_COLUMNS], wanted)
        table[:, _OTHER_COLUMNS] = _shared_out(relations[:, _OTHER_COLUMNS], 1 - wanted)
        return table


def _shared_out(group: Table, wanted: Table) -> Table:
    """The group's columns in their proportions, summing to `wanted`; a group without mass shares evenly."""
    import numpy as np

    held = group.sum(axis=1, keepdims=True)
    shares = np.divide(group, held, out=np.full_like(group, 1 / group.shape[1]), where=held > 0)
    table: Table = shares * wanted[:, None]
    return table


def as_mappings(relations: Table) -> list[dict[Relation, float]]:
    """One mapping a row, as `ports.PairModel` gives them."""
    return [dict(zip(RELATIONS, map(float, row), strict=True)) for row in relations]
