"""What does an LLM say of pairs that could be a clash and are not sure to be one? Asked only where somebody wants it.

Answer: a pair is put to it where its vote could make a finding of it, or unmake one. The vote is pooled with the local
sureness (`rules.voting`), at the setting `llm_certainty`; without a clean vote the local sureness stays. Left to
others: what is asked, how, and its budget (`ports.Expert`), the sureness (`audit.weighing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.expert import Vote
from stilltrue.model.ids import SpaceId
from stilltrue.rules.voting import pooled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.audit.weighing import Pair
    from stilltrue.model.verdict import Relation
    from stilltrue.ports import Expert
    from stilltrue.settings import Settings

SPACE: Final = SpaceId("audit")
"""Under which name the asking is counted: an audit has no store."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A pair, the likeliest kind of conflict, how sure it is that it clashes (0..1), and what an LLM said of it."""

    pair: Pair
    relation: Relation
    sure: float
    repeated: float
    said: str = ""


def heard(scored: Sequence[Scored], expert: Expert, settings: Settings, least: float) -> list[Scored]:
    """The pairs after the votes. `least`: the sureness from which there is a finding."""
    certainty = settings.llm_certainty
    asked = [place for place, one in enumerate(scored) if could_turn(one.sure, certainty, least)]
    if not asked:
        return list(scored)
    pairs = [(scored[place].pair.old.statement, scored[place].pair.new.statement) for place in asked]
    votes = dict(zip(asked, expert.classify(SPACE, pairs, settings.allowance()).votes, strict=True))
    return [
        _after(one, vote, certainty, expert.model_version) if isinstance(vote := votes.get(place), Vote) else one
        for place, one in enumerate(scored)
    ]


def could_turn(sure: float, certainty: float, least: float) -> bool:
    """Whether a vote could make a finding of a pair, or unmake it.

    >>> [could_turn(sure, 0.9, 0.65) for sure in (0.01, 0.2, 0.7, 0.99)]
    [False, True, True, False]
    """
    return (pooled(sure, certainty) >= least) is not (pooled(sure, 1 - certainty) >= least)


def _after(one: Scored, vote: Vote, certainty: float, model_version: str) -> Scored:
    conflict = vote.relation.is_conflict
    sure = pooled(one.sure, certainty if conflict else 1 - certainty)
    words = " ".join(vote.reason.split()).rstrip(".")
    said = f"Asked about it, {model_version} says {vote.relation.value}: {words}."
    return replace(one, sure=sure, relation=vote.relation if conflict else one.relation, said=said)
