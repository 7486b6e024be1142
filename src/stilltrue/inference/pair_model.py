"""Which of the six relations holds between an existing and a new statement, and how surely?

Answer: `OnnxPairModel` runs a trained pair model (int8, CPU, no download) from a folder with three files:

* ``pair_model.onnx``: inputs ``input_ids``, ``attention_mask``, ``token_type_ids`` (int64, batch × tokens), output
  ``logits`` (float, batch × 6);
* ``vocab.txt``: its WordPiece vocabulary, the embedder's in the package;
* ``pair_model.json``, its card: ``model_version``; ``labels``, the six relations in the order of the scores;
  ``max_tokens`` of a pair; ``input``, how a statement is written down (``text``: its words); ``max_batch`` (1 where it
  is left out), how many pairs may run at once without changing each other's values; ``calibration`` (``temperature``,
  ``conflict_map``); ``combination``, how it is weighed against the rules; ``sha256`` of the two other files.

A pair with the same words gets the same probabilities, alone or among others, as far as the card's ``max_batch`` says
the truth (see ``cross_encoder``). The runtime and the weights are loaded by the first pair.

Left to others: other people's models (``.nli``), what rules and policy make of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from stilltrue.inference import onnx_files, wordpiece
from stilltrue.inference.calibration import RELATIONS, Calibration, as_mappings
from stilltrue.inference.cross_encoder import (
    DEFAULT_THREADS,
    LARGEST_BATCH,
    PAIR_SPECIALS,
    CrossEncoder,
    Loaded,
    WordPiecePairs,
)
from stilltrue.model.combination import Combination
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

    from stilltrue.model.fact import Statement

CARD_FILE: Final = "pair_model.json"
MODEL_FILE: Final = "pair_model.onnx"

LINES: Final = "audit"
"""The folder beside the packaged model that holds the one for lines of memory files."""

INPUT: Final = "text"
"""How a statement is written down for the model: its words, and nothing else."""

REMEDY: Final = "reinstall stilltrue, or put the folder's files back as they were built together"


@dataclass(frozen=True, slots=True)
class _Card:
    """What the build wrote down about the weights."""

    model_version: str
    labels: tuple[Relation, ...]
    max_tokens: int
    max_batch: int
    calibration: Calibration
    combination: Combination | None
    sha256: dict[str, str]
    input: str

    def __post_init__(self) -> None:
        """Raises ValueError where something cannot be meant."""
        if sorted(self.labels) != sorted(Relation):
            message = f"labels must be the six relations, each once, not {', '.join(self.labels)}"
            raise ValueError(message)
        if self.input != INPUT:
            message = f"this version writes a statement down as {INPUT!r}, not as {self.input!r}"
            raise ValueError(message)
        if self.max_tokens <= PAIR_SPECIALS or not 1 <= self.max_batch <= LARGEST_BATCH:
            message = f"max_tokens {self.max_tokens} or max_batch {self.max_batch} is out of its range"
            raise ValueError(message)


class OnnxPairModel:
    """A local judge of pairs (`ports.PairModel`). Instances are safe to share between threads.

    Attributes:
        model_version: name of model and build, part of every judgement.
        combination: how it is weighed against the rules; None: it speaks only where no rule settles.
    """

    model_version: str
    combination: Combination | None

    def __init__(self, *, weights: Traversable | None = None, threads: int = DEFAULT_THREADS) -> None:
        """Prepare a pair model; the model itself is loaded by the first pair.

        Args:
            weights: folder with ``pair_model.onnx``, ``pair_model.json`` and ``vocab.txt``; default: the packaged one.
            threads: threads used inside one model run (at least 1).

        Raises:
            ValueError: ``threads`` below 1.
            ModelError: the card is missing or damaged, or its labels are not the six relations.
        """
        if threads < 1:
            message = f"threads must be at least 1, not {threads}"
            raise ValueError(message)
        folder = weights if weights is not None else _packaged()
        card = onnx_files.read_card(folder / CARD_FILE, _card, REMEDY)
        self.model_version = card.model_version
        self.combination = card.combination
        self._calibration = card.calibration
        self._columns = [card.labels.index(name) for name in RELATIONS]
        self._encoder = CrossEncoder(
            lambda: _load(folder, card, threads), labels=len(RELATIONS), max_batch=card.max_batch, remedy=REMEDY
        )

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """For each (existing, new) a calibrated probability of each relation, summing to 1, in the order given.

        Raises:
            ModelError: a file is missing or damaged, or the runtime cannot run the model.
        """
        scores = self._encoder.scores([(existing.text, new.text) for existing, new in pairs])
        if not len(scores):
            return []
        table = self._calibration.probabilities(scores)[:, self._columns]
        return list(as_mappings(self._calibration.with_conflicts_mapped(table)))


def ships() -> bool:
    """Whether this installation holds a trained pair model."""
    return (_packaged() / MODEL_FILE).is_file()


@cache
def bundled(threads: int = DEFAULT_THREADS) -> OnnxPairModel:
    """The packaged pair model, one for all memories of the process. Raises ModelError."""
    return OnnxPairModel(threads=threads)


@cache
def bundled_for_lines(threads: int = DEFAULT_THREADS) -> OnnxPairModel:
    """The packaged judge of two lines of memory files, which an audit asks. Raises ModelError."""
    return OnnxPairModel(weights=_packaged() / LINES, threads=threads)


def _packaged() -> Traversable:
    return resources.files("stilltrue") / "weights"


def _card(facts: Any) -> _Card:  # noqa: ANN401 (parsed JSON)
    return _Card(
        model_version=str(facts["model_version"]),
        labels=tuple(Relation(name) for name in facts["labels"]),
        max_tokens=int(facts["max_tokens"]),
        max_batch=int(facts.get("max_batch", 1)),
        calibration=Calibration.of(facts.get("calibration", {})),
        combination=_combination(facts.get("combination")),
        sha256={str(name): str(value) for name, value in facts["sha256"].items()},
        input=str(facts["input"]),
    )


def _combination(facts: Any) -> Combination | None:  # noqa: ANN401 (parsed JSON)
    if facts is None:
        return None
    sources = {str(name): float(weight) for name, weight in facts["sources"].items()}
    return Combination(
        sources, *(float(facts[name]) for name in ("unsettled", "bias", "scale", "same_relation", "apply"))
    )


def _load(weights: Traversable, card: _Card, threads: int) -> Loaded:
    vocabulary = onnx_files.verified(weights / wordpiece.VOCAB_FILE, card.sha256, CARD_FILE, REMEDY)
    file = weights / MODEL_FILE
    model = onnx_files.verified(file, card.sha256, CARD_FILE, REMEDY)
    pieces = WordPiecePairs(wordpiece.parse(vocabulary), card.max_tokens)
    return Loaded(pieces, onnx_files.open_session(model, file, threads, REMEDY), str(file))
