"""Which instant does a caller mean by "2025-03-01", "yesterday" or "1740787200"?

Answer: `parse_moment`, for `--as-of`, `valid_from` and their like. Dates inside sentences are `rules.dates`' business.

A date by itself is a whole day of the asker's: "as of yesterday" is its last microsecond, "valid from yesterday" its
first. So are months and years. Eight digits are a date (20250301), four a year; any other plain number counts seconds.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import from_micros
from stilltrue.rules.civil import Grain, tokenize
from stilltrue.rules.numerals import fold
from stilltrue.rules.patterns import late
from stilltrue.rules.periods import Lean, Period
from stilltrue.rules.relative_dates import Saying, read_ahead, read_whole
from stilltrue.rules.zones import to_instant, zone_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from stilltrue.model.timeline import Instant

_LONGEST = 100  # characters; a moment is a few words
_SECONDS = late(r"[+-]?\d{1,15}(?:\.\d{1,9})?")
_DAY = late(r"\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(?:-?\d)?")
_CLOCKED = late(r"\d{4}-?\d\d-?\d\d[T ]\d\d.*", re.IGNORECASE)
_WHEN = late(r"(?:(?:on|at|in|as of)\s)?(.+)", re.IGNORECASE | re.DOTALL)
_MICROSECOND = timedelta(microseconds=1)


def parse_moment(text: str, now: Instant, zone: str, *, end_of_day: bool) -> Instant:
    """The instant that `text` names, read at `now` by someone whose clock is in `zone` (an IANA name).

    An ISO date or datetime (without an offset: in `zone`), seconds since 1970-01-01 UTC, or words: "now", "yesterday",
    "last Monday", "3 May 2025", "two weeks ago". A date or longer period is its start, or with `end_of_day` its last
    microsecond, on the clock of `zone`. Raises InvalidInputError with a remedy for anything else.

    >>> from datetime import datetime
    >>> now = datetime(2025, 6, 18, 12, tzinfo=UTC)
    >>> parse_moment("yesterday", now, "Europe/Berlin", end_of_day=True).isoformat()
    '2025-06-17T21:59:59.999999+00:00'
    >>> parse_moment("1750248000", now, "UTC", end_of_day=True) == now
    True
    >>> parse_moment("recently", now, "UTC", end_of_day=True)
    Traceback (most recent call last):
    stilltrue.errors.InvalidInputError: 'recently' is no date or time; give one like 2025-06-18, ...
    """
    clock = zone_of(zone)
    plain = " ".join(fold(text[: _LONGEST + 1]).split())
    try:
        if plain.casefold() == "now":
            return now.astimezone(UTC)
        found = _iso(plain, clock) or _seconds(plain) or _words(plain, now, clock)
        if isinstance(found, datetime):
            return found
        if end_of_day:
            return to_instant(found.end, clock) - _MICROSECOND
        return to_instant(found.start, clock)
    except (ValueError, OverflowError, ArithmeticError):
        raise InvalidInputError(_remedy(text, now)) from None


def _remedy(text: str, now: Instant) -> str:
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return (
        f"{shown!r} is no date or time; give one like {now.date().isoformat()}, {now.date().isoformat()}T09:30, "
        f"seconds since 1970 such as {int(now.timestamp())}, or words such as yesterday, last Monday, 3 May 2025"
    )


def _iso(plain: str, clock: tzinfo) -> Instant | Period | None:
    """An ISO 8601 date, as a whole day, or a datetime. Raises ValueError where it has the form and is none."""
    if _DAY.fullmatch(plain):
        start = datetime.fromisoformat(plain)
        if len(plain) in (7, 8) and "W" in plain:
            return Period(Grain.WEEK, start, start + timedelta(days=7))
        last = start.date() == date.max  # written for "for ever"
        return Period(Grain.DAY, start, datetime.max if last else start + timedelta(days=1))  # noqa: DTZ901 - local
    if not _CLOCKED.fullmatch(plain):
        return None
    moment = datetime.fromisoformat(plain)
    return to_instant(moment, clock) if moment.tzinfo is None else moment.astimezone(UTC)


def _seconds(plain: str) -> Instant | None:
    """Seconds since 1970; four digits are left to be a year."""
    if not _SECONDS.fullmatch(plain) or (len(plain) == 4 and plain.isdigit()):  # noqa: PLR2004 - a year's digits
        return None
    return from_micros(int((Decimal(plain) * 1_000_000).to_integral_value()))


def _words(plain: str, now: Instant, clock: tzinfo) -> Period:
    """The one date that the words are. Without a year it is the latest: callers ask about the past far more often.

    Raises ValueError where they are anything else.
    """
    words = _WHEN.fullmatch(plain)
    rest = words[1] if words and len(plain) <= _LONGEST else ""
    said = now.astimezone(clock).replace(tzinfo=None)
    found = read_whole(rest, said, Lean.PAST, clock)
    if not found and plain.lower().startswith("in "):
        tokens = tokenize(rest)
        ahead = read_ahead(Saying(rest, tokens, said), 0)
        found = ahead[0] if ahead and ahead[1] == len(tokens) else None
    if not found:
        raise ValueError(plain)
    return found


def named_moment(given: object, name: str, now: Instant, zone: str, *, end_of_day: bool) -> Instant:
    """The instant that a caller gave as `name` in words or as a number. Raises InvalidInputError naming it."""
    if not isinstance(given, (str, int, float)):
        message = f"{name}={given!r} is no time; give a datetime, an ISO date or epoch seconds"
        raise InvalidInputError(message)
    try:
        return parse_moment(str(given), now, zone, end_of_day=end_of_day)
    except InvalidInputError as error:
        message = f"{name}: {error}"
        raise InvalidInputError(message) from None
