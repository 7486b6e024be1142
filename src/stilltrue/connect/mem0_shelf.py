"""Which memories does a Mem0 program see in one space, and under which id? Facts, their chains and their metadata.

Mem0 keeps an id while the text under it changes. Facts never change, so an id stands for a chain: it is that of the
chain's first fact, and the memory is the last. A fact that takes the place of several goes on with the first of them;
the others are deleted in Mem0's words. Metadata are sheets (`connect.attached`) under the memory's id.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect import attached
from stilltrue.connect.mem0_filters import IDS
from stilltrue.model.ids import FactId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact
    from stilltrue.ports import Reader

FAMILY: Final = "mem0"

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memories a space holds."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """Those ids that there are."""
        return {name: value for name in IDS if (value := getattr(self, name)) is not None}

    @property
    def space(self) -> str:
        """The name of the space; other owners have another. Raises InvalidInputError where it is too long."""
        return attached.space_name(FAMILY, [f"{name}={value}" for name, value in self.given.items()])

    @classmethod
    def of_space(cls, space: str) -> Owner | None:
        """The owner of a space; None for a space of another kind."""
        words = attached.space_words(FAMILY, space)
        return None if words is None else cls(**dict(word.split("=", 1) for word in words))


class Shelf:
    """The memories of one space, read from one snapshot."""

    def __init__(self, reader: Reader, memory: Memory, owner: Owner) -> None:
        """Nothing is read yet but the metadata."""
        self._reader = reader
        self._memory = memory
        self._owner = owner
        self._now = memory.engine.clock.now()
        self._sheets = {sheet.name: sheet.body for sheet in attached.sheets(reader, memory, FAMILY)}

    def fact(self, fact_id: str | None) -> Fact | None:
        """A fact, if the space has it."""
        found = self._reader.facts(self._memory.space, [FactId(fact_id)]) if fact_id else []
        return found[0] if found else None

    def chain(self, memory_id: str) -> list[Fact]:
        """The facts that were the memory, one after another; none for an id that never was one."""
        fact = self.fact(memory_id)
        if fact is None or self.first(fact).id != memory_id:
            return []
        chain = [fact]
        while (after := self._after(chain[-1])) is not None and after not in chain and self._before(after) == chain[-1]:
            chain.append(after)
        return chain

    def first(self, fact: Fact) -> Fact:
        """The first fact of its chain: its id is the memory's."""
        seen = {fact.id}
        while (before := self._before(fact)) is not None and before.id not in seen:
            seen.add(before.id)
            fact = before
        return fact

    def _after(self, fact: Fact) -> Fact | None:
        return self.fact(fact.belief.superseded_by) if fact.belief is not None else None

    def _before(self, fact: Fact) -> Fact | None:
        for fact_id in fact.supersedes:
            before = self.fact(fact_id)
            if before is not None and before.belief is not None and before.belief.superseded_by == fact.id:
                return before
        return None

    def holds(self, fact: Fact) -> bool:
        """Whether a Mem0 program is shown it."""
        return bool(fact.statement.text.strip()) and attached.holds(fact, self._now)

    def all(self) -> Iterator[Fact]:
        """Every fact that holds, in the order in which they were stored."""
        after = 0
        while page := self._reader.stored_order(self._memory.space, after, _PAGE):
            after = page[-1][0]
            facts = self._reader.facts(self._memory.space, [fact_id for _, fact_id in page])
            yield from (fact for fact in facts if self.holds(fact))

    def about(self, memory_id: str) -> Mapping[str, Any]:
        """What was handed over with a memory: its metadata, role and actor_id."""
        return self._sheets.get(memory_id, {})

    def item(self, fact: Fact, score: float | None = None) -> dict[str, Any]:
        """A fact as Mem0 shows a memory."""
        first = self.first(fact)
        about = self.about(first.id)
        item: dict[str, Any] = {
            "id": first.id,
            "memory": fact.statement.text,
            "hash": text_hash(fact.statement.text),
            "metadata": about.get("metadata") or None,
            "created_at": first.recorded_at.isoformat(),
            "updated_at": fact.recorded_at.isoformat(),
        }
        if score is not None:
            item["score"] = score
        item |= self._owner.given
        return item | {name: about[name] for name in ("actor_id", "role") if about.get(name)}


def record_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """A memory as filters see it: metadata beside the rest, which they cannot overrule."""
    return {**(item.get("metadata") or {}), **item}


def text_hash(text: str) -> str:
    """What Mem0 tells apart texts by; it secures nothing."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
