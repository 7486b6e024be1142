"""What did writes leave for later, in which order is it done, and what would asking an LLM about it take?

Answer: episodes kept but not judged come first, one by one, in the order of saying; then the pairs left to the LLM,
many facts at a time. Where no LLM is configured these wait. An estimate counts and asks nobody.

Left to others: judging an episode (`write.remember`), asking (`write.classify`), when it is done (`Memory.drain`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.write.ask_expert import JOB_KIND
from stilltrue.write.classify import classify, due
from stilltrue.write.remember import resume

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Job

AT_ONCE: Final = 100
"""Jobs done together: facts whose pairs share requests."""

CHARACTERS_PER_TOKEN: Final = 4
"""A rule of thumb for English, so what is reckoned with it is called an estimate."""
CHARACTERS_PER_REQUEST: Final = 4_800
"""Instructions, frame and reply schema: the prompt file has 3,700, the rest was rounded up."""
CHARACTERS_PER_PAIR: Final = 320
"""Names and dates around two texts, and a verdict with a reason of twelve words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What asking an LLM would take: facts with open pairs, the pairs, requests, and about how many tokens.

    `unjudged`: episodes that were kept and not judged yet; what they will ask is not known before.
    """

    facts: int
    pairs: int
    requests: int
    tokens: int
    unjudged: int = 0


def work(jobs: Sequence[Job], *, asks: bool) -> list[Job]:
    """The jobs to be done next, all of one kind; `asks`: there is an LLM to ask."""
    judging = [job for job in jobs if job.kind != JOB_KIND]
    return judging[:AT_ONCE] or ([job for job in jobs if job.kind == JOB_KIND][:AT_ONCE] if asks else [])


def do(engine: Engine, space: SpaceId, jobs: Sequence[Job]) -> list[Decision]:
    """Do some jobs of one kind; what was decided."""
    if jobs[0].kind == JOB_KIND:
        return classify(engine, space, jobs)
    return [decision for job in jobs for decision in resume(engine, space, job)]


def estimate(engine: Engine, space: SpaceId, jobs: Sequence[Job]) -> Estimate:
    """What doing these jobs would ask an LLM. Nothing is asked and nothing written."""
    asking = [job for job in jobs if job.kind == JOB_KIND]
    per_request = engine.settings_of(space).llm_pairs_per_request
    pairs = requests = 0
    characters = 0
    for start in range(0, len(asking), AT_ONCE):
        some = due(engine, space, asking[start : start + AT_ONCE])
        pairs += len(some)
        requests += -(-len(some) // per_request)
        characters += sum(map(_characters, some))
    characters += requests * CHARACTERS_PER_REQUEST
    return Estimate(
        facts=len(asking),
        pairs=pairs,
        requests=requests,
        tokens=-(-characters // CHARACTERS_PER_TOKEN),
        unjudged=len(jobs) - len(asking),
    )


def _characters(pair: tuple[Statement, Statement]) -> int:
    return sum(len(one.text) for one in pair) + CHARACTERS_PER_PAIR
