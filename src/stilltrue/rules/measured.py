"""How far is each rule to be trusted? What was measured of it, by name.

`conflict` is the probability that a pair which the rule settles is a conflict; confidence follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stilltrue.model.verdict import Relation


@dataclass(frozen=True, slots=True)
class Worth:
    """`conflict`: share of conflicts among the pairs a rule settled; `seen`: how many pairs that were."""

    conflict: float
    seen: int = 0


_UNMEASURED: Final = {True: Worth(0.7), False: Worth(0.15)}

MEASURED: Final[dict[str, Worth]] = {}


def worth(signal: str, relation: Relation) -> Worth:
    """What was measured of a rule, or a careful guess for one that was not."""
    return MEASURED.get(signal, _UNMEASURED[relation.is_conflict])
