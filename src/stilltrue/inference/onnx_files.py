"""How does a model come from its files to a running session?

Answer: what every local model shares. Cards (JSON beside the weights) and weights are read with errors that name the
file and the remedy, weights are held against the hashes of their card, the runtime is opened on the CPU, and `Once`
keeps what is loaded by the first use, whichever thread comes first.

Left to others: what a card says and what a model computes (``stilltrue.inference.embed``, ``.pair_model``, ``.nli``).
"""

from __future__ import annotations

import hashlib
import json
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from stilltrue.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

T = TypeVar("T")


class Once(Generic[T]):
    """A value that is made by the first call and kept; a making that fails is tried again by the next call."""

    def __init__(self, make: Callable[[], T]) -> None:
        """`make` runs at most once at a time, and never again once it has returned."""
        self._make = make
        self._made: list[T] = []
        self._lock = threading.Lock()

    @property
    def made(self) -> bool:
        """Whether there is a value already."""
        return bool(self._made)

    def __call__(self) -> T:
        """The value. Raises what `make` raises."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]


def read(file: Traversable, remedy: str) -> bytes:
    """The content of a file. Raises ModelError."""
    try:
        return file.read_bytes()
    except OSError as error:
        message = f"Cannot read the model file {file} ({error}): {remedy}."
        raise ModelError(message) from error


def read_card(file: Traversable, understand: Callable[[Any], T], remedy: str) -> T:
    """What `understand` makes of a JSON file; whatever is missing or of the wrong kind there is a ModelError."""
    try:
        return understand(json.loads(read(file, remedy)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        message = f"The model card {file} is damaged ({error!r}): {remedy}."
        raise ModelError(message) from error


def verified(file: Traversable, sha256: Mapping[str, str], card: str, remedy: str) -> bytes:
    """The content of a file whose hash is the one in the card of that name. Raises ModelError for any other."""
    content = read(file, remedy)
    if hashlib.sha256(content).hexdigest() != sha256.get(file.name):
        message = f"The model file {file} is damaged or of another build (its hash is not that in {card}): {remedy}."
        raise ModelError(message)
    return content


def open_session(model: bytes | str, file: object, threads: int, remedy: str) -> Any:  # noqa: ANN401 (no types there)
    """A session of onnxruntime on the CPU, from the model's bytes or its path; `file` is its name in errors.

    Raises:
        ModelError: the runtime is missing, or cannot read the model.
    """
    try:
        ort = import_module("onnxruntime")
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises its own, undocumented classes
        message = f"onnxruntime cannot run {file} ({error}): reinstall onnxruntime; if that fails, {remedy}."
        raise ModelError(message) from error
