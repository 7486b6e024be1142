"""What is written when a decision is applied? A closed set of changes, each of which knows its state before and after.

One change becomes one history row; undo applies the same changes backwards. Nothing else writes facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.conflict import Conflict
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Belief, Fact, Standing, Tier
    from stilltrue.model.ids import BatchId, DecisionId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Judgement


class LinkKind(StrEnum):
    """How two facts are tied; read "from KIND to"."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    SUPPORTS = "supports"
    DEPENDS_ON = "depends_on"
    SAME_AS = "same_as"
    RECHECK = "recheck"  # the first rests on the second, which has fallen: somebody should look


@dataclass(frozen=True, slots=True)
class Link:
    """A directed tie between two facts of one space."""

    kind: LinkKind
    from_id: FactId
    to_id: FactId


class TombstoneKind(StrEnum):
    """What may not come back: a value that never was, one that was withdrawn (if said earlier), an erased text."""

    NEVER_TRUE = "never_true"
    RETRACTED = "retracted"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A mark without content. `value_key` None means any value of the slot; `at` is the valid instant it speaks of.

    A statement said before `at` that matches (slot and value, or `text_hash`) does not come back to life.
    """

    kind: TombstoneKind
    subject: str | None
    attribute: str | None
    value_key: str | None
    text_hash: str | None
    at: Instant


@dataclass(frozen=True, slots=True)
class FactAdded:
    """A new fact with its first source(s). `vector`: little-endian float32, L2-normalised, or None (embedded later)."""

    fact: Fact
    sources: tuple[Source, ...]
    vector: bytes | None = None


@dataclass(frozen=True, slots=True)
class BeliefChanged:
    """What is believed of a fact becomes `after`; None withdraws it. `known` of `after` is stamped when applied."""

    fact_id: FactId
    before: Belief | None
    after: Belief | None


@dataclass(frozen=True, slots=True)
class StandingChanged:
    """Importance, confidence and the like of a fact; its tier is not moved by this (`TierChanged`)."""

    fact_id: FactId
    before: Standing
    after: Standing


@dataclass(frozen=True, slots=True)
class TierChanged:
    """Retention moves a fact between tiers; nothing else changes with it. A stub has no vector: what leaves that tier
    brings its own (as in `FactAdded`).
    """

    fact_id: FactId
    before: Tier
    after: Tier
    vector: bytes | None = None


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A mention is added to a fact, or taken away again (`present` False) when a decision is undone or a run splits."""

    source: Source
    present: bool = True


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """A tie between two facts is made or undone."""

    link: Link
    present: bool = True


@dataclass(frozen=True, slots=True)
class ConflictChanged:
    """A conflict is opened (`before` None), answered, dismissed or re-opened; `after` None takes it back (undo)."""

    before: Conflict | None
    after: Conflict | None


@dataclass(frozen=True, slots=True)
class TombstoneChanged:
    """A tombstone is set or lifted."""

    tombstone: Tombstone
    present: bool = True


Change: TypeAlias = (
    FactAdded
    | BeliefChanged
    | StandingChanged
    | TierChanged
    | SourceChanged
    | LinkChanged
    | ConflictChanged
    | TombstoneChanged
)


PERSON: Final = "person"
"""The judge version of what a person answered."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A judgement of two stored facts, kept so that a sweep need not ask again; the store knows no order of a pair."""

    existing_id: FactId
    new_id: FactId
    judgement: Judgement
    judge_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """All that one decision writes, or nothing of it.

    `proposed`: changes that shadow mode only writes down. `vectors`: of facts that were kept without one. `revision`
    is the space's revision when it was judged, `subject` and `watched` what must not have changed since.
    """

    space_id: SpaceId
    decision: Decision
    changes: tuple[Change, ...] = ()
    proposed: tuple[Change, ...] = ()
    judged: tuple[JudgedPair, ...] = ()
    vectors: tuple[tuple[FactId, bytes], ...] = ()
    revision: int
    subject: str | None = None
    watched: tuple[FactId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One change as it was written: `kind` is the change's name in snake case, or `supersession_proposal`.

    `payload` holds the change as JSON-ready values (rules for reading it back are `write.undo`'s and `store.rows`').
    """

    seq: int
    space_id: SpaceId
    decision_id: DecisionId
    batch_id: BatchId
    at: Instant
    kind: str
    fact_id: FactId | None
    conflict_id: str | None
    reason: str
    payload: Mapping[str, object] = field(default_factory=dict)
