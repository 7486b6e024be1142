"""When is an LLM that gave no answer asked again, and when no more?

Answer: `again` puts the job off, for the pairs alone whose failure may pass. After a minute first, then after longer
pauses, so that an hour without a server costs no pair its vote and a server that struggles is left in peace; eight
times in all, over some sixteen hours. What is still open then stays undecided, with its reason, for the sweep. Pairs
that the budget refused wait for the next day (UTC), and that is no failure to be counted.

Left to others: which failures may pass (`model.expert.Unheard`), asking (`write.classify`, `write.remember`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.expert import Unheard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.expert import Vote
    from stilltrue.model.ids import FactId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Undecided
    from stilltrue.ports import Job

    Said = Mapping[FactId, Vote | Undecided]

PAUSES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 60, 120, 240, 480))
"""Between one attempt and the next: a restart, a deployment, an outage, a night."""


def again(job: Job, said: Said, now: Instant) -> Job | None:
    """The same job for the pairs without an answer, due later; None where nothing is left to be asked, or no more."""
    unheard = {fact_id: vote for fact_id, vote in said.items() if isinstance(vote, Unheard)}
    listed = job.payload["near"]
    near = [one for one in listed if one[0] in unheard] if isinstance(listed, (list, tuple)) else []
    if not near:
        return None
    put_off = replace(job, payload={**job.payload, "near": near})
    if all(vote.tomorrow for vote in unheard.values()):
        return replace(put_off, due_at=next_day(now))
    if job.attempts >= len(PAUSES):
        return None
    return replace(put_off, due_at=now + PAUSES[job.attempts], attempts=job.attempts + 1)


def next_day(now: Instant) -> Instant:
    """When budgets begin anew.

    >>> next_day(datetime(2025, 12, 31, 23, 59, tzinfo=UTC)).isoformat()
    '2026-01-01T00:00:00+00:00'
    """
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
