"""A candidate, and what the judges say of it and the facts around it: what shall be written?

Pure: the same case gives the same change set, whatever the store is. The order of the questions: is it worth keeping
(D5, D10)? which conflicts may be acted upon (`rules.policy`)? where does it stand in time (`rules.timelines`)? Then
`draft` spells out the changes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from stilltrue.model.change import ChangeSet, FactAdded, JudgedPair, TombstoneKind
from stilltrue.model.conflict import ConflictKind
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Modality, Retirement
from stilltrue.model.ids import DecisionId, FactId
from stilltrue.model.slot import Cardinality
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.narrative import announced
from stilltrue.rules.policy import Party, Permission, Ruling, rule_on
from stilltrue.rules.text import normalise
from stilltrue.rules.wording import wording
from stilltrue.write.carry_out import carry_out, is_end
from stilltrue.write.case import Plan
from stilltrue.write.draft import Draft
from stilltrue.write.heeding import heed, says_same

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.model.change import Change
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import ConflictId
    from stilltrue.model.verdict import Judgement
    from stilltrue.write.case import Case
    from stilltrue.write.judged import Judged


def decide(case: Case, new_id: Callable[[], str], judge_version: str) -> ChangeSet:
    """The change set of one candidate. `new_id` gives fresh ids; nothing else comes from outside the case."""
    case = heed(case)
    reason = _refusal(case)
    if reason:
        return _finish(case, new_id, Draft(case.stamp, new_id), Action.REJECT, None, reason)
    plan = _plan(case)
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
    proposed = tuple(change for change in full.changes if not _adds(change, fact_id))
    bare = replace(plan, applied=[], asked={})
    draft, kept = Draft(case.stamp, new_id), None
    if action is not Action.RETRACT:
        draft, action, kept, _ = carry_out(case, bare, _first(fact_id, new_id))
    done = _finish(case, new_id, draft, action, kept, f"shadow mode, only proposed: {plan.rule}")
    decision = replace(done.decision, proposal=True, targets=tuple(dict.fromkeys(full.retired)))
    return replace(done, decision=decision, proposed=proposed, judged=pairs_of(case, kept, judge_version))


def _first(fact_id: FactId, new_id: Callable[[], str]) -> Callable[[], str]:
    """Fresh ids, the first of which is known: what is proposed speaks of the fact that is kept."""
    ids = chain([str(fact_id)], iter(new_id, None))
    return lambda: next(ids)


def _adds(change: Change, fact_id: FactId) -> bool:
    return isinstance(change, FactAdded) and change.fact.id == fact_id


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


def _plan(case: Case) -> Plan:
    plan = Plan(
        [],
        {},
        [
            item
            for item in case.judged
            if item.same(case.policy.reinforce_threshold) and item.fact.id not in case.forced
        ],
        "nothing known says or denies it",
    )
    if plan.same:
        plan.rule = "restates what is known"
    for item in case.judged:
        if item.fact.id in case.forced:
            plan.applied.append(item)
            plan.rule = "the caller said what it replaces"
        elif item.conflicts and _matters(case, item):
            ruling = _ruling(case, item)
            if ruling.permission is Permission.APPLY:
                plan.applied.append(item)
                plan.rule = _why(item, ruling)
            elif ruling.permission is Permission.ASK:
                plan.asked.setdefault(_kind(case, item, ruling), []).append(item)
                plan.rule = ruling.rule if not plan.applied else plan.rule
        elif _gives_way(case, item):
            plan.applied.append(item)
            plan.rule = "a past of unknown end reaches only as far as what is known to have held next"
    retiring = [item for item in plan.applied if not item.late and item.fact.id not in case.forced]
    if len(retiring) > case.policy.max_retired_per_write:
        plan.asked = {ConflictKind.SURGE: retiring}
        plan.applied = [item for item in plan.applied if item not in retiring]
        plan.rule = f"one write would retire {len(retiring)} facts, more than max_retired_per_write"
    return plan


def _kind(case: Case, item: Judged, ruling: Ruling) -> ConflictKind:
    """What is told as it was before the other took its place, without word of a return, is a reversal (B2)."""
    if item.late or ruling.kind is ConflictKind.CONSTRAINT or announced(case.statement):
        return ruling.kind
    before = (other.fact for other in case.judged if other.fact.belief is not None and says_same(case.statement, other))
    reverses = any(fact.belief is not None and fact.belief.superseded_by == item.fact.id for fact in before)
    return ConflictKind.REVERSAL if reverses else ruling.kind


def effect(case: Case, item: Judged) -> str:
    """What would be done about one neighbour, in a word or two: judgements of one effect are as good."""
    if item.fact.id in case.forced:
        return "forced"
    if item.same(case.policy.reinforce_threshold):
        return "same"
    if item.conflicts and _matters(case, item):
        ruling = _ruling(case, item)
        kind = ruling.kind.value if ruling.permission is Permission.ASK else ""
        return f"{ruling.permission.value} {kind}".rstrip()
    return "gives way" if _gives_way(case, item) else Permission.IGNORE.value


def _gives_way(case: Case, item: Judged) -> bool:
    """Whether the earlier of the two is a past whose end nobody told, in a slot that holds one value at a time."""
    stored, new = item.fact.statement, case.statement
    earlier, later = (new, stored) if item.late else (stored, new)
    belief = item.fact.belief
    wrong = belief is None or belief.retirement is Retirement.CORRECTED
    if belief is None or wrong or later.modality is not Modality.ASSERTION or later.negated:
        return False
    untold = earlier.modality is Modality.PAST and not earlier.negated and earlier.valid.end == earlier.said_at
    one = Cardinality.ONE is earlier.cardinality is later.cardinality and earlier.slot == later.slot
    start = later.valid.start if not item.late else belief.valid.start
    held = belief.valid if not item.late else earlier.valid
    values = earlier.value is not None and later.value is not None and earlier.value.key != later.value.key
    return untold and one and values and start is not None and start in held and start != held.start


def _why(item: Judged, ruling: Ruling) -> str:
    relation = item.verdict.relation.value if item.verdict else "UNDECIDED"
    if item.late:
        return f"{relation}, and it is the older of the two: it takes its place in the past"
    return f"{relation}: {ruling.rule}"


def _matters(case: Case, item: Judged) -> bool:
    """Whether the conflict is about a time that both speak of: what is over already cannot be ended again."""
    belief, verdict = item.fact.belief, item.verdict
    if belief is None or verdict is None or belief.retirement is Retirement.CORRECTED:
        return False
    if item.late:
        return not _spares(item.fact.statement, case.statement)
    if _spares(case.statement, item.fact.statement):
        return False
    start = case.statement.valid.start or case.statement.said_at
    if verdict.corrects and start not in belief.valid:
        return _names(case.statement, item.fact.statement)
    return start in belief.valid or (belief.valid.start is not None and belief.valid.start >= start)


def _spares(end: Statement, other: Statement) -> bool:
    """Whether a mere end names another value of the very same slot: it says nothing about this one."""
    if not is_end(end) or other.value is None or (end.slot.subject, end.slot.attribute) != _place(other):
        return False
    words = other.value.key.split()
    return not any(_begins(words, left.split()) or _begins(left.split(), words) for left in end.leaves)


def _place(statement: Statement) -> tuple[str, str | None]:
    return statement.slot.subject, statement.slot.attribute


def _begins(words: list[str], start: list[str]) -> bool:
    return words[: len(start)] == start


def _names(correction: Statement, wrong: Statement) -> bool:
    """Whether a correction speaks of this very value: what is over is corrected only by name, never in passing."""
    if wrong.value is None:
        return False
    return wrong.value.key in correction.leaves or normalise(wrong.value.text) in normalise(correction.text)


def _ruling(case: Case, item: Judged) -> Ruling:
    stored = Party(item.fact.statement, item.fact.standing.trust)
    new = Party(case.statement, case.standing.trust)
    verdict = item.verdict
    if verdict is None:
        return Ruling(Permission.IGNORE, "undecided")
    past = case.statement.modality is Modality.PAST and not item.late
    if past and not verdict.corrects and verdict.relation is not Relation.RETRACTION:
        return Ruling(Permission.IGNORE, "a statement about the past retires nothing")
    earlier, later = (new, stored) if item.late else (stored, new)
    ruling = rule_on(verdict, earlier, later, case.policy)
    if item.held and ruling.permission is Permission.APPLY:
        return Ruling(Permission.ASK, "a person has decided between the two, and this does not speak of a change")
    return ruling


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
        watched=tuple(item.fact.id for item in case.judged),
    )
