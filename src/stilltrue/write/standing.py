"""With what standing does a statement enter memory, by which numbers is it decided? What the caller gave comes first.

`Task` is an episode on its way; from it and the settings follow a statement's source, its standing and the policy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from stilltrue.model.episode import Episode, Source
from stilltrue.model.expert import Usage
from stilltrue.model.fact import Category, Modality, Standing
from stilltrue.model.ids import FactId
from stilltrue.model.slot import Cardinality
from stilltrue.rules.policy import Policy

if TYPE_CHECKING:
    from stilltrue.model.candidate import Candidate, Given
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import BatchId
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An episode being remembered: what extraction found, and the facts kept early where judging was put off.

    `unread` says why an LLM that was to read it did not; `usage` is what asking it to read has cost.
    """

    episode: Episode
    given: Given
    candidates: tuple[Candidate, ...]
    batch_id: BatchId
    job_id: str | None = None
    early: tuple[FactId, ...] = field(default=())
    unread: str = ""
    usage: Usage = field(default_factory=Usage)


def source_of(task: Task, candidate: Candidate) -> Source:
    episode, statement = task.episode, candidate.statement
    return Source(
        fact_id=FactId(""),
        episode_id=episode.id,
        span=candidate.span,
        quote=candidate.span.of(episode.text),
        said_at=statement.said_at,
        held_from=statement.valid.start,
        author=statement.author if statement.author is not None else episode.author,
        independent=episode.role != "assistant",
    )


def standing_of(task: Task, candidate: Candidate, settings: Settings) -> Standing:
    given, statement = task.given, candidate.statement
    author = statement.author or task.episode.author or "user"
    trust = given.trust if given.trust is not None else settings.author_trust.get(author, settings.default_trust)
    return Standing(
        importance=given.importance if given.importance is not None else settings.default_importance,
        confidence=given.confidence if given.confidence is not None else candidate.confidence,
        trust=trust,
        category=given.category or _category(statement),
        last_seen_at=statement.said_at,
    )


def _category(statement: Statement) -> Category:
    if statement.modality is Modality.RULE:
        return Category.PROCEDURAL
    return Category.EPISODIC if statement.cardinality is Cardinality.EVENT else Category.SEMANTIC


def policy_of(settings: Settings) -> Policy:
    """The numbers that decisions need, out of the settings in force."""
    return Policy(
        supersession_enabled=settings.supersession_enabled,
        supersession_min_confidence=settings.supersession_min_confidence,
        contradiction_threshold=settings.contradiction_threshold,
        ask_threshold=settings.ask_threshold,
        reinforce_threshold=settings.reinforce_threshold,
        min_confidence=settings.min_confidence,
        repeat_window=timedelta(hours=settings.repeat_window_hours),
        max_retired_per_write=settings.max_retired_per_write,
        disagreement=timedelta(days=settings.disagreement_days),
        shadow=settings.shadow_mode or settings.mutations_frozen,
    )
