"""Does the runtime of pair models give true, repeatable probabilities, load late, and fail with a remedy?"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from stilltrue.errors import ModelError
from stilltrue.inference import cross_encoder, wordpiece
from stilltrue.inference.calibration import RELATIONS, Calibration
from stilltrue.inference.cross_encoder import LARGEST_BATCH, WordPiecePairs
from stilltrue.inference.pair_model import OnnxPairModel
from stilltrue.model.verdict import CONFLICTS, Relation
from tests.inference import tiny_onnx
from tests.inference.tiny_models import LABELS, SAYS, WORDS, likeliest, pairs, said, trained

MIXED = [
    ("red", "blue same"),
    ("other", "gone"),
    ("old old old old", "more . more . red"),
    ("blue", "red"),
    ("same", "same"),
    ("other . other . other", "reds"),
    ("red", "blue same"),
]


@pytest.fixture
def folder(tmp_path):
    return trained(tmp_path / "model")


@pytest.fixture
def model(folder):
    return OnnxPairModel(weights=folder)


def as_rows(answers):
    return np.array([[answer[name] for name in RELATIONS] for answer in answers])


def test_every_pair_has_probabilities_of_all_six_relations(model):
    answers = model.relations(pairs(*MIXED))
    assert len(answers) == len(MIXED)
    assert all(set(answer) == set(Relation) for answer in answers)
    np.testing.assert_allclose(as_rows(answers).sum(axis=1), 1.0)
    assert all(type(value) is float for value in answers[0].values())


@pytest.mark.parametrize(("word", "label"), SAYS.items())
def test_the_labels_stand_where_the_card_says(model, word, label):
    (answer,) = model.relations(pairs(("old", word)))
    assert likeliest(answer) == Relation(label)


def test_the_order_of_a_pair_counts(model):
    forth, back = model.relations(pairs(("red", "blue"), ("blue", "red")))
    assert (likeliest(forth), likeliest(back)) == (Relation.UPDATE, Relation.CONTRADICTION)


def test_no_pairs_give_no_answers(model):
    assert model.relations([]) == []


def test_the_scores_are_those_of_the_network_on_paper(model):
    (answer,) = model.relations(pairs(("old", "red")))
    # [CLS] old [SEP] red [SEP]: three tokens of the first text at half weight, two of the second at full weight.
    scores = {name: 0.5 * 0.03 + 0.01 + (2.0 if name == "CONTRADICTION" else 0.01) for name in LABELS}
    total = sum(np.exp(list(scores.values())))
    for name, score in scores.items():
        assert answer[Relation(name)] == pytest.approx(np.exp(score) / total, abs=1e-6)


@pytest.mark.parametrize("size", [2, 3, LARGEST_BATCH])
def test_batches_change_neither_order_nor_values(tmp_path, model, size):
    batched = OnnxPairModel(weights=trained(tmp_path / "batched", max_batch=size))
    many = pairs(*MIXED * 7)
    alone = [model.relations([pair])[0] for pair in many]
    np.testing.assert_allclose(as_rows(batched.relations(many)), as_rows(alone), atol=1e-6)
    backwards = batched.relations(many[::-1])[::-1]
    np.testing.assert_allclose(as_rows(backwards), as_rows(alone), atol=1e-6)


def test_a_quantised_model_runs_one_pair_at_a_time_unless_its_card_says_otherwise(tmp_path):
    """The usual int8 scales over a whole batch: company changes the values, so that is the card's to allow."""
    careful = OnnxPairModel(weights=trained(tmp_path / "careful", quantised=True))
    alone = np.concatenate([as_rows(careful.relations([pair])) for pair in pairs(*MIXED)])
    assert as_rows(careful.relations(pairs(*MIXED))).tobytes() == alone.tobytes()
    batched = OnnxPairModel(weights=trained(tmp_path / "batched", quantised=True, max_batch=32))
    assert np.abs(as_rows(batched.relations(pairs(*MIXED))) - alone).max() > 1e-3


def test_batches_hold_pairs_of_like_length_and_no_more_than_the_card_allows(tmp_path, monkeypatch):
    shapes = []
    real = cross_encoder._padded
    monkeypatch.setattr(
        cross_encoder, "_padded", lambda batch, pad: (shapes.append([len(p.ids) for p in batch]), real(batch, pad))[1]
    )
    OnnxPairModel(weights=trained(tmp_path / "model", max_batch=3)).relations(pairs(*MIXED))
    assert [len(shape) for shape in shapes] == [3, 3, 1]
    flat = [length for shape in shapes for length in shape]
    assert flat == sorted(flat)


def test_words_beyond_the_limit_are_cut_from_the_longer_text(model):
    # 16 tokens in all: 13 pieces beside the three specials.
    kept, cut = model.relations(pairs(("old " * 11 + "red", "more"), ("old " * 13 + "red", "more")))
    (short,) = model.relations(pairs(("old " * 12, "more")))
    assert kept != short
    assert cut == short


def reference():
    """The same tokenizer by the `tokenizers` package."""
    made = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=special
    )
    return made


@pytest.mark.parametrize("limit", [4, 5, 6, 9, 16, 40])
def test_pairs_are_encoded_as_the_reference_does(limit):
    ours, theirs = WordPiecePairs(wordpiece.WordPiece(WORDS), limit), reference()
    theirs.enable_truncation(limit, strategy="longest_first")
    texts = ["red", "Reds, blue.", "old more gone same other", "unknown words " * 3, "blue " * 9]
    for first in texts:
        for second in texts:
            mine, reference_pair = ours.encode(first, second), theirs.encode(first, second)
            assert (mine.ids, mine.types) == (reference_pair.ids, reference_pair.type_ids), (first, second)


def test_special_tokens_in_a_text_are_words(model):
    encoded = WordPiecePairs(wordpiece.WordPiece(WORDS), 16).encode("red [SEP]", "blue")
    assert encoded.ids.count(WORDS.index("[SEP]")) == 2


def test_the_card_calibrates(tmp_path, model):
    point = {"temperature": 2.0, "conflict_map": [[0, 0], [0.5, 0.9], [1, 1]]}
    calibrated = OnnxPairModel(weights=trained(tmp_path / "calibrated", calibration=point))
    (raw,), (mapped,) = (it.relations(pairs(("old", "red"))) for it in (model, calibrated))
    cooled = {name: value**0.5 for name, value in raw.items()}
    conflict = sum(cooled[name] for name in CONFLICTS) / sum(cooled.values())
    wanted = np.interp(conflict, [0, 0.5, 1], [0, 0.9, 1])
    assert sum(mapped[name] for name in CONFLICTS) == pytest.approx(wanted, abs=1e-6)
    before = cooled[Relation.UPDATE] / cooled[Relation.CONTRADICTION]
    assert mapped[Relation.UPDATE] / mapped[Relation.CONTRADICTION] == pytest.approx(before, abs=1e-6)


def test_the_calibration_is_a_plain_value():
    scores = np.array([[2.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0] * 6])
    plain = Calibration().probabilities(scores)
    np.testing.assert_allclose(plain.sum(axis=1), 1.0)
    assert Calibration().with_conflicts_mapped(plain) is plain
    mapped = Calibration(conflict_map=((0.0, 0.1), (1.0, 0.6))).with_conflicts_mapped(plain)
    np.testing.assert_allclose(mapped.sum(axis=1), 1.0)
    assert mapped[1, :3].sum() == pytest.approx(0.35)
    assert mapped[1, :3].tolist() == pytest.approx([0.35 / 3] * 3)
    huge = Calibration().probabilities(np.array([[1e4, -1e4, 0, 0, 0, 0]], dtype=np.float32))
    assert huge[0].tolist() == [1, 0, 0, 0, 0, 0]
    empty = Calibration(conflict_map=((0.0, 0.3), (1.0, 1.0))).with_conflicts_mapped(np.array([[0, 0, 0, 1.0, 0, 0]]))
    assert empty[0].tolist() == pytest.approx([0.1, 0.1, 0.1, 0.7, 0, 0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": 0.0},
        {"temperature": float("nan")},
        {"conflict_map": ((0.0, 0.0), (0.0, 1.0))},
        {"conflict_map": ((0.0, 0.5), (1.0, 0.4))},
        {"conflict_map": ((0.0, 0.0), (1.0, 1.5))},
        {"conflict_map": ((0.0, float("nan")), (1.0, 1.0))},
    ],
)
def test_a_calibration_that_cannot_be_meant_is_refused(wrong):
    with pytest.raises(ValueError, match=r"temperature|rise inside"):
        Calibration(**wrong)


def test_nothing_heavy_before_the_first_pair(folder):
    script = f"""
import sys
from pathlib import Path
from stilltrue.inference.pair_model import OnnxPairModel
model = OnnxPairModel(weights=Path({str(folder)!r}))
assert model.model_version == "tiny-1" and model.relations([]) == []
assert "onnxruntime" not in sys.modules, "runtime loaded too early"
from stilltrue.rules.cascade import read_texts
model.relations([read_texts("red", "blue")])
assert "onnxruntime" in sys.modules
for name in ("torch", "tokenizers", "transformers", "huggingface_hub", "onnx"):
    assert name not in sys.modules, name
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_threads_share_one_load_and_one_truth(folder, model, monkeypatch):
    from stilltrue.inference import pair_model

    loads = []
    real = pair_model._load
    monkeypatch.setattr(pair_model, "_load", lambda *args: (loads.append(1), real(*args))[1])
    expected = as_rows(model.relations(pairs(*MIXED)))
    loads.clear()
    shared = OnnxPairModel(weights=folder)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: as_rows(shared.relations(pairs(*MIXED))), range(16)))
    assert len(loads) == 1
    assert all(rows.tobytes() == expected.tobytes() for rows in results)


@pytest.mark.parametrize("name", ["pair_model.onnx", "vocab.txt"])
def test_missing_and_damaged_files_are_named_with_the_remedy(folder, name):
    content = (folder / name).read_bytes()
    broken = OnnxPairModel(weights=folder)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}.*reinstall stilltrue"):
        broken.relations([(said("red"), said("blue"))])
    (folder / name).write_bytes(content[:-1] + b"~")
    with pytest.raises(ModelError, match=rf"{name} is damaged.*reinstall stilltrue"):
        broken.relations([(said("red"), said("blue"))])
    (folder / name).write_bytes(content)
    assert broken.relations([(said("red"), said("blue"))]), "a repaired file is read without a restart"


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": LABELS[:5]},
        {"labels": (*LABELS[:5], "NONE")},
        {"labels": (*LABELS[:5], "COMPATIBLE")},
        {"labels": 6},
        {"max_tokens": 3},
        {"max_tokens": "many"},
        {"max_batch": 0},
        {"max_batch": 33},
        {"input": "dated"},
        {"sha256": None},
        {"calibration": {"temperature": -1}},
        {"calibration": {"conflict_map": [[0, 1], [1, 0]]}},
        {"calibration": {"conflict_map": [3]}},
        {"calibration": 4},
    ],
    ids=str,
)
def test_a_card_that_cannot_be_meant_is_named(tmp_path, wrong):
    with pytest.raises(ModelError, match=r"pair_model\.json is damaged .*reinstall stilltrue"):
        OnnxPairModel(weights=trained(tmp_path / "model", **wrong))


@pytest.mark.parametrize("content", [None, "", "[]", "{}", "\x00"])
def test_a_missing_or_damaged_card_is_named(folder, content):
    (folder / "pair_model.json").unlink()
    if content is not None:
        (folder / "pair_model.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"pair_model\.json.*reinstall stilltrue"):
        OnnxPairModel(weights=folder)


def test_a_model_the_runtime_cannot_read_is_named(tmp_path):
    broken = OnnxPairModel(weights=trained(tmp_path / "model", content=b"no model"))
    with pytest.raises(ModelError, match=r"onnxruntime cannot run .*pair_model\.onnx"):
        broken.relations(pairs(("red", "blue")))


TABLE = np.zeros((len(WORDS), 4), dtype=np.float32)
ODD = {
    "too few labels": (tiny_onnx.counting(TABLE, np.ones((2, 1), dtype=np.float32)), "gave .1, 4. numbers"),
    "no numbers": (
        tiny_onnx.counting(np.full((len(WORDS), 6), np.nan, dtype=np.float32), np.ones((2, 1), dtype=np.float32)),
        "not all of them finite",
    ),
    "too few ids": (
        tiny_onnx.counting(TABLE[:2], np.ones((2, 1), dtype=np.float32)),
        "cannot judge a pair",
    ),
}


@pytest.mark.parametrize(("content", "words"), ODD.values(), ids=ODD)
def test_a_model_that_answers_something_else_is_named(tmp_path, content, words):
    broken = OnnxPairModel(weights=trained(tmp_path / "model", content=content))
    with pytest.raises(ModelError, match=rf"pair_model\.onnx.*{words}.*reinstall stilltrue"):
        broken.relations(pairs(("red", "blue")))


def test_senseless_threads_are_refused(folder):
    with pytest.raises(ValueError, match="at least 1"):
        OnnxPairModel(weights=folder, threads=0)


def test_more_threads_change_nothing(folder, model):
    two = OnnxPairModel(weights=folder, threads=2)
    np.testing.assert_allclose(
        as_rows(two.relations(pairs(*MIXED))), as_rows(model.relations(pairs(*MIXED))), atol=1e-6
    )


def test_the_version_is_the_cards(folder):
    card = json.loads((folder / "pair_model.json").read_text(encoding="utf-8"))
    card["model_version"] = "tiny-2"
    (folder / "pair_model.json").write_text(json.dumps(card), encoding="utf-8")
    assert OnnxPairModel(weights=folder).model_version == "tiny-2"
