"""How does one worker take a job so that no other does it too? By a lease in the job's own row, given under the lock.

Answer: `claim` looks for jobs that are due and in nobody's hand and writes its lease onto them in the same transaction.
A lease ends by itself, so that the work of a dead worker is found again; `put_off` and finishing end it at once.

Left to others: whose leases count no more, how long one lasts (`write.leasing`), what a job means (`upkeep.worker`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from stilltrue.model.timeline import to_micros
from stilltrue.store import records
from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.ids import SpaceId
    from stilltrue.model.job import Claim, Job, Lease
    from stilltrue.model.timeline import Instant
    from stilltrue.store.session import Session

_FREE = "(lease_until IS NULL OR lease_until <= :now OR lease_owner IN (SELECT value FROM json_each(:gone)))"
_STAMPED = "due_at <= (SELECT last_stamp FROM spaces WHERE space_id = :space)"
_DUE = f"(due_at <= :now OR (:set_back = 1 AND attempts = 0 AND {_STAMPED}))"
_RIPE = f"((failed = 0 AND {_DUE}) OR (:again = 1 AND failure <> ''))"


class JobReader:
    """The part of a reader that is about jobs."""

    _session: Session

    def jobs(self, space: SpaceId, due_at: Instant, limit: int, *, failed: bool = False) -> list[Job]:
        sql = "SELECT * FROM jobs WHERE space_id = ? AND due_at <= ? AND failed = ? ORDER BY due_at, job_id LIMIT ?"
        found = self._session.rows(sql, (space, to_micros(due_at), int(failed), limit))
        return [records.job_from(row) for row in found]

    def leases(self, space: SpaceId) -> tuple[str, ...]:
        sql = "SELECT DISTINCT lease_owner FROM jobs WHERE space_id = ? AND lease_owner IS NOT NULL"
        return tuple(row["lease_owner"] for row in self._session.rows(sql, (space,)))

    def held(self, space: SpaceId, job_id: str, owner: str) -> bool:
        return held(self._session, space, job_id, owner)

    def ripe(self, space: SpaceId, claim: Claim) -> list[Job]:
        return ripe(self._session, space, claim)

    def jobs_named(self, space: SpaceId, job_ids: Sequence[str]) -> list[Job]:
        sql = (
            "SELECT * FROM jobs WHERE space_id = ? AND job_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY due_at, job_id"
        )
        return [records.job_from(row) for row in self._session.rows(sql, (space, json.dumps(list(job_ids))))]

    def jobs_of_kind(self, space: SpaceId, kind: str) -> list[Job]:
        sql = "SELECT * FROM jobs WHERE space_id = ? AND kind = ? ORDER BY due_at, job_id"
        return [records.job_from(row) for row in self._session.rows(sql, (space, kind))]


def ripe(session: Session, space: SpaceId, wanted: Claim, how: str = "") -> list[Job]:
    """The jobs that a claim gets, oldest first. `how`: what a store adds to the query of a claim."""
    sql = (
        f"SELECT * FROM jobs WHERE space_id = :space AND kind = :kind AND {_FREE} AND {_RIPE} "
        "AND job_id NOT IN (SELECT value FROM json_each(:besides)) ORDER BY due_at, job_id LIMIT :limit"
        f"{how}"
    )
    found = session.rows(
        sql,
        {
            "space": space,
            "kind": wanted.kind,
            "now": to_micros(wanted.due_at),
            "gone": json.dumps(list(wanted.gone)),
            "again": int(wanted.again),
            "set_back": int(wanted.set_back),
            "besides": json.dumps(list(wanted.besides)),
            "limit": wanted.limit,
        },
    )
    return [records.job_from(row) for row in found]


def claim(session: Session, space: SpaceId, wanted: Claim, how: str = "") -> list[Job]:
    """The jobs that are the claimant's from now on, oldest first."""
    claimed = ripe(session, space, wanted, how)
    session.run_many(
        "UPDATE jobs SET lease_owner = ?, lease_until = ? WHERE space_id = ? AND job_id = ?",
        [(wanted.lease.owner, to_micros(wanted.lease.until), space, job.id) for job in claimed],
    )
    return claimed


def held(session: Session, space: SpaceId, job_id: str, owner: str) -> bool:
    """False where the row is another owner's, or gone."""
    sql = "SELECT 1 FROM jobs WHERE space_id = ? AND job_id = ? AND (lease_owner IS NULL OR lease_owner = ?)"
    return session.row(sql, (space, job_id, owner)) is not None


def put_off(session: Session, space: SpaceId, job: Job) -> None:
    """Nobody's from now on, and due as the job says. What is done already stays done."""
    session.put(
        "UPDATE jobs SET due_at = ?, attempts = ?, failure = ?, failed = ?, lease_owner = NULL, lease_until = NULL "
        "WHERE space_id = ? AND job_id = ?",
        (to_micros(job.due_at), job.attempts, job.failure, int(job.failed), space, job.id),
    )


def keep_on(session: Session, space: SpaceId, job: Job, lease: Lease) -> bool:
    """The payload is the job's and the lease is renewed; False where the row is another owner's, or gone."""
    if not held(session, space, job.id, lease.owner):
        return False
    session.put(
        "UPDATE jobs SET payload = ?, lease_owner = ?, lease_until = ? WHERE space_id = ? AND job_id = ?",
        (to_json(dict(job.payload)), lease.owner, to_micros(lease.until), space, job.id),
    )
    return True
