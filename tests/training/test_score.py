"""Do the figures of reports agree with figures worked out by hand?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from training import score
from training.pairs import RELATIONS


def rows(*shares):
    """Relation probabilities: each row given by the relations that have some."""
    return np.array([[row.get(name, 0.0) for name in RELATIONS] for row in shares])


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962), (0, 0, 0.0, 1.0)],
)
def test_wilson_interval(hits, trials, low, high):
    assert score.wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("chance", "truth", "area"),
    [
        ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75),  # three of the four pairs of a hot and a cold one stand right
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], 1.0),
        ([0.5, 0.5], [0, 1], 0.5),  # a tie is half right
        ([0.9, 0.1], [0, 1], 0.0),
    ],
)
def test_area_under_the_curve(chance, truth, area):
    assert score.area(np.array(chance), np.array(truth)) == pytest.approx(area)


def test_there_is_no_area_with_one_side_only():
    assert math.isnan(score.area(np.array([0.1, 0.2]), np.array([1, 1])))


def test_calibration_error():
    # Bins: {.05} against 0, {.15, .15} against one half, {.95, 1} against 1: (.05 + 2 * .35 + 2 * .025) / 5
    chance = np.array([0.05, 0.15, 0.15, 0.95, 1.0])
    assert score.calibration_error(chance, np.array([0, 1, 0, 1, 1])) == pytest.approx(0.16)


def test_macro_f1_counts_the_relations_that_occur():
    said = ["NONE", "NONE", "UPDATE", "OVERLAP"]
    labels = ["NONE", "UPDATE", "UPDATE", "UPDATE"]
    # NONE: one right of two said and one there, 2/3; UPDATE: one right of one said and three there, 2/4.
    assert score.macro_f1(said, labels) == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_the_named_relation_is_of_the_side_that_the_threshold_takes():
    found = rows({"UPDATE": 0.3, "CONTRADICTION": 0.25, "NONE": 0.45}, {"UPDATE": 0.3, "NONE": 0.5, "OVERLAP": 0.2})
    assert [RELATIONS[i] for i in score.named(found)] == ["UPDATE", "NONE"]
    assert [RELATIONS[i] for i in score.named(found, threshold=0.6)] == ["NONE", "NONE"]


def test_precision_recall_and_f1_of_conflict_or_not():
    found = rows({"UPDATE": 1.0}, {"RETRACTION": 0.8, "NONE": 0.2}, {"NONE": 1.0}, {"OVERLAP": 0.9, "UPDATE": 0.1})
    figures = score.score(found, ["CONTRADICTION", "NONE", "UPDATE", "OVERLAP"])
    assert (figures.pairs, figures.precision, figures.recall, figures.f1) == (4, 0.5, 0.5, pytest.approx(0.5))
    assert figures.macro_f1 == pytest.approx(1 / 4)  # OVERLAP 1, NONE, UPDATE and CONTRADICTION 0
    assert figures.auc == pytest.approx(0.5)
    assert "P 0.500" in figures.line()
