"""What does `decide` see of the facts around a candidate? Each with its judgement, read in the order of valid time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.decision import Considered
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.timelines import Run

if TYPE_CHECKING:
    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Fact
    from stilltrue.model.verdict import Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A fact that recall nominated, by what (slot, vector, mention, exact), with its cosine and its mentions."""

    fact: Fact
    nominated_by: str
    similarity: float | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A neighbour with what the judges said. `late`: the candidate is the older of the two on the valid axis, so the
    judges read it as the existing statement and the stored fact as the new one. `held`: a person has decided between
    the two, so the conflict may be asked about and not acted upon.
    """

    neighbour: Neighbour
    judgement: Judgement
    late: bool = False
    held: bool = False

    @property
    def fact(self) -> Fact:
        """The stored fact."""
        return self.neighbour.fact

    @property
    def verdict(self) -> Verdict | None:
        """The judgement, where there is one."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @property
    def conflicts(self) -> bool:
        """Whether a judge called it a conflict, however weakly."""
        return self.verdict is not None and self.verdict.relation.is_conflict

    def same(self, threshold: float) -> bool:
        """Whether a judge called it a duplicate with at least this confidence (0..1)."""
        verdict = self.verdict
        return verdict is not None and verdict.relation is Relation.DUPLICATE and verdict.confidence >= threshold

    def heard(self, source: Source) -> bool:
        """Whether this very sentence is one of the fact's mentions already."""
        return any((one.episode_id, one.span) == (source.episode_id, source.span) for one in self.neighbour.sources)

    def independent(self, source: Source) -> bool:
        """Whether a mention is a second witness: not the agent retelling, not the same text saying it again (D4)."""
        return source.independent and all(one.episode_id != source.episode_id for one in self.neighbour.sources)

    def run(self) -> Run:
        """The fact's stay on the timeline, with its later mentions."""
        belief = self.fact.belief
        if belief is None:
            message = f"withdrawn fact {self.fact.id} was recalled"
            raise AssertionError(message)
        moments = sorted(source.held_from for source in self.neighbour.sources if source.held_from is not None)
        seen = tuple(moment for moment in moments if belief.valid.start is None or moment > belief.valid.start)
        return Run(
            fact_id=self.fact.id,
            valid=belief.valid,
            retirement=belief.retirement,
            superseded_by=belief.superseded_by,
            seen=seen,
        )

    def considered(self) -> Considered:
        """The receipt's line about it."""
        text = self.fact.statement.text
        return Considered(self.fact.id, text, self.neighbour.nominated_by, self.neighbour.similarity, self.judgement)
