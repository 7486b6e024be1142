"""How does a stored fact become a result: as of which instants, with which citations?

Shared by all reading verbs, so that a fact looks the same through each of them. Which facts are shown was decided
before, by the store's one definition of current (`ports.Filter`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.fact import Status, Tier
from stilltrue.read.results import Cited, Result
from stilltrue.rules.retention import shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Belief, Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader


def present(
    reader: Reader,
    space: SpaceId,
    fact: Fact,
    *,
    at: Instant,
    known_at: Instant | None = None,
    score: float = 1.0,
    similarity: float | None = None,
    sources: tuple[Source, ...] | None = None,
    marked: Collection[FactId] | None = None,
) -> Result:
    """The fact as of `at`, as believed at `known_at` (None: now), with the sources known then.

    `sources`: all its mentions, `marked`: facts that need a re-check at `at`, where the caller has them already. A stub
    is shown in short; its mentions have all its words.
    """
    if marked is None:
        marked = marked_among(reader, space, [fact.id], at, known_at)
    belief = belief_of(reader, space, fact, known_at)
    statement, standing = fact.statement, fact.standing
    return Result(
        id=fact.id,
        text=shortened(statement.text) if standing.tier is Tier.STUB else statement.text,
        score=score,
        subject=statement.slot.subject,
        attribute=statement.slot.attribute,
        value=statement.value.text if statement.value else None,
        qualifiers=statement.slot.qualifiers,
        cardinality=statement.cardinality,
        valid_from=belief.valid.start if belief else statement.valid.start,
        valid_until=belief.valid.end if belief else statement.valid.end,
        status=belief.status(at) if belief else Status.WITHDRAWN,
        retirement=belief.retirement if belief else None,
        sources=cited(reader, space, fact, known_at, sources),
        author=statement.author,
        topic=statement.topic,
        category=standing.category,
        importance=standing.importance,
        confidence=standing.confidence,
        trust=standing.trust,
        kind=statement.kind,
        modality=statement.modality,
        negated=statement.negated,
        tier=standing.tier,
        seen_count=standing.seen_count,
        superseded_by=belief.superseded_by if belief else None,
        contradicted_by=belief.contradicted_by if belief else None,
        supersedes=fact.supersedes,
        said_at=statement.said_at,
        recorded_at=fact.recorded_at,
        similarity=similarity,
        needs_recheck=fact.id in marked,
    )


def marked_among(
    reader: Reader, space: SpaceId, fact_ids: Sequence[FactId], at: Instant, known_at: Instant | None
) -> frozenset[FactId]:
    """Those that need a re-check at `at`. Marks are of the present: what was known at another time has none."""
    return reader.marked(space, fact_ids, at) if known_at is None else frozenset()


def belief_of(reader: Reader, space: SpaceId, fact: Fact, known_at: Instant | None) -> Belief | None:
    """What was believed of it at `known_at` (None: now); None before it was recorded or while it was withdrawn."""
    if known_at is None:
        return fact.belief
    return next((belief for belief in reader.beliefs(space, fact.id) if known_at in belief.known), None)


def cited(
    reader: Reader,
    space: SpaceId,
    fact: Fact,
    known_at: Instant | None = None,
    sources: tuple[Source, ...] | None = None,
) -> tuple[Cited, ...]:
    """Its mentions as citations, oldest said first; with `known_at` only those recorded by then."""
    return tuple(
        Cited(
            episode=source.episode_id,
            quote=source.quote,
            start=source.span.start,
            end=source.span.end,
            said_at=source.said_at,
            author=source.author,
        )
        for source in (reader.sources(space, fact.id) if sources is None else sources)
        if known_at is None or reader.episode(space, source.episode_id).recorded_at <= known_at
    )
