"""What does a reader of the documents have that the tests do not? A model in a folder, a server of language models,
one of the document's own memory, a database.

The model is an NLI cross-encoder: three words of the examples say something to it, all others nothing; the folder is
laid out as people have it. The server answers everything alike.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from tests.faces.http.conftest import opened
from tests.inference import tiny_onnx
from tests.llm.server import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

LABELS = ("contradiction", "entailment", "neutral")
SAYS = {"dreads": "contradiction", "relishes": "entailment", "poles": "neutral"}
SURE = 6.0
TYPES = np.ones((2, 1), dtype=np.float32)


@contextmanager
def with_nli_folder(folder: Path, _: pytest.MonkeyPatch) -> Iterator[None]:
    """The model that the document calls my-nli-model."""
    nli_folder(folder / "my-nli-model")
    yield


@contextmanager
def with_llm_server(_: Path, environment: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that runs, and an environment that names it."""
    with ScriptedServer('{"well": true}') as server:
        environment.setenv("STILLTRUE_LLM", server.url)
        yield


@contextmanager
def with_http_server(folder: Path, environment: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of a memory of its own, and an environment that names it and a token."""
    with opened(folder / "served.db", None) as place:
        environment.setenv("STILLTRUE_URL", place.url)
        environment.setenv("STILLTRUE_TOKEN", place.token())
        yield


@contextmanager
def with_postgres(_: Path, environment: pytest.MonkeyPatch) -> Iterator[None]:
    """A database in which nothing was ever made, and an environment that names it. Skips where there is no server."""
    from tests.store.postgres.servers import address_of, empty_database

    environment.setenv("STILLTRUE_PG", address_of(empty_database()))
    yield


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
