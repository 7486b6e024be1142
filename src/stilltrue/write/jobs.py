"""What did writes leave for later, in which order is it done, and what would asking an LLM about it take?

Answer: episodes kept but not judged come first, one by one, in the order of saying; then the pairs left to the LLM,
many facts at a time. Where no LLM is configured, or none answers, these wait. An estimate counts and asks nobody.

Left to others: judging an episode (`write.remember`), asking (`write.classify`), when it is done (`Memory.drain`), what
a request takes (`ports.Expert.estimate`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.expert import Usage
from stilltrue.write.ask_expert import JOB_KIND
from stilltrue.write.classify import classify, due
from stilltrue.write.remember import resume

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Job

AT_ONCE: Final = 100
"""Jobs done together: facts whose pairs share requests."""

MOST_READ: Final = 100_000
"""Jobs looked at together: an import may leave one for each fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What asking an LLM would take: facts with open pairs, the pairs, requests, and about how many tokens.

    `cache_hits`: pairs whose answer is known already. `unjudged`: episodes that were kept and not judged yet; what they
    will ask is not known before.
    """

    facts: int
    pairs: int
    requests: int
    tokens: int
    cache_hits: int = 0
    unjudged: int = 0


def drain(
    engine: Engine, space: SpaceId, progress: Callable[[int], object] | None = None, *, asks: bool = True
) -> list[Decision]:
    """Do what is due; what was decided. `progress` is told how many jobs are done.

    With `asks` False no LLM is asked. Once none answers it is left alone, so that nobody waits for it job by job.
    """
    decisions: list[Decision] = []
    done, hears = 0, asks and engine.expert is not None
    while jobs := _next(_due(engine, space), hears=hears):
        if jobs[0].kind == JOB_KIND:
            made, hears = classify(engine, space, jobs)
        else:
            made = [decision for job in jobs for decision in resume(engine, space, job, asks=asks)]
        decisions += made
        done += len(jobs)
        if progress is not None:
            progress(done)
    return decisions


def _due(engine: Engine, space: SpaceId) -> list[Job]:
    with engine.store.read() as reader:
        return reader.jobs(space, engine.clock.now(), MOST_READ)


def _next(jobs: Sequence[Job], *, hears: bool) -> list[Job]:
    """The jobs to be done next, all of one kind; `hears`: there is an LLM that answers."""
    judging = [job for job in jobs if job.kind != JOB_KIND]
    return judging[:AT_ONCE] or ([job for job in jobs if job.kind == JOB_KIND][:AT_ONCE] if hears else [])


def estimate(engine: Engine, space: SpaceId) -> Estimate:
    """What doing what is due would ask the engine's LLM, in its own reckoning. Nothing is asked and nothing written."""
    jobs = _due(engine, space)
    asking = [job for job in jobs if job.kind == JOB_KIND]
    allowance = engine.settings_of(space).allowance()
    pairs, usage = 0, Usage()
    for start in range(0, len(asking), AT_ONCE):
        some = due(engine, space, asking[start : start + AT_ONCE])
        pairs += len(some)
        if engine.expert is not None:
            usage += engine.expert.estimate(space, some, allowance)
    return Estimate(
        facts=len(asking),
        pairs=pairs,
        requests=usage.calls,
        tokens=usage.tokens,
        cache_hits=usage.cache_hits,
        unjudged=len(jobs) - len(asking),
    )
