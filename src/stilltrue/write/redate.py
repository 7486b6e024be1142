"""A person says since when, or until when, a fact really holds: what becomes of it and of what it had followed?

The words stay, the interval is believed anew; what was believed before is still there for who asks of then. A fact that
ended where this one began ends where it begins now. Left to others: how a person says it (`connect.notes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError, StateError
from stilltrue.model.change import ChangeSet
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.ids import BatchId, DecisionId, FactId, SpaceId, short
from stilltrue.model.timeline import Interval
from stilltrue.write.apply import apply
from stilltrue.write.draft import Draft

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact
    from stilltrue.ports import Reader


def redate(
    engine: Engine, space: SpaceId, fact_id: FactId, valid: Interval, batch_id: BatchId, *, reason: str
) -> Decision:
    """Believe that a fact holds during `valid`.

    Raises NotFoundError; StateError for one that is over; InvalidInputError for an interval that is empty, or begins
    before what the fact followed.
    """
    now = engine.clock.now()
    draft = Draft(now, lambda: engine.new_id(now))
    with engine.store.read() as reader:
        fact = reader.fact(space, fact_id)
        before = _before(reader, space, fact)
        revision = reader.revision(space)
    if fact.belief is None or fact.belief.retirement is not None:
        raise StateError(f"fact {short(fact.id)} is {fact.status(now).value} already; its dates stay")
    if valid.empty:
        raise InvalidInputError("it would end where it begins; give another date")
    draft.redate(fact, valid)
    for one in before:
        draft.redate(one, _up_to(one, valid))
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.MAINTAIN,
        text=fact.statement.text,
        decided_at=now,
        fact_id=fact.id,
        targets=(fact.id, *(one.id for one in before)),
        receipt=Receipt(rule="a person gave the dates", reason=reason),
    )
    watched = (fact.id, *(one.id for one in before))
    changes = tuple(draft.changes)
    change_set = ChangeSet(space_id=space, decision=decision, changes=changes, revision=revision, watched=watched)
    return apply(engine.store, change_set)


def _before(reader: Reader, space: SpaceId, fact: Fact) -> list[Fact]:
    """Those whose place it took on the day on which it began."""
    start = fact.belief.valid.start if fact.belief is not None else None
    return [
        one
        for one in reader.facts(space, fact.supersedes)
        if one.belief is not None and one.belief.superseded_by == fact.id and start == one.belief.valid.end is not None
    ]


def _up_to(fact: Fact, following: Interval) -> Interval:
    """When a fact holds that ends where the following one begins."""
    own = fact.belief.valid.start if fact.belief is not None else None
    if following.start is None or (own is not None and own >= following.start):
        raise InvalidInputError(
            f"before it, “{fact.statement.text}” held, which would have begun later; change that one's dates first"
        )
    return Interval(own, following.start)
