"""What would asking an LLM about the work that writes left take?

Answer: an estimate of what is due counts pairs, requests and tokens, and asks nobody.

Left to others: doing that work (`upkeep.worker`), judging an episode (`write.remember`), asking (`write.classify`),
reading the story (`upkeep.story`), what a request takes (`ports.Expert.estimate`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.expert import Usage
from stilltrue.write.ask_expert import JOB_KIND
from stilltrue.write.classify import due
from stilltrue.write.remember import JOB_KIND as EPISODES

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.job import Job

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


def _due(engine: Engine, space: SpaceId) -> list[Job]:
    with engine.store.read() as reader:
        return [job for job in reader.jobs(space, engine.clock.now(), MOST_READ) if job.kind in (EPISODES, JOB_KIND)]


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
