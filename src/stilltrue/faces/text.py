"""How is a remembered text shown so that it can harm nobody, and how are times and ids shown to people?

Memory text is data: whoever wrote it does not get to move the reader's cursor, colour the screen, break a line or turn
the direction of writing around. All that people read passes through `plain`; dates and ids pass through a `Lens`, which
knows the reader's zone and what to call a thing. What is said around them is `faces.render`'s business.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from zoneinfo import ZoneInfo

from stilltrue.model.ids import short
from stilltrue.model.timeline import Interval
from stilltrue.rules.patterns import late

_BLANKS = late(r"[\t\n\v\f\r\x85\u2028\u2029 ]+")
_ESCAPED = frozenset({"Cc", "Cs"})
_STEERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_TAGS = range(0xE0000, 0xE0080)


def plain(text: str) -> str:
    r"""One line in which every character shows: line breaks become spaces, control characters their escapes.

    >>> plain("two\nlines \x1b[31mred\u202e")
    'two lines \\x1b[31mred\\u202e'
    >>> plain("Größe → 5 µm, 東京, 👩‍💻")
    'Größe → 5 µm, 東京, 👩‍💻'
    """
    return "".join(_visible(character) for character in _BLANKS.sub(" ", text).strip())


def kept(text: str) -> str:
    r"""As `plain`, with line breaks and blanks as they are: for a passage shown as it was said, or a part of one.

    >>> kept(" two\r\nlines \x1b[31m")
    ' two\nlines \\x1b[31m'
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(
        "".join(character if character == "\t" else _visible(character) for character in line) for line in lines
    )


def _visible(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    hidden = character in _STEERING or ord(character) in _TAGS or unicodedata.category(character) in _ESCAPED
    return character.encode("unicode_escape").decode("ascii") if hidden else character


def shorten(text: str, length: int) -> str:
    """`plain` text of at most `length` characters; a cut one ends in an ellipsis.

    >>> shorten("a sentence that goes on", 12)
    'a sentence…'
    """
    line = plain(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Lens:
    """How one reader sees times and ids: in which zone dates fall, and what an id is called."""

    zone: tzinfo = UTC
    name: Callable[[str], str] = short

    @classmethod
    def of_zone(cls, zone: str) -> Lens:
        """The lens of a reader in an IANA zone, as the `timezone` setting names it."""
        return cls(zone=ZoneInfo(zone))

    def day(self, moment: datetime) -> str:
        """The reader's date of an instant.

        >>> Lens.of_zone("Europe/Berlin").day(datetime(2025, 2, 28, 23, tzinfo=UTC))
        '2025-03-01'
        """
        return moment.astimezone(self.zone).date().isoformat()

    def moment(self, moment: datetime) -> str:
        """Date and time to the minute; a midnight is its date alone.

        >>> Lens().moment(datetime(2025, 3, 1, 9, 30, tzinfo=UTC)), Lens().moment(datetime(2025, 3, 1, tzinfo=UTC))
        ('2025-03-01 09:30', '2025-03-01')
        """
        local = moment.astimezone(self.zone)
        if local.time() == time():
            return local.date().isoformat()
        return f"{local.date().isoformat()} {local:%H:%M}"

    def interval(self, interval: Interval) -> str:
        """An interval in words; within one day its times are told as well.

        >>> Lens().interval(Interval(datetime(2025, 3, 1, tzinfo=UTC), None))
        'since 2025-03-01'
        >>> Lens().interval(Interval(datetime(2025, 3, 1, 9, tzinfo=UTC), datetime(2025, 3, 1, 10, tzinfo=UTC)))
        '2025-03-01 09:00 to 2025-03-01 10:00'
        """
        start, end = interval.start, interval.end
        if start is None:
            return "undated" if end is None else f"until {self.day(end)}"
        if end is None:
            return f"since {self.day(start)}"
        if start == end:
            return f"at no time (from and to {self.day(start)})"
        show = self.moment if self.day(start) == self.day(end) else self.day
        return f"{show(start)} to {show(end)}"


def counted(words: Iterable[str]) -> str:
    """How often each word, most frequent first.

    >>> counted(["link", "fact", "link"])
    '2 link, 1 fact'
    """
    return ", ".join(f"{count} {word}" for word, count in Counter(words).most_common())


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows with their columns aligned; the last one runs on."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        *cells, last = row
        aligned = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
        yield "  ".join([*aligned, last])
