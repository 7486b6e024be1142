"""What lies in one LangGraph namespace, and how does each item stand now? Sheets, words and facts put together.

Only reading: what `put` and `delete` write is `langgraph_store`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect import attached
from stilltrue.connect.langgraph_values import Parts, put_together

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from stilltrue.memory import Memory
    from stilltrue.model.episode import Episode
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import EpisodeId, FactId
    from stilltrue.ports import Reader

FAMILY: Final = "langgraph"

CURRENT: Final = "current"
OVER: Final = "over"
REFUSED: Final = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One version of an item, as it stands now."""

    key: str
    value: dict[str, Any]
    words: str
    refused: bool
    created_at: datetime
    updated_at: datetime
    facts: tuple[Fact, ...]
    held: frozenset[FactId]

    @property
    def status(self) -> str:
        if self.refused:
            return REFUSED
        return CURRENT if self.held or not self.facts else OVER


def tag_of(sheet: attached.Sheet) -> str:
    """The tag of the words that an item rests on; a change that leaves the words alone keeps them."""
    return str(sheet.body.get("said") or sheet.tag)


class Shelf:
    """The items of one namespace, read from one snapshot."""

    def __init__(self, reader: Reader, space: Memory) -> None:
        self._reader = reader
        self._space = space
        self._all: dict[str, Episode] | None = None
        self._known: dict[EpisodeId, tuple[FactId, ...]] = {}
        self._facts_known: dict[FactId, Fact] = {}

    def _whole(self) -> dict[str, Episode]:
        """The words of every item, by tag: one reading for all of them."""
        if self._all is None:
            self._all = attached.told(self._reader, self._space, FAMILY)
        return self._all

    def _words(self, sheet: attached.Sheet) -> Episode | None:
        """The words of one item, without reading the others'."""
        if self._all is not None:
            return self._all.get(tag_of(sheet))
        return self._reader.episode_of_origin(self._space.space, attached.said_origin(FAMILY, tag_of(sheet)))

    def items(self) -> list[Kept]:
        """The last version of every key that was not deleted, in the order in which they came."""
        named = self._named()
        self._read_ahead([sheets[-1] for sheets in named.values()])
        last = [self.versions(sheets, last_only=True)[-1] for sheets in named.values()]
        return sorted((kept for kept in last if kept is not None), key=lambda kept: kept.created_at)

    def holds_any(self) -> bool:
        """Whether some key was put and not deleted or erased; no fact is read for it."""
        return any(not self._gone(sheets[-1]) for sheets in self._named().values())

    def _named(self) -> dict[str, list[attached.Sheet]]:
        """The sheets of every key."""
        self._whole()
        named: dict[str, list[attached.Sheet]] = {}
        for sheet in attached.sheets(self._reader, self._space, FAMILY):
            named.setdefault(sheet.name, []).append(sheet)
        return named

    def _read_ahead(self, sheets: Sequence[attached.Sheet]) -> None:
        """The facts of these sheets in two questions, not in three a sheet."""
        said = [words.id for words in map(self._words, sheets) if words is not None]
        found = self._reader.facts_of_episodes(self._space.space, said)
        self._known.update((episode_id, tuple(ids)) for episode_id, ids in found.items())
        also = (fact_id for sheet in sheets for fact_id in sheet.body.get("also", ()))
        ids = list(dict.fromkeys((*(one for facts in self._known.values() for one in facts), *also)))
        self._facts_known.update((fact.id, fact) for fact in self._reader.facts(self._space.space, ids))

    def versions(self, sheets: Sequence[attached.Sheet], *, last_only: bool = False) -> list[Kept | None]:
        """The versions of a key; None where it was deleted or its words were erased."""
        if not last_only:
            self._read_ahead(sheets)
        found: list[Kept | None] = []
        created_at = None
        for sheet in sheets:
            gone = self._gone(sheet)
            created_at = None if gone else created_at or sheet.kept_at
            skipped = last_only and sheet is not sheets[-1]
            found.append(None if created_at is None or skipped else self._kept(sheet, created_at))
        return found

    def _gone(self, sheet: attached.Sheet) -> bool:
        """Deleted, or its words were erased."""
        if "deleted" in sheet.body:
            return True
        words = self._words(sheet)
        return bool(sheet.body["spans"]) and (words is None or not words.text.strip())

    def _kept(self, sheet: attached.Sheet, created_at: datetime) -> Kept:
        body, said = sheet.body, self._words(sheet)
        words = said.text if said is not None and body["spans"] else ""
        places = tuple(tuple(place) for place in body["places"])
        parts = Parts(body["rest"], words, places, tuple((start, end) for start, end in body["spans"]))
        facts = self._facts(said, body) if said is not None and words else ()
        now = self._space.engine.clock.now()
        return Kept(
            key=sheet.name,
            value=put_together(parts),
            words=words,
            refused=bool(body.get("refused")),
            created_at=created_at,
            updated_at=sheet.kept_at,
            facts=facts,
            held=frozenset(fact.id for fact in facts if attached.holds(fact, now)),
        )

    def _facts(self, said: Episode, body: dict[str, Any]) -> tuple[Fact, ...]:
        """The facts that rest on an item's words, and those that it repeats."""
        ids = dict.fromkeys((*self._known[said.id], *body.get("also", ())))
        return tuple(self._facts_known[fact_id] for fact_id in ids if fact_id in self._facts_known)

    def own(self, key: str, versions: Sequence[Kept | None]) -> list[FactId]:
        """Facts that hold, that some version of the item says, and that nothing else says: no item, no other text."""
        held = list({one: None for kept in versions if kept is not None for one in kept.held})
        last = {sheet.name: sheet for sheet in attached.sheets(self._reader, self._space, FAMILY)}
        others = [sheet for sheet in last.values() if sheet.name != key and "deleted" not in sheet.body]
        repeated = {one for sheet in others for one in sheet.body.get("also", ())}
        whole = self._whole()
        living = {whole[tag_of(sheet)].id for sheet in others if tag_of(sheet) in whole}
        ours = {words.id for words in whole.values()} - living
        sources = self._reader.sources_of(self._space.space, held)
        return [one for one in held if one not in repeated and {item.episode_id for item in sources[one]} <= ours]
