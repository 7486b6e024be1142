"""Does fitting the audit's weights find what was put in, and do the committed ones belong to what ships?"""

import json
import random
from importlib import resources

import pytest

from stilltrue.audit.weighing import ODDS_FILE, odds
from stilltrue.inference.pair_model import bundled_for_lines
from training import odds as fitting
from training.odds import Row


def rows(count=4000, seed=3):
    """Pairs of which those with a high first observation clash, among companies more often."""
    rng, found = random.Random(seed), []
    for number in range(count):
        seen = {"told": rng.gauss(0, 1), "noise": rng.gauss(0, 1)}
        company = number % 2 == 0
        chance = 1 / (1 + 2.718281828 ** -(2 * seen["told"] - 3 + company))
        found.append(Row(f"{number % 8}", (1, number), seen, rng.random() < chance, company))
    return found


def test_the_weights_that_made_the_clashes_are_found():
    found = fitting.fit(rows())
    assert found["told"] == pytest.approx(2, abs=0.3)
    assert found["noise"] == pytest.approx(0, abs=0.15)
    assert found["bias"] == pytest.approx(-3, abs=0.4)


def test_a_file_is_judged_by_weights_that_never_saw_it():
    shown = fitting.crossed(rows(), hot=100)
    assert [set(one) for one in shown.values()] == [{"found", "right", "clashes"}] * len(fitting.SHOWN)
    found = [one["found"] for one in shown.values()]
    assert found == sorted(found, reverse=True)


def test_what_ships_was_fitted_with_the_judge_that_ships():
    file = resources.files("stilltrue") / "weights" / ODDS_FILE
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["pair_model"] == bundled_for_lines().model_version
    assert dict(odds()) == told["weights"]
