"""What may be done about each neighbour of a candidate: act, ask, say that it is the same, or let it be?

Answer: `plan` sorts the judged facts (`Plan`): what policy lets the engine act upon, what a person is asked about and
as which kind of question, what says the same; `effect` names it for one of them. A firm rule of the house that a
statement breaks is asked about on the word of the rules alone: nothing is retired by asking.

Pure. Left to others: whether a candidate is worth keeping (`write.decide`), what the changes are (`write.carry_out`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.conflict import ConflictKind
from stilltrue.model.fact import Modality, Retirement
from stilltrue.model.slot import Cardinality
from stilltrue.model.verdict import Relation
from stilltrue.rules.narrative import announced
from stilltrue.rules.policy import Party, Permission, Ruling, breaks, may_replace, rule_on
from stilltrue.rules.text import normalise
from stilltrue.write.carry_out import is_end
from stilltrue.write.case import Plan
from stilltrue.write.heeding import says_same

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.write.case import Case
    from stilltrue.write.judged import Judged


def plan_of(case: Case) -> Plan:
    plan = Plan(
        [],
        {},
        [
            item
            for item in case.judged
            if item.same(case.policy.reinforce_threshold) and item.fact.id not in {*case.forced, *case.unjudged}
        ],
        "nothing known says or denies it",
    )
    if plan.same:
        plan.rule = "restates what is known"
    for item in case.judged:
        if item.fact.id in case.forced and not _replaces(case, item):
            plan.asked.setdefault(ConflictKind.CONSTRAINT, []).append(item)
            plan.rule = "the caller may not replace this constraint" if not plan.applied else plan.rule
        elif item.fact.id in case.forced:
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
        elif _breaks(case, item):
            plan.asked.setdefault(ConflictKind.CONSTRAINT, []).append(item)
            plan.rule = "it does what a constraint forbids" if not plan.applied else plan.rule
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
        return "forced" if _replaces(case, item) else f"{Permission.ASK.value} {ConflictKind.CONSTRAINT.value}"
    if item.same(case.policy.reinforce_threshold):
        return "same"
    if item.conflicts and _matters(case, item):
        ruling = _ruling(case, item)
        kind = ruling.kind.value if ruling.permission is Permission.ASK else ""
        return f"{ruling.permission.value} {kind}".rstrip()
    if _breaks(case, item):
        return f"{Permission.ASK.value} {ConflictKind.CONSTRAINT.value}"
    return "gives way" if _gives_way(case, item) else Permission.IGNORE.value


def _replaces(case: Case, item: Judged) -> bool:
    stored = Party(item.fact.statement, item.fact.standing.trust)
    new = Party(case.statement, case.standing.trust)
    return may_replace(stored, new, case.source.author, vouched=case.vouched)


def _breaks(case: Case, item: Judged) -> bool:
    belief = item.fact.belief
    start = case.statement.valid.start or case.statement.said_at
    holds = belief is not None and start in belief.valid
    return holds and not item.late and breaks(item.judgement, item.fact.statement, case.statement)


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
