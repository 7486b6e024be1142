"""What did people do to the section of a file of notes, and what does memory make of it?

A line whose words were changed supersedes its fact, a line that was added is remembered, and a line that was taken out
is a fact to ask about: it is retracted only where the caller says so, with the file as the reason. What stands around
the section goes through the importer of Markdown. All of it is one batch, which one `undo` takes back; reading again
finds nothing new. The file itself is not touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from stilltrue.connect.importers.record import fingerprint
from stilltrue.connect.importers.run import import_data
from stilltrue.connect.notes.lines import meant, words
from stilltrue.connect.notes.parsing import parsed
from stilltrue.connect.notes.section import blanked, find
from stilltrue.errors import InvalidInputError, NotFoundError, StateError
from stilltrue.formats.lines import decode
from stilltrue.model.ids import FactId

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stilltrue.connect.notes.parsing import Line, Parsed
    from stilltrue.connect.notes.section import Section
    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact
    from stilltrue.ports import Reader

UNREAD: Final = "code, tables, quotes and HTML in the section are not read"
_WRITTEN: Final = re.compile(r"\bwritten=(\S+)")
_LISTED: Final = re.compile(r"\b[0-9a-f][0-9a-f-]{7,35}\b")


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing a person did: changed a fact's line, added a line (`fact_id` None), or removed a fact's line."""

    what: Literal["changed", "added", "removed"]
    text: str
    origin: str
    fact_id: FactId | None = None
    topic: str | None = None
    line: int | None = None


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
            _take(memory, edit, path.name, report, retracts)
        report.errors += [f"line {number}: {UNREAD}; move it out of the section" for number in unread_in(held)]
        if rest.strip():
            around = import_data(memory, rest, name=path.name, saved_at=saved_at, format="markdown", asks=False)
            report.outside = around.new
            report.errors += [str(error) for error in around.errors]
    return report


def _take(memory: Memory, edit: Edit, name: str, report: NotesRead, retracts: Callable[[Edit], bool] | None) -> None:
    try:
        if edit.what == "removed":
            if edit.fact_id is None or retracts is None or not retracts(edit):
                report.waiting.append(edit)
                return
            memory.forget(edit.fact_id, reason=f"taken out of {name}")
            report.retracted += 1
            return
        replaced = (edit.fact_id,) if edit.fact_id is not None else ()
        memory.remember(edit.text, topic=edit.topic, origin=edit.origin, supersedes=replaced)
    except (InvalidInputError, NotFoundError, StateError) as error:
        report.errors.append(f"line {edit.line}: {error}" if edit.line is not None else str(error))
        return
    if edit.what == "changed":
        report.changed += 1
    else:
        report.added += 1


def edits_in(memory: Memory, held: Section) -> list[Edit]:
    """What people did to the section since it was written and nobody has read yet, in the order of the lines."""
    stamp = found[1] if (found := _WRITTEN.search(held.opened)) else ""
    lines = _parsed(held).lines
    with memory.engine.store.read() as reader:
        listed = _by_mark(reader, memory, _LISTED.findall(held.closed))
        named = {**_by_mark(reader, memory, [line.mark for line in lines if line.mark]), **listed}
        sorted_out = _Sorting(stamp, named)
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


def _current(memory: Memory, fact: Fact) -> bool:
    return fact.belief is not None and fact.belief.serves(memory.engine.clock.now())


@dataclass(slots=True)
class _Sorting:
    """Line by line: which say what they said, which were changed, which are new."""

    stamp: str
    named: dict[str, Fact]
    seen: set[FactId] = field(default_factory=set)
    edits: list[Edit] = field(default_factory=list)

    def place(self, line: Line) -> None:
        fact = self.named.get(line.mark) if line.mark else None
        if fact is None:
            text = line.text if line.mark is None else f"{line.text} [{line.mark}]"
            self._add(replace(line, text=text))
        elif line.text == words(fact):
            self.seen.add(fact.id)
        elif fact.id in self.seen:
            self._add(line)  # a second line with the same id was copied and changed
        else:
            self.seen.add(fact.id)
            origin = f"notes:{self.stamp}:{fact.id}:{fingerprint(line.text)}"
            topic = fact.statement.topic
            self.edits.append(Edit("changed", meant(line.text), origin, fact.id, topic, line.number))

    def _add(self, line: Line) -> None:
        origin = f"notes:{self.stamp}:{fingerprint([line.topic, line.text])}"
        self.edits.append(Edit("added", meant(line.text), origin, None, line.topic, line.number))
