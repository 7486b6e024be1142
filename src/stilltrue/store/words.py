"""Which facts of a space hold a word, and how well do they match several? The store finds, numpy ranks.

FTS5's own bm25() counts every row of every word, over all spaces, again for each query: that grows with the store.
Here the rows of a word are read once per process and followed by revision, and scored as arrays. A fact is a sentence,
so a word counts once however often it stands there.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.store.queries import DOCS_PER_SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stilltrue.model.ids import FactId
    from stilltrue.store.session import Session
    from stilltrue.store.view import Mask, View

    Positions = NDArray[np.int64]

_WORDS_USED: Final = 64  # of a query; the rest cannot change what is best by much
_COMMON_SHARE: Final = 0.05  # a word in more facts than this says little where rarer ones are there
_COMMON_LEAST: Final = 1_000  # but below this many rows reading them costs nothing
_POSITIONS_KEPT: Final = 2_000_000  # 16 MB a space
_SATURATION: Final = 1.2  # BM25's k1 and b as Robertson and Zaragoza give them
_LENGTH_WEIGHT: Final = 0.75


@dataclass(slots=True)
class Posting:
    """The facts that hold a word, up to row number `until`. `common_at`: found too common in a space of that size."""

    positions: Positions
    until: int
    common_at: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look: a space's view, and the last fact of the session's own snapshot (the view may be newer)."""

    session: Session
    space: str
    view: View
    last_doc: int


class Postings:
    """The words of one space that were asked for so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: dict[str, Posting] = {}
        self._kept = 0

    def clear(self) -> None:
        """Forget everything: a text was erased."""
        with self._lock:
            self._words = {}
            self._kept = 0

    def best(self, look: Look, words: Sequence[str], mask: Mask, limit: int) -> list[tuple[FactId, float]]:
        """Ids and BM25 scores of the best facts within `mask` that hold any of the words, best first."""
        view = look.view
        if not view.count or limit <= 0:
            return []
        asked = list(dict.fromkeys(words))[:_WORDS_USED]
        with self._lock:
            if self._kept > _POSITIONS_KEPT:
                self._words = {}
                self._kept = 0
            found = [self._posting(look, word, whole=False) for word in asked]
            best = _ranked(view, [item.positions for item in found if not item.common_at], mask, limit)
            common = [word for word, item in zip(asked, found, strict=True) if item.common_at]
            if common and not best:
                every = [self._posting(look, word, whole=True).positions for word in common]
                best = _ranked(view, every, mask, limit)
        return best

    def _posting(self, look: Look, word: str, *, whole: bool) -> Posting:
        """The word's posting as of the look; of a common word all facts are read only if the whole is asked for."""
        view, last = look.view, look.last_doc
        posting = self._words.get(word)
        if posting is None:
            posting = Posting(np.empty(0, dtype=np.int64), last - last % DOCS_PER_SPACE - 1)
        elif view.count > 2 * posting.common_at:
            posting = replace(posting, common_at=0)  # the space has grown so much that the word may have become rare
        if (posting.common_at and not whole) or posting.until >= last:
            return posting
        allowed = max(_COMMON_LEAST, int(view.count * _COMMON_SHARE))
        room = allowed - len(posting.positions)
        if not whole and _count(look, word, posting.until + 1, room + 1) > room:
            posting = replace(posting, common_at=view.count)
        else:
            docs = look.session.words.docs(look.session, look.space, word, (posting.until + 1, last))
            positions = np.concatenate([posting.positions, view.positions(docs)])
            posting = Posting(positions, last, posting.common_at)
            self._kept += len(docs)
        self._words[word] = posting
        return posting


def _count(look: Look, word: str, first: int, most: int) -> int:
    """How many of the space's facts, from row number `first`, hold the word; no further than `most`."""
    return look.session.words.count(look.session, look.space, word, (first, look.last_doc), most)


def _ranked(view: View, postings: list[Positions], mask: Mask, limit: int) -> list[tuple[FactId, float]]:
    """The best facts within `mask` by BM25, newer first among equals."""
    known = [positions[: np.searchsorted(positions, view.count)] for positions in postings]
    rarity = [np.log1p((view.count - len(positions) + 0.5) / (len(positions) + 0.5)) for positions in known]
    shown = [positions[mask[positions]] for positions in known]
    if not any(map(len, shown)):
        return []
    weights = np.repeat(rarity, [len(positions) for positions in shown])
    scores = np.bincount(np.concatenate(shown), weights, view.count)
    at = np.flatnonzero(scores > 0)
    damping = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * view.words[at] / max(1.0, view.mean_words)
    found = scores[at] * (_SATURATION + 1) / (1 + _SATURATION * damping)
    if len(at) > limit:
        chosen = np.argpartition(-found, limit - 1)[:limit]
        at, found = at[chosen], found[chosen]
    order = np.lexsort((-at, -found))
    return [(view.ids[position], float(score)) for position, score in zip(at[order], found[order], strict=True)]
