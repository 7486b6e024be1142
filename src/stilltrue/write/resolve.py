"""A person answered a conflict: what changes? The answer is a decision like any other, with history and undo (B12).

KEEP ends the others in favour of one; NEVER_TRUE removes one from valid time; BOTH lets all stand, and a condition
given with it narrows the kept fact; REWRITE puts a new text in the place of all; DISMISS only closes the question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError, StateError
from stilltrue.model.change import (
    PERSON,
    ChangeSet,
    ConflictChanged,
    JudgedPair,
    Link,
    LinkChanged,
    LinkKind,
    TombstoneKind,
)
from stilltrue.model.conflict import Answer, Conflict, ConflictKind, ConflictStatus
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Belief, Fact, Retirement
from stilltrue.model.ids import BatchId, ConflictId, DecisionId, FactId, SpaceId, short
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules.text import normalise
from stilltrue.write.apply import apply
from stilltrue.write.carry_out import settle
from stilltrue.write.draft import Draft
from stilltrue.write.judged import Judged, Neighbour
from stilltrue.write.remember import embedded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.timeline import Instant


_ANSWERED = Undecided("answered by a person")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the person said: the answer, the fact it names, the condition that separates, and why."""

    answer: Answer
    keep: str | None = None
    condition: str | None = None
    successor: FactId | None = None
    reason: str = ""
    author: str | None = None


def resolve(engine: Engine, space: SpaceId, fragment: str, reply: Reply, batch_id: BatchId) -> Decision:
    """Close an open conflict by the answer. Raises NotFoundError, StateError, InvalidInputError."""
    now = engine.clock.now()
    with engine.store.read() as reader:
        conflict = reader.conflict(space, ConflictId(reader.find_id(space, "conflicts", fragment)))
        facts = reader.facts(space, conflict.fact_ids)
        named = _named(reply, [*conflict.fact_ids])
        successor = reader.fact(space, reply.successor) if reply.successor is not None else None
        items = [
            Judged(Neighbour(fact=fact, nominated_by="conflict", sources=reader.sources(space, fact.id)), _ANSWERED)
            for fact in facts
        ]
        beside = [one for one in reader.conflicts_with(space, conflict.fact_ids) if one.id != conflict.id]
        revision = reader.revision(space)
    if conflict.status is not ConflictStatus.OPEN:
        message = f"conflict {short(conflict.id)} is {conflict.status.value} already; undo that decision to answer anew"
        raise StateError(message)
    draft = Draft(now, lambda: engine.new_id(now))
    pairs = _carry_out(draft, conflict, reply, items, named, successor)
    settle([one for one in beside if one.status is ConflictStatus.OPEN], draft)
    draft.changes.append(ConflictChanged(conflict, _closed(conflict, reply, named, now)))
    change_set = ChangeSet(
        space_id=space,
        decision=_decision(DecisionId(engine.new_id(now)), conflict, reply, named, draft, batch_id),
        changes=tuple(draft.changes),
        judged=tuple(pairs),
        revision=revision,
        watched=conflict.fact_ids,
    )
    return apply(engine.store, embedded(engine, change_set))


def _decision(
    decision_id: DecisionId, conflict: Conflict, reply: Reply, named: FactId | None, draft: Draft, batch_id: BatchId
) -> Decision:
    return Decision(
        id=decision_id,
        space_id=conflict.space_id,
        batch_id=batch_id,
        action=Action.RESOLVE,
        text=conflict.question,
        decided_at=draft.stamp,
        fact_id=named or reply.successor,
        targets=tuple(dict.fromkeys(draft.retired)),
        conflict_id=conflict.id,
        author=reply.author,
        receipt=Receipt(rule=f"a person answered: {reply.answer.value}", reason=reply.reason or reply.answer.value),
    )


def _named(reply: Reply, fact_ids: Sequence[FactId]) -> FactId | None:
    """The fact of the conflict that the reply names by a whole id or its ending."""
    wants = reply.answer in (Answer.KEEP, Answer.NEVER_TRUE) or reply.condition is not None
    if reply.keep is None:
        if wants:
            message = f"answer {reply.answer.value!r} must name a fact of the conflict; give its id with keep"
            raise InvalidInputError(message)
        return None
    found = [fact_id for fact_id in fact_ids if fact_id == reply.keep or fact_id.endswith(reply.keep)]
    if len(found) != 1:
        shown = ", ".join(short(fact_id) for fact_id in fact_ids)
        message = f"{reply.keep!r} is no fact of this conflict; it is about {shown}"
        raise InvalidInputError(message)
    return found[0]


def _carry_out(
    draft: Draft,
    conflict: Conflict,
    reply: Reply,
    items: Sequence[Judged],
    named: FactId | None,
    successor: Fact | None,
) -> list[JudgedPair]:
    believed = [item for item in items if item.fact.belief is not None]
    chosen = next((item for item in items if item.fact.id == named), None)
    match reply.answer:
        case Answer.KEEP if chosen is not None and conflict.kind is ConflictKind.STALE and _is_claim(chosen, items):
            draft.stand(chosen.fact, replace(chosen.fact.standing, last_seen_at=draft.stamp))
            return _all_pairs(believed, Relation.OVERLAP)
        case Answer.KEEP if chosen is not None:
            return _keep(draft, chosen, believed)
        case Answer.REWRITE if successor is not None:
            _end_all(draft, successor, [item for item in believed if _holds(item, draft.stamp)])
            return [_judged(item.fact.id, successor.id, Relation.UPDATE) for item in believed]
        case Answer.NEVER_TRUE if chosen is not None:
            return _never(draft, chosen, believed)
        case Answer.BOTH:
            if reply.condition is not None and chosen is not None:
                _narrow(draft, chosen, reply.condition)
            return _all_pairs(believed, Relation.OVERLAP)
        case Answer.DISMISS:
            return _all_pairs(believed, None)
        case _:
            message = f"answer {reply.answer.value!r} came through without the fact it names"
            raise AssertionError(message)


def _never(draft: Draft, wrong: Judged, believed: Sequence[Judged]) -> list[JudgedPair]:
    draft.correct(wrong, None)
    draft.bury(TombstoneKind.NEVER_TRUE, wrong.fact.statement, draft.stamp)
    _resume_what_it_ended(draft, wrong, believed)
    others = [item for item in believed if item.fact.id != wrong.fact.id]
    return [_judged(wrong.fact.id, item.fact.id, Relation.CONTRADICTION) for item in others]


def _keep(draft: Draft, chosen: Judged, believed: Sequence[Judged]) -> list[JudgedPair]:
    """The chosen fact holds from now on. What had ended it (a reversal's last word) ends in its favour."""
    losers = [item for item in believed if item.fact.id != chosen.fact.id]
    ender = next((item for item in losers if _ended_by(chosen, item)), None)
    if ender is not None and ender.fact.belief is not None:
        draft.resume(chosen.fact, ender.fact.belief)
        draft.changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, ender.fact.id, chosen.fact.id), present=False))
    _end_all(draft, chosen.fact, [item for item in losers if _holds(item, draft.stamp)])
    return [_judged(item.fact.id, chosen.fact.id, Relation.UPDATE) for item in losers]


def _end_all(draft: Draft, winner: Fact, losers: Sequence[Judged]) -> None:
    for item in losers:
        draft.close(item, _end(item, winner), winner.id, Retirement.SUPERSEDED)


def _ended_by(item: Judged, other: Judged) -> bool:
    belief = item.fact.belief
    return belief is not None and belief.superseded_by == other.fact.id


def _resume_what_it_ended(draft: Draft, wrong: Judged, believed: Sequence[Judged]) -> None:
    """What a fact that never was had ended goes on to where that one went."""
    ended = [item for item in believed if _ended_by(item, wrong)]
    if wrong.fact.belief is None or not ended:
        return
    last = max(ended, key=lambda item: (item.run().valid.end or draft.stamp, item.fact.id))
    draft.resume(last.fact, wrong.fact.belief)


def _holds(item: Judged, now: Instant) -> bool:
    """Whether it is current or still to come: what is over already is not ended again."""
    belief = item.fact.belief
    if belief is None or belief.retirement is Retirement.CORRECTED:
        return False
    return belief.valid.end is None or now < belief.valid.end


def _is_claim(chosen: Judged, items: Sequence[Judged]) -> bool:
    """Whether it is the older claim of a stale pair, not the news beside it: that it still holds denies no news."""
    said = chosen.fact.statement.said_at
    return all(said <= item.fact.statement.said_at for item in items)


def _all_pairs(items: Sequence[Judged], relation: Relation | None) -> list[JudgedPair]:
    return [_judged(one.fact.id, other.fact.id, relation) for one, other in combinations(items, 2)]


def _end(item: Judged, winner: Fact) -> Instant:
    """Where a fact that lost ends: where the winner began, if that was later; else when the person answered."""
    start = item.run().start
    began = winner.belief.valid.start if winner.belief is not None else None
    return began if began is not None and (start is None or began > start) else winner.standing.last_seen_at


def _narrow(draft: Draft, item: Judged, condition: str) -> None:
    """The general statement gives way to the same with the condition as a qualifier (F3: narrowed)."""
    old = item.fact
    start = old.belief.valid.start if old.belief is not None else None
    qualifiers = tuple(sorted({*old.statement.slot.qualifiers, ("condition", normalise(condition))}))
    slot = replace(old.statement.slot, qualifiers=qualifiers)
    statement = replace(old.statement, text=f"{old.statement.text.rstrip('. ')} ({condition.strip()})", slot=slot)
    fact_id = FactId(draft.new_id())
    valid = Interval(start, old.belief.valid.end if old.belief is not None else None)
    narrowed = replace(
        old,
        id=fact_id,
        statement=statement,
        belief=Belief(valid=valid, known=Interval(draft.stamp, None)),
        supersedes=(old.id,),
    )
    draft.add(narrowed, tuple(replace(source, fact_id=fact_id) for source in item.neighbour.sources), None)
    draft.close(item, start or draft.stamp, fact_id, Retirement.NARROWED)


def _judged(existing: FactId, new: FactId, relation: Relation | None) -> JudgedPair:
    """What the answer says of a pair; None: nothing is to be done about it."""
    evidence = Evidence(EvidenceSource.PERSON, "answer", relation, 1.0, "a person answered")
    if relation is None:
        return JudgedPair(existing, new, Undecided("a person dismissed the question", (evidence,), 0.0), PERSON)
    verdict = Verdict(relation, 1.0, 1.0 if relation.is_conflict else 0.0, (evidence,), "answer")
    return JudgedPair(existing, new, verdict, PERSON)


def _closed(conflict: Conflict, reply: Reply, named: FactId | None, now: Instant) -> Conflict:
    status = ConflictStatus.DISMISSED if reply.answer is Answer.DISMISS else ConflictStatus.ANSWERED
    reason = reply.reason if reply.condition is None else f"{reply.reason} [condition: {reply.condition}]".strip()
    return replace(conflict, status=status, closed_at=now, answer=reply.answer, kept=named, reason=reason)
