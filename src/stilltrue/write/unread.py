"""How is an episode kept that an LLM is yet to read, and found again if the process dies meanwhile?

Answer: `keep_unread` makes it durable with a job, before any request is sent; `found_again` reads it, from the expert's
cache where it was read before. If the local reader had to take the LLM's place, the job says so from then on, and a
second start reads as the first. No words are kept in the job: what is erased is erased there as well.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from stilltrue.model.codec import encode
from stilltrue.model.expert import Usage
from stilltrue.model.job import Job
from stilltrue.write.extract import extract
from stilltrue.write.extract_expert import LLM, LOCAL, Found, read
from stilltrue.write.leasing import LASTS, lease, still_held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.candidate import Candidate, Given
    from stilltrue.model.change import ChangeSet
    from stilltrue.model.episode import Episode
    from stilltrue.model.ids import BatchId
    from stilltrue.settings import Settings
    from stilltrue.write.standing import Task


def keep_unread(
    engine: Engine, episode: Episode, given: Given, batch_id: BatchId, settings: Settings, kind: str, *, anew: bool
) -> Job:
    """Keep an episode that an LLM is to read; the job is this thread's as long as it can be waiting for an answer."""
    extract(episode, given, settings)  # raises, while nothing is written, what the local reader would raise afterwards
    requests = 2 * (settings.llm_retries + 1)  # a repair may be asked for
    patience = timedelta(seconds=settings.llm_timeout_seconds * requests)
    payload = {"episode": episode.id, "given": encode(given), "batch": batch_id, "early": [], "reader": LLM}
    job_id = engine.new_id(engine.clock.now())
    space = episode.space_id
    with engine.store.write(space) as transaction:
        if anew:
            transaction.add_episode(replace(episode, recorded_at=transaction.now))
        job = Job(id=job_id, space_id=space, kind=kind, payload=payload, due_at=transaction.now)
        transaction.add_job(job, lease(transaction.now, max(patience, LASTS)))
    return job


def found_again(
    engine: Engine, episode: Episode, given: Given, settings: Settings, job: Job, decided: int, *, asks: bool
) -> tuple[Job, Found, int]:
    """What is read in the episode of a job, by the reader that read it first, and how many of it are decided on.

    Where another reader has to take over in the middle, or what was decided on was erased since, what rests on the same
    words as an earlier fact is left out.
    """
    if not episode.text.strip():
        return job, Found(()), decided
    if job.payload.get("reader") == LLM:
        found = read(engine, episode, given, settings, asks=asks)
        if found.reason and found.candidates:
            job = _read_here(engine, job, found.reason, midway=decided > 0)
    else:
        found = Found(tuple(extract(episode, given, settings)), reason=str(job.payload.get("unread", "")))
    cut = decided > 0 and not job.payload.get("early") and _was_cut(engine, episode)
    if cut or job.payload.get("midway"):
        return job, replace(found, candidates=_untold(engine, episode, found.candidates)), 0
    return job, found, decided


def _was_cut(engine: Engine, episode: Episode) -> bool:
    """Whether words of an episode were erased since a part of it was decided on: places in it are no measure then."""
    with engine.store.read() as reader:
        told = reader.facts(episode.space_id, reader.facts_of_episode(episode.space_id, episode.id))
    return any(not fact.statement.text.strip() for fact in told)


def _read_here(engine: Engine, job: Job, reason: str, *, midway: bool) -> Job:
    """The same job, which from now on says that the local reader read, so that a second start reads as the first."""
    payload = {**job.payload, "reader": LOCAL, "unread": reason, "midway": midway}
    local = replace(job, id=engine.new_id(engine.clock.now()), payload=payload)
    with engine.store.write(job.space_id) as transaction:
        still_held(transaction, job.space_id, job.id)
        transaction.finish_job(job.space_id, job.id)
        transaction.add_job(local, lease(transaction.now))
    return local


def _untold(engine: Engine, episode: Episode, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Candidates of another reader than before, without those whose words a fact rests on already."""
    with engine.store.read() as reader:
        told = [
            source.span
            for fact_id in reader.facts_of_episode(episode.space_id, episode.id)
            for source in reader.sources(episode.space_id, fact_id)
            if source.episode_id == episode.id
        ]
    return tuple(
        one for one in candidates if not any(one.span.start < span.end and span.start < one.span.end for span in told)
    )


def with_reading(change_set: ChangeSet, task: Task, place: int) -> ChangeSet:
    """What reading the episode cost goes to its first decision; why an LLM did not read it, to every one."""
    receipt, usage = change_set.decision.receipt, task.usage if place == 0 else Usage()
    cost = replace(
        receipt.cost,
        llm_calls=receipt.cost.llm_calls + usage.calls,
        llm_tokens=receipt.cost.llm_tokens + usage.tokens,
        cache_hits=receipt.cost.cache_hits + usage.cache_hits,
    )
    told = [receipt.reason, f"read by the local reader: {task.unread}" if task.unread else ""]
    receipt = replace(receipt, reason="; ".join(part for part in told if part), cost=cost)
    return replace(change_set, decision=replace(change_set.decision, receipt=receipt))
