"""Which verbs look after a memory? `Memory` has them all; those of upkeep are written down here, each one call.

A verb's module is imported by its first call: most programs use few of them, and a hook none.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from stilltrue.engine import Engine
    from stilltrue.model.change import HistoryRow
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import BatchId, SpaceId
    from stilltrue.model.story import StoryRun
    from stilltrue.model.timeline import Instant
    from stilltrue.read.checked import Checked
    from stilltrue.read.results import Recheck
    from stilltrue.upkeep.detective import Detected
    from stilltrue.upkeep.proposals import Review
    from stilltrue.upkeep.retention import Maintenance


class Upkeep:
    """The part of `Memory` that looks after what is kept."""

    engine: Engine
    space: SpaceId
    member: str | None

    def drain(self, progress: Callable[[int], object] | None = None, *, asks: bool = True) -> list[Decision]:
        """Do the work that writes left for later; what was decided. `progress` is told how many jobs are done.

        That is judging after `wait=False` or a crash, and asking an LLM about what local judges could not tell: many
        facts in few requests. What is to be asked waits while no LLM is configured, or with `asks` False; where none
        answers, a minute and then longer, where the budget is spent until the next day (UTC). Raises the first failure.
        """
        from stilltrue.upkeep.worker import drain

        self._admit()
        return drain(self.engine, self.space, progress, asks=asks)

    def read_story(self, *, whole: bool = True, seed: str = "") -> StoryRun:
        """Have the LLM read the story now and open questions where it is confused; without an LLM the run says so.

        With `whole` False most of it is forgotten, by `seed`, as after a write.
        """
        from stilltrue.upkeep.story import read_story

        self._admit()
        return read_story(self.engine, self.space, whole=whole, seed=seed).run

    def detect(self, *, plan: bool = False) -> Detected:
        """Read the whole space for what leaves open what is true (B10), without an LLM, and ask about it.

        With `plan` nothing is written. One `undo` of the batch takes back all questions of a run.
        """
        from stilltrue.upkeep.detective import detect

        self._admit()
        return detect(self.engine, self.space, self._batch_id(), plan=plan)

    def proposals(self) -> list[HistoryRow]:
        """Changes that shadow mode wrote down instead of making them (E9)."""
        from stilltrue.upkeep.proposals import proposed

        self._admit()
        return proposed(self.engine, self.space)

    def review(self) -> Review:
        """Grade proposals, see what share of them is right, carry them out (E15)."""
        from stilltrue.upkeep.proposals import Review

        self._admit()
        return Review(self.engine, self.space, self._batch_id(), self.member)

    def maintain(self, progress: Callable[[int], object] | None = None, *, plan: bool = False) -> Maintenance:
        """Archive what has faded or is over, and bring back what was asked for again (A8): one pass, one batch.

        Nothing that is true changes. With `plan` only tell what would move; `progress` is told how many facts were
        looked at. A pass that was cut short is finished.
        """
        from stilltrue.upkeep.retention import maintain

        self._admit()
        return maintain(self.engine, self.space, self._batch_id(), plan=plan, progress=progress)

    def changes(self, since: datetime | str) -> list[Decision]:
        """What was decided from then on, oldest first; a bare date means its beginning. Raises InvalidInputError."""
        self._admit()
        start = self._moment(since, "since")
        with self.engine.store.read() as reader:
            return reader.decisions(self.space, since=start)

    def rechecks(self) -> tuple[Recheck, ...]:
        """Facts that rest on what holds no longer and need a look (F9), oldest first, each with its bases."""
        from stilltrue.read.rechecks import rechecks

        self._admit()
        return rechecks(self.engine, self.space)

    def confirm(self, fact_id: str, *, reason: str = "", author: str | None = None) -> Decision:
        """A fact that needs a look is still true: lift its mark (F9). Raises NotFoundError, StateError without one."""
        from stilltrue.upkeep.rechecks import confirm

        self._admit()
        who = author or self.member
        return confirm(self.engine, self.space, fact_id, self._batch_id(), reason=reason, author=who)

    def check(self, text: str) -> Checked:
        """What a question, plan or draft takes for granted that memory says is stale, with citations (F10).

        What memory does not know is not flagged. Nothing is written. Raises InvalidInputError for no text, StoreError.
        """
        from stilltrue.read.check import check
        from stilltrue.write.ask_model import judged_pairs

        self._admit()
        return check(self.engine, self.space, text, partial(judged_pairs, self.engine.pair_model), self.member)

    def _admit(self) -> None:
        raise NotImplementedError

    def _batch_id(self) -> BatchId:
        raise NotImplementedError

    def _moment(self, given: datetime | str | None, name: str) -> Instant | None:
        raise NotImplementedError
