"""A stored fact and the facts around it: is there a pair that nobody has judged, or that could be judged better now?

Answer: a fact that was never decided on goes the way of a new one, among the facts stored before it. Any other is
decided on again, with the pairs that are open: never judged though both are current in one slot, undecided, judged by
an older version of the pair model, or judged a conflict and not acted upon. What a rule that binds, an LLM or a person
settled stays settled; so does what a person took back. Nothing is written where nothing is new.

Left to others: which facts, in which order, as which batch (`upkeep.sweep`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError
from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.change import PERSON, BeliefChanged, ConflictChanged
from stilltrue.model.decision import Action, Cost
from stilltrue.model.fact import Retirement
from stilltrue.model.job import Job
from stilltrue.write.apply import apply
from stilltrue.write.as_told import as_told
from stilltrue.write.ask_expert import JOB_KIND, later, wanted
from stilltrue.write.classify import recalled, settled
from stilltrue.write.decide import decide
from stilltrue.write.early import decide_early, fresh_among, is_fresh
from stilltrue.write.extract import extract
from stilltrue.write.gathering import case_of
from stilltrue.write.judge import judge_version
from stilltrue.write.leasing import still_held
from stilltrue.write.open_pairs import KEPT, PERSONS, UNJUDGED, open_pairs
from stilltrue.write.remember import ATTEMPTS, embedded
from stilltrue.write.standing import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import Change, ChangeSet, JudgedPair
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import BatchId, FactId, SpaceId
    from stilltrue.ports import Reader
    from stilltrue.settings import Settings
    from stilltrue.write.case import Case
    from stilltrue.write.classify import Recalled
    from stilltrue.write.judged import Judged
    from stilltrue.write.open_pairs import Opened

SWEPT: Final = "swept: "
"""Opens the rule of a decision that no write asked for."""
_BEYOND: Final = 1 << 62
_NO_LONGER: Final = "a newer judge sees no conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How to look: as which batch, for which job; `shadow`: only propose.

    `places`: the facts in the order in which they were stored; of two the later one looks at the pair in its turn.
    `decided`: facts about which something was decided, which stays so. `waiting`: facts whose own job was yet to judge
    them when the sweep began; `asked`: pairs left to an LLM already; `proposed`: what was.
    """

    batch_id: BatchId
    job_id: str
    shadow: bool
    places: Mapping[FactId, int]
    decided: set[FactId] = field(default_factory=set)
    waiting: frozenset[FactId] = frozenset()
    asked: frozenset[frozenset[FactId]] = frozenset()
    proposed: set[tuple[FactId | None, frozenset[FactId]]] = field(default_factory=set)

    def waits(self, reader: Reader, space: SpaceId, fact_id: FactId) -> bool:
        """Whether a fact's own job is still to judge it: it may have done so since the sweep began."""
        return fact_id in self.waiting and is_fresh(reader, space, fact_id)

    def stored_later(self, other: FactId, fact_id: FactId) -> bool:
        """Whether the other was stored after the fact; what is in no list was stored since it was made."""
        return self.places.get(other, _BEYOND) > self.places.get(fact_id, _BEYOND)


@dataclass(frozen=True, slots=True)
class Look:
    """What came of it: how many pairs were judged, the decision made or proposed, whether it was a first one."""

    pairs: int = 0
    decision: Decision | None = None
    first: bool = False


def look_again(engine: Engine, space: SpaceId, settings: Settings, fact_id: FactId, terms: Terms) -> Look:
    """Judge what is open around one fact, and decide. Raises StaleJudgementError if others keep changing it."""
    for _ in range(ATTEMPTS):
        with engine.store.read() as reader:
            found = reader.facts(space, [fact_id])
            fact = found[0] if found else None
            if fact is None or not stands(fact) or fact.id in terms.waiting:
                return Look()
            fresh = fact_id not in terms.decided and is_fresh(reader, space, fact_id)
            opened = {} if fresh else opened_pairs(engine, reader, fact, terms)
            sources = reader.sources(space, fact_id)
            episode = reader.episode(space, fact.episode_id)
        try:
            if fresh and sources:
                own = next((one for one in sources if one.episode_id == fact.episode_id), sources[0])
                return _first_look(engine, settings, fact, own, episode, terms)
            return _second_look(engine, settings, fact, opened, terms) if opened else Look()
        except StaleJudgementError:
            continue
    message = f"space {space!r} changed {ATTEMPTS} times while a fact was looked at again; sweep once more"
    raise StaleJudgementError(message)


def stands(fact: Fact) -> bool:
    """Whether it is believed, now or of the past."""
    return fact.belief is not None and fact.belief.retirement is not Retirement.CORRECTED


def told_then(engine: Engine, space: SpaceId, fact_id: FactId, terms: Terms) -> Engine:
    """The engine as it was for a fact when it was told: what was told later and is still to be judged is not there."""

    def hides(reader: Reader, others: Sequence[Fact]) -> set[FactId]:
        later = [one.id for one in others if terms.stored_later(one.id, fact_id) and one.id not in terms.decided]
        fresh = fresh_among(reader, space, later)
        terms.decided.update(set(later) - fresh)
        return fresh

    return as_told(engine, fact_id, hides)


def opened_pairs(engine: Engine, reader: Reader, fact: Fact, terms: Terms) -> Mapping[FactId, Opened]:
    """The other fact of each pair that is open, and this one's to look at."""

    def passes_over(other: FactId) -> bool:
        both = frozenset({other, fact.id})
        return both in terms.asked or terms.stored_later(other, fact.id) or terms.waits(reader, fact.space_id, other)

    return open_pairs(engine, reader, fact, passes_over)


def _first_look(engine: Engine, settings: Settings, fact: Fact, source: Source, episode: Episode, terms: Terms) -> Look:
    """The way of a new fact, as if it had been judged when it was stored."""
    space, then = fact.space_id, told_then(engine, fact.space_id, fact.id, terms)
    candidate = _candidate(fact, source, episode, settings)
    task = Task(episode=episode, given=Given(), candidates=(candidate,), batch_id=terms.batch_id, early=(fact.id,))
    vector = engine.embedder.embed([fact.statement.text])[0]
    case = case_of(then, space, task, 0, settings, vector, terms.waits)
    with engine.store.read() as reader:
        known = {frozenset({one.existing_id, one.new_id}): one for one in reader.judged_with(space, fact.id)}
        judged = tuple(_as_known(item, known.get(frozenset({item.fact.id, fact.id}))) for item in case.judged)
        heeds = engine.expert is not None or any(item.conflicts for item in judged)
        answers = tuple(reader.answers(space, [fact.id, *(one.fact.id for one in judged)])) if heeds else ()
    over = fact.belief is not None and fact.belief.retirement is not None
    case = replace(_openly(case), standing=fact.standing, judged=judged, again=over, answers=answers)
    decided = _named(decide_early(case, partial(engine.new_id, case.stamp), judge_version(engine)))
    items = wanted(engine, settings, case, episode, decided)
    left = None if terms.shadow else later(engine, case, decided, items)
    changes = tuple(one for one in decided.changes if _tells(one))
    decided = replace(decided, changes=changes, judged=_new(decided, known))
    return Look(len(decided.judged), _put(engine, decided, left, terms, first=True), first=True)


def _tells(change: Change) -> bool:
    """Whether it is more than the same belief with a new date."""
    if not isinstance(change, BeliefChanged) or change.before is None or change.after is None:
        return True
    return replace(change.after, known=change.before.known) != change.before


def _as_known(item: Judged, pair: JudgedPair | None) -> Judged:
    """What a later fact's write has judged already, with whatever judges there were, is not judged anew.

    A later mention of the older of the two may have been judged as the newer; that says nothing of the two themselves.
    """
    if pair is None:
        return item
    other = pair.new_id if item.late else pair.existing_id
    told = other == item.fact.id or pair.judge_version == PERSON
    return replace(item, judgement=pair.judgement) if told else item


def _new(decided: ChangeSet, known: Mapping[frozenset[FactId], JudgedPair]) -> tuple[JudgedPair, ...]:
    return tuple(one for one in decided.judged if frozenset({one.existing_id, one.new_id}) not in known)


def _candidate(fact: Fact, source: Source, episode: Episode, settings: Settings) -> Candidate:
    """The fact as it was read in its episode; where it was given by a caller, as it stands.

    Qualifiers may have been given for all that was read, so they are not compared.
    """
    statement = fact.statement
    for one in extract(episode, Given(), settings) if episode.text.strip() else ():
        if one.span == source.span and _read_as(one.statement) == _read_as(statement):
            return replace(one, statement=statement)
    return Candidate(statement=statement, span=source.span, confidence=fact.standing.confidence)


def _read_as(statement: Statement) -> tuple[object, ...]:
    return statement.text, statement.slot.subject, statement.slot.attribute, statement.value


def _openly(case: Case) -> Case:
    """Decided as if it were carried out: what is only proposed is sorted out afterwards."""
    return replace(case, policy=replace(case.policy, shadow=False), cost=Cost(pairs=len(case.judged)))


def _named(decided: ChangeSet) -> ChangeSet:
    receipt = decided.decision.receipt
    rule = f"{SWEPT}{receipt.rule}"
    return replace(decided, decision=replace(decided.decision, receipt=replace(receipt, rule=rule, reason=rule)))


def _second_look(
    engine: Engine,
    settings: Settings,
    fact: Fact,
    opened: Mapping[FactId, Opened],
    terms: Terms,
) -> Look:
    """The fact decided on again with its open pairs alone."""
    found = recalled(engine, fact.space_id, settings, _as_job(engine, fact, opened, terms))
    if found is None:
        return Look()
    case = _openly(replace(found.case, judged=tuple(_as_kept(item, opened) for item in found.case.judged)))
    decided = decide(case, partial(engine.new_id, case.stamp), judge_version(engine))
    left = None if terms.shadow else later(engine, case, decided, found.items)
    fresh = {item.fact.id for item in case.judged if not _is_kept(item, opened)}
    judged = tuple(pair for pair in decided.judged if fresh & {pair.existing_id, pair.new_id})
    changes = settled(decided, found, case, _NO_LONGER).changes if _may_act(decided, found) else ()
    heard_before = all(one.why in (KEPT, UNJUDGED) for one in opened.values())
    if changes and heard_before and _taken_back(engine, fact, case):
        changes = ()
    told = replace(_named(decided), changes=tuple(one for one in changes if _tells(one)), judged=judged)
    return Look(len(fresh), _put(engine, told, left, terms))


def _as_job(engine: Engine, fact: Fact, opened: Mapping[FactId, Opened], terms: Terms) -> Job:
    near = [[other, one.nominated_by, None] for other, one in opened.items()]
    payload = {"fact": fact.id, "batch": terms.batch_id, "near": near}
    return Job(id="", space_id=fact.space_id, kind=JOB_KIND, payload=payload, due_at=engine.clock.now())


def _is_kept(item: Judged, opened: Mapping[FactId, Opened]) -> bool:
    return opened[item.fact.id].why == KEPT


def _as_kept(item: Judged, opened: Mapping[FactId, Opened]) -> Judged:
    kept = opened[item.fact.id].judgement
    return item if kept is None else replace(item, judgement=kept)


def _may_act(decided: ChangeSet, found: Recalled) -> bool:
    """A fact that others rest on is merged with no other, and not refused after the event."""
    return found.bare or decided.decision.action not in (Action.REINFORCE, Action.REJECT, Action.RETRACT)


def _taken_back(engine: Engine, fact: Fact, case: Case) -> bool:
    """Whether a person had the last word about one of these facts."""
    with engine.store.read() as reader:
        for fact_id in (fact.id, *(item.fact.id for item in case.judged)):
            told = [one for one in reader.decisions(fact.space_id, fact_id=fact_id) if not one.proposal]
            if told and told[-1].action in PERSONS:
                return True
    return False


def _put(engine: Engine, decided: ChangeSet, left: Job | None, terms: Terms, *, first: bool = False) -> Decision | None:
    """Write a decision, or propose it; where it changes nothing, only what was judged is kept, unless it is a first."""
    if terms.shadow:
        return _propose(engine, decided, terms)
    if not decided.changes and not first:
        with engine.store.write(decided.space_id) as transaction:
            still_held(transaction, decided.space_id, terms.job_id)
            for pair in decided.judged:
                transaction.put_judged(decided.space_id, pair)
            if left is not None:
                transaction.add_job(left)
        return None
    return apply(engine.store, embedded(engine, decided), None, left, held=terms.job_id)


def _propose(engine: Engine, decided: ChangeSet, terms: Terms) -> Decision | None:
    """E9: what it would change is written down, once; nothing else is."""
    decision = decided.decision
    what = (decision.fact_id, frozenset(decision.targets))
    tells = any(isinstance(change, (BeliefChanged, ConflictChanged)) for change in decided.changes)
    if not tells or what in terms.proposed:
        return None
    terms.proposed.add(what)
    told = replace(decided, decision=replace(decision, proposal=True), changes=(), proposed=decided.changes)
    return apply(engine.store, replace(told, judged=(), vectors=()), held=terms.job_id)
