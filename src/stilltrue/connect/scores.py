"""How well did a judge do against labels? Figures with their uncertainty, from counts alone.

Answers: `Tally`, filled a pair at a time, and the `Summary` it makes. What is judged, and how, is `pairs`' business.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from stilltrue.model.verdict import CONFLICTS, Relation

UNDECIDED: Final = "UNDECIDED"
"""What is written where no rule settled the pair; it counts as no conflict, because nothing would be retired."""

_Z: Final = 1.959964  # the normal quantile of a two-sided 95% interval
_BINS: Final = 10
_COLUMNS: Final = (*(relation.value for relation in Relation), UNDECIDED)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share (None where there was nothing to count) and its Wilson 95% interval."""

    share: float | None
    low: float
    high: float

    def __str__(self) -> str:
        return "n/a" if self.share is None else f"{self.share:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def as_json(self) -> dict[str, float | None]:
        return {"share": self.share, "low": self.low, "high": self.high}


def wilson(hits: int, total: int) -> Rate:
    """The share of hits with Wilson's score interval, which stays honest at 0, at 1 and for few cases.

    >>> str(wilson(9, 10)), str(wilson(0, 0))
    ('0.900 [0.596, 0.982]', 'n/a')
    """
    if total == 0:
        return Rate(None, 0.0, 1.0)
    share, square = hits / total, _Z * _Z
    middle = share + square / (2 * total)
    spread = _Z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    scale = 1 + square / total
    return Rate(share, max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def f1_rate(hits: int, false_alarms: int, misses: int) -> Rate:
    """F1 = 2J / (1 + J) of the share J = hits / (hits + false alarms + misses); the interval is J's, carried over.

    >>> str(f1_rate(8, 2, 2))
    '0.800 [0.562, 0.926]'
    """
    base = wilson(hits, hits + false_alarms + misses)
    share = None if base.share is None else 2 * base.share / (1 + base.share)
    return Rate(share, 2 * base.low / (1 + base.low), 2 * base.high / (1 + base.high))


@dataclass(frozen=True, slots=True)
class Summary:
    """What FORMATS.md asks of `judge` where labels are given. `confusion` counts (label, said)."""

    pairs: int
    precision: Rate
    recall: Rate
    f1: Rate
    macro_f1: float
    calibration_error: float
    confusion: dict[tuple[str, str], int]
    pairs_per_second: float

    def as_json(self) -> dict[str, object]:
        table = {label: {said: self.confusion.get((label, said), 0) for said in _COLUMNS} for label in Relation}
        return {
            "pairs": self.pairs,
            "conflict": {name: getattr(self, name).as_json() for name in ("precision", "recall", "f1")},
            "macro_f1": self.macro_f1,
            "ece": self.calibration_error,
            "confusion": table,
            "pairs_per_second": self.pairs_per_second,
        }

    def __str__(self) -> str:
        head = [
            f"labelled pairs      {self.pairs}",
            f"conflict precision  {self.precision}",
            f"conflict recall     {self.recall}",
            f"conflict F1         {self.f1}",
            f"macro-F1            {self.macro_f1:.3f} (six relations)",
            f"calibration error   {self.calibration_error:.3f} (of the probability of conflict, {_BINS} bins)",
            f"pairs per second    {self.pairs_per_second:.1f}",
        ]
        return "\n".join([*head, "", *self._table()])

    def _table(self) -> list[str]:
        width = max(map(len, _COLUMNS)) + 1
        rows = ["label \\ said".ljust(width) + "".join(name.rjust(width) for name in _COLUMNS)]
        for label in Relation:
            counts = (str(self.confusion.get((label.value, said), 0)) for said in _COLUMNS)
            rows.append(label.value.ljust(width) + "".join(count.rjust(width) for count in counts))
        return rows


@dataclass(slots=True)
class Tally:
    """Labelled pairs as they come: constant memory, whatever the length of the file."""

    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    _weights: list[float] = field(default_factory=lambda: [0.0] * _BINS)
    _hits: list[int] = field(default_factory=lambda: [0] * _BINS)
    _counts: list[int] = field(default_factory=lambda: [0] * _BINS)

    def add(self, label: Relation, said: str, conflict: float) -> None:
        """One pair: its label, the relation said (or UNDECIDED), the probability of conflict given to it."""
        self.confusion[label.value, said] += 1
        place = min(_BINS - 1, int(conflict * _BINS))
        self._weights[place] += conflict
        self._hits[place] += label.is_conflict
        self._counts[place] += 1

    def summary(self, pairs_per_second: float) -> Summary | None:
        """None where no pair had a label."""
        total = self.confusion.total()
        if not total:
            return None
        hits, alarms, misses = self._conflicts()
        gaps = (abs(weight - hit) for weight, hit in zip(self._weights, self._hits, strict=True))
        return Summary(
            pairs=total,
            precision=wilson(hits, hits + alarms),
            recall=wilson(hits, hits + misses),
            f1=f1_rate(hits, alarms, misses),
            macro_f1=self._macro_f1(),
            calibration_error=sum(gaps) / total,
            confusion=dict(self.confusion),
            pairs_per_second=pairs_per_second,
        )

    def _conflicts(self) -> tuple[int, int, int]:
        """How often conflict was said rightly, said wrongly, and missed."""
        found: Counter[tuple[bool, bool]] = Counter()
        for (label, said), count in self.confusion.items():
            found[label in CONFLICTS, said in CONFLICTS] += count
        return found[True, True], found[False, True], found[True, False]

    def _macro_f1(self) -> float:
        """The mean over the relations that were labelled or said; one that never occurs has no F1."""
        scores: list[float] = []
        for relation in Relation:
            hits = self.confusion[relation.value, relation.value]
            labelled = sum(count for (label, _), count in self.confusion.items() if label == relation)
            said = sum(count for (_, word), count in self.confusion.items() if word == relation)
            if labelled + said:
                scores.append(2 * hits / (labelled + said))
        return sum(scores) / len(scores)
