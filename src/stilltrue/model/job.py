"""What is work that was left for later, and how does somebody take it in hand? A job, a lease, and a claim for one.

A pass of maintenance is such work as well: it notes how far it is, so that it can go on where it was cut short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.ids import BatchId, SpaceId
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that a write left for later, kept in the same transaction. `kind` names the handler.

    `failure`: why the last attempt failed; `failed`: it was the last that is made without being asked for.
    """

    id: str
    space_id: SpaceId
    kind: str
    payload: Mapping[str, object]
    due_at: Instant
    attempts: int = 0
    failure: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Lease:
    """Who has jobs in hand, and until when nobody else takes them."""

    owner: str
    until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Which jobs a worker takes: those of a kind that are due and that nobody has in hand.

    `gone`: owners whose leases count no more. `again`: also those whose last attempt failed, due or not. `besides`:
    jobs to be left out. `set_back`: also those never tried that were due by the space's stamps when they were left: the
    clock may have been set back since, and they would wait for it.
    """

    kind: str
    due_at: Instant
    lease: Lease
    limit: int
    gone: Sequence[str] = ()
    again: bool = False
    besides: Sequence[str] = ()
    set_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One maintenance pass over a space: its batch, its instant, the last fact it looked at, and whether it is done."""

    batch_id: BatchId
    at: Instant
    reached: str = ""
    done: bool = False
