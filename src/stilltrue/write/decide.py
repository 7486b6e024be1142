"""A candidate, and what the judges say of it and the facts around it: what shall be written?

Pure: the same case gives the same change set, whatever the store is. The order of the questions: is it worth keeping
(D5, D10)? which conflicts may be acted upon (`write.plan`)? where does it stand in time (`rules.timelines`)? Then
`draft` spells out the changes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from stilltrue.model.change import BeliefChanged, ChangeSet, FactAdded, JudgedPair, StandingChanged, TombstoneKind
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.ids import DecisionId, FactId
from stilltrue.model.verdict import EvidenceSource
from stilltrue.rules.wording import wording
from stilltrue.write.carry_out import carry_out, is_end
from stilltrue.write.draft import Draft
from stilltrue.write.heeding import heed
from stilltrue.write.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.model.change import Change
    from stilltrue.model.ids import ConflictId
    from stilltrue.model.verdict import Judgement
    from stilltrue.write.case import Case, Plan
    from stilltrue.write.judged import Judged


def decide(case: Case, new_id: Callable[[], str], judge_version: str) -> ChangeSet:
    """The change set of one candidate. `new_id` gives fresh ids; nothing else comes from outside the case."""
    case = heed(case)
    reason = _refusal(case)
    if reason:
        return _finish(case, new_id, Draft(case.stamp, new_id), Action.REJECT, None, reason)
    plan = plan_of(case)
    if _over_already(case, plan):
        draft = Draft(case.stamp, new_id)
        draft.bury(TombstoneKind.RETRACTED, case.statement, case.statement.valid.start or case.statement.said_at)
        return _finish(case, new_id, draft, Action.REJECT, None, "what it ends is over already")
    if case.policy.shadow and plan.applied:
        return _propose(case, plan, new_id, judge_version)
    draft, action, fact_id, conflict_id = carry_out(case, plan, new_id)
    done = _finish(case, new_id, draft, action, fact_id, plan.rule, conflict_id)
    return replace(done, judged=pairs_of(case, fact_id, judge_version))


def _propose(case: Case, plan: Plan, new_id: Callable[[], str], judge_version: str) -> ChangeSet:
    """E9: the statement is kept beside what it would have changed; the changes themselves are only written down."""
    fact_id = FactId(new_id())
    full, action, _, _ = carry_out(case, plan, _first(fact_id, new_id))
    bare = replace(plan, applied=[], asked={})
    draft, kept = Draft(case.stamp, new_id), None
    if action is not Action.RETRACT:
        draft, action, kept, _ = carry_out(case, bare, _first(fact_id, new_id))
    done = _finish(case, new_id, draft, action, kept, f"shadow mode, only proposed: {plan.rule}")
    proposed = tuple(_beyond(full.changes, draft.changes))
    decision = replace(done.decision, proposal=True, targets=tuple(dict.fromkeys(full.retired)))
    return replace(done, decision=decision, proposed=proposed, judged=pairs_of(case, kept, judge_version))


def _first(fact_id: FactId, new_id: Callable[[], str]) -> Callable[[], str]:
    """Fresh ids, the first of which is known: what is proposed speaks of the fact that is kept."""
    ids = chain([str(fact_id)], iter(new_id, None))
    return lambda: next(ids)


def _beyond(full: Sequence[Change], done: Sequence[Change]) -> Iterator[Change]:
    """What the whole change does beyond what was done of it: a fact that is kept already goes from what it is on."""
    facts = {change.fact.id: change.fact for change in done if isinstance(change, FactAdded)}
    beliefs = {change.fact_id: change.after for change in done if isinstance(change, BeliefChanged)}
    standings = {change.fact_id: change.after for change in done if isinstance(change, StandingChanged)}
    for change in full:
        match change:
            case FactAdded(fact=fact) if fact.id in facts:
                kept = facts[fact.id]
                if fact.belief != kept.belief:
                    yield BeliefChanged(fact.id, kept.belief, fact.belief)
                if fact.standing != kept.standing:
                    yield StandingChanged(fact.id, kept.standing, fact.standing)
            case BeliefChanged(fact_id=fact_id, after=belief) if fact_id in beliefs:
                if belief != beliefs[fact_id]:
                    yield replace(change, before=beliefs[fact_id])
            case StandingChanged(fact_id=fact_id, after=standing) if fact_id in standings:
                if standing != standings[fact_id]:
                    yield replace(change, before=standings[fact_id])
            case _:
                if change not in done:
                    yield change


def _refusal(case: Case) -> str | None:
    """Why the candidate is not worth keeping, or None (D5, D10)."""
    if case.stored is not None and case.stored.belief is None:
        return "it was taken back before it was judged"
    if case.standing.confidence < case.policy.min_confidence:
        return f"confidence {case.standing.confidence:.2f} is below min_confidence {case.policy.min_confidence:.2f}"
    value = case.statement.value
    for mark in case.tombstones:
        buried = mark.kind is TombstoneKind.NEVER_TRUE and value is not None and mark.value_key == value.key
        if buried and mark.attribute == case.statement.slot.attribute and case.statement.said_at <= mark.at:
            return "this value was marked as never true, and this was said before that"
    if case.denied and not wording(case.statement.text).announces:
        return "these very words were marked as never true"
    if case.resolves and not case.judged:
        return "it says that a trouble is over, and none is known"
    for item in case.judged:
        if item.same(case.policy.reinforce_threshold) and item.heard(case.source):
            return "the same sentence said it already"
        if item.neighbour.nominated_by == "exact" and _recent(case, item):
            return "an exact repeat of recent input"
    return None


def _over_already(case: Case, plan: Plan) -> bool:
    """Whether a mere end speaks of a value that the slot held and that had ended by then: there is nothing to keep."""
    statement, start = case.statement, case.statement.valid.start or case.statement.said_at
    if not is_end(statement) or statement.value is None or plan.asked or any(not item.late for item in plan.applied):
        return False
    beliefs = [
        item.fact.belief
        for item in case.judged
        if item.fact.statement.slot == statement.slot
        and item.fact.statement.value is not None
        and item.fact.statement.value.key == statement.value.key
        and not item.fact.statement.negated
    ]
    return any(belief is not None and belief.valid.end is not None and belief.valid.end <= start for belief in beliefs)


def _recent(case: Case, item: Judged) -> bool:
    belief = item.fact.belief
    holds = belief is not None and case.statement.valid.start is not None and case.statement.valid.start in belief.valid
    window = case.policy.repeat_window
    return holds and any(
        source.author == case.source.author and abs(source.said_at - case.source.said_at) < window
        for source in item.neighbour.sources
    )


def pairs_of(case: Case, fact_id: FactId | None, judge_version: str) -> tuple[JudgedPair, ...]:
    """The judgements of a fact and its neighbours as they are kept: none where no fact is."""
    if fact_id is None:
        return ()
    pairs = []
    for item in case.judged:
        if item.fact.id != fact_id:
            existing, new = (fact_id, item.fact.id) if item.late else (item.fact.id, fact_id)
            pairs.append(JudgedPair(existing, new, item.judgement, _version(item.judgement, judge_version)))
    return tuple(pairs)


def _version(judgement: Judgement, judge_version: str) -> str:
    """Who judged: an LLM is named only where it voted."""
    voters = [entry.signal for entry in judgement.evidence if entry.source is EvidenceSource.LLM and entry.relation]
    return "+".join([judge_version, *voters])


def _finish(
    case: Case,
    new_id: Callable[[], str],
    draft: Draft,
    action: Action,
    fact_id: FactId | None,
    rule: str,
    conflict_id: ConflictId | None = None,
) -> ChangeSet:
    if action is Action.REJECT and case.stored is not None:
        draft.withdraw(case.stored)
    targets = dict.fromkeys(draft.retired)
    if action is Action.REINFORCE and fact_id is not None:
        targets = {fact_id: None}
    receipt = Receipt(
        considered=tuple(item.considered() for item in case.judged), rule=rule, reason=rule, cost=case.cost
    )
    decision = Decision(
        id=DecisionId(new_id()),
        space_id=case.space_id,
        batch_id=case.batch_id,
        action=action,
        text=case.statement.text,
        decided_at=case.stamp,
        fact_id=fact_id,
        targets=tuple(targets),
        conflict_id=conflict_id,
        episode_id=case.source.episode_id,
        author=case.source.author,
        receipt=receipt,
    )
    return ChangeSet(
        space_id=case.space_id,
        decision=decision,
        changes=tuple(draft.changes),
        revision=case.revision,
        subject=case.statement.slot.subject,
        watched=(*(item.fact.id for item in case.judged), *case.unseen),
    )
