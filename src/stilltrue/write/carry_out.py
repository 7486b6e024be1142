"""Given what may be done about each neighbour: where does the statement stand in time, and what changes around it?

`rules.timelines` places it, `draft` spells out the changes; this module knows the cases: an end without a new value,
a restatement, news, a late fact, a correction, a question.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.change import ConflictChanged, TombstoneKind
from stilltrue.model.conflict import Answer, ConflictKind, ConflictStatus
from stilltrue.model.decision import Action
from stilltrue.model.fact import Belief, Fact, Retirement
from stilltrue.model.ids import FactId
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Relation
from stilltrue.rules.timelines import Placement, Reopen, end_at, place
from stilltrue.write.correcting import correct_all, corrects
from stilltrue.write.draft import Draft, inherit
from stilltrue.write.outdone import closing, outdoing, outdone_by, place_outdone, run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.model.conflict import Conflict
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import ConflictId
    from stilltrue.model.timeline import Instant
    from stilltrue.rules.timelines import Close, Run
    from stilltrue.write.case import Case, Plan
    from stilltrue.write.judged import Judged


def carry_out(
    case: Case, plan: Plan, new_id: Callable[[], str]
) -> tuple[Draft, Action, FactId | None, ConflictId | None]:
    """The changes that the plan amounts to, what to call them, the fact they are about and the conflict they open."""
    draft = Draft(case.stamp, new_id)
    ending = [item for item in plan.applied if not item.late]
    only_ends = ending and all(ends(item) for item in ending)
    if only_ends and (is_end(case.statement) or not plan.same):
        _retract(case, ending, draft)
        settle(case.pending, draft)
        return draft, Action.RETRACT, None, None
    placement = _place(case, plan)
    if _corrected_by(plan) is not None:
        placement = Placement(valid=case.statement.valid)
    if placement.same is not None:
        fact = _restate(case, plan, placement, draft)
    else:
        fact = _insert(case, plan, placement, draft)
    conflict_id = _ask(case, plan, placement, fact, draft)
    settle(case.pending, draft)
    if draft.retired:
        action = Action.SUPERSEDE
    elif conflict_id is not None:
        action = Action.ASK
    else:
        action = Action.REINFORCE if placement.same is not None else Action.ACCEPT
    return draft, action, fact.id, conflict_id


def ends(item: Judged) -> bool:
    verdict = item.verdict
    return verdict is not None and verdict.relation is Relation.RETRACTION and not verdict.corrects


def settle(pending: Sequence[Conflict], draft: Draft) -> None:
    """An open question of which at most one fact is left was answered by what was said since (B3)."""
    gone = draft.gone()
    for conflict in pending:
        left = [fact_id for fact_id in conflict.fact_ids if fact_id not in gone]
        if len(left) < len(conflict.fact_ids) and len(left) <= 1:
            after = replace(
                conflict,
                status=ConflictStatus.ANSWERED,
                closed_at=draft.stamp,
                answer=Answer.KEEP if left else Answer.REWRITE,
                kept=left[0] if left else None,
                reason="settled by what was said since",
            )
            draft.changes.append(ConflictChanged(conflict, after))


def is_end(statement: Statement) -> bool:
    """Whether it says that something ended and puts nothing in its place ("no longer has a dog")."""
    left = statement.value is None or statement.value.key in statement.leaves
    return statement.negated and bool(statement.leaves) and left


def _retract(case: Case, ending: Sequence[Judged], draft: Draft) -> None:
    """C4: the targets end, no new fact is stored; what was said earlier and arrives later stays ended too."""
    moment = case.statement.valid.start or case.statement.said_at
    by_id = {item.fact.id: item for item in ending}
    outdone = outdone_by(case, ending)
    closes, part = end_at(moment, [run_of(case, item) for item in ending if item not in outdone])
    for close in (*closes, *closing(case, outdone)):
        draft.close(by_id[close.run.fact_id], close.at, None, Retirement.RETRACTED, within=close.within)
        draft.bury(TombstoneKind.RETRACTED, by_id[close.run.fact_id].fact.statement, moment)
    if part is not None:
        draft.reopen(part, by_id[part.run.fact_id], part.run.fact_id)
    if case.stored is not None:
        draft.withdraw(case.stored)


def _corrected_by(plan: Plan) -> Judged | None:
    """The stored correction that denies the candidate, which arrives after it: such a fact never held."""
    return next((item for item in plan.applied if item.late and corrects(item)), None)


def _place(case: Case, plan: Plan) -> Placement:
    stated = case.statement.valid
    corrected = [item for item in plan.applied if corrects(item) and not item.late]
    starts = [item.run().start for item in corrected]
    if corrected and not case.statement.dated and stated.start is not None:
        ends_at = {item.run().valid.end for item in corrected}
        end = None if None in ends_at else max(end for end in ends_at if end is not None)
        stated = Interval(min([stated.start, *(start for start in starts if start is not None)]), end)
    outdone = outdone_by(case, [item for item in plan.applied if item not in corrected])
    replaced = [run_of(case, item) for item in plan.applied if item not in (*corrected, *outdone)]
    buried = _buried_at(case)
    same = [item.run() for item in plan.same]  # what began after the value had ended is another stay
    news = outdoing(case, plan.applied)
    if news is not None:
        return place_outdone(case, news, same)
    placed = place(stated, [run for run in same if buried is None or run.start is None or run.start < buried], replaced)
    placed = replace(placed, closes=(*placed.closes, *closing(case, outdone)))
    if buried is not None and placed.same is None and (placed.valid.end is None or buried < placed.valid.end):
        return replace(placed, valid=placed.valid.until(buried), next_run=None)
    return placed


def _buried_at(case: Case) -> Instant | None:
    """When a retraction that arrived earlier ended this value, if it was said before that."""
    value, start = case.statement.value, case.statement.valid.start
    moments = [
        mark.at
        for mark in case.tombstones
        if mark.kind is TombstoneKind.RETRACTED
        and value is not None
        and (mark.attribute, mark.value_key) == (case.statement.slot.attribute, value.key)
        and start is not None
        and start < mark.at
    ]
    return min(moments, default=None)


def _restate(case: Case, plan: Plan, placement: Placement, draft: Draft) -> Fact:
    """The mention lands in a fact that says the same."""
    by_id = {item.fact.id: item for item in (*plan.applied, *plan.same)}
    same = placement.same
    if same is None:
        message = "restating needs a run to land in"
        raise AssertionError(message)
    restated = by_id[same.fact_id]
    fact = restated.fact
    mention = replace(case.source, independent=restated.independent(case.source))
    draft.reinforce(fact, mention, placement.same_valid)
    _close_all(placement.closes, by_id, fact.id, draft)
    correct_all(case, plan, fact.id, draft)
    if case.stored is not None and case.stored.id != fact.id:
        draft.withdraw(case.stored)
    return fact


def _insert(case: Case, plan: Plan, placement: Placement, draft: Draft) -> Fact:
    """The statement becomes a fact over `placement.valid`; what it ends, corrects or splits changes with it."""
    by_id = {item.fact.id: item for item in plan.applied}
    fact_id = case.stored.id if case.stored is not None else FactId(draft.new_id())
    resumed = None
    if placement.reopen is not None and not is_end(by_id[placement.reopen.run.fact_id].fact.statement):
        resumed = draft.reopen(placement.reopen, by_id[placement.reopen.run.fact_id], fact_id)
    belief = _belief(case, placement, by_id, resumed, draft)
    _spend_ends(case, plan, draft)
    supersedes = [item for item in plan.applied if not item.late]
    heirs = [(item.fact, item.verdict) for item in supersedes if item.verdict is not None]
    fact = Fact(
        id=fact_id,
        space_id=case.space_id,
        statement=case.statement,
        belief=belief,
        standing=inherit(case.standing, heirs),
        recorded_at=case.stored.recorded_at if case.stored is not None else case.stamp,
        episode_id=case.source.episode_id,
        supersedes=tuple(item.fact.id for item in supersedes),
    )
    if case.stored is None:
        draft.add(fact, (replace(case.source, fact_id=fact_id),), case.vector)
    else:
        draft.believe(case.stored, case.stored.belief if case.again and belief.retirement is None else belief)
        draft.stand(case.stored, fact.standing)
    draft.rest_on(fact_id, case.depends_on)
    _close_all(placement.closes, by_id, fact_id, draft)
    _close_same_episode(case, placement, by_id, fact_id, draft)
    correct_all(case, plan, fact_id, draft)
    return fact


def _spend_ends(case: Case, plan: Plan, draft: Draft) -> None:
    """A mere end that waited for what it ends has done its work: a mark stays, and no fact of its own."""
    for item in plan.applied:
        start = item.run().start
        if item.late and ends(item) and is_end(item.fact.statement) and start is not None:
            draft.withdraw(item.fact)
            draft.bury(TombstoneKind.RETRACTED, case.statement, start)


def _belief(
    case: Case, placement: Placement, by_id: dict[FactId, Judged], resumed: FactId | None, draft: Draft
) -> Belief:
    """What is believed of the new fact: open, or already ended by what is later on the axis (late facts, C13)."""
    known = Interval(case.stamp, None)
    corrected_by = next((item for item in by_id.values() if corrects(item) and item.late), None)
    if corrected_by is not None:
        later = corrected_by.fact.id
        draft.begin_by(corrected_by.fact, case.statement.valid.start)
        return Belief(
            valid=case.statement.valid,
            known=known,
            retirement=Retirement.CORRECTED,
            superseded_by=later,
            contradicted_by=later,
        )
    following = placement.next_run
    if following is None:
        retracted = placement.valid.end is not None and placement.valid.end == _buried_at(case)
        return Belief(valid=placement.valid, known=known, retirement=Retirement.RETRACTED if retracted else None)
    if resumed is not None:
        return Belief(valid=placement.valid, known=known, retirement=Retirement.SUPERSEDED, superseded_by=resumed)
    ender = by_id[_fact_id(following)]
    if isinstance(following, Reopen):
        draft.bury(TombstoneKind.RETRACTED, case.statement, following.seen[0])
        return Belief(valid=placement.valid, known=known, retirement=Retirement.RETRACTED)
    if ends(ender):
        return Belief(valid=placement.valid, known=known, retirement=Retirement.RETRACTED)
    return Belief(valid=placement.valid, known=known, retirement=Retirement.SUPERSEDED, superseded_by=ender.fact.id)


def _fact_id(following: Run | Reopen) -> FactId:
    return following.run.fact_id if isinstance(following, Reopen) else following.fact_id


def _close_all(closes: Sequence[Close], by_id: dict[FactId, Judged], successor: FactId, draft: Draft) -> None:
    for close in closes:
        item = by_id[close.run.fact_id]
        word = Retirement.SUPERSEDED
        if ends(item):
            word = Retirement.RETRACTED
        elif item.verdict is not None and item.verdict.narrows:
            word = Retirement.NARROWED
        draft.close(item, close.at, close.by or successor, word, within=close.within)


def _close_same_episode(
    case: Case, placement: Placement, by_id: dict[FactId, Judged], fact_id: FactId, draft: Draft
) -> None:
    """Within one text the later sentence stands: its place in the text is the order that dates cannot give."""
    for run in placement.clashes:
        item = by_id[run.fact_id]
        if run.start is not None and _said_before(case, item):
            draft.close(item, run.start, fact_id, Retirement.SUPERSEDED)


def _said_before(case: Case, item: Judged) -> bool:
    if item.fact.id in case.forced:
        return True
    return any(
        source.episode_id == case.source.episode_id and source.span.start < case.source.span.start
        for source in item.neighbour.sources
    )


def _ask(case: Case, plan: Plan, placement: Placement, fact: Fact, draft: Draft) -> ConflictId | None:
    asked = {kind: list(items) for kind, items in plan.asked.items()}
    by_id = {item.fact.id: item for item in plan.applied}
    tied = [by_id[run.fact_id] for run in placement.clashes if not _said_before(case, by_id[run.fact_id])]
    if tied:
        asked.setdefault(ConflictKind.CONTRADICTION, []).extend(tied)
    opened: ConflictId | None = None
    for kind, items in asked.items():
        others = [item for item in items if item.fact.id != fact.id]
        ids = tuple(sorted({fact.id, *(item.fact.id for item in others)}))
        if others and ids not in case.flagged:
            opened = draft.ask(fact, others, kind)
    return opened
