"""What did the engine do with a new fact, and why? One decision a candidate, with a receipt that can be replayed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.ids import BatchId, ConflictId, DecisionId, EpisodeId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Judgement


class Action(StrEnum):
    """ADD = ACCEPT, UPDATE = SUPERSEDE, DELETE = RETRACT, NOOP = REINFORCE or REJECT; the rest have no old name."""

    ACCEPT = "ACCEPT"
    SUPERSEDE = "SUPERSEDE"
    REINFORCE = "REINFORCE"
    RETRACT = "RETRACT"
    REJECT = "REJECT"
    ASK = "ASK"
    FORGET = "FORGET"
    ERASE = "ERASE"
    RESOLVE = "RESOLVE"
    UNDO = "UNDO"
    MAINTAIN = "MAINTAIN"


@dataclass(frozen=True, slots=True)
class Considered:
    """One candidate that was judged. `nominated_by`: slot, vector, mention or exact; cosine in [-1, 1] or None."""

    fact_id: FactId
    text: str
    nominated_by: str
    similarity: float | None
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Cost:
    """What the decision took: pairs judged locally, LLM calls, tokens and cache hits, wall seconds."""

    pairs: int = 0
    llm_calls: int = 0
    llm_tokens: int = 0
    cache_hits: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Everything `explain` needs: who was considered, what each judge said, the rule that decided, the cost."""

    considered: tuple[Considered, ...] = ()
    rule: str = ""
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`fact_id` is the new fact (None where none was stored); `targets` the facts it changed."""

    id: DecisionId
    space_id: SpaceId
    batch_id: BatchId
    action: Action
    text: str
    decided_at: Instant
    fact_id: FactId | None = None
    targets: tuple[FactId, ...] = ()
    conflict_id: ConflictId | None = None
    episode_id: EpisodeId | None = None
    author: str | None = None
    receipt: Receipt = field(default_factory=Receipt)
    proposal: bool = False
