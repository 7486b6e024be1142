"""Folders with tiny pair models: a vocabulary of a few words, a network that adds up what each word says."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import numpy as np

from stilltrue.model.verdict import Relation
from stilltrue.rules.slots import read_statement
from tests.inference import tiny_onnx

WORDS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "red",
    "blue",
    "old",
    "gone",
    "same",
    "more",
    "other",
    "##s",
    ".",
    "[",
    "]",
)
SAYS = {"red": "CONTRADICTION", "blue": "UPDATE", "gone": "RETRACTION", "same": "DUPLICATE", "more": "OVERLAP"}
NLI_SAYS = {"red": "contradiction", "same": "entailment", "other": "neutral"}
LABELS = ("NONE", "UPDATE", "CONTRADICTION", "DUPLICATE", "RETRACTION", "OVERLAP")
"""Not the order of `Relation`, so that a column taken for another shows."""
TYPES = np.array([[0.5], [1.0]], dtype=np.float32)
"""A word of the second text counts double, so that the order of a pair shows."""


def said(text):
    return read_statement(text, said_at=datetime(2025, 1, 1, tzinfo=UTC))


def pairs(*texts):
    return [(said(old), said(new)) for old, new in texts]


def table(labels, says, weight=2.0):
    """A row of scores for each word; a word that says nothing says a little of everything, padding a lot."""
    rows = np.full((len(WORDS), len(labels)), 0.01, dtype=np.float32)
    rows[0] = np.arange(len(labels)) * 10.0
    for word, label in says.items():
        rows[WORDS.index(word), labels.index(label)] = weight
    return rows


def vocabulary(folder):
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")


def trained(folder, labels=LABELS, **card):
    """A folder for `OnnxPairModel`."""
    folder.mkdir(exist_ok=True)
    quantised = card.pop("quantised", False)
    content = card.pop("content", None) or tiny_onnx.counting(table(LABELS, SAYS), TYPES, quantised=quantised)
    (folder / "pair_model.onnx").write_bytes(content)
    vocabulary(folder)
    hashes = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("pair_model.onnx", "vocab.txt")
    }
    facts = {"model_version": "tiny-1", "labels": labels, "max_tokens": 16, "input": "text", "sha256": hashes, **card}
    (folder / "pair_model.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder


def nli(folder, labels=("entailment", "neutral", "contradiction"), *, where="onnx/model.onnx", **how):
    """A folder for `NliPairModel`."""
    (folder / where).parent.mkdir(parents=True, exist_ok=True)
    lowered = tuple(label.lower() for label in labels)
    says = {word: label for word, label in NLI_SAYS.items() if label in lowered}
    (folder / where).write_bytes(tiny_onnx.counting(table(lowered, says, weight=6.0), TYPES, **how))
    vocabulary(folder)
    named = {str(column): label for column, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps({"id2label": named, "pad_token_id": 0}), encoding="utf-8")
    return folder


def likeliest(answer):
    return max(answer, key=answer.get)


assert set(LABELS) == set(Relation)
