"""What does a folder of somebody else's model hold, and can it be run here?

Answer: `ModelFolder` finds, in a folder as sentence-transformers or Hugging Face lay it out,

* the network, exported to ONNX: ``onnx/model.onnx`` or ``model.onnx``;
* its labels: ``id2label`` in ``config.json``, unless the caller names the columns;
* its tokenizer: ``vocab.txt`` of an uncased WordPiece, which this package reads itself; for any other,
  ``tokenizer.json``, which the ``tokenizers`` package reads where it is installed.

Nothing is downloaded, and no code of the folder is run.

Left to others: what the labels mean for memory (``.nli``).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import ModelError
from stilltrue.inference import onnx_files, wordpiece
from stilltrue.inference.cross_encoder import INPUTS, Encoded, Loaded, WordPiecePairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.inference.cross_encoder import PairTokenizer

CONFIG_FILE: Final = "config.json"
MODEL_FILES: Final = ("onnx/model.onnx", "model.onnx")
TOKENIZER_FILE: Final = "tokenizer.json"
TOKENIZER_CONFIG: Final = "tokenizer_config.json"
WEIGHTS_BESIDE: Final = "_data"
"""Networks above 2 GB keep their weights in a second file, by custom the model's name with this behind it."""

NLI_LABELS: Final = ("contradiction", "entailment", "neutral")

REMEDY: Final = "export the model to ONNX anew, with its tokenizer, or choose another"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that was looked at. `columns` are the places of contradiction, entailment and neutral in the scores;
    `pad_id` fills short rows; `ours` tells whether this package's own WordPiece reads its vocabulary.
    """

    folder: Path
    model: Path
    columns: tuple[int, ...]
    pad_id: int
    ours: bool

    @classmethod
    def of(cls, folder: Path | str, *, labels: Mapping[str, int] | None, model_file: str | None) -> ModelFolder:
        """Look at a folder. Raises ModelError where the model, its labels or its tokenizer cannot be found."""
        place = Path(folder).expanduser()
        names = (model_file,) if model_file is not None else MODEL_FILES
        model = next((place / name for name in names if (place / name).is_file()), None)
        if model is None:
            message = f"There is no {' or '.join(names)} in {place}: {REMEDY}."
            raise ModelError(message)
        config = _json(place / CONFIG_FILE)
        columns = _columns(labels if labels is not None else _labels(config), place / CONFIG_FILE)
        pad = config.get("pad_token_id")
        return cls(place, model, columns, pad if isinstance(pad, int) else 0, _is_ours(place))

    @property
    def name(self) -> str:
        """The folder's own name, without the way there."""
        return self.folder.resolve().name

    @property
    def tokenizer(self) -> Path:
        """The file that the tokenizer is made of."""
        return self.folder / (wordpiece.VOCAB_FILE if self.ours else TOKENIZER_FILE)


def load(found: ModelFolder, max_tokens: int, threads: int) -> Loaded:
    """The folder's tokenizer and network. Raises ModelError."""
    if found.ours:
        pieces = wordpiece.parse(onnx_files.read(found.tokenizer, REMEDY))
        tokenizer: PairTokenizer = WordPiecePairs(pieces, max_tokens)
    else:
        tokenizer = ForeignTokenizer(found.tokenizer, max_tokens, found.pad_id)
    # By its path, since a large network looks for its weights beside itself.
    session = onnx_files.open_session(str(found.model), found.model, threads, REMEDY)
    unknown = {item.name for item in session.get_inputs()} - set(INPUTS)
    if unknown:
        message = f"The model {found.model} wants {', '.join(sorted(unknown))}, and is given {', '.join(INPUTS)} only"
        raise ModelError(f"{message}: {REMEDY}.")
    return Loaded(tokenizer, session, str(found.model))


def digest(found: ModelFolder, settings: str) -> str:
    """Eight digits that change with any byte of network and tokenizer, or with `settings`. Raises ModelError."""
    beside = found.model.with_name(found.model.name + WEIGHTS_BESIDE)
    total = hashlib.sha256(settings.encode())
    for file in (found.model, found.tokenizer, *([beside] if beside.is_file() else [])):
        total.update(hashlib.sha256(onnx_files.read(file, REMEDY)).digest())
    return total.hexdigest()[:8]


class ForeignTokenizer:
    """Pairs by a ``tokenizer.json``, read by the ``tokenizers`` package."""

    def __init__(self, file: Path, max_tokens: int, pad_id: int) -> None:
        """Read the file. Raises ModelError where the package is missing or cannot read it."""
        try:
            made: Any = import_module("tokenizers").Tokenizer.from_str(onnx_files.read(file, REMEDY).decode())
        except ImportError as error:
            message = (
                f"The tokenizer {file} needs the package tokenizers, which is not installed: `pip install tokenizers`, "
                f"or choose a model with the {wordpiece.VOCAB_FILE} of an uncased WordPiece."
            )
            raise ModelError(message) from error
        except ModelError:
            raise
        except Exception as error:  # the package raises bare Exception for a file it cannot read
            message = f"The tokenizer {file} is damaged ({error}): {REMEDY}."
            raise ModelError(message) from error
        made.no_padding()
        made.enable_truncation(max_tokens, strategy="longest_first")
        # Remembered text is data: a "[SEP]" in it is a word, as it is for our own WordPiece.
        made.encode_special_tokens = True
        self._made = made
        self.pad_id = pad_id

    def encode(self, first: str, second: str) -> Encoded:
        """The pair as the tokenizer's own template joins it."""
        told = self._made.encode(first, second)
        return Encoded(list(told.ids), list(told.type_ids))


def _is_ours(place: Path) -> bool:
    """Whether this package's own WordPiece reads the vocabulary. Raises ModelError where no tokenizer can."""
    vocabulary = place / wordpiece.VOCAB_FILE
    lowers = _json(place / TOKENIZER_CONFIG).get("do_lower_case") is not False
    if vocabulary.is_file() and lowers and b"[CLS]" in onnx_files.read(vocabulary, REMEDY):
        return True
    if not (place / TOKENIZER_FILE).is_file():
        known = f"the {wordpiece.VOCAB_FILE} of an uncased WordPiece"
        message = f"There is neither {known} nor a {TOKENIZER_FILE} in {place}: {REMEDY}."
        raise ModelError(message)
    return False


def _labels(config: Mapping[str, Any]) -> dict[str, int]:
    """The columns by name, as ``id2label`` tells them."""
    named = config.get("id2label")
    if not isinstance(named, dict):
        return {}
    return {str(name).lower(): int(column) for column, name in named.items() if str(column).isdecimal()}


def _columns(labels: Mapping[str, int], config: Path) -> tuple[int, ...]:
    """The places of the three labels. Raises ModelError unless each of the columns 0, 1 and 2 has one of them."""
    lowered = {name.lower(): column for name, column in labels.items()}
    columns = tuple(lowered.get(name, -1) for name in NLI_LABELS)
    if len(lowered) != len(NLI_LABELS) or sorted(columns) != list(range(len(NLI_LABELS))):
        told = ", ".join(f"{column}: {name}" for name, column in labels.items()) or "none"
        message = (
            f"The labels in {config} must be contradiction, entailment and neutral, in columns 0 to 2, not {told}: "
            "name the columns (`labels=` of NliPairModel), or choose a model with an NLI head."
        )
        raise ModelError(message)
    return columns


def _json(file: Path) -> dict[str, Any]:
    """The object in a file; empty where there is no file. Raises ModelError for a file that holds no object."""
    if not file.is_file():
        return {}
    try:
        held = json.loads(onnx_files.read(file, REMEDY))
    except (ValueError, RecursionError) as error:
        message = f"The model's {file} is damaged ({error}): {REMEDY}."
        raise ModelError(message) from error
    if not isinstance(held, dict):
        message = f"The model's {file} is damaged (it holds no JSON object): {REMEDY}."
        raise ModelError(message)
    return held
