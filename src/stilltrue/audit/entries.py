"""What does another memory hold, and what has it already given up? The noun between its export and the doctor.

An entry is one version of one memory, with its place in the file. Left to others: reading exports (`audit.records`),
saying what is wrong with them (`audit.stores`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Claim, Form
from stilltrue.model.candidate import Given
from stilltrue.model.episode import Episode
from stilltrue.model.ids import EpisodeId, SpaceId
from stilltrue.model.timeline import Interval
from stilltrue.rules.sentences import split
from stilltrue.rules.slots import read_statement
from stilltrue.write.extract import extract

if TYPE_CHECKING:
    from stilltrue.formats.lifecycle import Ending
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings

UNDATED: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When what tells no date counts as said: one instant for all, so that none of it outranks another."""
_ELSEWHEN: Final = datetime(2013, 8, 15, tzinfo=UTC)
"""Another such instant, of another weekday, month and year: what its words mean by both is meant at any time."""


@dataclass(frozen=True, slots=True)
class Disowned:
    """The store's own history says otherwise, on `line`. `entry`: with which words it goes on, None for a deletion."""

    line: int
    words: str
    entry: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """`key` is this version's own; `id` the store's name for the memory. `space`: whose it is.

    `ended` None: the store serves it. `by`: keys of the entries that took its place, as the store says. `until`: it
    says itself that it holds no longer than that. `disowned`: its history says that it is not served. `claims`: what it
    states.
    """

    key: str
    id: str
    file: str
    line: int
    text: str
    space: str
    said_at: Instant | None = None
    ended: Ending | None = None
    by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    until: Instant | None = None
    disowned: Disowned | None = None
    claims: tuple[Claim, ...] = ()

    @property
    def live(self) -> bool:
        """Whether the store serves it."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class Holdings:
    """What exports hold. `skipped`: (file, why, with the line) for what is no record."""

    entries: tuple[Entry, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def with_claims(entry: Entry, settings: Settings) -> Entry:
    """The entry with what it states."""
    told = entry.disowned
    if told is not None and told.entry is not None:
        told = replace(told, entry=with_claims(told.entry, settings))
    return replace(entry, claims=_claims(entry, settings), disowned=told)


def _claims(entry: Entry, settings: Settings) -> tuple[Claim, ...]:
    """A claim for each sentence."""
    sentences = [one.text for one in split(entry.text, whole=True)] or [entry.text]
    return tuple(
        Claim(
            file=entry.file,
            line=entry.line,
            end_line=entry.line,
            text=" ".join(said.split()),
            statement=_statement(said, entry.said_at, settings),
            dated=entry.said_at,
            form=Form.RECORD,
            order=entry.line,
        )
        for said in sentences
    )


def _statement(text: str, at: Instant | None, settings: Settings) -> Statement:
    """What a sentence states. Where nothing says when it was said, "until Friday" is no date, and "until 2025" is."""
    if at is not None:
        return _stated(text, at, settings)
    told = _stated(text, UNDATED, settings)
    one, other = told.valid, _stated(text, _ELSEWHEN, settings).valid
    start = one.start if one.start == other.start else None
    end = one.end if one.end == other.end else None
    return replace(told, valid=Interval(start, end))


def _stated(text: str, at: Instant, settings: Settings) -> Statement:
    """What a write would keep of a sentence, where that is one fact; else the sentence as a whole."""
    episode = Episode(id=EpisodeId("audit"), space_id=SpaceId("audit"), text=text, said_at=at, recorded_at=at)
    found = extract(episode, Given(), settings)
    if len(found) == 1 and found[0].statement.text == text:
        return found[0].statement
    return read_statement(text, said_at=at, cardinalities=settings.cardinalities)
