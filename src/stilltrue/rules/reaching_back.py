"""Which news lies before what was told earlier, and is the newer of the two all the same?

"I live in Paris", told in June, is only known to be true because it was told then. "I moved to Berlin in January", told
later in June, is news: the first was out of date when it was told. Answer: `reaches_back` says so of two statements,
`undated` which mentions of a fact were told as of now. Only a date without a year counts, which is at most a year back:
who says "in 2019" tells of the past, whatever the tense (LABELS 3).

Left to others: whether the two conflict at all (`rules.cascade`), what their times become (`write.carry_out`).
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.rules.dates import find_dates
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant

FURTHEST: Final = timedelta(days=366)
"""How far back a month or a season without a year may lie: the last one of that name."""
_YEAR: Final = re.compile(r"\d{4}|['’]\d\d\b|\bdecade|\bcentury")
_ZONES: Final = timedelta(hours=14)  # how far a day on somebody's clock may lie from the same day in UTC


def reaches_back(news: Statement, other: Statement, since: Instant | None, last_told: Instant) -> bool:
    """Whether `news` is about a change before `other` is known to hold, and was told after it all the same.

    `since`: from when `other` is believed; `last_told`: its latest mention.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.slots import read_statement
    >>> june, july = (datetime(2025, month, 10, tzinfo=UTC) for month in (6, 7))
    >>> paris = read_statement("I live in Paris", said_at=june)
    >>> def told(text): return reaches_back(read_statement(text, said_at=july), paris, june, june)
    >>> told("I moved to Berlin in January"), told("I moved to Berlin in 2019"), told("I moved to Berlin")
    (True, False, False)
    """
    start = news.valid.start
    if start is None or since is None or not start < since or not last_told < news.said_at:
        return False
    return _about(news, other) and _state_of_then(other) and tells_of_lately(news)


def tells_of_lately(news: Statement) -> bool:
    """Whether it claims what holds now, since a day that it names without a year."""
    start = news.valid.start
    if news.modality is not Modality.ASSERTION or not news.dated or start is None or news.valid.end is not None:
        return False
    if not timedelta(0) < news.said_at - start <= FURTHEST:
        return False
    dates = [date for date in find_dates(news.text, news.said_at) if date.interval.start is not None]
    named = [date for date in dates if date.interval.start and abs(date.interval.start - start) <= _ZONES]
    return any(not _YEAR.search(news.text[date.span.start : date.span.end]) for date in named)


def _about(news: Statement, other: Statement) -> bool:
    """Whether the news is of the very slot, or of an end: "my phone was repaired in March" is an event."""
    one = (news.slot.subject, news.slot.attribute) == (other.slot.subject, other.slot.attribute)
    return (one and news.slot.attribute is not None) or bool(news.leaves) or bool(wording(news.text).end)


def _state_of_then(other: Statement) -> bool:
    """Whether it only says how things are, as of when it was told: word of a change is news of that very day."""
    claims = other.modality is Modality.ASSERTION and not other.dated and not other.negated
    return claims and not other.leaves and not wording(other.text).announces


def undated(sources: Iterable[Source]) -> bool:
    """Whether all mentions of a fact say that it held when they were told, and none since when."""
    return all(source.held_from is None or source.held_from == source.said_at for source in sources)


def seen_since(seen: Iterable[Instant], sources: Iterable[Source], news: Statement) -> tuple[Instant, ...]:
    """The mentions of a fact that news does not outdo: told after it, or with a date of their own."""
    if not tells_of_lately(news):
        return tuple(seen)
    told = {source.held_from for source in sources if source.held_from == source.said_at <= news.said_at}
    return tuple(moment for moment in seen if moment not in told)
