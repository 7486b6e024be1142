"""How is one atomic write made on a server? As the shared transaction makes it, under the lock of the space's row.

Answer: `ServerTransaction`. `locked` takes the space before anything is read, so that under READ COMMITTED each
statement sees all that earlier writers of the space have committed, and nobody else writes there until the end
(docs/decisions/0020). Beside each vector stands what is believed of its fact, kept right here.

Left to others: what is written (`store.writer`), when the transaction ends (`store.postgres.store`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.errors import InvalidInputError
from stilltrue.store import jobs
from stilltrue.store.postgres.reader import ServerPart, half, walled
from stilltrue.store.writer import SqlTransaction

if TYPE_CHECKING:
    from stilltrue.model.fact import Belief
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.job import Claim, Job
    from stilltrue.ports import Clock
    from stilltrue.store.indexes import IndexCache
    from stilltrue.store.postgres.session import ServerSession

_ROW: Final = "SELECT last_stamp FROM spaces WHERE space_id = ? FOR NO KEY UPDATE"
_FIRST: Final = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"

_SERVED: Final = "CASE WHEN b.fact_id IS NOT NULL AND b.retirement IS NOT 'corrected' THEN 1 ELSE 0 END"
_OPEN: Final = (
    "facts f LEFT JOIN beliefs b ON b.space_id = f.space_id AND b.fact_id = f.fact_id AND b.known_until IS NULL "
    "WHERE f.space_id = :space AND f.fact_id = :fact"
)
PUT_VECTOR: Final = f"""
    INSERT INTO vectors (space_id, fact_id, model_version, revision, doc, served, valid_from, valid_until, half, vector)
    SELECT f.space_id, f.fact_id, :model, :revision, f.doc, {_SERVED}, b.valid_from, b.valid_until,
        CAST(:half AS halfvec), :vector
    FROM {_OPEN}
    ON CONFLICT (space_id, fact_id) DO UPDATE SET model_version = excluded.model_version,
        revision = excluded.revision, half = excluded.half, vector = excluded.vector
"""
_MARK_VECTOR: Final = f"""
    UPDATE vectors v SET served = now.served, valid_from = now.valid_from, valid_until = now.valid_until
    FROM (SELECT {_SERVED} AS served, b.valid_from, b.valid_until FROM {_OPEN}) AS now
    WHERE v.space_id = :space AND v.fact_id = :fact
"""


def locked(session: ServerSession, space: SpaceId) -> int | None:
    """Wait for the turn in the space; its last stamp, None where it has none. Raises StoreError where that takes too
    long.

    A space that was never written has no row yet: who is first there holds a lock on its name instead, and whoever
    waited for that finds the row.
    """
    session.enter(space)
    row = session.row(_ROW, (space,))
    if row is None:
        session.put(_FIRST, (space,))
        row = session.row(_ROW, (space,))
    return None if row is None else int(row["last_stamp"])


def half_of(vector: bytes) -> str:
    """The exact vector in the words in which pgvector reads its own."""
    return half(np.frombuffer(vector, dtype="<f4"))


@walled
class ServerTransaction(ServerPart, SqlTransaction):
    """One write in one space, which is locked."""

    def __init__(
        self, session: ServerSession, cache: IndexCache, clock: Clock, space: SpaceId, last_stamp: int | None
    ) -> None:
        """As `locked` left it: a space without a last stamp was never written."""
        super().__init__(session, cache, clock, space, last_stamp or 0)
        self._new = last_stamp is None

    def set_belief(self, space: SpaceId, fact_id: FactId, before: Belief | None, after: Belief | None) -> None:
        super().set_belief(space, fact_id, before, after)
        self._session.put(_MARK_VECTOR, {"space": space, "fact": fact_id})

    def claim_jobs(self, space: SpaceId, claim: Claim) -> list[Job]:
        """The lock on the space alone keeps two claims apart; a row that somebody holds past it is left to them."""
        self._begin(space)
        return jobs.claim(self._session, space, claim, " FOR UPDATE SKIP LOCKED")

    def _begin(self, space: SpaceId) -> int:
        self._session.enter(self._space)
        revision = super()._begin(space)
        if self._new:
            self._new = False
            self._session.put("INSERT INTO space_names (space_id) VALUES (?) ON CONFLICT DO NOTHING", (space,))
        return revision

    def _put_vector(self, fact_id: FactId, vector: bytes) -> None:
        size = self._cache.vector_bytes
        if len(vector) != size:
            raise InvalidInputError(f"a vector of {len(vector)} bytes was given; this store keeps float32 in {size}")
        self._session.put(
            PUT_VECTOR,
            {
                "space": self._space,
                "fact": fact_id,
                "model": self._cache.model_version,
                "revision": self._revision,
                "half": half_of(vector),
                "vector": vector,
            },
        )
