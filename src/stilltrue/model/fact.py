"""What is remembered? A statement never changes; what the store believes of it (a belief) does, and is dated.

A fact = statement (immutable words and slot) + belief (valid time, retirement, on the recorded clock) + standing
(importance, confidence and the like, which steer ranking and never truth).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Slot, Value
from stilltrue.model.timeline import Instant, Interval

if TYPE_CHECKING:
    from stilltrue.model.ids import EpisodeId, FactId, SpaceId


class Modality(StrEnum):
    """In which voice something is said. Only assertions and rules claim a present state."""

    ASSERTION = "assertion"
    RULE = "rule"
    PAST = "past"
    PLAN = "plan"
    HYPOTHETICAL = "hypothetical"
    QUESTION = "question"
    HEARSAY = "hearsay"


class Kind(StrEnum):
    """A constraint is a rule a person laid down: nothing supersedes it automatically."""

    FACT = "fact"
    CONSTRAINT = "constraint"


class Category(StrEnum):
    """How memory keeps it: core facts have a retention floor of 0.60, procedures never fade."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    CORE = "core"
    PROCEDURAL = "procedural"


class Tier(StrEnum):
    """Where retention has moved it: hot, cold (archived), stub (short text, no embedding)."""

    HOT = "hot"
    COLD = "cold"
    STUB = "stub"


class Retirement(StrEnum):
    """Why a fact is no longer current; each word has its own meaning on the two clocks (docs/glossary.md)."""

    SUPERSEDED = "superseded"
    CORRECTED = "corrected"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    NARROWED = "narrowed"


class Status(StrEnum):
    """What a fact is at an instant: active, not yet in force, over (a stated past), withdrawn, or how it retired."""

    ACTIVE = "active"
    FUTURE = "future"
    SUPERSEDED = "superseded"
    CORRECTED = "corrected"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    NARROWED = "narrowed"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One claim: its words, slot, value and voice. This is all that judges see of a fact, old or new.

    `valid` is the interval as stated (start: a date in the text, else when it was said; end: only if stated).
    `dated` tells whether the text or the caller gave the start. `negated` is the polarity of its main predicate.
    `leaves` are values it says were left or ended ("switched from vim": ("vim",)), normalised like `Value.key`.
    """

    text: str
    slot: Slot
    value: Value | None = None
    cardinality: Cardinality = Cardinality.ONE
    modality: Modality = Modality.ASSERTION
    negated: bool = False
    kind: Kind = Kind.FACT
    valid: Interval = field(default_factory=Interval)
    said_at: Instant
    dated: bool = False
    author: str | None = None
    topic: str | None = None
    leaves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What the store holds of a fact during `known` (recorded time): its valid time and how it was retired.

    An open `known.end` marks the present belief. A fact without one was withdrawn (its decision was undone).
    """

    valid: Interval
    known: Interval
    retirement: Retirement | None = None
    superseded_by: FactId | None = None
    contradicted_by: FactId | None = None

    def status(self, at: Instant) -> Status:
        """What the fact is at the valid instant `at`, going by this belief.

        >>> from datetime import UTC, datetime
        >>> year = Interval(datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
        >>> Belief(valid=year, known=Interval()).status(datetime(2026, 6, 1, tzinfo=UTC))
        <Status.EXPIRED: 'expired'>
        """
        if self.retirement is Retirement.CORRECTED:
            return Status.CORRECTED
        if self.valid.start is not None and at < self.valid.start:
            return Status.FUTURE
        if at in self.valid:
            return Status.ACTIVE
        return Status(self.retirement.value) if self.retirement else Status.EXPIRED

    def serves(self, at: Instant) -> bool:
        """Whether a reader asking for the valid instant `at` is served this fact (never a corrected one)."""
        return self.retirement is not Retirement.CORRECTED and at in self.valid


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What steers ranking, reinforcement and guards; never whether a fact is true.

    importance, confidence, trust: 0..1. `stability` is A7's S (>= 0.01). `seen_count` counts independent sources.
    """

    importance: float = 0.6
    confidence: float = 0.8
    trust: float = 0.5
    category: Category = Category.SEMANTIC
    stability: float = 1.0
    last_seen_at: Instant
    seen_count: int = 1
    tier: Tier = Tier.HOT


@dataclass(frozen=True, slots=True)
class Recalls:
    """How readers have used a fact: on how many days (UTC) it was served to one, and when last."""

    days: int = 0
    last_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What retention sees of a fact: nothing of its words. `moved_at`: when its tier last changed, None for never."""

    id: FactId
    belief: Belief
    standing: Standing
    recalls: Recalls = field(default_factory=Recalls)
    moved_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement that the store keeps, with what it believes of it now. `belief` is None for a withdrawn fact."""

    id: FactId
    space_id: SpaceId
    statement: Statement
    belief: Belief | None
    standing: Standing
    recorded_at: Instant
    episode_id: EpisodeId
    supersedes: tuple[FactId, ...] = ()

    def status(self, at: Instant) -> Status:
        """Its status at `at`; withdrawn where no belief is left."""
        return Status.WITHDRAWN if self.belief is None else self.belief.status(at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What ranking needs of a fact: read at a third of the price of the whole."""

    id: FactId
    text: str
    subject: str
    attribute: str | None
    topic: str | None
    modality: Modality
    said_at: Instant
    recorded_at: Instant
    standing: Standing
    recalls: Recalls
