"""Which stretches of time does a sentence name, and how do they bind what it says?

Answer: `find_dates`. Which words bind how is `rules.date_binding`'s business, what "two weeks ago" is that of
`rules.relative_dates`, what a date does to a fact's valid time `rules.validity`'s, a moment by itself `rules.as_of`'s.

A date without a year leans as its words do: "since" to the past; "from", "until" and "by" to the future, unless the
sentence is in the past tense; "on" and "in" as the sentence does (`rules.tense_words`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.model.episode import Span
from stilltrue.model.timeline import Instant, Interval
from stilltrue.rules.civil import impossible_day, read_tight_range, tokenize, word_at
from stilltrue.rules.date_binding import Bind, Binding, binding_before, is_licensed, is_recurring, read_range
from stilltrue.rules.numerals import fold
from stilltrue.rules.periods import Lean, Period, fill
from stilltrue.rules.relative_dates import Saying, may_begin, read_ahead, read_amount_of_time, read_period, shift
from stilltrue.rules.tense_words import is_perfect, leans
from stilltrue.rules.zones import to_instant, zone_of

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from stilltrue.rules.civil import Civil


class DateRole(StrEnum):
    """How a date binds the statement it stands in.

    at: it holds or happened then. from: [start, open). until: [open, end). between: [start, end). for: a duration
    that reaches up to now ("has lived here for two years"): [said_at - duration, open). by: a deadline, [open, end).
    """

    AT = "at"
    FROM = "from"
    UNTIL = "until"
    BETWEEN = "between"
    FOR = "for"
    BY = "by"


@dataclass(frozen=True, slots=True)
class DateMention:
    """`span` covers the date with its preposition ("since Monday"); `interval` is half-open UTC from local days."""

    span: Span
    interval: Interval
    role: DateRole


_MOST_PLACES = 1000  # tried in one text: no sentence has as many, and 8 KiB of them stay cheap
_BEFORE_AMOUNT = ("the", "last", "past", "over", "about", "almost", "nearly", "at", "least", "around", "now")


class _Local(NamedTuple):
    """A mention on the local clock, from token `first` up to `end`. No role: a date that recurs or is none."""

    role: DateRole | None
    start: datetime | None
    stop: datetime | None
    first: int
    end: int


def find_dates(text: str, said_at: Instant, zone: str = "UTC", *, day_first: bool | None = None) -> list[DateMention]:
    """The dates in `text`, left to right, as said at `said_at` by someone whose clock is in `zone`.

    `day_first` decides about "3/5/2025"; without it such a date is not reported. Raises InvalidInputError for a zone
    that there is not.

    >>> from datetime import UTC, datetime
    >>> said = datetime(2025, 6, 18, 12, tzinfo=UTC)
    >>> [(date.role.value, date.interval.start.date().isoformat()) for date in find_dates("Here since Monday", said)]
    [('from', '2025-06-16')]
    >>> find_dates("Postgres 14 on port 8000 may march on Mondays, recently", said)
    []
    """
    folded, clock = fold(text), zone_of(zone)
    tokens = tokenize(folded)
    saying = Saying(folded, tokens, said_at.astimezone(clock).replace(tzinfo=None), day_first, clock)
    begins = [may_begin(token) for token in tokens]
    tense = leans(tokens) if any(begins) else []
    mentions: list[DateMention] = []
    at = done = places = 0
    while at < len(tokens) and places < _MOST_PLACES:
        places += begins[at]
        found = _read(saying, at, tense[at]) if begins[at] else None
        if not found:
            at += 1
            continue
        if mention := _mention(saying, found, done, clock):
            mentions.append(mention)
        at = done = max(found.end, at + 1)
    return mentions


def _mention(saying: Saying, found: _Local, done: int, clock: tzinfo) -> DateMention | None:
    """On the UTC clock; None for a date that none of our calendars holds. `done` is where the last mention ended."""
    if found.role is None:
        return None
    try:
        start = to_instant(found.start, clock) if found.start else None
        stop = to_instant(found.stop, clock) if found.stop else None
    except OverflowError:
        return None
    if start and stop and stop < start:  # a clock that was put back within an hour
        return None
    tokens = saying.tokens
    span = Span(tokens[max(found.first, done)].start, tokens[found.end - 1].end)
    return DateMention(span, Interval(start, stop), found.role)


def _read(saying: Saying, at: int, tense: Lean) -> _Local | None:
    """The mention whose date begins at token `at`, its preposition included."""
    word = word_at(saying.tokens, at)
    if word == "for":
        return _read_duration(saying, at)
    if word in ("in", "within"):
        return _read_ahead(saying, at, tense)
    if end := impossible_day(saying.tokens, at):
        return _Local(None, None, None, at, end)
    binding = binding_before(saying.tokens, at)
    lean = _lean(binding, tense)
    if pair := read_tight_range(saying.tokens, at):
        return _tight(saying, pair, binding, lean)
    found = read_period(saying, at, lean)
    return _read_bound(saying, at, found, binding, tense) if found else None


def _read_bound(saying: Saying, at: int, found: tuple[Period, int], binding: Binding, tense: Lean) -> _Local | None:
    """The mention of a period that was read at token `at`, or the range that it begins; None where it is no date."""
    period, end = found
    if is_recurring(saying.tokens, at):
        return _Local(None, None, None, at, end)
    if ends := read_range(saying, at, found, binding, _lean(binding, tense)):
        return _Local(DateRole.BETWEEN if ends.known else None, ends.start, ends.stop, binding.first, ends.end)
    if period.lone and not is_licensed(saying.tokens, period, binding, end):
        return None
    role, start, stop = _bound(period, binding.bind, tense)
    return _Local(role, start, stop, binding.first, end)


def _lean(binding: Binding, tense: Lean) -> Lean:
    """Where a missing year is looked for: "since" behind, "from" ahead, "as of" wherever the sentence is."""
    if binding.bind is Bind.SINCE:
        return Lean.PAST
    forward = binding.word != "of" and binding.bind in (Bind.FROM, Bind.UNTIL, Bind.THROUGH, Bind.BY)
    return Lean.FUTURE if forward and tense is Lean.NEITHER else tense


def _bound(period: Period, bind: Bind, tense: Lean) -> tuple[DateRole, datetime | None, datetime | None]:
    """The role and ends of a period behind its preposition.

    "until March" ends with its first day, "until 3 March" and "until the end of March" include what they name.
    """
    match bind:
        case Bind.SINCE | Bind.FROM:
            return DateRole.FROM, period.start, None
        case Bind.AFTER:
            return DateRole.FROM, period.end, None
        case Bind.UNTIL:
            return DateRole.UNTIL, None, period.end if period.sharp else period.start
        case Bind.THROUGH:
            return DateRole.UNTIL, None, period.end
        case Bind.BEFORE:
            return DateRole.UNTIL if tense is Lean.PAST else DateRole.BY, None, period.start
        case Bind.BY:
            return DateRole.BY, None, period.end
        case Bind.FOR:
            return DateRole.FOR, period.start, None
        case Bind.BARE | Bind.AT | Bind.BETWEEN:
            return DateRole.AT, period.start, period.end


def _read_duration(saying: Saying, at: int) -> _Local | None:
    """A duration that reaches up to now: "has lived here for two years", "for the last three months".

    >>> from datetime import UTC, datetime
    >>> said = datetime(2025, 6, 18, 12, tzinfo=UTC)
    >>> [found.role.value for found in find_dates("I've lived here for two years", said)]
    ['for']
    >>> find_dates("I lived there for two years", said)
    []
    """
    tokens = saying.tokens
    place = at + 1
    past = False
    while word_at(tokens, place) in _BEFORE_AMOUNT:
        past = past or word_at(tokens, place) in ("last", "past")
        place += 1
    amount = read_amount_of_time(saying, place)
    if not amount:
        return None
    if not past and not is_perfect(tokens, at):
        return _Local(None, None, None, at, amount.end)
    try:
        return _Local(DateRole.FOR, shift(saying.said, amount, -1), None, at, amount.end)
    except (ValueError, OverflowError):
        return None


def _read_ahead(saying: Saying, at: int, tense: Lean) -> _Local | None:
    """In three weeks, within two days: ahead of now. In the past tense it is how long something took.

    >>> from datetime import UTC, datetime
    >>> said = datetime(2025, 6, 18, 12, tzinfo=UTC)
    >>> [found.interval.start.date().isoformat() for found in find_dates("I fly in three weeks", said)]
    ['2025-07-09']
    >>> find_dates("She finished in three weeks", said) + find_dates("It answers in 3 seconds", said)
    []
    """
    found = read_ahead(saying, at + 1)
    if not found:
        return None
    period, end = found
    soon = (period.end - period.start).total_seconds() < 86400 and tense is not Lean.FUTURE  # noqa: PLR2004 - a day
    if soon or tense is Lean.PAST or word_at(saying.tokens, end) in ("of", "ago"):
        return None
    if word_at(saying.tokens, at) == "within":
        return _Local(DateRole.BY, None, period.end, at, end)
    return _Local(DateRole.AT, period.start, period.end, at, end)


def _tight(saying: Saying, pair: tuple[Civil, Civil, int], binding: Binding, lean: Lean) -> _Local | None:
    first, last = (fill(civil, saying.today, lean) for civil in pair[:2])
    if not first or not last or last.end < first.start:
        return None
    return _Local(DateRole.BETWEEN, first.start, last.end, binding.first, pair[2])
