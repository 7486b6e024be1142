"""Do two values say the same?

Answer: `compare`. How text becomes a value is `rules.quantities`; what a difference means for two facts is the
cascade's business.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.slot import Value


class Comparison(StrEnum):
    """How a new value stands to an old one."""

    SAME = "same"
    DIFFERENT = "different"
    COMPATIBLE = "compatible"
    INCOMPARABLE = "incomparable"


def compare(old: Value, new: Value) -> Comparison:
    """How `new` stands to `old`."""
    if old.type is not new.type:
        return Comparison.INCOMPARABLE
    return Comparison.SAME if old.key == new.key else Comparison.DIFFERENT
