"""What does a PostgreSQL server answer differently? Which spaces there are, and what lies near a vector.

Answer: `ServerPart`, laid over the shared reader and transaction. Each question first names its space to the
connection, so that row-level security stands behind every filter. Small spaces are scanned whole; in large ones HNSW
walks on until it has enough (strict order), and where it stops short the space is scanned after all; so are the facts
of one author. Either way what was found by half precision is weighed again with the exact vectors: scores are those
SQLite gives.

Left to others: all other questions (`store.reader`), the index (`store.postgres.schema`).
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

from stilltrue import ports
from stilltrue.model.timeline import to_micros
from stilltrue.ports import Hit
from stilltrue.store import queries
from stilltrue.store.reader import SqlReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.model.archive import Archived
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.ports import Clock, Filter, Vectors
    from stilltrue.store.indexes import IndexCache
    from stilltrue.store.postgres.session import Line, ServerSession
    from stilltrue.store.vectors import SpaceIndex
    from stilltrue.store.view import Mask, View

EXACT_UP_TO: Final = 20_000
"""Facts of a space that are scanned whole; above, the index answers.

Measured side by side (`python -m bench.nearness`, 384 dimensions, two cores). Among different statements of the
training corpus a scan took 0.9 of the time the index takes at 20,000 facts, 1.9 at 50,000 and 2.0 at 100,000, and the
index found 0.999, 0.998 and 0.998 of the exact answer, the same of what held two days ago. Made-up vectors are
harder: in topics of 100 it found all; in topics of 10, where most of the answer is noise, 0.992 at 20,000, 0.985 at
30,000 and 0.90 at 100,000. How far it looks (`hnsw.ef_search`, 600) was chosen by those: 200 found 0.94 at 20,000 and
0.76 at 100,000; 1,000 found 0.95 there, and 0.99 with twice the links, which took 3.4 times as long to build and then
longer to ask than a scan.
"""

_MARGIN: Final = 32
_TIMES: Final = 4
"""So many more than asked for are weighed again: half precision moves a cosine by some 1e-4."""

_SERVED: Final = "v.served = 1"
_VALID: Final = "(v.valid_from IS NULL OR v.valid_from <= :valid) AND (v.valid_until IS NULL OR v.valid_until > :valid)"

# Stored after a fact, and without a vector of the present embedder.
_WAITING: Final = """
    SELECT f.fact_id FROM facts f
    WHERE f.space_id = :space AND f.doc > (SELECT doc FROM facts WHERE space_id = :space AND fact_id = :awaiting)
        AND NOT EXISTS (SELECT 1 FROM vectors v
            WHERE v.space_id = :space AND v.fact_id = f.fact_id AND v.model_version = :model)
"""

C = TypeVar("C", bound=type)


def _within(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def asked(self: ServerPart, space: SpaceId, *values: Any, **named: Any) -> Any:  # noqa: ANN401 - the method's own
        self._session.enter(space)
        return method(self, space, *values, **named)

    return asked


def walled(kind: C) -> C:
    """Every method of a reader or transaction that is told a space names it to the connection first."""
    for name in dir(ports.Transaction):
        method = getattr(ports.Transaction, name)
        told = not name.startswith("_") and callable(method) and "space" in inspect.signature(method).parameters
        if told and hasattr(kind, name):
            setattr(kind, name, _within(getattr(kind, name)))
    return kind


class ServerPart(SqlReader):
    """What both the reader and the transaction have of PostgreSQL's own."""

    _session: ServerSession

    def revision(self, space: SpaceId) -> int:
        return self._standing(space)[0]

    def _standing(self, space: SpaceId) -> tuple[int, int]:
        """The space's revision, and how many facts it ever had (and one)."""
        row = self._session.row("SELECT revision, next_doc FROM spaces WHERE space_id = ?", (space,))
        return (0, 0) if row is None else (row["revision"], row["next_doc"])

    def spaces(self) -> list[SpaceId]:
        return [row[0] for row in self._session.rows("SELECT space_id FROM space_names ORDER BY rowid")]

    def archived(self, space: SpaceId) -> Iterator[Archived]:
        for record in super().archived(space):
            yield record
            self._session.enter(space)  # whoever is told may have asked about another one meanwhile

    def near(self, space: SpaceId, vector: Vectors, limit: int, where: Filter) -> list[Hit]:
        """`where.awaiting` needs no word here: what has no vector is never near."""
        import numpy as np

        query = np.ascontiguousarray(vector, dtype=np.float32).reshape(-1)
        length = float(np.linalg.norm(query))
        if limit <= 0 or not length:
            return []
        query = query / np.float32(length)
        found = self._candidates(space, query, _TIMES * limit + _MARGIN, where)
        if not found:
            return []
        matrix = np.frombuffer(b"".join(row["vector"] for row in found), dtype="<f4").reshape(len(found), -1)
        scores = np.clip(np.einsum("ij,j->i", matrix, query), -1, 1)
        order = np.lexsort(([row["doc"] for row in found], -scores))[:limit]
        return [Hit(found[at]["fact_id"], float(scores[at])) for at in order.tolist()]

    def _mask(self, space: SpaceId, revision: int, index: SpaceIndex, view: View, where: Filter) -> Mask:
        """Vectors are not kept in this process: the server says which facts still wait for theirs."""
        if where.awaiting is None:
            return super()._mask(space, revision, index, view, where)
        asked = {"space": space, "awaiting": where.awaiting, "model": self._cache.model_version}
        waiting = index.having(view, [row[0] for row in self._session.rows(_WAITING, asked)])
        return self._admitted(space, revision, index, view, replace(where, awaiting=None)) & ~waiting

    def vector(self, space: SpaceId, fact_id: FactId) -> bytes | None:
        """The exact vector of a fact; None where it has none."""
        self._session.enter(space)
        row = self._session.row("SELECT vector FROM vectors WHERE space_id = ? AND fact_id = ?", (space, fact_id))
        return None if row is None else bytes(row[0])

    def _candidates(self, space: SpaceId, query: Vectors, count: int, where: Filter) -> Sequence[Line]:
        size = len(query)
        asked: dict[str, object] = {
            "space": space,
            "model": self._cache.model_version,
            "query": half(query),
            "count": count,
        }
        if where.known_at is not None:
            condition, more = queries.admitted(where)
            selection = (
                "vectors v JOIN beliefs b ON b.space_id = v.space_id AND b.fact_id = v.fact_id "
                f"WHERE v.space_id = :space AND v.model_version = :model AND {condition}"
            )
            return self._session.rows(_exact(selection, size), {**asked, **more})
        held = _SERVED if where.include_superseded else f"{_SERVED} AND {_VALID}"
        asked["valid"] = to_micros(where.valid_at)
        if where.author is not None:
            # No walk: the index knows no authors, and may pass by nearly all it has before it meets one fact of theirs.
            held = f"{held} AND {queries.VECTOR_SAID}"
            asked["author"] = where.author
        elif self._standing(space)[1] > EXACT_UP_TO:
            # The model's name stands in the statement: an index of its vectors alone is used for no parameter.
            model = self._session.quoted(self._cache.model_version)
            found = self._session.rows(_walked(model, held, size, count), asked)
            if len(found) == count:
                return found
        selection = f"vectors v WHERE v.space_id = :space AND v.model_version = :model AND {held}"
        return self._session.rows(_exact(selection, size), asked)


def _exact(selection: str, size: int) -> str:
    """A distance inside an expression is no order that an index knows; a vector of zeros is as far as a right angle.

    SELECT around the query: it is read once, not again for every row.
    """
    return (
        f"SELECT v.fact_id, v.doc, v.vector FROM {selection} ORDER BY coalesce(nullif("
        f"CAST(v.half AS halfvec({size})) <=> (SELECT CAST(:query AS halfvec({size}))), CAST('NaN' AS float8)), 1), "
        "v.doc LIMIT :count"
    )


def _walked(model: str, held: str, size: int, count: int) -> str:
    """In the order that the index knows; its parts are named as its definition names them. `count` stands there as a
    number: for one that is not known when it is planned, all rows seem to be wanted.
    """
    return (
        f"SELECT v.fact_id, v.doc, v.vector FROM vectors v WHERE v.space_id = :space AND v.model_version = {model} "
        f"AND {held} ORDER BY CAST(v.half AS halfvec({size})) <=> CAST(:query AS halfvec({size})) LIMIT {count:d}"
    )


def half(vector: Vectors) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


@walled
class ServerReader(ServerPart):
    """One snapshot of the server."""

    def __init__(self, session: ServerSession, cache: IndexCache, clock: Clock) -> None:
        super().__init__(session, cache, clock)
        self._stood: dict[SpaceId, tuple[int, int]] = {}

    def _standing(self, space: SpaceId) -> tuple[int, int]:
        """Asked by nearly every search, and the same for the whole snapshot."""
        if space not in self._stood:
            self._stood[space] = super()._standing(space)
        return self._stood[space]
