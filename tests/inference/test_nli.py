"""Can other people's NLI models judge pairs, in the folders that people have, and are unfit ones named?"""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from stilltrue.errors import ModelError
from stilltrue.inference import nli as plugin
from stilltrue.inference.calibration import RELATIONS, Calibration
from stilltrue.inference.nli import NliPairModel, as_relations
from stilltrue.model.verdict import CONFLICTS, Relation
from tests.inference.test_pair_model import reference
from tests.inference.tiny_models import likeliest, nli, pairs

PAIRS = [("old", "red"), ("same", "same"), ("other", "other"), ("old same .", "old")]


@pytest.fixture
def folder(tmp_path):
    return nli(tmp_path / "cross-encoder")


def conflict(answer):
    return sum(answer[name] for name in CONFLICTS)


def test_three_labels_become_six_relations(folder):
    answers = NliPairModel(folder).relations(pairs(*PAIRS))
    assert [set(answer) for answer in answers] == [set(Relation)] * len(PAIRS)
    np.testing.assert_allclose([sum(answer.values()) for answer in answers], 1.0)
    contradiction, mutual, neutral, _ = answers
    assert conflict(contradiction) > 0.9
    assert contradiction[Relation.UPDATE] / conflict(contradiction) == pytest.approx(plugin.CONFLICT_SPLIT)
    assert contradiction[Relation.RETRACTION] == 0
    assert likeliest(mutual) == Relation.DUPLICATE
    assert neutral[Relation.NONE] == pytest.approx(0.43, abs=0.02)
    assert neutral[Relation.OVERLAP] == pytest.approx(0.57, abs=0.02)


def test_both_directions_are_read():
    entails, does_not = np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 1.0]])
    one_way = dict(zip(RELATIONS, as_relations(entails, does_not, 0.9, 0.0)[0], strict=True))
    assert one_way[Relation.DUPLICATE] == 0
    assert one_way[Relation.OVERLAP] == 1
    both = dict(zip(RELATIONS, as_relations(entails, entails, 0.9, 0.0)[0], strict=True))
    assert both[Relation.DUPLICATE] == 1


def test_any_two_answers_make_a_distribution():
    rng = np.random.default_rng(5)
    forwards, backwards = rng.dirichlet([0.4] * 3, 500), rng.dirichlet([0.4] * 3, 500)
    table = as_relations(forwards, backwards, 0.7, 0.3)
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    assert (table >= -1e-12).all()


def test_the_splits_and_the_calibration_are_settings(folder):
    usual, split = NliPairModel(folder), NliPairModel(folder, conflict_split=0.25, neutral_split=1.0)
    (answer,) = split.relations(pairs(("old", "red")))
    assert answer[Relation.UPDATE] / conflict(answer) == pytest.approx(0.25)
    sober = NliPairModel(folder, calibration=Calibration(temperature=3.0, conflict_map=((0.0, 0.0), (1.0, 0.5))))
    assert conflict(sober.relations(pairs(("old", "red")))[0]) < 0.5
    assert len({model.model_version for model in (usual, split, sober)}) == 3


@pytest.mark.parametrize("where", ["onnx/model.onnx", "model.onnx"])
def test_the_model_is_found_where_people_export_it(tmp_path, where):
    model = NliPairModel(nli(tmp_path / "folder", where=where))
    assert likeliest(model.relations(pairs(("same", "same")))[0]) == Relation.DUPLICATE


def test_another_file_can_be_named(tmp_path):
    folder = nli(tmp_path / "folder", where="onnx/model_int8.onnx")
    assert NliPairModel(folder, model_file="onnx/model_int8.onnx").relations(pairs(("red", "red")))
    with pytest.raises(ModelError, match=r"no onnx/model\.onnx or model\.onnx in "):
        NliPairModel(folder)


def test_the_columns_can_be_named_where_the_config_does_not(tmp_path):
    folder = nli(tmp_path / "folder", ("contradiction", "entailment", "neutral"))
    (folder / "config.json").write_text('{"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}')
    with pytest.raises(ModelError, match=r"config\.json must be contradiction.*not 0: label_0, 1.*name the columns"):
        NliPairModel(folder)
    (folder / "config.json").unlink()
    named = {"Contradiction": 0, "Entailment": 1, "Neutral": 2}
    assert likeliest(NliPairModel(folder, labels=named).relations(pairs(("same", "same")))[0]) == Relation.DUPLICATE


@pytest.mark.parametrize(
    "labels",
    [("contradiction", "entailment"), ("contradiction", "entailment", "neutral", "unsure"), ("yes", "no", "perhaps")],
)
def test_other_heads_are_refused(tmp_path, labels):
    with pytest.raises(ModelError, match="choose a model with an NLI head"):
        NliPairModel(nli(tmp_path / "folder", labels))


def test_labels_may_be_written_in_capitals_and_the_output_have_any_name(tmp_path):
    folder = nli(tmp_path / "folder", ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), output="scores")
    assert likeliest(NliPairModel(folder).relations(pairs(("same", "same")))[0]) == Relation.DUPLICATE


def test_a_network_without_token_types_is_fed_none(tmp_path):
    folder = nli(tmp_path / "folder", typed=False)
    assert likeliest(NliPairModel(folder).relations(pairs(("same", "same")))[0]) == Relation.DUPLICATE


def test_a_tokenizer_of_another_kind_is_read_by_the_tokenizers_package(folder, tmp_path):
    expected = NliPairModel(folder).relations(pairs(*PAIRS))
    (folder / "vocab.txt").unlink()
    reference().save(str(folder / "tokenizer.json"))
    foreign = NliPairModel(folder)
    for mine, theirs in zip(expected, foreign.relations(pairs(*PAIRS)), strict=True):
        assert theirs == pytest.approx(mine, abs=1e-6)
    calm, steered = foreign.relations(pairs(("other", "old"), ("other", "old [SEP] [SEP]")))
    assert calm != steered, "the words in brackets are read as words"


def test_a_vocabulary_that_keeps_case_is_not_read_as_one_that_does_not(folder):
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    with pytest.raises(ModelError, match=r"neither the vocab\.txt of an uncased WordPiece nor a tokenizer\.json"):
        NliPairModel(folder)
    reference().save(str(folder / "tokenizer.json"))
    assert NliPairModel(folder).relations(pairs(("red", "red")))


def test_a_missing_tokenizers_package_is_named_with_the_remedy(folder, monkeypatch):
    (folder / "vocab.txt").unlink()
    reference().save(str(folder / "tokenizer.json"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModelError, match=r"pip install tokenizers"):
        NliPairModel(folder).relations(pairs(("red", "red")))


@pytest.mark.parametrize(
    ("name", "content"),
    [("tokenizer.json", "{}"), ("onnx/model.onnx", "no model"), ("config.json", "["), ("config.json", "[]")],
)
def test_damaged_files_are_named_with_the_remedy(folder, name, content):
    if name == "tokenizer.json":
        (folder / "vocab.txt").unlink()
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=rf"{name}.*export the model to ONNX anew"):
        NliPairModel(folder).relations(pairs(("red", "red")))


def test_no_tokenizer_and_no_folder_are_named(folder, tmp_path):
    (folder / "vocab.txt").unlink()
    with pytest.raises(ModelError, match=r"neither the vocab\.txt"):
        NliPairModel(folder)
    with pytest.raises(ModelError, match=r"nowhere: export"):
        NliPairModel(tmp_path / "nowhere")


def test_the_version_changes_with_any_byte_and_names_no_path(folder):
    before = NliPairModel(folder).model_version
    assert before.startswith("cross-encoder-")
    assert str(folder.parent) not in before
    assert NliPairModel(folder).model_version == before
    (folder / "vocab.txt").write_text((folder / "vocab.txt").read_text() + "new\n")
    assert NliPairModel(folder).model_version != before


def test_a_folder_that_went_away_stops_no_write(folder):
    from datetime import UTC, datetime

    from stilltrue.model.verdict import Undecided
    from stilltrue.testing import FrozenClock, memory

    with memory(FrozenClock(datetime(2025, 1, 1, tzinfo=UTC)), pair_model=folder) as opened:
        (folder / "onnx" / "model.onnx").unlink()
        told = ("User enjoys long hikes.", "User enjoys hikes with poles.")
        (decision,) = [opened.remember(text) for text in told][-1]
        (considered,) = decision.receipt.considered
        assert isinstance(considered.judgement, Undecided)
        assert considered.judgement.reason.startswith("the pair model failed: ")
        assert opened.stats().models["pair model"] == "cross-encoder-unreadable"


@pytest.mark.parametrize(
    "wrong", [{"threads": 0}, {"conflict_split": 1.1}, {"neutral_split": -0.1}, {"max_tokens": 3}, {"max_batch": 33}]
)
def test_senseless_settings_are_refused(folder, wrong):
    with pytest.raises(ValueError, match="must be"):
        NliPairModel(folder, **wrong)


def test_a_batch_gives_what_one_at_a_time_gives(folder):
    one, many = NliPairModel(folder), NliPairModel(folder, max_batch=32)
    for mine, theirs in zip(one.relations(pairs(*PAIRS * 5)), many.relations(pairs(*PAIRS * 5)), strict=True):
        assert theirs == pytest.approx(mine, abs=1e-6)


def test_the_config_decides_the_columns(tmp_path):
    folder = nli(tmp_path / "folder")
    told = json.loads((folder / "config.json").read_text())["id2label"]
    (folder / "config.json").write_text(
        json.dumps({"id2label": {"0": told["2"], "1": told["1"], "2": told["0"]}}), encoding="utf-8"
    )
    assert conflict(NliPairModel(folder).relations(pairs(("same", "same")))[0]) > 0.9
