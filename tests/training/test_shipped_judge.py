"""Is the shipped judge still as good as its committed figures say, on a fixed sample of the test part?"""

import json

import pytest

from stilltrue.inference import pair_model
from training import evaluate
from training.judging import judge_all

SLACK = 0.05


def test_precision_and_recall_have_not_fallen():
    if not pair_model.ships():
        pytest.skip("no pair model ships in this version")
    file = evaluate.result_file("test")
    if not file.is_file():
        pytest.skip("not measured yet: python -m training evaluate --parts test")
    committed = json.loads(file.read_text("utf-8"))["sample"]
    found = evaluate.sample_figures(judge_all(evaluate.sample(), evaluate.model_of(None)))
    for name in ("precision", "recall"):
        assert found[name]["share"] >= committed[name]["share"] - SLACK, (name, found[name], committed[name])
