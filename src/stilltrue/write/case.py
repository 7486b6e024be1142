"""What does a decision rest on, and what has policy made of it? Two values that pass from judging to writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from stilltrue.model.decision import Cost

if TYPE_CHECKING:
    from stilltrue.model.change import Tombstone
    from stilltrue.model.conflict import Conflict, ConflictKind, Settled
    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Fact, Standing, Statement
    from stilltrue.model.ids import BatchId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.rules.policy import Policy
    from stilltrue.write.judged import Judged


AGAIN: Final = "decided again: "
"""Opens the rule of a second decision on a fact that was decided on before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that a decision rests on.

    `forced`: facts the caller said this one replaces, `vouched` whether a door says that it may
    (`rules.policy.may_replace`). `stored`: the fact itself, where it was kept before judging.
    `flagged`: fact sets of conflicts that exist, whatever their status; `pending`: the open ones.
    `resolves`: it only says that a trouble is over. `denied`: these very words were corrected before.
    `depends_on`: facts it rests on. `stamp`: the present, until apply stamps. `again`: `stored` was decided on before
    and is decided on again, because a judge that was not heard then has spoken since. `unjudged`: facts that say the
    same and are still to be judged: none takes the statement up before it is known until when it holds itself.
    `unseen`: facts of the slot that were told later and await their turn: once it came, the case is another.
    """

    space_id: SpaceId
    batch_id: BatchId
    statement: Statement
    source: Source
    standing: Standing
    judged: tuple[Judged, ...]
    policy: Policy
    revision: int
    stamp: Instant
    vector: bytes | None = None
    stored: Fact | None = None
    forced: tuple[FactId, ...] = ()
    vouched: bool | None = None
    tombstones: tuple[Tombstone, ...] = ()
    flagged: frozenset[tuple[FactId, ...]] = frozenset()
    pending: tuple[Conflict, ...] = ()
    resolves: bool = False
    denied: bool = False
    depends_on: tuple[FactId, ...] = ()
    again: bool = False
    answers: tuple[Settled, ...] = ()
    unjudged: frozenset[FactId] = frozenset()
    unseen: tuple[FactId, ...] = ()
    cost: Cost = field(default_factory=Cost)


@dataclass(slots=True)
class Plan:
    """The judged facts by what may be done about them."""

    applied: list[Judged]
    asked: dict[ConflictKind, list[Judged]]
    same: list[Judged]
    rule: str
