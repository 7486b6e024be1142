"""Which verbs ask a memory? `Memory` has them all; those that only read are written down here, each one call.

A verb's module is imported by its first call, so that asking one question loads what that question needs. What was
served is noted for counting, which is `upkeep.recalls`' business.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import instant

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.read.results import (
        Answered,
        Explanation,
        FactHistory,
        Found,
        Result,
        Stats,
        Timeline,
    )
    from stilltrue.settings import Settings


class Reading:
    """The part of `Memory` that asks what is kept."""

    engine: Engine
    space: SpaceId
    member: str | None

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        include_superseded: bool = False,
        author: str | None = None,
    ) -> Found:
        """Facts that answer the query, best first; by default those that are true now, whoever said them.

        `author`: only theirs, ranked among themselves; the name as results tell it. Raises InvalidInputError.
        """
        from stilltrue.read.search import search

        self._admit()
        valid, known = self._as_of(as_of, "as_of"), self._as_of(known_at, "known_at")
        found = search(
            self.engine,
            self.space,
            query,
            limit=limit,
            as_of=valid,
            known_at=known,
            include_superseded=include_superseded,
            author=author,
        )
        self.engine.tally.note(self.space, (result.id for result in found.results), self.engine.clock.now())
        return found

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        author: str | None = None,
    ) -> Answered:
        """An answer in words with citations, or a refusal where memory holds none (D12).

        `author`: only from what they said. Raises InvalidInputError.
        """
        from stilltrue.read.ask import ask

        self._admit()
        valid, known = self._as_of(as_of, "as_of"), self._as_of(known_at, "known_at")
        answer = ask(self.engine, self.space, question, as_of=valid, known_at=known, author=author, asker=self.member)
        # What was looked at besides was of no use.
        cited = (citation.fact_id for citation in answer.citations)
        self.engine.tally.note(self.space, cited, self.engine.clock.now())
        return answer

    def lookup(
        self,
        subject: str,
        key: str | None = None,
        *,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        include_superseded: bool = False,
        author: str | None = None,
    ) -> tuple[Result, ...]:
        """Facts of a subject (and attribute), without any likeness; of one `author` where named.

        Raises InvalidInputError.
        """
        from stilltrue.read.lookup import lookup

        self._admit()
        valid, known = self._as_of(as_of, "as_of"), self._as_of(known_at, "known_at")
        return lookup(
            self.engine,
            self.space,
            subject,
            key,
            as_of=valid,
            known_at=known,
            include_superseded=include_superseded,
            author=author,
        )

    def history(
        self, fact_id: str | None = None, *, subject: str | None = None, attribute: str | None = None
    ) -> FactHistory | Timeline:
        """All about one fact, or the timeline of a slot. Raises NotFoundError, InvalidInputError."""
        from stilltrue.read.history import history_of_fact, history_of_slot

        self._admit()
        if (fact_id is None) == (subject is None):
            raise InvalidInputError("give either a fact's id or a subject")
        if fact_id is not None:
            return history_of_fact(self.engine, self.space, fact_id)
        return history_of_slot(self.engine, self.space, subject or "", attribute)

    def explain(self, identifier: str) -> Explanation:
        """Why a fact is what it is, or why a decision fell. Raises NotFoundError."""
        from stilltrue.read.explain import explain

        self._admit()
        return explain(self.engine, self.space, identifier)

    def stats(self) -> Stats:
        """Counts, judges, costs and settings of the space."""
        from stilltrue.read.stats import stats

        self._admit()
        return stats(self.engine, self.space)

    def _moment(self, given: datetime | str | None, name: str) -> Instant | None:
        return self._as_of(given, name, end_of_day=False)

    def _as_of(self, given: datetime | str | None, name: str, *, end_of_day: bool = True) -> Instant | None:
        if given is None or isinstance(given, datetime):
            return None if given is None else instant(given)
        from stilltrue.rules.as_of import named_moment

        return named_moment(given, name, self.engine.clock.now(), self.settings.timezone, end_of_day=end_of_day)

    @property
    def settings(self) -> Settings:
        """The settings in force in this space. Raises AccessError."""
        self._admit()
        return self.engine.settings_of(self.space)

    def _admit(self) -> None:
        raise NotImplementedError
