"""Which facts of a space are nearest to a vector, among those a reader may see? Numpy in memory, SQLite behind it.

A `SpaceIndex` keeps, per fact, the present belief as arrays (so that the filter is arithmetic) and, once a vector is
asked for, all vectors. It follows the store by revision: only rows that changed are read again. Readers work on a
`store.view.View`, which never changes. What the filter means is `store.queries`' business; words are `store.words`'.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from stilltrue.store.queries import INDEX_ROWS, INDEX_VECTORS
from stilltrue.store.view import EMPTY, View
from stilltrue.store.words import Postings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stilltrue.model.ids import FactId
    from stilltrue.ports import Vectors
    from stilltrue.store.session import Session
    from stilltrue.store.view import Integers, Mask

_T = TypeVar("_T", np.int64, np.bool_)
_BEGINNING: Final = np.iinfo(np.int64).min
_END: Final = np.iinfo(np.int64).max

EXACT_UP_TO: Final = 5_000
"""Rows compared one by one (0.6 ms); above, sign bits choose candidates first (2 ms at 100k rows)."""

CANDIDATES: Final = 2_000
"""Rows that the sign bits choose: recall of the exact ten >= 0.98 on clustered vectors at 100k rows."""

_VIEWS_KEPT: Final = 4  # readers whose snapshot is a few writes old still find theirs
_BATCH: Final = 4_096
_ROWS_IN_CACHE: Final = 256  # 400 kB of vectors
_CODES_IN_CACHE: Final = 16_384  # 128 kB of sign codes


class SpaceIndex:
    """What the process remembers of one space. Threads may share it; a refresh happens under `lock`."""

    def __init__(self, space: str, model_version: str, dimensions: int) -> None:
        self.lock = threading.RLock()
        self.postings = Postings()
        self._space = space
        self._model_version = model_version
        self._vectors = VectorBlock(dimensions)
        self._ids: list[FactId] = []
        self._position: dict[str, int] = {}
        self._speakers: dict[str | None, int] = {}
        self._bare: set[int] = set()  # erased facts and stubs: they have no vector any more
        self._views: deque[View] = deque([EMPTY], maxlen=_VIEWS_KEPT)

    def __len__(self) -> int:
        """How many facts it holds."""
        return len(self._ids)

    def view(self, session: Session, revision: int) -> View:
        """The view of `revision`, or a newer one where the session's snapshot is older than all that are kept."""
        with self.lock:
            for view in reversed(self._views):
                if view.revision == revision:
                    return view
            if revision > self._views[-1].revision:
                self._follow(session, revision)
            return self._views[-1]

    def _follow(self, session: Session, revision: int) -> None:
        old = self._views[-1]
        rows = session.rows(INDEX_ROWS, (self._space, old.revision))
        if not rows:
            columns = (old.docs, old.words, old.valid_from, old.valid_until, old.served, old.authors)
        else:
            at = np.fromiter((self._place(row["fact_id"]) for row in rows), dtype=np.int64, count=len(rows))
            columns = (
                _changed(old.docs, at, [row["doc"] for row in rows], len(self._ids)),
                _changed(old.words, at, [row["words"] for row in rows], len(self._ids)),
                _changed(old.valid_from, at, [_or(row["valid_from"], _BEGINNING) for row in rows], len(self._ids)),
                _changed(old.valid_until, at, [_or(row["valid_until"], _END) for row in rows], len(self._ids)),
                _changed(
                    old.served,
                    at,
                    [
                        row["known_from"] is not None and row["retirement"] != "corrected" and not row["erased"]
                        for row in rows
                    ],
                    len(self._ids),
                ),
                _changed(old.authors, at, [self._number(row["author"]) for row in rows], len(self._ids)),
            )
            for position, row in zip(at.tolist(), rows, strict=True):
                (self._bare.add if row["bare"] else self._bare.discard)(position)
            if any(row["erased"] for row in rows):
                self.postings.clear()
        mean_words = float(columns[1].mean()) if self._ids else 0.0
        self._views.append(View(revision, len(self._ids), self._ids, *columns, mean_words, self._speakers))

    def _place(self, fact_id: FactId) -> int:
        position = self._position.get(fact_id)
        if position is None:
            position = self._position[fact_id] = len(self._ids)
            self._ids.append(fact_id)
        return position

    def _number(self, author: str | None) -> int:
        return self._speakers.setdefault(author, len(self._speakers))

    def having(self, view: View, fact_ids: Sequence[str]) -> Mask:
        """The facts of the view that have these ids."""
        at = np.fromiter((self._position.get(fact_id, view.count) for fact_id in fact_ids), np.int64, len(fact_ids))
        mask = np.zeros(view.count, dtype=np.bool_)
        mask[at[at < view.count]] = True
        return mask

    def awaits(self, session: Session, revision: int, view: View, fact_id: FactId) -> Mask:
        """The facts of the view stored up to a fact, and those after it that have a vector."""
        with self.lock:
            self._follow_vectors(session, revision)
            present = self._vectors.present[: view.count].copy()
        present[: self._position.get(fact_id, view.count) + 1] = True
        return present

    def _follow_vectors(self, session: Session, revision: int) -> None:
        self._vectors.follow(session, (self._space, self._model_version), revision, self._position)
        self._vectors.clear(self._bare)  # also what a reader of an older snapshot has just read again

    def nearest(
        self, session: Session, revision: int, view: View, query: Vectors, mask: Mask, limit: int
    ) -> list[tuple[FactId, float]]:
        """Ids and cosines of the `limit` nearest facts within `mask`, best first. `revision` is the session's own."""
        with self.lock:
            self._follow_vectors(session, revision)
            block = self._vectors
            matrix, codes, present = block.matrix, block.codes, block.present
        count = min(view.count, len(present))
        admitted: Mask = mask[:count] & present[:count]
        best, scores = search(matrix[:count], codes[:, :count], admitted, query, limit)
        return [(view.ids[position], float(score)) for position, score in zip(best.tolist(), scores, strict=True)]


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def _changed(old: NDArray[_T], at: Integers, values: list[int] | list[bool], count: int) -> NDArray[_T]:
    """A copy of a column, made longer, with some values set: views in use keep the old one."""
    new = np.zeros(count, dtype=old.dtype)
    new[: len(old)] = old
    new[at] = values
    return new


class VectorBlock:
    """All vectors of a space and their sign bits, by position. Rows are only added, so views may share it."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._revision = 0
        planes = -(-dimensions // 64)
        self.matrix: Vectors = np.empty((0, dimensions), dtype=np.float32)
        self.codes: NDArray[np.uint64] = np.empty((planes, 0), dtype=np.uint64)
        self.present: Mask = np.empty(0, dtype=np.bool_)

    def follow(self, session: Session, key: tuple[str, str], revision: int, position: dict[str, int]) -> None:
        """Read the vectors that were written since the last time."""
        self._reserve(len(position))
        if revision <= self._revision:
            return
        space, model_version = key
        parameters = (space, self._revision, model_version)
        for rows in session.batches(INDEX_VECTORS, parameters, _BATCH):
            at = [position[row["fact_id"]] for row in rows]
            block = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4")
            block = block.reshape(len(rows), self._dimensions)
            self.matrix[at] = block
            self.codes[:, at] = sign_codes(block)
            self.present[at] = True
        self._revision = revision

    def clear(self, positions: set[int]) -> None:
        """Overwrite the vectors of facts that have none any more."""
        if not positions:
            return
        known = [position for position in positions if position < len(self.present)]
        self.present[known] = False
        self.matrix[known] = 0
        self.codes[:, known] = 0

    def _reserve(self, count: int) -> None:
        """Room for `count` rows. Growing by half keeps copies rare; untouched pages take no memory."""
        have = len(self.present)
        if count <= have:
            return
        size = max(count, have + have // 2, 1_024)
        matrix = np.zeros((size, self._dimensions), dtype=np.float32)
        codes = np.zeros((len(self.codes), size), dtype=np.uint64)
        present = np.zeros(size, dtype=np.bool_)
        matrix[:have], codes[:, :have], present[:have] = self.matrix, self.codes, self.present
        self.matrix, self.codes, self.present = matrix, codes, present


def sign_codes(vectors: Vectors) -> NDArray[np.uint64]:
    """One bit a dimension, whether it is positive: shape (ceil(dimensions / 64), rows)."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(vectors), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def search(
    matrix: Vectors, codes: NDArray[np.uint64], admitted: Mask, query: Vectors, limit: int
) -> tuple[Integers, Vectors]:
    """Positions and cosines of the best admitted rows: exact in small spaces and for few rows, else in two stages."""
    query = np.ascontiguousarray(query, dtype=np.float32).reshape(-1)
    length = float(np.linalg.norm(query))
    total = int(np.count_nonzero(admitted))
    if not total or limit <= 0 or not length:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    query = query / np.float32(length)
    wanted = max(CANDIDATES, 4 * limit)
    if total <= wanted:
        rows = np.flatnonzero(admitted)
    elif len(matrix) <= EXACT_UP_TO:
        scores = _cosines(matrix, query)
        scores[~admitted] = -2
        return _top(np.arange(len(matrix)), scores, min(limit, total))
    else:
        rows = candidates(codes, admitted, query, wanted)
    return _top(rows, _cosines_of(matrix, rows, query), min(limit, total))


def _cosines(matrix: Vectors, query: Vectors) -> Vectors:
    """In this thread alone: BLAS would wait for all its threads, which on busy cores took 20 ms instead of 0.3."""
    return np.asarray(np.einsum("ij,j->i", matrix, query), dtype=np.float32)


def _cosines_of(matrix: Vectors, rows: Integers, query: Vectors) -> Vectors:
    """For some rows, a few at a time, so that what is copied stays in the cache."""
    scores = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _ROWS_IN_CACHE):
        part = rows[start : start + _ROWS_IN_CACHE]
        scores[start : start + len(part)] = _cosines(matrix[part], query)
    return scores


def candidates(codes: NDArray[np.uint64], admitted: Mask, query: Vectors, wanted: int) -> Integers:
    """About `wanted` (or all admitted, if fewer) rows whose signs differ least from the query's; admitted ones only."""
    own = sign_codes(query.reshape(1, -1))[:, 0]
    distance = (~admitted).astype(np.uint16)
    distance <<= 15  # farther than any admitted row can be
    wanted = min(wanted, int(np.count_nonzero(admitted)))
    differing, bits = np.empty(_CODES_IN_CACHE, dtype=np.uint64), np.empty(_CODES_IN_CACHE, dtype=np.uint8)
    for start in range(0, len(distance), _CODES_IN_CACHE):
        part = distance[start : start + _CODES_IN_CACHE]
        for plane, signs in zip(codes, own, strict=True):
            np.bitwise_xor(plane[start : start + len(part)], signs, out=differing[: len(part)])
            part += np.bitwise_count(differing[: len(part)], out=bits[: len(part)])
    if not wanted:
        return np.empty(0, dtype=np.int64)
    cut = np.partition(distance, wanted - 1)[wanted - 1]
    rows: Integers = np.flatnonzero(distance <= cut)
    return rows


def _top(rows: Integers, scores: Vectors, limit: int) -> tuple[Integers, Vectors]:
    """The best `limit`, best first, older first among equals."""
    if limit < len(scores):
        best = np.argpartition(-scores, limit - 1)[:limit]
        rows, scores = rows[best], scores[best]
    order = np.lexsort((rows, -scores))
    return rows[order], np.clip(scores[order], -1, 1)  # rounding may lead a little beyond a cosine's range
