"""Which verbs look after a memory? `Memory` has them all; those of upkeep are written down here, each one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.read.rechecks import rechecks
from stilltrue.upkeep.rechecks import confirm
from stilltrue.upkeep.retention import maintain

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import BatchId, SpaceId
    from stilltrue.read.results import Recheck
    from stilltrue.upkeep.retention import Maintenance


class Upkeep:
    """The part of `Memory` that looks after what is kept."""

    engine: Engine
    space: SpaceId
    member: str | None

    def maintain(self, progress: Callable[[int], object] | None = None, *, plan: bool = False) -> Maintenance:
        """Archive what has faded or is over, and bring back what was asked for again (A8): one pass, one batch.

        Nothing that is true changes. With `plan` only tell what would move; `progress` is told how many facts were
        looked at. A pass that was cut short is finished.
        """
        self._admit()
        return maintain(self.engine, self.space, self._batch_id(), plan=plan, progress=progress)

    def rechecks(self) -> tuple[Recheck, ...]:
        """Facts that rest on what holds no longer and need a look (F9), oldest first, each with its bases."""
        self._admit()
        return rechecks(self.engine, self.space)

    def confirm(self, fact_id: str, *, reason: str = "", author: str | None = None) -> Decision:
        """A fact that needs a look is still true: lift its mark (F9). Raises NotFoundError, StateError without one."""
        self._admit()
        who = author or self.member
        return confirm(self.engine, self.space, fact_id, self._batch_id(), reason=reason, author=who)

    def _admit(self) -> None:
        raise NotImplementedError

    def _batch_id(self) -> BatchId:
        raise NotImplementedError
