"""What is done with the work that writes left for later, in which order, and what if it fails?

Answer: `HANDLERS` is the table of kinds, the most urgent first: episodes kept but not judged, in the order of saying;
pairs left to an LLM, many facts at a time; a sweep that was begun; the story; a pass of maintenance. `work` takes jobs
with a lease, so that two workers never do one twice, and puts off what fails: a minute first, then ever longer up to
six hours, ten times; then the job is kept as failed, where `stats` and `doctor` show it. What one job does is no matter
to the others. Handlers are safe to repeat: what was decided already is not decided again.

`drain` is the same loop for whoever waits: it also tries again what failed before, and raises the first failure once
everything else is done.

Left to others: what the jobs are about (`write.remember`, `write.classify`, `upkeep.sweep`, `upkeep.story`,
`upkeep.retention`), leases (`write.leasing`), when the loop runs (`upkeep.thread`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StilltrueError, TakenOverError
from stilltrue.model.ids import FactId
from stilltrue.model.job import Claim
from stilltrue.upkeep import retention, story, sweep
from stilltrue.upkeep.detective import noticed
from stilltrue.write import ask_expert, jobs, remember
from stilltrue.write.classify import classify
from stilltrue.write.early import as_it_was
from stilltrue.write.leasing import gone, lease, let_go, owner
from stilltrue.write.wake import STORY

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.job import Job

FIRST_PAUSE: Final = timedelta(minutes=1)
LONGEST_PAUSE: Final = timedelta(hours=6)
GROWTH: Final = 4
ATTEMPTS: Final = 10
"""Over a day in all: a broken model or a full disk is mended by then, or wants a person."""

EPISODES: Final = 8
"""Episodes taken together: few enough that another worker finds some too."""


@dataclass(slots=True)
class Round:
    """One pass over what is due. `hears`: there is an LLM that answers; `tried`: jobs that failed in this pass."""

    engine: Engine
    space: SpaceId
    asks: bool = True
    again: bool = False
    hears: bool = True
    done: int = 0
    decisions: list[Decision] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Handler:
    """How jobs of a kind are done: how many together, whether only with an LLM that answers, and whether they are due
    as soon as they are left, so that a clock that was set back since must not keep them waiting (`Claim.set_back`).
    """

    run: Callable[[Round, Sequence[Job]], None]
    at_once: Callable[[], int]
    wants_llm: bool = False
    set_back: bool = False


def _judge(round_: Round, taken: Sequence[Job]) -> None:
    for job in taken:
        early = job.payload.get("early")
        made = remember.resume(round_.engine, round_.space, job, asks=round_.asks)
        told = [FactId(str(one)) for one in early][-1:] if isinstance(early, (list, tuple)) else []
        then = as_it_was(round_.engine, round_.space, told[0]) if told else round_.engine
        round_.decisions += noticed(then, round_.space, made)


def _ask(round_: Round, taken: Sequence[Job]) -> None:
    made, round_.hears = classify(round_.engine, round_.space, taken)
    round_.decisions += noticed(round_.engine, round_.space, made)


def _sweep_on(round_: Round, taken: Sequence[Job]) -> None:
    for job in taken:
        round_.decisions += sweep.go_on(round_.engine, round_.space, job).decisions


def _begin_sweep(round_: Round, taken: Sequence[Job]) -> None:
    for job in taken:
        sweep.begin_when_due(round_.engine, job)


def _tell(round_: Round, taken: Sequence[Job]) -> None:
    for job in taken:
        round_.decisions += story.handle(round_.engine, round_.space, job)


def _maintain(round_: Round, taken: Sequence[Job]) -> None:
    for job in taken:
        retention.handle(round_.engine, job)


HANDLERS: Final[dict[str, Handler]] = {
    remember.JOB_KIND: Handler(_judge, lambda: min(EPISODES, jobs.AT_ONCE), set_back=True),
    ask_expert.JOB_KIND: Handler(_ask, lambda: jobs.AT_ONCE, wants_llm=True),
    sweep.JOB_KIND: Handler(_sweep_on, lambda: 1, set_back=True),
    sweep.SCHEDULE: Handler(_begin_sweep, lambda: 1),
    STORY: Handler(_tell, lambda: 1, wants_llm=True),
    retention.JOB_KIND: Handler(_maintain, lambda: 1),
}
"""A kind of job and what is done about it; the first of them that is due comes first."""


def drain(
    engine: Engine, space: SpaceId, progress: Callable[[int], object] | None = None, *, asks: bool = True
) -> list[Decision]:
    """Do what is due and what failed before; what was decided. `progress` is told how many jobs are done.

    With `asks` False no LLM is asked. Once none answers it is left alone, so that nobody waits for it job by job.
    Raises the first failure, after everything else is done.
    """
    round_ = work(engine, space, progress, asks=asks, again=True)
    if round_.failure is not None:
        raise round_.failure
    return round_.decisions


def work(
    engine: Engine,
    space: SpaceId,
    progress: Callable[[int], object] | None = None,
    *,
    asks: bool = True,
    again: bool = False,
    stop: threading.Event | None = None,
) -> Round:
    """Do what is due, until there is nothing left or `stop` is set; `again`: also what failed before, once."""
    round_ = Round(engine, space, asks=asks, again=again, hears=asks and engine.expert is not None)
    while not (stop is not None and stop.is_set()) and (found := _take(round_)) is not None:
        handler, taken = found
        _do(round_, handler, taken)
        round_.done += len(taken)
        if progress is not None:
            progress(round_.done)
    return round_


def _take(round_: Round) -> tuple[Handler, list[Job]] | None:
    """The jobs to be done next, all of one kind, leased. Where there is nothing to do, nothing is written."""
    store, space = round_.engine.store, round_.space
    with store.read() as reader:
        dead = gone(reader.leases(space))
        claims = [(handler, _claim(round_, kind, handler, dead)) for kind, handler in HANDLERS.items()]
        wanted = [(handler, claim) for handler, claim in claims if round_.hears or not handler.wants_llm]
        ripe = [(handler, claim) for handler, claim in wanted if reader.ripe(space, replace(claim, limit=1))]
    for handler, claim in ripe:
        with store.write(space) as transaction:
            taken = transaction.claim_jobs(space, claim)
        if taken:
            return handler, taken
    return None


def _claim(round_: Round, kind: str, handler: Handler, dead: Sequence[str]) -> Claim:
    now = round_.engine.clock.now()
    return Claim(
        kind=kind,
        due_at=now,
        lease=lease(now),
        limit=handler.at_once(),
        gone=dead,
        again=round_.again,
        besides=tuple(round_.tried),
        set_back=handler.set_back,
    )


def _do(round_: Round, handler: Handler, taken: Sequence[Job]) -> None:
    """Do some jobs; where that fails, the rest one by one, so that only the one at fault is put off."""
    try:
        handler.run(round_, taken)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a job, the others go on
        if len(taken) == 1:
            if isinstance(error, TakenOverError):
                round_.tried.append(taken[0].id)  # whoever has it now does it
            else:
                _failed(round_, taken[0], error)
            return
        with round_.engine.store.read() as reader:
            left = reader.jobs_named(round_.space, [job.id for job in taken])
        for job in left:
            _do(round_, handler, [job])
    except BaseException:
        _release(round_, taken)
        raise


def _failed(round_: Round, job: Job, error: Exception) -> None:
    round_.tried.append(job.id)
    round_.failure = round_.failure or error
    said = str(error) if isinstance(error, StilltrueError) else f"{type(error).__name__}: {error}"
    attempts = job.attempts + 1
    due_at = round_.engine.clock.now() + pause(attempts)
    put_off = replace(job, attempts=attempts, due_at=due_at, failure=said, failed=attempts >= ATTEMPTS)
    with round_.engine.store.write(round_.space) as transaction:
        if transaction.held(round_.space, job.id, owner()):
            transaction.put_off(round_.space, put_off)


def _release(round_: Round, taken: Sequence[Job]) -> None:
    with round_.engine.store.write(round_.space) as transaction:
        for job in taken:
            let_go(transaction, round_.space, job.id)


def pause(attempts: int) -> timedelta:
    """How long a job waits that failed so many times.

    >>> [str(pause(number)) for number in (1, 2, 3, 9)]
    ['0:01:00', '0:04:00', '0:16:00', '6:00:00']
    """
    longer: int = GROWTH ** min(attempts - 1, ATTEMPTS)
    return min(LONGEST_PAUSE, FIRST_PAUSE * longer)
