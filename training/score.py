"""How good are relation probabilities against labels?

Answer: ``Score``: precision, recall and F1 of conflict-or-not with Wilson 95% intervals, macro-F1 over the six
relations, the area under the ROC curve and the expected calibration error over ten equal bins. Numpy only; every
report of the training folder uses these. Left to others: where the probabilities come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from training.pairs import CONFLICTS, RELATIONS

Array = np.ndarray[Any, np.dtype[Any]]
CONFLICT_COLUMNS: Final = [index for index, name in enumerate(RELATIONS) if name in CONFLICTS]
Z: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one set of judged pairs; shares in [0, 1]."""

    pairs: int
    precision: float
    recall: float
    f1: float
    macro_f1: float
    auc: float
    ece: float

    def line(self) -> str:
        """The figures in one line."""
        return (
            f"{self.pairs:5d} pairs  P {self.precision:.3f}  R {self.recall:.3f}  F1 {self.f1:.3f}  "
            f"macro-F1 {self.macro_f1:.3f}  AUC {self.auc:.3f}  ECE {self.ece:.3f}"
        )


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The 95% score interval of a share (Wilson 1927); (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    share = hits / trials
    middle = share + Z * Z / (2 * trials)
    spread = Z * float(np.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials)))
    scale = 1 + Z * Z / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def softmax(scores: Array) -> Array:
    """Probabilities of scores, row by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def conflict(probabilities: Array) -> Array:
    """The probability that a pair is a conflict, from [pairs, 6] relation probabilities."""
    return probabilities[:, CONFLICT_COLUMNS].sum(axis=1)


def calibration_error(chance: Array, truth: Array, bins: int = 10) -> float:
    """Expected calibration error: the mean gap of said and seen share over equal-width bins, by their size."""
    slot = np.minimum((chance * bins).astype(int), bins - 1)
    gaps = [
        abs(chance[slot == b].mean() - truth[slot == b].mean()) * (slot == b).mean()
        for b in range(bins)
        if (slot == b).any()
    ]
    return float(sum(gaps))


def area(chance: Array, truth: Array) -> float:
    """Area under the ROC curve, by the rank sum (ties share their rank)."""
    values, where, counts = np.unique(chance, return_inverse=True, return_counts=True)
    del values
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[where]
    hot = truth.astype(bool)
    if not hot.any() or hot.all():
        return float("nan")
    return float((ranks[hot].sum() - hot.sum() * (hot.sum() + 1) / 2) / (hot.sum() * (~hot).sum()))


def score(probabilities: Array, labels: list[str], threshold: float = 0.5) -> Score:
    """The figures of [pairs, 6] probabilities against one relation a pair."""
    chance = conflict(probabilities)
    truth = np.array([label in CONFLICTS for label in labels])
    said = chance >= threshold
    hits = int((said & truth).sum())
    precision = hits / max(1, int(said.sum()))
    recall = hits / max(1, int(truth.sum()))
    return Score(
        pairs=len(labels),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / max(1e-9, precision + recall),
        macro_f1=macro_f1([RELATIONS[i] for i in named(probabilities, threshold)], labels),
        auc=area(chance, truth),
        ece=calibration_error(chance, truth),
    )


def named(probabilities: Array, threshold: float = 0.5) -> Array:
    """The relation that is named: the likeliest of the side (conflict or not) that the threshold puts the pair on."""
    sided = probabilities.copy()
    hot = conflict(probabilities) >= threshold
    for column in range(len(RELATIONS)):
        sided[hot != (column in CONFLICT_COLUMNS), column] = -1.0
    return sided.argmax(axis=1)


def macro_f1(said: list[str], labels: list[str]) -> float:
    """Mean F1 over the relations that occur."""
    scores = []
    for relation in RELATIONS:
        both = sum(s == relation == t for s, t in zip(said, labels, strict=True))
        total = said.count(relation) + labels.count(relation)
        if labels.count(relation):
            scores.append(2 * both / total)
    return sum(scores) / max(1, len(scores))
