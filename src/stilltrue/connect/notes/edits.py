"""What did people do to the section of a file of notes, and what does memory make of it?

A line whose words were changed supersedes its fact, dates that were changed under the same words are the fact's from
now on, a line that was added is remembered, and a line that was taken out is a fact to ask about: it is retracted only
where the caller says so, with the file as the reason. What stands around the section goes through the importer of
Markdown. All of it is one batch, which one `undo` takes back; reading again finds nothing new. The file itself is not
touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from stilltrue.connect.importers.record import fingerprint
from stilltrue.connect.importers.run import import_data
from stilltrue.connect.notes.lines import UNDATED, dates, interval, meant, valid_of, words
from stilltrue.connect.notes.parsing import parsed
from stilltrue.connect.notes.section import blanked, find
from stilltrue.errors import InvalidInputError, NotFoundError, StateError
from stilltrue.formats.fields import read_moment
from stilltrue.formats.lines import decode
from stilltrue.model.ids import FactId
from stilltrue.model.timeline import Interval
from stilltrue.write.redate import redate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stilltrue.connect.notes.parsing import Line, Parsed
    from stilltrue.connect.notes.section import Section
    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import BatchId
    from stilltrue.ports import Reader

UNREAD: Final = "code, tables, quotes and HTML in the section are not read"
_WRITTEN: Final = re.compile(r"\bwritten=(\S+)")
_LISTED: Final = re.compile(r"\b[0-9a-f][0-9a-f-]{7,35}\b")


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing a person did: changed a fact's words or its dates alone, added a line (`fact_id` None), or removed one.

    `dates`: those that the line gives, where they are a person's.
    """

    what: Literal["changed", "redated", "added", "removed"]
    text: str
    origin: str
    fact_id: FactId | None = None
    topic: str | None = None
    line: int | None = None
    dates: str | None = None


@dataclass(slots=True)
class NotesRead:
    """What was taken in. `waiting`: removed lines whose facts were left as they are, until somebody says so."""

    changed: int = 0
    added: int = 0
    retracted: int = 0
    waiting: list[Edit] = field(default_factory=list)
    outside: int = 0
    errors: list[str] = field(default_factory=list)
    batch_id: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "changed": self.changed,
            "added": self.added,
            "retracted": self.retracted,
            "waiting": [{"fact_id": one.fact_id, "text": one.text} for one in self.waiting],
            "outside": self.outside,
            "errors": self.errors,
            "batch_id": self.batch_id,
        }


def read_notes(memory: Memory, path: Path, *, retracts: Callable[[Edit], bool] | None = None) -> NotesRead:
    """Take in what people wrote into the file. `retracts` is asked about each line that was taken out (default: no).

    Raises OSError, and InvalidInputError where the section cannot be found out; nothing was written then.
    """
    data = path.read_bytes()
    saved_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    held, rest = find(data), blanked(data)
    decode(rest)  # what is no text is refused before anything is taken in
    report = NotesRead()
    with memory.batch() as batch_id:
        report.batch_id = batch_id
        for edit in edits_in(memory, held) if held is not None else []:
            _take(memory, edit, path.name, batch_id, report, retracts)
        report.errors += [f"line {number}: {UNREAD}; move it out of the section" for number in unread_in(held)]
        if rest.strip():
            around = import_data(memory, rest, name=path.name, saved_at=saved_at, format="markdown", asks=False)
            report.outside = around.new
            report.errors += [str(error) for error in around.errors]
    return report


def _take(
    memory: Memory,
    edit: Edit,
    name: str,
    batch_id: BatchId,
    report: NotesRead,
    retracts: Callable[[Edit], bool] | None,
) -> None:
    try:
        if edit.what == "removed":
            if edit.fact_id is None or retracts is None or not retracts(edit):
                report.waiting.append(edit)
                return
            memory.forget(edit.fact_id, reason=f"taken out of {name}")
            report.retracted += 1
            return
        _tell(memory, edit, name, batch_id)
    except (InvalidInputError, NotFoundError, StateError) as error:
        report.errors.append(f"line {edit.line}: {error}" if edit.line is not None else str(error))
        return
    if edit.what in ("changed", "redated"):
        report.changed += 1
    else:
        report.added += 1


def _tell(memory: Memory, edit: Edit, name: str, batch_id: BatchId) -> None:
    zone = memory.settings.timezone
    if edit.what == "redated" and edit.fact_id is not None:
        memory.members()  # refuses strangers
        with memory.engine.store.read() as reader:
            known = valid_of(reader.fact(memory.space, edit.fact_id))
        valid = interval(edit.dates or UNDATED, known, zone)
        reason = f"its dates were changed in {name}"
        redate(memory.engine, memory.space, edit.fact_id, valid, batch_id, reason=reason)
        return
    valid = interval(edit.dates or UNDATED, Interval(), zone)
    replaced = (edit.fact_id,) if edit.fact_id is not None else ()
    memory.remember(
        edit.text,
        topic=edit.topic,
        origin=edit.origin,
        supersedes=replaced,
        valid_from=valid.start,
        valid_until=valid.end,
    )


def edits_in(memory: Memory, held: Section) -> list[Edit]:
    """What people did to the section since it was written and nobody has read yet, in the order of the lines."""
    stamp = found[1] if (found := _WRITTEN.search(held.opened)) else ""
    lines, zone = _parsed(held).lines, memory.settings.timezone
    with memory.engine.store.read() as reader:
        listed = _by_mark(reader, memory, _LISTED.findall(held.closed))
        named = {**_by_mark(reader, memory, [line.mark for line in lines if line.mark]), **listed}
        dated = {fact.id: _dates_at(reader, memory, fact, stamp, zone) for fact in named.values()}
        sorted_out = _Sorting(stamp, named, dated)
        for line in lines:
            sorted_out.place(line)
        for mark, fact in listed.items():
            if fact.id not in sorted_out.seen and _current(memory, fact):
                sorted_out.edits.append(Edit("removed", words(fact), f"notes:{stamp}:{mark}", fact.id))
        return [
            edit
            for edit in sorted_out.edits
            if edit.what == "removed" or reader.episode_of_origin(memory.space, edit.origin) is None
        ]


def unread_in(held: Section | None) -> list[int]:
    """The lines of the section that cannot be taken in: no prose."""
    return _parsed(held).unread if held is not None else []


def _parsed(held: Section) -> Parsed:
    return parsed(held.body.decode("utf-8", "replace"), held.line)


def _by_mark(reader: Reader, memory: Memory, marks: list[str]) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for mark in marks:
        try:
            fact_id = reader.find_id(memory.space, "facts", mark)
        except (NotFoundError, InvalidInputError):
            continue  # a person's own brackets, or a fact of another memory
        found.update((mark, fact) for fact in reader.facts(memory.space, [FactId(fact_id)]))
    return found


def _dates_at(reader: Reader, memory: Memory, fact: Fact, stamp: str, zone: str) -> frozenset[str]:
    """The dates that a fact's line may bear though nobody changed it: those of when it was written, and those of now.

    Of one that is over none is asked: no date of a line can bring it back.
    """
    if not _current(memory, fact):
        return frozenset()
    beliefs = reader.beliefs(memory.space, fact.id)
    try:
        written = read_moment(stamp)
        then = next((one for one in beliefs if written in one.known), beliefs[0])
    except InvalidInputError:
        then = beliefs[-1]
    return frozenset(dates(belief.valid, zone) for belief in (then, beliefs[-1]))


def _current(memory: Memory, fact: Fact) -> bool:
    return fact.belief is not None and fact.belief.serves(memory.engine.clock.now())


@dataclass(slots=True)
class _Sorting:
    """Line by line: which say what they said, which were changed, which are new."""

    stamp: str
    named: dict[str, Fact]
    dated: dict[FactId, frozenset[str]]
    seen: set[FactId] = field(default_factory=set)
    edits: list[Edit] = field(default_factory=list)

    def place(self, line: Line) -> None:
        fact = self.named.get(line.mark) if line.mark else None
        if fact is None:
            text = line.text if line.mark is None else f"{line.text} [{line.mark}]"
            self._add(replace(line, text=text))
        elif line.text == words(fact):
            if fact.id not in self.seen and (given := self._given(line, fact)) is not None:
                origin = f"notes:{self.stamp}:{fact.id}:{given}"
                self.edits.append(Edit("redated", words(fact), origin, fact.id, None, line.number, given))
            self.seen.add(fact.id)
        elif fact.id in self.seen:
            self._add(line)  # a second line with the same id was copied and changed
        else:
            self.seen.add(fact.id)
            origin = f"notes:{self.stamp}:{fact.id}:{fingerprint(line.text)}"
            topic = fact.statement.topic
            given = self._given(line, fact)
            self.edits.append(Edit("changed", meant(line.text), origin, fact.id, topic, line.number, given))

    def _given(self, line: Line, fact: Fact) -> str | None:
        """The dates of a fact's line, where a person changed them."""
        known = self.dated[fact.id]
        return None if line.dates is None or not known or line.dates in known else line.dates

    def _add(self, line: Line) -> None:
        origin = f"notes:{self.stamp}:{fingerprint([line.topic, line.text])}"
        given = line.dates if line.mark is None else None
        self.edits.append(Edit("added", meant(line.text), origin, None, line.topic, line.number, given))
