"""What becomes of a fact that was kept before anybody judged it, once its turn comes?

Answer: `decide_early` is `write.decide` with what only such a fact needs: its vector, which nobody had time for when it
was kept, and a fact in its place where judging reads it as something else (a figure that goes on about another, work
under a fuller name), for a statement that is kept never changes. `is_fresh` tells whether its turn is yet to come, and
`as_told` shows the space without those told after it whose turn is yet to come.

Left to others: keeping it (`write.remember`), a fact that nobody has a job for (`write.second_look`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.candidate import Candidate
from stilltrue.model.change import BeliefChanged
from stilltrue.model.timeline import Interval
from stilltrue.write.as_told import as_told
from stilltrue.write.decide import decide
from stilltrue.write.open_pairs import PERSONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import ChangeSet
    from stilltrue.model.episode import Episode, Span
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.ports import Reader
    from stilltrue.write.case import Case

KEPT_EARLY: Final = "kept at once, judged later"
"""The rule of the decision that keeps a fact which nobody has judged yet."""


def decide_early(case: Case, new_id: Callable[[], str], judge_version: str) -> ChangeSet:
    """The change set of a candidate that may have been kept early."""
    stored = case.stored
    if stored is None or stored.belief is None:
        return decide(case, new_id, judge_version)
    if case.again or _says_as_stored(case, stored):
        decided = decide(case, new_id, judge_version)
        vectors = () if case.vector is None else ((stored.id, case.vector),)
        return replace(decided, vectors=vectors)
    decided = decide(replace(case, stored=None), new_id, judge_version)
    gone = BeliefChanged(stored.id, stored.belief, None)
    return replace(decided, changes=(*decided.changes, gone), watched=(*decided.watched, stored.id))


def _says_as_stored(case: Case, stored: Fact) -> bool:
    bare = Interval()
    return replace(case.statement, valid=bare) == replace(stored.statement, valid=bare)


def is_fresh(reader: Reader, space: SpaceId, fact_id: FactId) -> bool:
    """Whether nothing was decided about a fact yet, but to keep it."""
    return fact_id in fresh_among(reader, space, [fact_id])


def fresh_among(reader: Reader, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
    """Those of some facts that are fresh, in one question."""
    return set(fact_ids) - reader.decided(space, fact_ids, KEPT_EARLY, PERSONS) if fact_ids else set()


def awaiting(reader: Reader, space: SpaceId, fact_ids: Sequence[FactId]) -> frozenset[FactId]:
    """Those of some facts that were kept early and are still to be judged; what was only proposed is none of them."""
    fresh = fresh_among(reader, space, fact_ids)
    return frozenset(one for one in fresh if _was_kept(reader, space, one))


def _was_kept(reader: Reader, space: SpaceId, fact_id: FactId) -> bool:
    told = reader.decisions(space, fact_id=fact_id)
    return any(one.fact_id == fact_id and one.receipt.rule == KEPT_EARLY for one in told)


def left_by_erasure(
    engine: Engine, episode: Episode, early: Sequence[FactId], skip: int, candidates: Sequence[Candidate]
) -> dict[FactId, Candidate] | None:
    """What is still to be judged of an episode of which a fact was erased since, as it was read with the whole text.

    It is what was kept early, but for the first `skip`, which were decided on. What is left of the text would be read
    as something else, so places do not tell any more which fact is which. None where nothing was erased.
    """
    space = episode.space_id
    with engine.store.read() as reader:
        facts = reader.facts(space, early)
        if all(fact.statement.text.strip() for fact in facts):
            return None
        spans = {fact.id: _spans(reader, fact.id, episode) for fact in facts}
    left: dict[FactId, Candidate] = {}
    for fact in facts[skip:]:
        if fact.statement.text.strip() and spans[fact.id]:
            bare = Candidate(fact.statement, spans[fact.id][0], fact.standing.confidence)
            read = next((one for one in candidates if one.span in spans[fact.id]), bare)
            left[fact.id] = replace(read, statement=fact.statement)
    return left


def _spans(reader: Reader, fact_id: FactId, episode: Episode) -> list[Span]:
    return [one.span for one in reader.sources(episode.space_id, fact_id) if one.episode_id == episode.id]


def as_it_was(engine: Engine, space: SpaceId, fact_id: FactId) -> Engine:
    """The engine as it was for a fact when it was told, by the time at which it was recorded."""
    with engine.store.read() as reader:
        recorded_at = reader.fact(space, fact_id).recorded_at

    def hides(reader: Reader, others: Sequence[Fact]) -> set[FactId]:
        return fresh_among(reader, space, [other.id for other in others if other.recorded_at > recorded_at])

    return as_told(engine, fact_id, hides)
