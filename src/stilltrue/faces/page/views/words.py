"""How are times, quotes and facts put before a reader? The small parts that every page is made of.

Texts are made harmless by `faces.text` here and escaped by the templates; nothing here is markup.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Final

from stilltrue.faces.render import state
from stilltrue.faces.text import Lens, kept, plain
from stilltrue.model.fact import Kind, Modality, Status
from stilltrue.model.ids import short
from stilltrue.model.timeline import iso
from stilltrue.read.provenance import Passage
from stilltrue.read.results import Result

NOBODY: Final = "the user"
"""Who said what has no author: the space's own user."""

AROUND: Final = 140
"""Characters of a passage shown on each side of a quote: about two lines."""

_CLAIMS: Final = frozenset({Modality.ASSERTION, Modality.RULE})


class PageLens(Lens):
    """Dates as people write them: 7 Oct 2024."""

    def day(self, moment: datetime) -> str:
        """The reader's date of an instant.

        >>> from datetime import UTC
        >>> PageLens().day(datetime(2024, 10, 7, 9, tzinfo=UTC))
        '7 Oct 2024'
        """
        local = moment.astimezone(self.zone)
        return f"{local.day} {local:%b} {local.year}"

    def moment(self, moment: datetime) -> str:
        """Date and time to the minute; a midnight is its date alone."""
        local = moment.astimezone(self.zone)
        return self.day(moment) if local.time() == time() else f"{self.day(moment)}, {local:%H:%M}"


@dataclass(frozen=True, slots=True)
class When:
    """An instant for machines and for people."""

    iso: str
    shown: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a passage; `marked`: the very words the fact rests on."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One mention: who said it, when, where it was kept, and the words in their passage."""

    who: str
    said: When
    episode: str
    origin: str
    near: tuple[Piece, ...]
    whole: tuple[Piece, ...]

    @property
    def cut(self) -> bool:
        """Whether the passage goes on beyond what stands near the quote."""
        return self.near != self.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fact in a line: its words, how it stands and when, who said it. `word` names its look as well."""

    id: str
    name: str
    text: str
    word: str
    shown_word: str
    when: str
    who: str
    said: When
    subject: str
    attribute: str
    voice: str
    rule: bool
    recheck: bool


def moment(at: datetime, lens: Lens) -> When:
    """An instant, to the minute."""
    return When(iso(at), lens.moment(at))


def day(at: datetime, lens: Lens) -> When:
    """An instant, to the day."""
    return When(iso(at), lens.day(at))


def line(fact: Result, lens: Lens, *, then: bool = False, rechecks: Collection[str] = ()) -> Line:
    """A fact in a line. `then`: it was asked for another time than now; `rechecks`: ids of facts that need a look."""
    shown, when = state(fact, lens, then=then)
    return Line(
        id=fact.id,
        name=short(fact.id),
        text=plain(fact.text),
        word="current" if fact.status is Status.ACTIVE else fact.status.value,
        shown_word=shown,
        when=when,
        who=plain(fact.author) if fact.author else NOBODY,
        said=day(fact.said_at, lens),
        subject=fact.subject,
        attribute=fact.attribute or "",
        voice="" if fact.modality in _CLAIMS else fact.modality.value,
        rule=fact.kind is Kind.CONSTRAINT,
        recheck=fact.id in rechecks,
    )


def quotes(passages: Sequence[Passage], lens: Lens) -> tuple[Quote, ...]:
    """Every mention of a fact."""
    return tuple(quote(passage, lens) for passage in passages)


def quote(passage: Passage, lens: Lens) -> Quote:
    """One mention, with the span marked in its passage."""
    source, episode = passage.source, passage.episode
    start, end = source.span.start, source.span.end
    before, marked, after = episode.text[:start], episode.text[start:end], episode.text[end:]
    author = source.author or episode.author
    return Quote(
        who=plain(author) if author else NOBODY,
        said=moment(source.said_at, lens),
        episode=short(episode.id),
        origin=plain(episode.origin or ""),
        near=_pieces(_tail(before), marked or source.quote, _head(after)),
        whole=_pieces(before, marked or source.quote, after),
    )


def _pieces(before: str, marked: str, after: str) -> tuple[Piece, ...]:
    parts = (Piece(kept(before)), Piece(kept(marked), marked=True), Piece(kept(after)))
    return tuple(part for part in parts if part.text)


def _tail(text: str) -> str:
    return text if len(text) <= AROUND else "…" + text[-AROUND:]


def _head(text: str) -> str:
    return text if len(text) <= AROUND else text[:AROUND] + "…"
