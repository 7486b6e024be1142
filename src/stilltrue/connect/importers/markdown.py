"""What does a memory file say? The format `markdown`: headings give the context, every bullet or paragraph is a record.

A record's text opens with the headings it stands under. Its origin is made of that text, so an edited file imports only
what changed. Its time is the nearest date in a heading, in the front matter or in the file's name, else when the file
was saved. Code blocks, tables and comments are passed over. Sentences are extraction's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from stilltrue.connect.importers.record import Record, fingerprint
from stilltrue.errors import InvalidInputError
from stilltrue.formats.fences import Fences
from stilltrue.formats.fields import read_moment
from stilltrue.formats.front import front_matter
from stilltrue.formats.lines import LineError, is_clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.connect.importers.record import Item, Upload
    from stilltrue.model.timeline import Instant

_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_BULLET: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(\S.*)")
_TABLE: Final = re.compile(r"[ \t]*\|")
_RULE: Final = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$")
_DATE: Final = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_FRONT_DATE: Final = re.compile(r"(?im)^(?:date|updated|last_updated|modified|created):[ \t]*['\"]?(\d{4}-\d{2}-\d{2})")
_COMMENT: Final = re.compile(r"<!--.*?(-->)|<!--.*\Z", re.DOTALL)


def read_markdown(upload: Upload) -> Iterator[Item]:
    """The bullets and paragraphs of a file."""
    text = _blank_comments(upload.text.replace("\r\n", "\n").replace("\r", "\n"))
    front = front_matter(text)
    lines = text[len(front) :].split("\n")
    undated = _found(_FRONT_DATE.search(front)) or _found(_DATE.search(upload.name)) or upload.saved_at
    for block in _blocks(lines, front.count("\n")):
        body = "\n".join(block.lines)
        if not is_clean(body):
            yield LineError(block.line, "the text is no valid UTF-8; save the file as UTF-8")
            continue
        under = "\n".join(f"{'#' * level} {title}" for level, title in block.headings)
        whole = f"{under}\n\n{body}" if under else body
        yield Record(
            line=block.line,
            text=whole,
            origin=f"markdown:{fingerprint(whole)}",
            said_at=_dated(block.headings) or undated,
        )


@dataclass(slots=True)
class _Block:
    """A bullet with what hangs on it, or a paragraph."""

    line: int
    headings: tuple[tuple[int, str], ...]
    indent: int | None
    lines: list[str] = field(default_factory=list)


def _blocks(lines: list[str], skipped: int) -> Iterator[_Block]:
    headings: list[tuple[int, str]] = []
    block: _Block | None = None
    for number, line in _prose(lines):
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        ends = heading is not None or not line.strip() or _opens(bullet, block)
        if block is not None and ends:
            yield block
            block = None
        if heading:
            level = len(heading[1])
            headings = [
                *((above, title) for above, title in headings if above < level),
                (level, heading[2].strip("# ")),
            ]
        elif line.strip():
            if block is None:
                indent = len(bullet[1]) if bullet else None
                block = _Block(number + skipped, tuple(headings), indent)
            block.lines.append(line.rstrip())
    if block is not None:
        yield block


def _opens(bullet: re.Match[str] | None, block: _Block | None) -> bool:
    """Whether a bullet begins a new block: it does unless it hangs deeper under the one that is open."""
    if bullet is None or block is None:
        return bullet is not None
    return block.indent is None or len(bullet[1]) <= block.indent


def _prose(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines that are no code, table or ruler, with their numbers; those give an empty line instead."""
    fences = Fences()
    for number, line in enumerate(lines, start=1):
        if fences.holds(line) or _TABLE.match(line) or _RULE.match(line):
            yield number, ""
        else:
            yield number, line


def _blank_comments(text: str) -> str:
    """Comments go, their line breaks stay, so that line numbers still fit. One without an end is none."""
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n") if found[1] else found[0], text)


def _dated(headings: tuple[tuple[int, str], ...]) -> Instant | None:
    for _, title in reversed(headings):
        found = _found(_DATE.search(title))
        if found is not None:
            return found
    return None


def _found(match: re.Match[str] | None) -> Instant | None:
    try:
        return read_moment(match[1]) if match else None
    except InvalidInputError:
        return None
