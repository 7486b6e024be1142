"""What does a memory file claim, statement by statement, and on which line?

Answer: `read_claims`. Blocks of a file (`audit.structure`) are cut into sentences; each goes through the extraction
that every episode goes through. Headings and lead-ins give topic, scope, ban and voice (`audit.frames`), dates of
headings and entries say since when (`audit.dating`). A cell of a table is what its column says of its row. Left to
others: other formats (`audit.records`), comparing (`audit.comparing`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Claim, Form
from stilltrue.audit.dating import entry_date, front_date, heading_date
from stilltrue.audit.frames import Frame, forbidden, frame_over, is_bare, is_plain
from stilltrue.audit.structure import blocks, globs_of, lines_of
from stilltrue.formats.front import front_matter
from stilltrue.model.candidate import Given
from stilltrue.model.episode import Episode
from stilltrue.model.fact import Modality, Statement
from stilltrue.model.ids import EpisodeId, SpaceId
from stilltrue.rules.modality import is_chatter
from stilltrue.rules.sentences import split
from stilltrue.rules.slots import read_statement
from stilltrue.write.extract import extract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.structure import Block
    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings

UNDATED: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When what tells no date counts as said: one instant for all, so that none of it outranks another."""
_TASK: Final = re.compile(r"\[(?P<mark>[ xX~-])\]\s+")
_BARE_LABEL: Final = re.compile(r"(?P<label>[^:`.]{2,40}?):\s+\S")
_HANGS: Final = re.compile(
    r"(?:(?:and|but|so|then)\s+)?(?:it|they|he|she|this|these|those|that|such|both)\b",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(r"\s*(?:see|read|refer to|check)\b", re.IGNORECASE)
_SHORT_ANSWER: Final = 7  # words; longer answers say what they are about
_LONGEST_TOPIC: Final = 5  # words
_NO_THING: Final = re.compile(
    r"(?:[\d\W_]|[A-Z]{2,}-\d+|\b(?:wk|week|day|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\b"
    r"|\b(?:january|february|march|april|august|september|october|november|december)\b)+",
    re.IGNORECASE,
)
_LONGEST_BEFORE: Final = 200  # characters of the sentence before that one that hangs on it is read with
_LEAST: Final = 2  # letters or digits of a claim; of a cell one


def read_claims(name: str, text: str, *, saved_at: Instant | None, settings: Settings) -> list[Claim]:
    """The claims of a markdown file in the order of its lines; `saved_at` dates what the file itself does not date."""
    text = lines_of(text)
    matter = front_matter(text)
    front, globs = front_date(matter), globs_of(matter)
    claims: list[Claim] = []
    for block in blocks(text):
        frame = frame_over(block.headings, block.parents)
        if not frame.example:
            above = heading_date((*block.headings, *block.parents)) or front
            claims += _claims(name, block, frame, (above, saved_at), settings)
    return [replace(claim, order=place, globs=globs) for place, claim in enumerate(claims)]


def _claims(
    name: str, block: Block, frame: Frame, dates: tuple[Instant | None, Instant | None], settings: Settings
) -> Iterator[Claim]:
    """The claims of one block: its sentences, each with its own lines."""
    above, saved_at = dates
    body = block.text.replace("\n", " ")
    task = _TASK.match(body)
    entry = entry_date(body[task.end() :] if task else body, above)
    start = entry.start + (task.end() if task else 0)
    end = entry.end + (task.end() if task else 0)
    dated = entry.at or above
    if task and task["mark"] == " " and frame.voice is None:
        frame = replace(frame, voice=Modality.PLAN)
    least = 1 if block.form is Form.CELL else _LEAST
    parts = pairwise((start, *(place for place in block.breaks if start < place < end), end))
    said = [
        (first + one.span.start, first + one.span.end)
        for first, last in parts
        for one in split(body[first:last], whole=True)
        if sum(char.isalnum() for char in one.text) >= least
    ]
    for place, (first, last) in enumerate(said):
        before = body[slice(*said[place - 1])] if place else None
        over = replace(frame, banned=False) if place or _REFERS.match(body, first) else frame
        read = _read(body[first:last], before, block, over, dated or saved_at or UNDATED, settings)
        if read is not None:
            first_line, last_line = block.lines_of(first, last)
            yield Claim(
                file=name,
                line=first_line,
                end_line=last_line,
                text=" ".join(body[first:last].split()),
                statement=read[0],
                parts=read[1],
                headings=block.headings,
                leads=block.parents,
                dated=dated,
                form=block.form,
                group=block.group,
                row=block.row,
                column=block.column,
                numbered=block.numbered,
                whole=block.whole and len(said) == 1,
                before=block.before,
                links=block.words.links_in(first, last),
            )


def _read(
    said: str, before: str | None, block: Block, frame: Frame, at: Instant, settings: Settings
) -> tuple[Statement, tuple[Statement, ...]] | None:
    """What one sentence states, whole and by its clauses; None for questions and what states nothing."""
    said = " ".join(said.split())
    if said.endswith("?") or is_chatter(said):
        return None
    told = forbidden(said) if frame.banned else said
    text = _in_context(told, before, block)
    given = Given(subject=block.row, attribute=block.column, value=said) if block.form is Form.CELL else Given()
    over = next(iter((*block.headings, *block.parents)[::-1]), None)
    whole = read_statement(text, said_at=at, context=over, given=given, cardinalities=settings.cardinalities)
    if whole.modality is Modality.QUESTION:
        return None
    parts = () if block.form is Form.CELL else _parts(told, over, at, settings)
    if len(parts) == 1:
        whole = replace(parts[0], text=text, said_at=at)
    whole = _framed(whole, frame)
    return whole, tuple(_framed(part, frame) for part in parts) if len(parts) > 1 else ()


def _parts(text: str, over: str | None, at: Instant, settings: Settings) -> tuple[Statement, ...]:
    """What extraction finds in a sentence under its heading: a statement of each clause, each words once."""
    lead = f"# {over}\n\n" if over else ""
    episode = Episode(id=EpisodeId("audit"), space_id=SpaceId("audit"), text=lead + text, said_at=at, recorded_at=at)
    found = (one for one in extract(episode, Given(), settings) if one.span.start >= len(lead))
    return tuple({one.span: one.statement for one in reversed(list(found))}.values())[::-1]


def _framed(statement: Statement, frame: Frame) -> Statement:
    """The statement with the voice and the scopes of what stands over it; its own scopes win."""
    own = dict(statement.slot.qualifiers)
    slot = replace(statement.slot, qualifiers=tuple(sorted({**dict(frame.qualifiers), **own}.items())))
    voice = frame.voice or statement.modality
    return replace(statement, slot=slot, modality=voice)


def _in_context(said: str, before: str | None, block: Block) -> str:
    """The sentence as it can be read alone: with its row and column, its topic, or the sentence that it hangs on."""
    if block.form is Form.CELL:
        return cell_text(block.row or "", block.column or "", said)
    asked = before is not None and before.endswith("?") and len(said.split()) <= _SHORT_ANSWER
    if before is not None and (asked or _HANGS.match(said)) and len(before) <= _LONGEST_BEFORE:
        return f"{' '.join(before.split())} {said}"
    label = _BARE_LABEL.match(said)
    topic = topic_of(block.headings, block.parents)
    if topic and label is not None and is_bare(label["label"]):
        return f"{topic} {said[:1].lower()}{said[1:]}"
    return said


def topic_of(headings: tuple[str, ...], leads: tuple[str, ...]) -> str | None:
    """The innermost heading or lead-in that names a thing; the title of the file names none.

    >>> topic_of(("Guide", "Payments service", "Setup"), ()), topic_of(("Guide",), ())
    ('Payments service', None)
    """
    named = (title.rstrip(": ") for title in (*headings[1:], *leads)[::-1])
    return next((title for title in named if _names(title)), None)


def _names(title: str) -> bool:
    """Whether it names a thing: longer ones are sentences, others a time or a number of something."""
    return len(title.split()) <= _LONGEST_TOPIC and not is_plain(title) and _NO_THING.fullmatch(title) is None


def cell_text(row: str, column: str, said: str) -> str:
    """What a cell says, as a line: "api port: 8080".

    >>> cell_text("api", "Port", "8080"), cell_text("Warehouse", "Value", "BigQuery")
    ('api port: 8080', 'Warehouse: BigQuery')
    """
    if column.lower() in _NO_ATTRIBUTE:
        return f"{row}: {said}"
    lowered = column if column.isupper() else column[:1].lower() + column[1:]
    return f"{row} {lowered}: {said}"


_NO_ATTRIBUTE: Final = frozenset(
    {"value", "values", "setting", "choice", "what", "answer", "details", "notes", "remarks", "description",
     "what we use", "current", "tool", "we use", "comment", "comments"}
)  # fmt: skip
