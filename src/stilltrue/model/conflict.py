"""What should a person or an agent settle? Two or more facts, one question that can be answered yes or no."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.ids import ConflictId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Relation


class ConflictKind(StrEnum):
    """Why it is asked."""

    CONTRADICTION = "contradiction"
    REVERSAL = "reversal"
    AMBIGUITY = "ambiguity"
    STALE = "stale"
    CONSTRAINT = "constraint"
    SURGE = "surge"


class ConflictStatus(StrEnum):
    """An answered or dismissed conflict about the same facts does not come back."""

    OPEN = "open"
    ANSWERED = "answered"
    DISMISSED = "dismissed"


class Answer(StrEnum):
    """How a conflict is settled: which fact stays, both, none, or no action.

    KEEP names the fact that stays current; BOTH needs the condition that separates them; NEVER_TRUE names the fact
    that never was; REWRITE replaces all of them by a new text; DISMISS changes nothing.
    """

    KEEP = "keep"
    BOTH = "both"
    NEVER_TRUE = "never_true"
    REWRITE = "rewrite"
    DISMISS = "dismiss"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`fact_ids` is an unordered set kept sorted: it is the conflict's identity within its space."""

    id: ConflictId
    space_id: SpaceId
    kind: ConflictKind
    fact_ids: tuple[FactId, ...]
    question: str
    opened_at: Instant
    status: ConflictStatus = ConflictStatus.OPEN
    closed_at: Instant | None = None
    answer: Answer | None = None
    kept: FactId | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a person has answered about a pair of facts, and when. It outranks every automatic judgement of the pair.

    `relation` None: the question was dismissed, so nothing is to be done about the pair.
    """

    existing_id: FactId
    new_id: FactId
    relation: Relation | None
    at: Instant
