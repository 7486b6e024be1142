"""Which scores does a network give to two texts read together?

Answer: `CrossEncoder` turns pairs into ``[CLS] first [SEP] second [SEP]``, cuts the longer text first where both do not
fit, runs the pairs in batches of similar length and hands the scores back in the order of the pairs.

How many pairs run at once is the model's choice, 1 unless it says otherwise, because a batch can change the values: the
usual int8 (dynamic quantisation) scales the activations over all that it is given at once. Measured with MiniLM (six
layers, 384 units, seven-bit weights, a random head over six labels, 256 pairs of memory statements, median 26 tokens)
against one pair at a time, on one thread: batches of 32 moved the largest probability by 0.05 on average and by up to
0.27, changed the first label of 6% of the pairs, and took 5.8 ms a pair instead of 4.2. Scaled by row (by token)
instead, no batch moved any probability by as much as 0.00001, and batches of 4 took 4.4 ms a pair instead of 5.4.

Left to others: what the scores mean (``.pair_model``, ``.nli``), where files come from (``.onnx_files``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from stilltrue.errors import ModelError
from stilltrue.inference.onnx_files import Once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from stilltrue.inference.wordpiece import WordPiece

    Scores: TypeAlias = npt.NDArray[np.float32]

MAX_TOKENS: Final = 128
"""Longest pair in tokens, specials included, unless a model says otherwise."""

LARGEST_BATCH: Final = 32
"""More pairs at once were slower on one thread, whatever the model (the figures above)."""

DEFAULT_THREADS: Final = 1
"""As for the embedder: two threads are slower as soon as cores are contended."""

PAIR_SPECIALS: Final = 3
"""``[CLS]`` before the first text, ``[SEP]`` after each."""

READ_TOKENS: Final = 1024
"""Tokens looked at in either text before the cut; what is beyond does not count for which text is the longer."""

INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT: Final = "logits"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair as ids, and for each id whether it belongs to the first text (0) or the second (1)."""

    ids: list[int]
    types: list[int]


class PairTokenizer(Protocol):
    """Two texts to ids, at most so many."""

    @property
    def pad_id(self) -> int:
        """What fills a short row of a batch."""

    def encode(self, first: str, second: str) -> Encoded:
        """The pair, cut to the tokenizer's limit."""


class WordPiecePairs:
    """Pairs by our own WordPiece."""

    def __init__(self, pieces: WordPiece, max_tokens: int) -> None:
        """`max_tokens` counts the specials too."""
        self._pieces = pieces
        self._room = max_tokens - PAIR_SPECIALS
        self.pad_id = pieces.pad_id

    def encode(self, first: str, second: str) -> Encoded:
        """``[CLS] first [SEP] second [SEP]``; a text that is cut keeps its head."""
        limit = max(self._room, READ_TOKENS)
        one, two = self._pieces.pieces(first, limit), self._pieces.pieces(second, limit)
        length, other = longest_first(len(one), len(two), self._room)
        head = [self._pieces.cls_id, *one[:length], self._pieces.sep_id]
        tail = [*two[:other], self._pieces.sep_id]
        return Encoded(head + tail, [0] * len(head) + [1] * len(tail))


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """How many tokens of each text stay when tokens are taken from the longer one until both fit.

    >>> longest_first(3, 200, 100), longest_first(200, 3, 100), longest_first(90, 80, 101), longest_first(4, 5, 10)
    ((3, 97), (97, 3), (51, 50), (4, 5))
    """
    if first + second <= room:
        return first, second
    short = min(first, second, room // 2)
    return (room - short, short) if first > second else (short, room - short)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Everything that the first pair loads. `file` is the model's name in errors."""

    tokenizer: PairTokenizer
    session: Any
    file: str


class CrossEncoder:
    """Pairs of texts to rows of scores. Safe to share between threads; `load` runs at the first pair, once."""

    def __init__(self, load: Callable[[], Loaded], *, labels: int, max_batch: int, remedy: str) -> None:
        """`labels` is the length of a row, `max_batch` (1..32) how many pairs run at once, `remedy` ends errors.

        Raises:
            ValueError: `max_batch` is out of its range.
        """
        if not 1 <= max_batch <= LARGEST_BATCH:
            message = f"max_batch must be 1 to {LARGEST_BATCH}, not {max_batch}"
            raise ValueError(message)
        self._loaded = Once(load)
        self._labels = labels
        self._max_batch = max_batch
        self._remedy = remedy

    def scores(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """One row of scores a pair, in the order of the pairs: float32, shape (len(pairs), labels).

        Raises:
            ModelError: the model cannot be loaded or run, or gives something else than numbers for its labels.
        """
        import numpy as np

        rows: Scores = np.empty((len(pairs), self._labels), dtype=np.float32)
        if not pairs:
            return rows
        loaded = self._loaded()
        encoded = [loaded.tokenizer.encode(first, second) for first, second in pairs]
        for places in _batches(encoded, self._max_batch):
            rows[places] = self._run(loaded, [encoded[place] for place in places])
        return rows

    def _run(self, loaded: Loaded, batch: Sequence[Encoded]) -> Scores:
        import numpy as np

        fed = _padded(batch, loaded.tokenizer.pad_id)
        try:
            outputs = {item.name for item in loaded.session.get_outputs()}
            wanted = {item.name for item in loaded.session.get_inputs()}
            given = {name: value for name, value in fed.items() if name in wanted}
            # A model with one output may call it as it likes; of several, the scores are called by their name.
            (scores,) = loaded.session.run([OUTPUT] if OUTPUT in outputs else None, given)
        except Exception as error:  # the runtime raises its own, undocumented classes
            message = f"The model {loaded.file} cannot judge a pair ({error}): {self._remedy}."
            raise ModelError(message) from error
        if np.shape(scores) != (len(batch), self._labels) or not np.isfinite(scores).all():
            message = (
                f"The model {loaded.file} gave {np.shape(scores)} numbers, not all of them finite or not "
                f"{self._labels} a pair for {len(batch)} pairs: {self._remedy}."
            )
            raise ModelError(message)
        rows: Scores = np.asarray(scores, dtype=np.float32)
        return rows


def _batches(encoded: Sequence[Encoded], size: int) -> Iterator[list[int]]:
    """Places of pairs, the shortest first, so that a batch pads little."""
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place].ids))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _padded(batch: Sequence[Encoded], pad_id: int) -> dict[str, npt.NDArray[np.int64]]:
    """The inputs of a BERT-like network: rows as long as the longest pair, the rest masked out."""
    import numpy as np

    shape = (len(batch), max(len(pair.ids) for pair in batch))
    ids = np.full(shape, pad_id, dtype=np.int64)
    mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, pair in enumerate(batch):
        ids[row, : len(pair.ids)] = pair.ids
        mask[row, : len(pair.ids)] = 1
        types[row, : len(pair.types)] = pair.types
    return dict(zip(INPUTS, (ids, mask, types), strict=True))
