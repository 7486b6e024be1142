"""Which of a space's decisions would be others under other settings, or by another pair model?

Answer: `backtest` tells the history of the space again, in a store of its own that is thrown away. Before each decision
on something that was said, it has that decision made once more, under the changed terms, by the very code that made it,
with the past as it really was; then the real decision is told, and the next one is asked about. So each flip stands
for itself: it is not the consequence of an earlier one. Where the terms as they are would decide otherwise as well
(another version judged then, or the caller said what is not kept), a flip says so: the change is not its cause.

The space is only read. No LLM is asked; decisions that rest on its votes, on what a caller named or on words that were
erased since, and second decisions on one fact, are counted as not replayed. What people did is told as it was.

Left to others: the past as it was (`upkeep.retelling`), what was said (`upkeep.retold`), what a flip is
(`upkeep.flips`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError
from stilltrue.model.decision import Action
from stilltrue.model.verdict import EvidenceSource
from stilltrue.upkeep.flips import Backtest, Decided, Outcome, flip_of, outcome_of
from stilltrue.upkeep.retelling import Retelling, Standstill
from stilltrue.upkeep.retold import Told, own_fact, retold
from stilltrue.write.case import AGAIN
from stilltrue.write.early import KEPT_EARLY, as_it_was, decide_early
from stilltrue.write.gathering import case_of
from stilltrue.write.judge import judge_version
from stilltrue.write.second_look import SWEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import Change
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import EpisodeId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import PairModel
    from stilltrue.settings import Settings
    from stilltrue.write.standing import Task

ON_WHAT_WAS_SAID: Final = frozenset(
    {Action.ACCEPT, Action.SUPERSEDE, Action.REINFORCE, Action.RETRACT, Action.REJECT, Action.ASK}
)
AN_LLM: Final = "an LLM voted"
THE_CALLER: Final = "the caller named what it replaces"
A_SECOND: Final = "a second decision on the same fact"
ERASED: Final = "it rests on words that were erased"
NOT_KEPT: Final = "what was given with the words is not kept"


@dataclass(frozen=True, slots=True)
class Terms:
    """By which settings and which pair model to decide."""

    settings: Settings
    pair_model: PairModel | None


def backtest(
    engine: Engine,
    space: SpaceId,
    changes: Mapping[str, object],
    pair_model: PairModel | None,
    beside: Callable[[Engine, Standstill], Engine],
    *,
    since: Instant | None = None,
    progress: Callable[[Backtest], object] = lambda _: None,
) -> Backtest:
    """Have the decisions of a space, those since an instant, made once more under changed terms.

    `beside` gives an engine on an empty store. `progress` is told after each decision, and may keep what it is told: it
    is all that is left where the run is cut short. Raises InvalidInputError for a setting that is none.
    """
    then = engine.settings_of(space)
    with engine.store.read() as reader:
        made = reader.decisions(space)
    judge = judge_version(replace(engine, pair_model=pair_model))
    found = Backtest(space, dict(changes), judge, decisions=len(made))
    trial = _Trial(Terms(then, engine.pair_model), Terms(then.replace(changes), pair_model), found)
    clock = Standstill(engine.clock.now())
    own = replace(beside(engine, clock), expert=None)
    try:
        trial.run(Retelling(engine, own, clock, space), made, since, progress)
    finally:
        own.store.close()
    return trial.found


@dataclass(slots=True)
class _Trial:
    before: Terms
    after: Terms
    found: Backtest

    def run(
        self,
        told: Retelling,
        made: Sequence[Decision],
        since: Instant | None,
        progress: Callable[[Backtest], object],
    ) -> None:
        among = Counter(one.episode_id for one in made if _is_first(one))
        places: Counter[EpisodeId] = Counter()
        for decision in made:
            changes = told.changes_of(decision)
            if _is_judged(decision) and (since is None or decision.decided_at >= since):
                self._replay(told, decision, changes, places, among[decision.episode_id])
            told.tell(decision, changes)
            if _is_first(decision) and decision.episode_id is not None:
                places[decision.episode_id] += 1
            self.found.done += 1
            self.found.reached = decision.decided_at
            progress(self.found)

    def _replay(
        self,
        told: Retelling,
        decision: Decision,
        changes: Sequence[Change],
        places: Counter[EpisodeId],
        among: int,
    ) -> None:
        case = _case(told, decision, changes, places, among)
        if isinstance(case, str):
            self.found.left_out[case] += 1
            return
        old = outcome_of(decision, changes)
        new = self._decided(told, case, self.after)
        if new is None:
            self.found.left_out[NOT_KEPT] += 1
            return
        self.found.replayed += 1
        if old.same(new.outcome):
            return
        control = self._decided(told, case, self.before)
        by_change = control is not None and old.same(control.outcome)
        self.found.flips.append(flip_of(decision, old, new, by_change=by_change))

    def _decided(self, told: Retelling, case: Told, terms: Terms) -> Decided | None:
        """The decision under some terms, nothing of it written; None where what was said cannot be told any more."""
        try:
            task = retold(case, self.before.settings, terms.settings)
        except InvalidInputError as error:
            return Decided(Outcome(Action.REJECT, (), (), proposal=False, rule=str(error)), ())
        return None if task is None else _decide(told, task, terms)


def _keeps(decision: Decision) -> bool:
    return decision.action in (Action.ACCEPT, Action.SUPERSEDE, Action.ASK) and not decision.proposal


def _is_judged(decision: Decision) -> bool:
    return _is_first(decision) or decision.receipt.rule.startswith((AGAIN, SWEPT))


def _is_first(decision: Decision) -> bool:
    """Whether it may be the first decision on something that was said."""
    about = decision.episode_id is not None and decision.action in ON_WHAT_WAS_SAID
    return about and decision.receipt.rule != KEPT_EARLY and not decision.receipt.rule.startswith((AGAIN, SWEPT))


def _case(
    told: Retelling, decision: Decision, changes: Sequence[Change], places: Counter[EpisodeId], among: int
) -> Told | str:
    """What the decision was about, or why it is not made once more."""
    reason = _left_out(told, decision)
    if reason or decision.episode_id is None:
        return reason or A_SECOND
    told.hear(decision)
    told.clock.at = decision.decided_at
    early = told.early.get(decision.episode_id, [])
    turn = told.turn_of(decision, changes)
    fact, source = own_fact(changes, decision.fact_id)
    with told.engine.store.read() as reader:
        episode = reader.episode(told.space, decision.episode_id)
        if turn is not None:
            fact, source = reader.fact(told.space, turn), next(iter(reader.sources(told.space, turn)), source)
    if turn is None and (decision.receipt.rule.startswith(SWEPT) or (fact is None and _keeps(decision))):
        return A_SECOND
    place = early.index(turn) if turn is not None else places[decision.episode_id]
    return Told(
        decision=decision,
        episode=episode,
        fact=fact,
        source=source,
        repeats=_repeated(told, decision) if fact is None else None,
        early=tuple(early[place:]) if turn is not None else (),
        place=place,
        among=len(early) or among,
    )


def _repeated(told: Retelling, decision: Decision) -> Fact | None:
    """The fact that was said again."""
    if decision.action is not Action.REINFORCE or decision.fact_id is None or not told.has(decision.fact_id):
        return None
    with told.engine.store.read() as reader:
        return reader.fact(told.space, decision.fact_id)


def _left_out(told: Retelling, decision: Decision) -> str:
    """Why a decision cannot be made once more, by what its receipt says; empty where nothing speaks against it."""
    considered = decision.receipt.considered
    heard = {entry.source for item in considered for entry in item.judgement.evidence if entry.relation is not None}
    if decision.receipt.rule.startswith(AGAIN):
        return A_SECOND
    if EvidenceSource.LLM in heard:
        return AN_LLM
    if any(item.nominated_by == "caller" for item in considered):
        return THE_CALLER
    if not decision.text or not all(told.has(item.fact_id) for item in considered):
        return ERASED
    return ""


def _decide(told: Retelling, task: Task, terms: Terms) -> Decided:
    engine = replace(told.engine, settings=terms.settings, pair_model=terms.pair_model)
    then = as_it_was(engine, told.space, task.early[0]) if task.early else engine
    vector = engine.embedder.embed([task.candidates[0].statement.text])[0]
    put = case_of(then, told.space, task, 0, terms.settings, vector)
    decided = decide_early(put, partial(engine.new_id, put.stamp), judge_version(engine))
    return Decided(outcome_of(decided.decision, decided.changes), decided.decision.receipt.considered)
