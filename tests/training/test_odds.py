"""Does fitting the audit's weights find what was put in, and do the committed ones belong to what ships?"""

import json
import math
import random
from importlib import resources

import pytest

from stilltrue.audit.weighing import ODDS_FILE, odds, usual_rate
from stilltrue.inference.pair_model import bundled_for_lines
from training import odds as fitting
from training.odds import Row


def rows(count=6000, seed=3):
    """Pairs of which those with a high first observation clash, among companies more often, in hard files less."""
    rng, found = random.Random(seed), []
    for number in range(count):
        seen = {"told": rng.gauss(0, 1), "noise": rng.gauss(0, 1)}
        kind = fitting.KINDS[number % 3]
        odds_in_logs = 2 * seen["told"] - 3 + {"company": 1, "hard": -1, "plain": 0}[kind]
        clash = rng.random() < 1 / (1 + math.exp(-odds_in_logs))
        found.append(Row(f"{number % 9}", (1, number), seen, clash, kind))
    return found


def test_the_weights_that_made_the_clashes_are_found():
    found = fitting.fit(rows())
    assert found["told"] == pytest.approx(2, abs=0.3)
    assert found["noise"] == pytest.approx(0, abs=0.15)
    assert found["bias"] == pytest.approx(-3, abs=0.4)


def test_a_file_is_judged_by_weights_that_never_saw_it():
    by_kind = fitting.crossed(rows(), hot={"hard": 100, "plain": 100})
    assert set(by_kind) == {"hard", "plain"}
    for shown in by_kind.values():
        assert [set(one) for one in shown.values()] == [{"found", "right", "clashes"}] * len(fitting.SHOWN)
        found = [one["found"] for one in shown.values()]
        assert found == sorted(found, reverse=True)
        assert found[0] > found[-1]


def test_the_judges_own_word_counts_where_the_weights_are_not_asked():
    silent = [
        Row("made", (1, 2), {"told": -9.0, "noise": 0.0}, clash=True, kind="plain", own=own) for own in (0.0, 0.9)
    ]
    known = rows()
    told = [fitting.counted([one], [*known, one], 1)["0.8"]["right"] for one in silent]
    assert told == [0, 1]


def test_what_ships_was_fitted_with_the_judge_that_ships():
    file = resources.files("stilltrue") / "weights" / ODDS_FILE
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["pair_model"] == bundled_for_lines().model_version
    assert dict(odds()) == told["weights"]
    assert usual_rate() == told["usual_rate"]
