"""What does a file of notes say of what is true now? Its section is written anew, unless people's edits wait in it.

The comment that closes the section lists the facts in it, so that a line that a person took out is told from a fact
that came later; the one that opens it says when it was written, so that the same edit can be made twice. Where the
facts are the same as before the file is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.current import current_facts
from stilltrue.connect.notes.edits import UNREAD, edits_in, unread_in
from stilltrue.connect.notes.lines import names, words, written
from stilltrue.connect.notes.section import BEGIN, END, find, put
from stilltrue.errors import StateError
from stilltrue.formats.targets import refuse_database, replace_file
from stilltrue.model.timeline import iso

if TYPE_CHECKING:
    from pathlib import Path

    from stilltrue.connect.notes.section import Section
    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact

MOST_FACTS: Final = 200
"""An agent reads the whole file at every start: more than a few pages would crowd out what it works on."""

_HINT: Final = "kept by `stilltrue notes write`; change, add or remove lines, then `stilltrue notes read`"


@dataclass(frozen=True, slots=True)
class NotesWritten:
    """How many facts the section holds, and whether the file had to be changed."""

    facts: int
    changed: bool

    def as_json(self) -> dict[str, Any]:
        return {"facts": self.facts, "changed": self.changed}


def write_notes(memory: Memory, path: Path, *, limit: int = MOST_FACTS, force: bool = False) -> NotesWritten:
    """Keep the section of the file, which is made if need be. With `force` what in it was not read is lost.

    Raises StateError where edits wait, InvalidInputError where the section cannot be found out, OSError.
    """
    data = path.read_bytes() if path.is_file() else b""
    refuse_database(path, data)
    held = find(data)
    waiting = edits_in(memory, held) if held is not None and not force else []
    if waiting:
        message = (
            f"{path}: the section has edits that were not read ({len(waiting)}); run `stilltrue notes read {path}` "
            "first, or give --force to write over them"
        )
        raise StateError(message)
    unread = unread_in(held) if not force else []
    if unread:
        message = f"{path}, line {unread[0]}: {UNREAD}; move it out of the section, or give --force to write over it"
        raise StateError(message)
    facts = [fact for fact in current_facts(memory, limit) if words(fact)]
    lines = written(facts, memory.settings.timezone)
    if held is not None and _same(held, lines, facts):
        return NotesWritten(len(facts), changed=False)
    stamp = iso(memory.engine.clock.now())
    opened = f"{BEGIN} written={stamp} ({_HINT}) -->"
    replace_file(path, put(data, [opened, *lines, _closing(facts)]))
    return NotesWritten(len(facts), changed=True)


def _closing(facts: list[Fact]) -> str:
    listed = " ".join(sorted(names(facts).values()))
    return f"{END} {listed} -->" if listed else f"{END} -->"


def _same(held: Section, lines: list[str], facts: list[Fact]) -> bool:
    body = held.body.decode("utf-8", "replace").replace("\r\n", "\n")
    return (
        body == "\n".join(["", *lines, ""]) and f"{END} {held.closed}".split() == _closing(facts)[: -len("-->")].split()
    )
