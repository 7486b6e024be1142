"""Where does a fact come from, word for word, and who closed a question?

`passages` gives every mention of a fact inside the whole text it was taken from, so that a reader can check the span
(D8); `closings` names, for questions that a person answered, the decision to take back. Both are read as stored.
Citations inside results are `read.present`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import Answer, ConflictStatus
from stilltrue.model.decision import Action
from stilltrue.model.ids import FactId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.ids import ConflictId, SpaceId

CONFLICT_CHANGED: Final = "conflict_changed"


@dataclass(frozen=True, slots=True)
class Passage:
    """One mention of a fact, with the episode it stands in."""

    source: Source
    episode: Episode


@dataclass(frozen=True, slots=True)
class Closing:
    """Who closed a question. `undo` names what to take back: with a rewritten text that is the whole batch."""

    decision: Decision
    undo: str


def passages(engine: Engine, space: SpaceId, fact_ids: Sequence[str]) -> dict[str, tuple[Passage, ...]]:
    """Every mention of each fact, oldest said first, by fact id. Raises NotFoundError, StoreError."""
    with engine.store.read() as reader:
        found = reader.sources_of(space, [FactId(fact_id) for fact_id in fact_ids])
        episodes = {one.episode_id for sources in found.values() for one in sources}
        whole = {name: reader.episode(space, name) for name in episodes}
    return {
        str(fact_id): tuple(Passage(one, whole[one.episode_id]) for one in sources)
        for fact_id, sources in found.items()
    }


def closings(engine: Engine, space: SpaceId, conflicts: Sequence[Conflict]) -> dict[ConflictId, Closing]:
    """Which answer of a person closed each of these; what closed by itself is left out. Raises StoreError."""
    wanted = {one.id: one for one in conflicts if one.status is not ConflictStatus.OPEN}
    with engine.store.read() as reader:
        rows = reader.history(space, kind=CONFLICT_CHANGED) if wanted else []
        last = {row.conflict_id: row.decision_id for row in rows if row.conflict_id in wanted}
        made = {name: reader.decision(space, last[name]) for name in wanted if name in last}
    return {
        name: Closing(decision, decision.batch_id if wanted[name].answer is Answer.REWRITE else decision.id)
        for name, decision in made.items()
        if decision.action is Action.RESOLVE and decision.conflict_id == name
    }
