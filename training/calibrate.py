"""How are scores turned into probabilities, and what are the rules' words worth beside them?

Answer: two fits on the *dev* part, both regularised towards changing nothing, both in plain numpy:

* ``refit_head``: one 6×6 matrix and six offsets on the scores (matrix scaling, Guo et al. 2017), folded into the last
  layer, so that nothing is left to do at run time;
* ``fit_combination``: a logistic regression of conflict-or-not on the model's log-odds and on those of the settling
  rule, with one weight for each kind of rule, which becomes the ``Combination`` in the model's card. How strongly it
  is held back is chosen by cross-validation over sets, never within one.

Left to others: the figures on the test part (``training.evaluate``), what a probability permits (policy).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from stilltrue.model.combination import LEAST, Combination, log_odds
from stilltrue.model.fact import Statement
from stilltrue.model.verdict import Judgement, Relation, Verdict
from stilltrue.rules.combining import settling
from training.pairs import CONFLICTS, RELATIONS
from training.score import conflict, macro_f1, softmax, wilson

Array = np.ndarray[Any, np.dtype[Any]]

HEAD_HOLD: Final = 10.0
"""Weight of the squared distance of the refitted head from identity, in pairs."""
HOLDS: Final = (1.0, 3.0, 10.0, 30.0)
FOLDS: Final = 10
RIGHT, BOUND, KNOB_STEPS = 0.975, 0.95, 72
"""What *apply* demands on dev: a little more than is promised, so that the promise holds on other pairs; no less than
the knob's own 0.72."""
KINDS: Final = ("guard", "typed", "signal", "wording")
SOURCES: Final = (*KINDS, *(f"{kind}, in a slot" for kind in KINDS))
START: Final = (1.0, 0.0, 0.0, *[0.2] * len(KINDS), *[0.6] * len(KINDS))
"""Where the weights are held: the model's own, offsets at none, rules half or a fifth as loud as their worth, for there
are few pairs in a slot among those that people wrote to be hard."""

Ruled: TypeAlias = tuple[Judgement, tuple[Statement, Statement]]
"""What the rules say of a pair, and the pair."""
STEPS: Final = 400
RATE: Final = 0.02


def fold_of(anchor: str) -> int:
    """The fold of a set: all its pairs are in one."""
    return int(hashlib.sha256(anchor.encode()).hexdigest(), 16) % FOLDS


def refit_head(scores: Array, labels: Sequence[str]) -> tuple[Array, Array]:
    """The matrix [6, 6] and offsets [6] such that ``scores @ matrix + offsets`` are better calibrated.

    Minimises the loss of training (relation, and side at half weight) plus ``HEAD_HOLD`` times the squared distance
    from identity, by Adam from identity; deterministic.
    """
    x = np.column_stack([scores, np.ones(len(scores))])
    start = np.vstack([np.eye(6), np.zeros((1, 6))])
    truth = np.eye(6)[[RELATIONS.index(label) for label in labels]]
    hot = truth[:, :3].sum(axis=1, keepdims=True)
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        said = softmax(x @ weights)
        mass = said[:, :3].sum(axis=1, keepdims=True)
        sided = np.hstack([hot * said[:, :3] / mass, (1 - hot) * said[:, 3:] / (1 - mass)])
        slope = x.T @ ((said - truth) + 0.5 * (said - sided)) + 2 * HEAD_HOLD * (weights - start)
        slope /= len(x)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        pace = RATE * (1 - 0.9 * step / STEPS)
        weights -= pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    return weights[:6], weights[6]


def folded(state: dict[str, Array], matrix: Array, offsets: Array) -> dict[str, Array]:
    """The weights with the refitted head in place of the last layer."""
    weight, bias = state["relations.weight"], state["relations.bias"]
    return {
        **state,
        "relations.weight": (matrix.T @ weight).astype(np.float32),
        "relations.bias": (bias @ matrix + offsets).astype(np.float32),
    }


@dataclass(frozen=True, slots=True)
class Fit:
    """The combination, how strongly it was held back, and the log loss by cross-validation for each choice."""

    combination: Combination
    hold: float
    losses: dict[float, float]


def fit_combination(probabilities: Array, rules: Sequence[Ruled], labels: Sequence[str], anchors: Sequence[str]) -> Fit:
    """The combination of model [pairs, 6] and rules that explains which pairs are conflicts."""
    truth = np.array([label in CONFLICTS for label in labels], dtype=float)
    told = [settling(*one) for one in rules]
    chance = conflict(probabilities).clip(LEAST, 1 - LEAST)
    columns = [np.log(chance / (1 - chance)), np.ones(len(truth)), np.array([one is None for one in told], dtype=float)]
    columns += [np.array([log_odds(one[1]) if one and one[0] == kind else 0.0 for one in told]) for kind in SOURCES]
    x, folds = np.column_stack(columns), np.array([fold_of(anchor) for anchor in anchors])
    losses = {hold: _cross_loss(x, truth, folds, hold) for hold in HOLDS}
    best = min(losses, key=lambda hold: losses[hold])
    scale, bias, unsettled, *weights = (round(float(weight), 3) for weight in logistic(x, truth, best))
    sources = dict(zip(SOURCES, weights, strict=True))
    fitted = Combination(sources, unsettled, bias, scale)
    extra = _same_relation(probabilities, fitted, rules, labels)
    said = np.array([fitted.conflict(float(one), rule) for one, rule in zip(chance, told, strict=True)])
    return Fit(replace(fitted, same_relation=extra, apply=apply_point(said, truth)), best, losses)


def apply_point(said: Array, truth: Array) -> float:
    """The least probability from which the share of true conflicts stays at ``RIGHT`` and its lower 95% bound at
    ``BOUND``, in steps of 0.01; 0.99 where none does.
    """
    for step in range(KNOB_STEPS, 100):
        above = truth[said >= step / 100]
        hits = int(above.sum())
        if len(above) and hits / len(above) >= RIGHT and wilson(hits, len(above))[0] >= BOUND:
            return step / 100
    return 0.99


def logistic(x: Array, truth: Array, hold: float) -> Array:
    """Weights of a logistic regression by Newton's method, each held near where it starts."""
    start = np.array(START)
    weights = start.copy()
    held = np.full(x.shape[1], hold)
    held[:2] = 0.01
    for _ in range(30):
        said = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (said - truth) + held * (weights - start)
        curve = (x * (said * (1 - said))[:, None]).T @ x + np.diag(held)
        weights -= np.linalg.solve(curve, slope)
    return weights


def _cross_loss(x: Array, truth: Array, folds: Array, hold: float) -> float:
    total = 0.0
    for fold in range(FOLDS):
        inside = folds == fold
        said = 1 / (1 + np.exp(-x[inside] @ logistic(x[~inside], truth[~inside], hold)))
        said = said.clip(0.001, 0.999)
        total -= float((truth[inside] * np.log(said) + (1 - truth[inside]) * np.log(1 - said)).sum())
    return total / len(truth)


def joined(probabilities: Array, fitted: Combination, rules: Sequence[Ruled]) -> Array:
    """Relation probabilities [pairs, 6] after the rules have been weighed in, as the product does it."""
    alone = conflict(probabilities)
    wanted = np.array([fitted.conflict(float(a), settling(*j)) for a, j in zip(alone, rules, strict=True)])
    table = probabilities.copy()
    table[:, :3] *= (wanted / alone.clip(1e-9))[:, None]
    table[:, 3:] *= ((1 - wanted) / (1 - alone).clip(1e-9))[:, None]
    for row, (judgement, _) in enumerate(rules):
        if isinstance(judgement, Verdict):
            table[row, _column(judgement.relation)] *= np.exp(fitted.same_relation)
    return table


def _column(relation: Relation) -> int:
    return RELATIONS.index(relation.value)


def _same_relation(probabilities: Array, fitted: Combination, rules: Sequence[Ruled], labels: Sequence[str]) -> float:
    """The stretch of the settling rule's relation that names the most relations rightly (macro-F1)."""

    def gain(stretch: float) -> float:
        weighed = replace(fitted, same_relation=stretch)
        table = joined(probabilities, weighed, rules)
        sides = joined(probabilities, fitted, rules)
        chosen = [RELATIONS[i] for i in _within_side(table, conflict(sides) >= 0.5)]
        return macro_f1(chosen, list(labels))

    return max((0.0, 0.25, 0.5, 1.0, 1.5), key=lambda stretch: (round(gain(stretch), 4), -stretch))


def _within_side(table: Array, hot: Array) -> Array:
    sided = table.copy()
    for column in range(6):
        sided[hot != (column < 3), column] = -1.0
    return np.asarray(sided.argmax(axis=1))
