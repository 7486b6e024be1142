"""What did a space look like just before each of its decisions? Its history is told again, beside it.

Answer: `Retelling` fills an empty store with what the decisions of a space wrote, one decision after the other and each
at its own time, so that whoever stops before a decision sees exactly what it saw: facts with their beliefs, questions,
people's answers, marks. Vectors are made again, since history holds none. What was erased since is told of nowhere, so
it is left out, with all that was done to it.

Left to others: what was said for a decision (`upkeep.retold`), what it would be now (`upkeep.backtest`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.change import (
    PERSON,
    BeliefChanged,
    ChangeSet,
    ConflictChanged,
    FactAdded,
    JudgedPair,
    LinkChanged,
    SourceChanged,
    StandingChanged,
    TierChanged,
    TombstoneChanged,
)
from stilltrue.model.decision import Action
from stilltrue.model.fact import Tier
from stilltrue.write.apply import PROPOSAL, write_changes
from stilltrue.write.early import KEPT_EARLY
from stilltrue.write.undo import change_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import Change
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import EpisodeId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader


@dataclass(slots=True)
class Standstill:
    """The present of a retelling: the time of the decision whose turn it is."""

    at: Instant

    def now(self) -> Instant:
        return self.at


@dataclass(slots=True)
class Retelling:
    """The space `space` of `source`, told again to `engine`, whose store was empty and whose clock is `clock`.

    `early`: the facts of each episode that were kept before they were judged; `awaiting`: those whose turn is to come.
    """

    source: Engine
    engine: Engine
    clock: Standstill
    space: SpaceId
    early: dict[EpisodeId, list[FactId]] = field(default_factory=dict)
    awaiting: set[FactId] = field(default_factory=set)
    _known: set[FactId] = field(default_factory=set)
    _erased: set[FactId] = field(default_factory=set)
    _episodes: set[EpisodeId] = field(default_factory=set)

    def has(self, fact_id: FactId) -> bool:
        """Whether a fact has been told of so far, words and all."""
        return fact_id in self._known and fact_id not in self._erased

    def turn_of(self, decision: Decision, changes: Sequence[Change]) -> FactId | None:
        """The fact kept early that a decision is the first one about; None for any other decision."""
        if decision.episode_id is None or decision.receipt.rule == KEPT_EARLY:
            return None
        named = [decision.fact_id, *(one.fact_id for one in changes if isinstance(one, BeliefChanged))]
        own = self.early.get(decision.episode_id, [])
        return next((one for one in own if one in named and one in self.awaiting), None)

    def changes_of(self, decision: Decision) -> list[Change]:
        """What a decision wrote, as far as it can still be read; what it only proposed is not among it."""
        changes: list[Change] = []
        with self.source.store.read() as reader:
            for row in reader.history(self.space, decision_id=decision.id):
                if row.kind != PROPOSAL:
                    with suppress(InvalidInputError, KeyError):  # the row of an erasing says nothing
                        changes.append(_mended(reader, self.space, change_of(row)))
        return changes

    def tell(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Write what the decision wrote. Its episode is there from then on, if it was not before."""
        turn, early = self.turn_of(decision, changes), decision.receipt.rule == KEPT_EARLY
        self.hear(decision)
        self.clock.at = decision.decided_at
        self._known.update(one.fact.id for one in changes if isinstance(one, FactAdded))
        self._erased.update(one.fact.id for one in changes if isinstance(one, FactAdded) and _is_blank(one))
        with self.engine.store.read() as reader:
            whole = [one for one in changes if self._is_whole(one)]
            told = [self._with_vector(reader, one, early=early) for one in _in_step(reader, self.space, whole)]
            vectors = () if turn is None else ((turn, self._vector(reader.fact(self.space, turn).statement.text)),)
        with self.engine.store.write(self.space) as transaction:
            change_set = ChangeSet(
                space_id=self.space,
                decision=decision,
                changes=tuple(told),
                judged=tuple(self._answers(told)) if decision.action is Action.RESOLVE else (),
                vectors=vectors,
                revision=transaction.revision(self.space),
            )
            write_changes(transaction, change_set)
        if early and decision.episode_id is not None and decision.fact_id is not None:
            self.early.setdefault(decision.episode_id, []).append(decision.fact_id)
            self.awaiting.add(decision.fact_id)
        if turn is not None:
            self.awaiting.discard(turn)

    def hear(self, decision: Decision) -> None:
        """Keep what the decision is about, if that was not done for an earlier one."""
        episode_id = decision.episode_id
        if episode_id is None or episode_id in self._episodes:
            return
        with self.source.store.read() as reader:
            episode = reader.episode(self.space, episode_id)
        self.clock.at = episode.recorded_at
        with self.engine.store.write(self.space) as transaction:
            transaction.add_episode(episode)
        self._episodes.add(episode_id)

    def _answers(self, told: Sequence[Change]) -> list[JudgedPair]:
        """What a person answered about the facts of the conflicts that a decision closes: history has no row for it."""
        closed = [one.after for one in told if isinstance(one, ConflictChanged) and one.after is not None]
        facts = {fact_id for conflict in closed for fact_id in conflict.fact_ids}
        with self.source.store.read() as reader:
            pairs = [pair for fact_id in sorted(facts) for pair in reader.judged_with(self.space, fact_id)]
        return [one for one in pairs if one.judge_version == PERSON and {one.existing_id, one.new_id} <= self._known]

    def _is_whole(self, change: Change) -> bool:
        """Whether all that a change names is there to be changed."""
        match change:
            case FactAdded():
                return True
            case BeliefChanged(fact_id=fact_id) | StandingChanged(fact_id=fact_id) | TierChanged(fact_id=fact_id):
                return self.has(fact_id)
            case SourceChanged(source=source):
                return self.has(source.fact_id) and source.episode_id in self._episodes
            case LinkChanged(link=link):
                return {link.from_id, link.to_id} <= self._known
            case ConflictChanged(before=before, after=after):
                return all(set(one.fact_ids) <= self._known for one in (before, after) if one is not None)
            case TombstoneChanged():
                return True

    def _with_vector(self, reader: Reader, change: Change, *, early: bool) -> Change:
        """History leaves vectors out; a fact kept early has none, and an erased one is never believed."""
        match change:
            case FactAdded(fact=fact) if fact.id in self._erased:
                return FactAdded(replace(fact, belief=None, supersedes=()), ())
            case FactAdded(fact=fact):
                return change if early else replace(change, vector=self._vector(fact.statement.text))
            case TierChanged(fact_id=fact_id, before=Tier.STUB):
                return replace(change, vector=self._vector(reader.fact(self.space, fact_id).statement.text))
            case _:
                return change

    def _vector(self, text: str) -> bytes:
        vector: bytes = self.engine.embedder.embed([text])[0].tobytes()
        return vector


def _mended(reader: Reader, space: SpaceId, change: Change) -> Change:
    """Rows beside an erased text lose their words too; what others still say is read where it lies."""
    match change:
        case FactAdded(fact=fact) if _is_blank(change):
            (kept,) = reader.facts(space, [fact.id])
            spans = {(one.episode_id, one.span) for one in change.sources}
            sources = tuple(one for one in reader.sources(space, fact.id) if (one.episode_id, one.span) in spans)
            return FactAdded(replace(fact, space_id=space, statement=kept.statement), sources)
        case ConflictChanged(before=before, after=after):
            old, new = (one and replace(one, space_id=space) for one in (before, after))
            return ConflictChanged(old, new)
        case _:
            return change


def _is_blank(added: FactAdded) -> bool:
    return not added.fact.statement.text.strip()


def _in_step(reader: Reader, space: SpaceId, changes: Sequence[Change]) -> list[Change]:
    """The changes, each starting from the belief that is there: one that was erased on the way is a step left out."""
    ids = list(dict.fromkeys(one.fact_id for one in changes if isinstance(one, BeliefChanged)))
    beliefs = {fact.id: fact.belief for fact in reader.facts(space, ids)}
    stepped: list[Change] = []
    for change in changes:
        one = change
        if isinstance(change, BeliefChanged) and change.fact_id in beliefs:
            one = replace(change, before=beliefs[change.fact_id])
            beliefs[change.fact_id] = change.after
        stepped.append(one)
    return stepped
