"""What does a judge say of (existing, new), and on what grounds? LABELS.md's six relations, or openly nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias


class Relation(StrEnum):
    """The six relations of LABELS.md."""

    CONTRADICTION = "CONTRADICTION"
    UPDATE = "UPDATE"
    RETRACTION = "RETRACTION"
    DUPLICATE = "DUPLICATE"
    OVERLAP = "OVERLAP"
    NONE = "NONE"

    @property
    def is_conflict(self) -> bool:
        """Whether the existing statement must stop being served as current."""
        return self in CONFLICTS


CONFLICTS: Final = frozenset({Relation.CONTRADICTION, Relation.UPDATE, Relation.RETRACTION})


class EvidenceSource(StrEnum):
    """Which step of the cascade spoke."""

    GUARD = "guard"
    TYPED = "typed"
    SIGNAL = "signal"
    WORDING = "wording"
    PAIR_MODEL = "pair_model"
    LLM = "llm"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason. `weight` is a probability (0..1) for `relation`; `note` says it in words a person can check.

    `relation` None: the step looked and found nothing, or was not needed; the note says which.
    """

    source: EvidenceSource
    signal: str
    relation: Relation | None
    weight: float
    note: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A relation with its confidence (0..1), the probability that the pair is a conflict (0..1), and the evidence.

    `settled_by` names the signal that settled it. `corrects`: the existing statement was never true.
    `narrows`: the new one puts a condition on the existing one. Both only with a conflict.
    """

    relation: Relation
    confidence: float
    conflict: float
    evidence: tuple[Evidence, ...]
    settled_by: str
    corrects: bool = False
    narrows: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """No judge could tell, and why; `conflict` is the best estimate there is (0..1). The pair is judged later."""

    reason: str
    evidence: tuple[Evidence, ...] = ()
    conflict: float = 0.5


Judgement: TypeAlias = Verdict | Undecided
