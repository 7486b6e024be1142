"""Which point in meaning space does a text stand for?

Answer: ``MiniLMEmbedder`` runs the all-MiniLM-L6-v2 model that ships with the package (int8, CPU, no download) and
returns unit vectors, so that the dot product of two rows is their cosine. A text always gets the same bits: texts run
one at a time, because the model scales its integers over whatever it is given at once, and a neighbour in a padded
batch would shift the result.

Nothing heavy happens before the first text: importing this module loads no runtime, constructing the class reads a
1 kB card, and the first call loads weights and runtime together.

Left to others: what nearness means (``stilltrue.rules``), where vectors are kept (``stilltrue.store``), how the files
were built (``training/build_embedder.py``).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.inference import onnx_files, wordpiece

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    import numpy as np
    import numpy.typing as npt

    Vectors: TypeAlias = npt.NDArray[np.float32]

CARD_FILE: Final = "embedder.json"
MODEL_FILE: Final = "embedder.onnx"

DEFAULT_CACHE_SIZE: Final = 512
"""Texts remembered; at 1.5 kB a vector the cache stays below 1 MB."""

DEFAULT_THREADS: Final = 1
"""Two threads are faster on an idle machine and slower as soon as cores are contended (figures in MODEL_CARD.md)."""

REMEDY: Final = "reinstall stilltrue, or rebuild the file with training/build_embedder.py"


@dataclass(frozen=True, slots=True)
class _Card:
    """What the build wrote down about the weights: their identity, shape and hashes."""

    model_version: str
    dimensions: int
    max_tokens: int
    sha256: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Engine:
    """Everything that is loaded at the first text."""

    tokenizer: wordpiece.WordPiece
    session: Any


class MiniLMEmbedder:
    """Texts to unit vectors, by the bundled model. Instances are safe to share between threads.

    Attributes:
        model_version: name of model and build; it changes with any byte of weights or vocabulary, so vectors of
            different versions can be told apart and are never compared.
        dimensions: length of a vector (384).
    """

    model_version: str
    dimensions: int

    def __init__(
        self,
        *,
        threads: int = DEFAULT_THREADS,
        cache_size: int = DEFAULT_CACHE_SIZE,
        weights: Traversable | None = None,
    ) -> None:
        """Prepare an embedder; the model itself is loaded by the first text.

        Args:
            threads: threads used inside one model run (at least 1).
            cache_size: how many recent texts keep their vectors (0 switches the cache off).
            weights: folder with ``embedder.onnx``, ``embedder.json`` and ``vocab.txt``; default: the packaged one.

        Raises:
            ValueError: ``threads`` below 1 or ``cache_size`` below 0.
            ModelError: the card of the weights is missing or damaged.
        """
        if threads < 1 or cache_size < 0:
            message = f"threads must be at least 1 and cache_size at least 0, not {threads} and {cache_size}"
            raise ValueError(message)
        folder: Traversable = weights if weights is not None else resources.files("stilltrue") / "weights"
        card = onnx_files.read_card(folder / CARD_FILE, _card, REMEDY)
        self.model_version = card.model_version
        self.dimensions = card.dimensions
        self._max_tokens = card.max_tokens
        self._recent = _Recent(cache_size)
        self._engine = onnx_files.Once(lambda: _load(folder, card, threads))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text: float32, shape ``(len(texts), 384)``, cosine = dot product in [-1, 1].

        A text beyond 256 tokens is represented by its first 256. The same text gives the same bits, alone or among
        others, from the cache or fresh.

        Raises:
            ModelError: weights or runtime are missing, damaged or cannot be loaded.
        """
        found = [self._vector(text) for text in texts]
        import numpy as np

        vectors: Vectors = np.empty((len(found), self.dimensions), dtype=np.float32)
        for row, vector in enumerate(found):
            vectors[row] = vector
        return vectors

    def forget(self) -> None:
        """Drop every cached vector, as an erasure demands (the cache holds digests of texts, never the texts)."""
        self._recent.clear()

    def _vector(self, text: str) -> Vectors:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._recent.get(key)
        if known is not None:
            return known
        engine = self._engine()
        import numpy as np

        ids = np.array([engine.tokenizer.encode(text, self._max_tokens)], dtype=np.int64)
        vector: Vectors = engine.session.run(["embedding"], {"input_ids": ids})[0][0]
        self._recent.put(key, vector)
        return vector


class _Recent:
    """The vectors of the texts used last, by digest of the text; the least recently used goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Vectors | None:
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        with self._lock:
            self._vectors[key] = vector
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._vectors.clear()


def _card(facts: Any) -> _Card:  # noqa: ANN401 (parsed JSON)
    return _Card(
        model_version=str(facts["model_version"]),
        dimensions=int(facts["dimensions"]),
        max_tokens=int(facts["max_tokens"]),
        sha256={str(name): str(value) for name, value in facts["sha256"].items()},
    )


def _load(weights: Traversable, card: _Card, threads: int) -> _Engine:
    vocabulary = onnx_files.verified(weights / wordpiece.VOCAB_FILE, card.sha256, CARD_FILE, REMEDY)
    file = weights / MODEL_FILE
    model = onnx_files.verified(file, card.sha256, CARD_FILE, REMEDY)
    return _Engine(wordpiece.parse(vocabulary), onnx_files.open_session(model, file, threads, REMEDY))
