"""What does memory archive, and what does it bring back? One pass of maintenance over a space (SPEC A8, E12).

A pass looks at every believed fact once, in the order of ids, a page to a transaction: the work is linear, and a pass
that is cut short goes on where it stopped. All it does is one batch, which `undo` takes back as one. Passes are kept,
because a fact is archived when it has lain at its floor for seven of them.

Left to others: where a fact belongs (`rules.retention`), moving it (`upkeep.tiers`). Facts whose stated end has passed
are over by the calendar, without any pass: `ports.Filter` says so to every reader.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError
from stilltrue.model.ids import BatchId
from stilltrue.model.job import Job, Pass
from stilltrue.rules.retention import next_tier
from stilltrue.upkeep.recalls import count
from stilltrue.upkeep.tiers import Move, moving
from stilltrue.write.apply import write_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Tier
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader

JOB_KIND: Final = "retention"

PAGE: Final = 500
"""Facts looked at, and moved, in one transaction: other writers wait for no more than that."""

ATTEMPTS: Final = 25  # a page is looked at anew each time another writer changed one of its facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """What a pass did, or, `planned`, would do: how many facts it looked at, and those that moved."""

    batch_id: BatchId
    at: Instant
    looked: int
    moves: tuple[Move, ...]
    planned: bool = False


def maintain(
    engine: Engine,
    space: SpaceId,
    batch_id: BatchId,
    *,
    plan: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Maintenance:
    """Make a pass, or finish the one that was cut short; with `plan` only tell what it would do. Raises StoreError.

    `progress` is told how many facts were looked at.
    """
    if not plan:
        count(engine, space)
    with engine.store.read() as reader:
        passes, known = reader.passes(space), reader.revision(space) > 0
    made = next((one for one in passes if not one.done), None) if not plan else None
    made = made or Pass(batch_id=batch_id, at=engine.clock.now())
    instants = sorted({made.batch_id: made.at, **{one.batch_id: one.at for one in passes if one.done}}.values())
    looked, moves = 0, list[Move]()
    while known and not made.done:
        made, seen, moved = _page(engine, space, made, instants, plan=plan)
        looked, moves = looked + seen, [*moves, *moved]
        if progress is not None:
            progress(looked)
    return Maintenance(batch_id=made.batch_id, at=made.at, looked=looked, moves=tuple(moves), planned=plan)


def maintain_when_due(engine: Engine, space: SpaceId, batch_id: BatchId) -> Maintenance | None:
    """Make a pass if the last one is as long ago as the setting `maintenance_hours` says; None where it is not."""
    with engine.store.read() as reader:
        passes = reader.passes(space)
    pause = timedelta(hours=engine.settings_of(space).maintenance_hours)
    # A pass of a time to come was made when the clock was ahead: it must not put off all others until then.
    if passes and passes[-1].done and abs(engine.clock.now() - passes[-1].at) < pause:
        return None
    return maintain(engine, space, batch_id)


def handle(engine: Engine, job: Job) -> Job:
    """Do the job of kind `JOB_KIND`: a pass, if one is due. The next job, which stands in its place. Raises StoreError.

    Done twice, or by two workers, it makes one pass: the second finds that none is due.
    """
    space = job.space_id
    maintain_when_due(engine, space, BatchId(engine.new_id(engine.clock.now())))
    now, pause = engine.clock.now(), timedelta(hours=engine.settings_of(space).maintenance_hours)
    following = replace(job, due_at=now + pause, attempts=0, failure="", failed=False)
    with engine.store.write(space) as transaction:
        transaction.finish_job(space, job.id)
        transaction.add_job(following)
    return following


def appoint(engine: Engine, space: SpaceId) -> None:
    """See to it that a pass is to come: in a space without one, a pause from now. Raises StoreError."""
    with engine.store.read() as reader:
        if reader.jobs_of_kind(space, JOB_KIND):
            return
    due_at = engine.clock.now() + timedelta(hours=engine.settings_of(space).maintenance_hours)
    with engine.store.write(space) as transaction:
        transaction.wake_job(Job(id=JOB_KIND, space_id=space, kind=JOB_KIND, payload={}, due_at=due_at))


def _page(
    engine: Engine, space: SpaceId, made: Pass, passes: Sequence[Instant], *, plan: bool
) -> tuple[Pass, int, list[Move]]:
    """The next page: the pass as it stands after it, how many facts were looked at, and what moved."""
    for _ in range(ATTEMPTS):
        with engine.store.read() as reader:
            revision = reader.revision(space)
            seen, reached, moves = _looked(reader, space, made, passes)
        after = replace(made, reached=reached, done=seen < PAGE)
        if plan:
            return after, seen, moves
        change_set = moving(engine, space, moves, made.batch_id, revision, "a pass of maintenance") if moves else None
        try:
            with engine.store.write(space) as transaction:
                if change_set is not None:
                    write_changes(transaction, change_set)
                transaction.put_pass(space, after)
        except StaleJudgementError:
            continue
        return after, seen, moves
    raise StaleJudgementError(f"space {space!r} changed {ATTEMPTS} times during a page of maintenance; run it again")


def _looked(reader: Reader, space: SpaceId, made: Pass, passes: Sequence[Instant]) -> tuple[int, str, list[Move]]:
    page = reader.kept(space, made.reached, PAGE)
    ways: dict[str, tuple[Tier, Tier]] = {}
    for kept in page:
        before, after = kept.standing.tier, next_tier(kept, passes, made.at)
        if before is not after:
            ways[kept.id] = (before, after)
    facts = reader.facts(space, [kept.id for kept in page if kept.id in ways])
    moves = [Move(fact.id, fact.statement.text, *ways[fact.id]) for fact in facts]
    return len(page), page[-1].id if page else made.reached, moves
