"""How fast is the bare network? A session of the runtime, fed with pairs that are tokenised and padded beforehand.

The floor of everything that judges with the pair model: no reading, no rules, no weighing, no checks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from stilltrue.inference import onnx_files, wordpiece
from stilltrue.inference.cross_encoder import INPUTS, WordPiecePairs
from stilltrue.inference.pair_model import CARD_FILE, MODEL_FILE, REMEDY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.inference.cross_encoder import Encoded

Fed: TypeAlias = dict[str, npt.NDArray[np.int64]]

_THREADS: Final = 1  # as the product runs it


class RawPairs:
    """The network of a folder. `max_batch`: how many pairs run at once, as its card says."""

    def __init__(self, weights: Path) -> None:
        card = json.loads((weights / CARD_FILE).read_bytes())
        self.max_batch = int(card.get("max_batch", 1))
        self._tokenizer = WordPiecePairs(wordpiece.load(weights / wordpiece.VOCAB_FILE), int(card["max_tokens"]))
        file = weights / MODEL_FILE
        self._session: Any = onnx_files.open_session(file.read_bytes(), file, _THREADS, REMEDY)
        self._wanted = {item.name for item in self._session.get_inputs()}

    def batches(self, texts: Sequence[tuple[str, str]], size: int | None = None) -> list[Fed]:
        """The pairs as the network takes them, `size` at once, those of like length together."""
        encoded = sorted((self._tokenizer.encode(*pair) for pair in texts), key=lambda pair: len(pair.ids))
        step = size or self.max_batch
        return [self._fed(encoded[start : start + step]) for start in range(0, len(encoded), step)]

    def run(self, batches: Sequence[Fed]) -> None:
        """The network alone."""
        for batch in batches:
            self._session.run(None, batch)

    def _fed(self, batch: Sequence[Encoded]) -> Fed:
        longest = max(len(pair.ids) for pair in batch)

        def table(rows: list[list[int]], filler: int) -> npt.NDArray[np.int64]:
            return np.array([row + [filler] * (longest - len(row)) for row in rows], dtype=np.int64)

        ids = table([pair.ids for pair in batch], self._tokenizer.pad_id)
        mask = table([[1] * len(pair.ids) for pair in batch], 0)
        types = table([pair.types for pair in batch], 0)
        given = dict(zip(INPUTS, (ids, mask, types), strict=True))
        return {name: given[name] for name in given if name in self._wanted}
