"""What does a section of notes say, after people wrote in it? Every bullet and paragraph, with the topic over it.

A line may have been wrapped: it goes on until a blank line or the next bullet. What hangs under a person's own bullet
belongs to it; what hangs under a fact's line is a statement of its own. What is no prose (code, tables, quotes, HTML)
says nothing that could be remembered; it is told of, so that nobody writes over it unasked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from stilltrue.formats.fences import Fences

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]++(?P<title>.*+))?")
_BULLET: Final = re.compile(r"(?P<indent>[ \t]*+)(?:[-*+]|\d{1,9}[.)])[ \t]++(?P<text>.*)")
_RULE: Final = re.compile(r"[ \t]*+(?:(?:-[ \t]*+){3,}|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,})")
_NO_PROSE: Final = re.compile(r"[ \t]*+[|><]")
_TAIL: Final = re.compile(
    r"(?P<text>.*?)"
    r"(?:(?<![ \t])[ \t]++\((?P<dates>(?:since|until|undated)[^()]*+)\))?"
    r"(?:(?<![ \t])[ \t]++\[(?P<id>[0-9a-f-]{8,36})\])?(?:(?<![ \t])[ \t]++)?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A statement in the section: `mark` is the short id behind it, None where a person wrote it."""

    number: int
    text: str
    dates: str | None
    mark: str | None
    topic: str | None


@dataclass(slots=True)
class Parsed:
    """What a section says, and the numbers of the lines that say nothing that can be read."""

    lines: list[Line] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """A bullet or a paragraph that is open: `own` are its words, line by line, `under` what hangs on it, as it is."""

    number: int
    indent: int
    own: list[str]
    under: list[str] = field(default_factory=list)

    def told(self) -> re.Match[str] | None:
        return _TAIL.fullmatch(" ".join(part.strip() for part in self.own))

    def complete(self) -> bool:
        """Whether it ends in an id, as a fact's line does: nothing goes on behind that."""
        told = self.told() if not self.under and self.own[-1].rstrip().endswith("]") else None
        return told is not None and told["id"] is not None

    def line(self, topic: str | None) -> Line | None:
        told = self.told()
        if told is None or not told["text"].strip():
            return None
        text = "\n".join([told["text"].strip(), *self.under])
        return Line(self.number, text, told["dates"], told["id"], topic)


def parsed(body: str, first: int) -> Parsed:
    """What a section says whose first line has this number."""
    found = Parsed()
    topic: str | None = None
    block: _Block | None = None
    fences = Fences()
    for number, raw in enumerate(body.split("\n"), start=first):
        line = raw.rstrip()
        heading, bullet = _HEADING.fullmatch(line), _BULLET.fullmatch(line)
        other = fences.holds(line) or _NO_PROSE.match(line) is not None
        if other or heading or not line or _RULE.fullmatch(line):
            found.lines += _ended(block, topic)
            block = None
            found.unread += [number] if other else []
            topic = (heading["title"] or "").strip() or None if heading else topic
        elif bullet is not None and not _hangs(block, bullet):
            found.lines += _ended(block, topic)
            block = _Block(number, len(bullet["indent"]), [bullet["text"]])
        elif block is None or block.complete():
            found.lines += _ended(block, topic)
            block = _Block(number, 0, [line])
        elif bullet is not None or block.under:
            block.under.append(line)
        else:
            block.own.append(line)
    found.lines += _ended(block, topic)
    return found


def _hangs(block: _Block | None, bullet: re.Match[str]) -> bool:
    """Whether a bullet belongs to what is open: it is deeper than that, which is a person's own."""
    if block is None or len(bullet["indent"]) <= block.indent:
        return False
    return not block.complete()


def _ended(block: _Block | None, topic: str | None) -> Iterator[Line]:
    line = block.line(topic) if block is not None else None
    if line is not None:
        yield line
