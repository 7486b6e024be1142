"""Somebody looked at a fact that rested on another: it stays as it is, and its mark is lifted (SPEC F9).

The fact itself is not touched; a person who finds it wrong says so with the verbs that are there for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import StateError
from stilltrue.model.change import ChangeSet, LinkChanged
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.ids import DecisionId, FactId, short
from stilltrue.write.apply import apply

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import BatchId, SpaceId


def confirm(
    engine: Engine, space: SpaceId, fragment: str, batch_id: BatchId, *, reason: str = "", author: str | None = None
) -> Decision:
    """Lift the marks of a fact. Can be undone. Raises NotFoundError for an unknown id, StateError without a mark."""
    with engine.store.read() as reader:
        fact = reader.fact(space, FactId(reader.find_id(space, "facts", fragment)))
        revision = reader.revision(space)
        now = engine.clock.now()
        marks = [link for link in reader.marks(space, now) if link.from_id == fact.id]
    if not marks:
        message = f"fact {short(fact.id)} is not marked for a look; `stilltrue rechecks` lists those that are"
        raise StateError(message)
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.RESOLVE,
        text=fact.statement.text,
        decided_at=now,
        targets=(fact.id,),
        author=author,
        receipt=Receipt(rule="a person looked", reason=reason or "still true although what it rested on is not"),
    )
    changes = tuple(LinkChanged(link, present=False) for link in marks)
    return apply(
        engine.store,
        ChangeSet(space_id=space, decision=decision, changes=changes, revision=revision, watched=(fact.id,)),
    )
