"""A statement says that another was never true: what becomes of that one, of what it had ended, and of later mentions?

The wrong fact leaves valid time altogether (F3, BAR 20); what was said after the correction is news and stays; what
the wrong fact had ended goes on, unless the correction puts something in its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.change import TombstoneKind
from stilltrue.model.fact import Belief, Fact, Retirement
from stilltrue.model.timeline import Interval
from stilltrue.rules.timelines import resumption

if TYPE_CHECKING:
    from stilltrue.model.ids import FactId
    from stilltrue.write.case import Case, Plan
    from stilltrue.write.draft import Draft
    from stilltrue.write.judged import Judged


def corrects(item: Judged) -> bool:
    return item.verdict is not None and item.verdict.corrects


def correct_all(case: Case, plan: Plan, fact_id: FactId, draft: Draft) -> None:
    """What is corrected never was, as far as it had been said by then; a mention after the correction is news."""
    said = case.statement.said_at
    for item in plan.applied:
        if item.late or not corrects(item):
            continue
        ender = item.fact.belief
        part = resumption(said, [item.run()])
        if part is not None and ender is not None:
            resumed = draft.reopen(part, item, fact_id)
            until = Interval(ender.valid.start, part.valid.start)
            ender = replace(ender, valid=until, retirement=Retirement.SUPERSEDED, superseded_by=resumed)
        draft.correct(item, fact_id)
        draft.bury(TombstoneKind.NEVER_TRUE, item.fact.statement, said)
        _restore_before(case, item, ender, draft)


def _restore_before(case: Case, item: Judged, wrong: Belief | None, draft: Draft) -> None:
    """What a corrected fact had ended goes on, if the correction puts nothing in its place."""
    if wrong is None or (case.statement.value is not None and not case.statement.negated):
        return
    following = next((other for other in case.judged if other.fact.id == wrong.superseded_by), None)
    for other in case.judged:
        belief = other.fact.belief
        if belief is None or belief.superseded_by != item.fact.id or other.fact.id in draft.retired:
            continue
        if following is not None and _says_the_same(other.fact, following.fact):
            draft.merge(other, following)
        else:
            draft.resume(other.fact, wrong)


def _says_the_same(one: Fact, other: Fact) -> bool:
    first, second = one.statement, other.statement
    values = (first.value, second.value)
    same_value = values[0] is not None and values[1] is not None and values[0].key == values[1].key
    return same_value and first.slot == second.slot and first.negated == second.negated
