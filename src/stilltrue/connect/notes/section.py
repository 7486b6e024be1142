"""Where in a file does our section lie, and how is it exchanged without touching anything else? Between two comments.

Everything is done on bytes, so that line ends, byte order marks, odd encodings and a missing last line break stay as
they are. A comment counts where it opens a line, and not inside a fenced block. A file with half a section, or with
two, is refused: nobody can tell what in it is whose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from stilltrue.errors import InvalidInputError
from stilltrue.formats.fences import Fences

BEGIN: Final = "<!-- stilltrue:begin"
END: Final = "<!-- stilltrue:end"

_MARK: Final = re.compile(rb"^<!-- stilltrue:(begin|end)\b([^\r\n]*)-->[ \t]*(?=\r?$)", re.MULTILINE)
_DEEPEST: Final = 3  # blanks before a fence; deeper ones are code themselves, or end before the next line without any
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Section:
    """Bytes [start, end) of a file: both comments and what is between. `opened`, `closed`: what the comments say."""

    start: int
    end: int
    opened: str
    closed: str
    body: bytes
    line: int


def find(data: bytes) -> Section | None:
    """Our section of a file, if it has one. Raises InvalidInputError for half of one, for two, and for UTF-16."""
    if data.startswith(_WIDE):
        raise InvalidInputError("the file is UTF-16; save it as UTF-8, nothing was changed")
    fenced = _fenced(data)
    marks = [mark for mark in _MARK.finditer(data) if mark.start() not in fenced]
    if not marks:
        return None
    if [mark[1] for mark in marks] != [b"begin", b"end"]:
        lines = ", ".join(str(_line(data, mark.start())) for mark in marks)
        message = (
            f"the marks of the section (lines {lines}) are not one begin and one end; leave just one section, or none, "
            "nothing was changed"
        )
        raise InvalidInputError(message)
    begin, end = marks
    body = data[begin.end() : end.start()]
    return Section(begin.start(), end.end(), _says(begin), _says(end), body, _line(data, begin.start()))


def _says(mark: re.Match[bytes]) -> str:
    return mark[2].decode("utf-8", "replace").strip()


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def _fenced(data: bytes) -> frozenset[int]:
    """Where the lines begin that are code."""
    fences, at = Fences(_DEEPEST), 0
    found = []
    for line in data.split(b"\n"):
        if fences.holds(line.rstrip(b"\r").decode("latin-1")):
            found.append(at)
        at += len(line) + 1
    return frozenset(found)


def line_end(data: bytes) -> str:
    """How lines end in a file: as most of them do."""
    return "\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else "\n"


def put(data: bytes, lines: list[str]) -> bytes:
    r"""The file with these lines, comments included, as its section: where it was, else at the end.

    >>> put(b"Mine.", ["<!-- stilltrue:begin -->", "<!-- stilltrue:end -->"])
    b'Mine.\n\n<!-- stilltrue:begin -->\n<!-- stilltrue:end -->'
    """
    held, end = find(data), line_end(data)
    section = end.join(lines).encode()
    if held is not None:
        return data[: held.start] + section + data[held.end :]
    if not data.strip():
        return data + section + end.encode()
    if data.endswith(b"\n"):
        return data + end.encode() + section + end.encode()
    return data + end.encode() * 2 + section


def blanked(data: bytes) -> bytes:
    """The file without its section; the lines behind it keep their numbers."""
    held = find(data)
    if held is None:
        return data
    return data[: held.start] + b"\n" * data.count(b"\n", held.start, held.end) + data[held.end :]
