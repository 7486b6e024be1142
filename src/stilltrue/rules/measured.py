"""How far is each rule to be trusted? What was measured of it, by name.

Every pair that a rule settled was counted on two kinds of statements: terse pairs (bare swaps, flipped polarity, sets,
other subjects and the pair table of tests/rules/pairs) and natural sentences. `conflict` is the probability that such a
pair is a conflict; a verdict's confidence follows from it. These are stand-ins until a calibrated model takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stilltrue.model.verdict import Relation

RETIRES: Final = 0.72
"""The conflict from which policy retires by default (SPEC D11); rules that are not good enough stay below it."""

GOOD_ENOUGH: Final = 0.85
"""Least share of true conflicts among the terse pairs of a rule that may retire on its own word."""

FEW: Final = 8  # terse pairs; with fewer the share over all pairs decides whether a rule may retire
_CAP: Final = 0.70  # a question, no retirement


@dataclass(frozen=True, slots=True)
class Worth:
    """`conflict`: share of conflicts among the pairs a rule settled, one of each kind added; `seen`: how many."""

    conflict: float
    seen: int = 0

    @classmethod
    def of(cls, terse_conflicts: int, terse: int, natural_conflicts: int, natural: int) -> Worth:
        """From the counts. A rule that mostly finds conflicts but not surely enough is capped below `RETIRES`.

        >>> Worth.of(90, 100, 45, 50).conflict >= RETIRES, Worth.of(70, 100, 45, 50).conflict >= RETIRES
        (True, False)
        """
        share = (terse_conflicts + natural_conflicts + 1) / (terse + natural + 2)
        sure = terse_conflicts / terse >= GOOD_ENOUGH if terse >= FEW else share >= GOOD_ENOUGH
        return cls(round(share if sure else min(share, _CAP), 2), terse + natural)


_UNMEASURED: Final = {True: Worth(0.7), False: Worth(0.15)}

# conflicts and pairs among terse pairs, then among natural sentences
MEASURED: Final[dict[str, Worth]] = {
    "antonym": Worth.of(77, 79, 5, 6),
    "changed": Worth.of(0, 2, 12, 15),
    "changed, one word": Worth.of(0, 1, 34, 37),
    "corrected": Worth.of(26, 28, 63, 70),
    "corrected, one word": Worth.of(0, 0, 14, 14),
    "ended": Worth.of(30, 36, 98, 120),
    "ended, one word": Worth.of(19, 30, 73, 92),
    "exception": Worth.of(0, 2, 0, 5),
    "frame, bound": Worth.of(0, 0, 1, 2),
    "frame, count": Worth.of(9, 9, 0, 0),
    "frame, figure": Worth.of(8, 8, 2, 3),
    "frame, fixed": Worth.of(9, 10, 0, 0),
    "frame, label": Worth.of(4, 7, 0, 0),
    "frame, order": Worth.of(4, 11, 0, 1),
    "frame, passive": Worth.of(2, 5, 0, 1),
    "frame, place": Worth.of(5, 7, 0, 0),
    "frame, same switch": Worth.of(0, 4, 1, 1),
    "frame, set": Worth.of(14, 123, 1, 3),
    "frame, verb": Worth.of(6, 6, 0, 0),
    "implied end": Worth.of(24, 24, 20, 23),
    "negation": Worth.of(129, 135, 22, 25),
    "not an assertion": Worth.of(9, 42, 33, 115),
    "other condition": Worth.of(6, 18, 7, 22),
    "other subject, headed": Worth.of(47, 335, 6, 71),
    "other subject, modified": Worth.of(70, 550, 35, 144),
    "other subject, named": Worth.of(83, 664, 104, 344),
    "other time": Worth.of(3, 20, 8, 24),
    "own condition": Worth.of(7, 46, 6, 17),
    "plan called off": Worth.of(9, 9, 10, 15),
    "plan settled": Worth.of(8, 8, 7, 10),
    "same inferred slot, measured": Worth.of(65, 70, 3, 9),
    "same inferred slot, named": Worth.of(178, 189, 4, 9),
    "same known slot, measured": Worth.of(100, 101, 1, 4),
    "same known slot, named": Worth.of(261, 296, 13, 19),
    "same slot in a long statement, measured": Worth.of(0, 0, 1, 2),
    "same slot in a long statement, named": Worth.of(1, 1, 2, 3),
    "same slot, added": Worth.of(0, 10, 1, 4),
    "same slot, compatible": Worth.of(2, 26, 0, 4),
    "same slot, event": Worth.of(6, 14, 1, 8),
    "same slot, flipped": Worth.of(137, 138, 9, 13),
    "same slot, members": Worth.of(10, 56, 0, 0),
    "same slot, refined": Worth.of(0, 3, 0, 0),
    "same slot, same value": Worth.of(1, 27, 0, 1),
    "same slot, set": Worth.of(16, 69, 1, 6),
    "same text": Worth.of(0, 8, 0, 1),
    "same words": Worth.of(4, 130, 1, 2),
    "temporal": Worth.of(10, 19, 115, 136),
    "temporal, weak word": Worth.of(6, 29, 110, 160),
    "unrelated": Worth.of(92, 329, 30, 143),
    "value left": Worth.of(34, 38, 58, 75),
    "withdrawn": Worth.of(7, 9, 31, 32),
}


def worth(signal: str, relation: Relation) -> Worth:
    """What was measured of a rule, or a careful guess for one that was not."""
    return MEASURED.get(signal, _UNMEASURED[relation.is_conflict])
