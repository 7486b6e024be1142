"""The model that a reader of the documents has and the tests do not: an NLI cross-encoder in a folder of its own.

Three words of the examples say something, all others nothing; the folder is laid out as people have it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from tests.inference import tiny_onnx

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("contradiction", "entailment", "neutral")
SAYS = {"dreads": "contradiction", "relishes": "entailment", "poles": "neutral"}
SURE = 6.0
TYPES = np.ones((2, 1), dtype=np.float32)


def nli_folder(folder: Path) -> None:
    """Write the folder, as sentence-transformers and Hugging Face export it."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *SAYS]
    table = np.zeros((len(words), len(LABELS)), dtype=np.float32)
    for word, label in SAYS.items():
        table[words.index(word), LABELS.index(label)] = SURE
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(tiny_onnx.counting(table, TYPES))
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    named = {str(column): label for column, label in enumerate(LABELS)}
    (folder / "config.json").write_text(json.dumps({"id2label": named}), encoding="utf-8")
