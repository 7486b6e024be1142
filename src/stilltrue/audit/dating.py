"""Since when does an entry of a memory file hold, and which of its words only say so?

A date that opens an entry ("2025-03-12: …", "03-12: …" under a heading with a year), that closes it in brackets, or
that stands in a heading dates what it holds. Dates inside a sentence are what the sentence says, and left to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stilltrue.model.timeline import Instant

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME: Final = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE: Final = (
    r"(?:(?P<y>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?![\d-]|\.\d)"
    r"|(?P<d2>\d{1,2})(?:st|nd|rd|th|\.)?\s+" + _NAME.format("n2") + r",?\s+(?P<y2>\d{4})"
    r"|" + _NAME.format("n3") + r"(?:\s+(?P<d3>\d{1,2})(?:st|nd|rd|th)?)?,?\s+(?P<y3>\d{4}))"
)
_ANYWHERE: Final = re.compile(rf"(?<![\w.-]){_DATE}(?!\w)", re.IGNORECASE)
_OPENING: Final = re.compile(
    rf"\s*+[(\[]?(?:(?:updated?|added|as of|since|last (?:updated?|reviewed|checked)|date)[:\s]+)?{_DATE}[)\]]?"
    r"(?:\s*[:,;–—·|-]+\s+|\.?\s+(?=[A-Z`])|\s*$)",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?<!\s)\s*+[(\[](?:(?:updated?|added|as of|since|last (?:updated?|checked)|decided)[:\s]+)?"
    rf"{_DATE}[)\]]\s*[.]?\s*\Z",
    re.IGNORECASE,
)
_DAY: Final = re.compile(r"\s*(?P<m>\d{2})-(?P<d>\d{2})\s*[:–—·-]+\s+")


@dataclass(frozen=True, slots=True)
class Dated:
    """The date that an entry bears, None without one, and where its own words begin and end."""

    at: Instant | None
    start: int
    end: int


def entry_date(text: str, above: Instant | None) -> Dated:
    """The date of an entry; `above`: the date of the headings over it, which tells the year of "03-12".

    >>> entry_date("2025-03-12: moved to Oslo", None).at.date().isoformat()
    '2025-03-12'
    >>> entry_date("Uses pnpm (March 2025)", None).end, entry_date("Born on 2 May 1990 in Oslo", None).at
    (9, None)
    """
    opening = _OPENING.match(text)
    if opening is not None and (at := _moment(opening)) is not None:
        return Dated(at, opening.end(), len(text))
    day = _DAY.match(text)
    if day is not None and above is not None:
        at = _at(above.year, int(day["m"]), int(day["d"]))
        if at is not None:
            return Dated(at, day.end(), len(text))
    closing = _CLOSING.search(text)
    if closing is not None and (at := _moment(closing)) is not None:
        return Dated(at, 0, closing.start())
    return Dated(None, 0, len(text))


def heading_date(headings: Iterable[str]) -> Instant | None:
    """The date in the innermost heading that bears one.

    >>> heading_date(("Decisions", "D-04 · 2025-02-17 · API")).date().isoformat()
    '2025-02-17'
    """
    for title in reversed(tuple(headings)):
        found = _ANYWHERE.search(title)
        if found is not None and (at := _moment(found)) is not None:
            return at
    return None


_FRONT_DATE: Final = re.compile(rf"(?im)^(?:date|updated|last_updated|modified|created):[ \t]*['\"]?{_DATE}")


def front_date(front: str) -> Instant | None:
    """The date that front matter names."""
    found = _FRONT_DATE.search(front)
    return _moment(found) if found is not None else None


def _moment(found: re.Match[str]) -> Instant | None:
    parts = found.groupdict()
    year = parts["y"] or parts["y2"] or parts["y3"]
    name = parts["n2"] or parts["n3"]
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["m"])
    return _at(int(year), month, int(parts["d"] or parts["d2"] or parts["d3"] or 1))


def _at(year: int, month: int, day: int) -> Instant | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
