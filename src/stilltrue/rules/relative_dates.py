"""Which stretch of the local calendar do words mean that are relative to when they were said?

Answer: `read_period`, for "yesterday", "last Monday", "two weeks ago", "end of March" and, through `rules.civil`, for
dates written out; a missing year is supplied here. Prepositions and time zones are `rules.dates`' business.

A month or day without a year is the latest that has begun where the words lean to the past, the earliest that is not
over where they lean to the future, and the nearest where they do neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import NamedTuple

from stilltrue.rules.civil import (
    MOMENT,
    MONTHS,
    SEASONS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
    Civil,
    Grain,
    Token,
    ordinal_day,
    read_civil,
    shift_months,
    word_at,
)
from stilltrue.rules.numerals import START_WORDS, read_number

_DAY = timedelta(days=1)
_YEARS_TRIED = 8  # a 29 February is at most eight years away (1896 to 1904)
_UNITS = {
    "second": Grain.MOMENT, "minute": Grain.MOMENT, "min": Grain.MOMENT, "hour": Grain.MOMENT, "day": Grain.DAY,
    "night": Grain.DAY, "week": Grain.WEEK, "fortnight": Grain.WEEK, "month": Grain.MONTH, "quarter": Grain.QUARTER,
    "year": Grain.YEAR, "decade": Grain.DECADE,
}  # fmt: skip
_STEPS = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "min": timedelta(minutes=1),
    "hour": timedelta(hours=1), "day": _DAY, "night": _DAY, "week": 7 * _DAY, "fortnight": 14 * _DAY,
}  # fmt: skip
_OTHER_START = re.compile(rf"(?:{START_WORDS}|an?|[qh][1-4]|first|second|third|fourth|in|within|for)(?!\w)")
_STEP_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HOURS_OF = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30), "tonight": (18, 30)}
_EDGES = {"end": "end", "close": "end", "start": "start", "beginning": "start", "middle": "mid"}
_PARTS = {"early": "early", "mid": "mid", "late": "late", "eoy": "end", "eom": "end"}
_DIRECTIONS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "following": 1}
_DIRECTIONS |= {"upcoming": 1}
_LONGEST_NUMERAL = 6  # tokens before the unit: "twenty-one and a half years"
_NUMBER_START = re.compile(rf"(?:{START_WORDS}|an?)(?!\w)")


class Lean(StrEnum):
    """Which way the words around a date lean in time."""

    PAST = "past"
    FUTURE = "future"
    NEITHER = "neither"


class Period(NamedTuple):
    """[start, end) on the local clock. `sharp`: "until" it includes it (a day, "the end of March").

    `lone`: it may as well be no date, so that only a preposition makes it one (a month, a year, "the 5th").
    """

    grain: Grain
    start: datetime
    end: datetime
    sharp: bool = False
    lone: bool = False


class Saying(NamedTuple):
    """The text, when it was said on the local clock, and how it writes dates."""

    text: str
    tokens: list[Token]
    said: datetime
    day_first: bool | None = None
    clock: tzinfo = UTC

    @property
    def today(self) -> datetime:
        return self.said.replace(hour=0, minute=0, second=0, microsecond=0)


class Amount(NamedTuple):
    """So many units of time, up to the token `end`."""

    number: float
    unit: str
    end: int


_Reader = Callable[[Saying, int, Lean], tuple[Period, int] | None]


def read_period(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """The period named from token `at` on, and the token after it; None where none begins. Raises no error.

    >>> from stilltrue.rules.civil import tokenize
    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> def read(words, lean=Lean.NEITHER):
    ...     found = read_period(Saying(words, tokenize(words), said), 0, lean)
    ...     return found and (found[0].start.date().isoformat(), found[0].end.date().isoformat())
    >>> read("last Monday"), read("two weeks ago")
    (('2025-06-16', '2025-06-17'), ('2025-06-04', '2025-06-05'))
    >>> read("3 March", Lean.PAST), read("3 March", Lean.FUTURE)
    (('2025-03-03', '2025-03-04'), ('2026-03-03', '2026-03-04'))
    >>> read("recently"), read("the last dog"), read("two dogs ago"), read("Mondays")
    (None, None, None, None)
    """
    try:
        for reader in _READERS.get(word_at(saying.tokens, at), (_read_ago, _read_written)):
            if found := reader(saying, at, lean):
                return found
    except (ValueError, OverflowError):  # a year that no calendar here has
        return None
    return None


def read_amount_of_time(saying: Saying, at: int) -> Amount | None:
    """A number and a unit of time: "3 weeks", "a couple of months", "half a year"."""
    word = word_at(saying.tokens, at)
    if not word or not (word[0].isdigit() or _NUMBER_START.match(word)):
        return None
    near = range(at + 1, at + _LONGEST_NUMERAL)
    if not any(word_at(saying.tokens, place).removesuffix("s") in _UNITS for place in near):
        return None  # the usual case, told cheaply
    number = read_number(saying.text, saying.tokens[at].start)
    if not number or abs(number.number) > 1e6:  # noqa: PLR2004 - beyond any calendar
        return None
    end = at
    while end < len(saying.tokens) and saying.tokens[end].start < number.end:
        end += 1
    unit = word_at(saying.tokens, end).removesuffix("s")
    return Amount(number.number, unit, end + 1) if unit in _UNITS else None


def shift(moment: datetime, amount: Amount, sign: int) -> datetime:
    """`moment` that much later (sign 1) or earlier (-1). Raises ValueError or OverflowError out of range."""
    if amount.unit in _STEPS:
        return moment + sign * amount.number * _STEPS[amount.unit]
    return shift_months(moment, sign * round(amount.number * _STEP_MONTHS[amount.unit]))


def _read_named_day(saying: Saying, at: int, _lean: Lean) -> tuple[Period, int] | None:
    """Days: "today", "yesterday evening", "last night", "this morning", "the day after tomorrow"."""
    tokens, today = saying.tokens, saying.today
    word, then = word_at(tokens, at), word_at(tokens, at + 1)
    if word == "the" and then == "day" and word_at(tokens, at + 2) in ("before", "after"):
        distance = {("before", "yesterday"): -2, ("after", "tomorrow"): 2}.get(
            (word_at(tokens, at + 2), word_at(tokens, at + 3))
        )
        return (_day(today + distance * _DAY), at + 4) if distance else None
    if word == "last" and then == "night":
        return _hours(today - _DAY, "night"), at + 2
    if word == "this" and then in _HOURS_OF:
        return _hours(today, then), at + 2
    if word == "tonight":
        return _hours(today, word), at + 1
    if word in ("today", "yesterday", "tomorrow"):
        day = today + ("yesterday", "today", "tomorrow").index(word) * _DAY - _DAY
        return (_hours(day, then), at + 2) if then in _HOURS_OF else (_day(day), at + 1)
    return None


def _hours(day: datetime, name: str) -> Period:
    first, last = _HOURS_OF[name]
    return Period(Grain.MOMENT, day + timedelta(hours=first), day + timedelta(hours=last), sharp=True)


def _day(day: datetime) -> Period:
    return Period(Grain.DAY, day, day + _DAY, sharp=True)


def _read_edge(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """Parts of a longer period: "end of March", "mid-June", "early 2019", "the end of the year"."""
    tokens = saying.tokens
    place = at + 1 if word_at(tokens, at) == "the" else at
    word = word_at(tokens, place)
    part = _EDGES.get(word) if word_at(tokens, place + 1) == "of" else _PARTS.get(word)
    if not part:
        return None
    if word in ("eoy", "eom"):
        return _cut(_unit_around(saying.today, "year" if word == "eoy" else "month", 0), part), place + 1
    place += 2 if word in _EDGES or word_at(tokens, place + 1) in ("-", "in", "of") else 1
    after_the = place + 1 if word_at(tokens, place) == "the" else place
    unit = word_at(tokens, after_the)
    if unit in ("day", "week", "month", "quarter", "year", "decade") and part in ("end", "start", "mid"):
        return _cut(_unit_around(saying.today, unit, 0), part), after_the + 1
    whole = _read_directed(saying, place, lean) or _read_written(saying, after_the, lean)
    if not whole or whole[0].grain in (Grain.DAY, Grain.MOMENT):
        return None
    return _cut(whole[0], part), whole[1]


def _cut(whole: Period, part: str) -> Period:
    """A part of a period: thirds for early, mid and late; the first or last day (of a year, month) for its edges."""
    start, end = whole.start, whole.end
    third = (end - start) / 3
    first_cut, last_cut = (_midnight(start + third), _midnight(start + 2 * third))
    yearly = whole.grain in (Grain.YEAR, Grain.DECADE, Grain.HALF)
    cuts = {
        "early": (start, first_cut),
        "mid": (first_cut, last_cut),
        "late": (last_cut, end),
        "start": (start, shift_months(start, 1) if yearly else start + _DAY),
        "end": (shift_months(end, -1) if yearly else end - _DAY, end),
    }
    return Period(whole.grain, *cuts[part], sharp=True)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _read_directed(saying: Saying, at: int, _lean: Lean) -> tuple[Period, int] | None:
    """From here: "last week", "this year", "next Friday", "last May", "next summer", "the past year".

    The past year ends now; last year is the calendar's.
    """
    tokens, today = saying.tokens, saying.today
    place = at + 1 if word_at(tokens, at) == "the" else at
    word = word_at(tokens, place)
    if word not in _DIRECTIONS:
        return None
    direction, name = _DIRECTIONS[word], word_at(tokens, place + 1)
    if name in ("week", "month", "quarter", "year", "decade", "weekend") and word != "past":
        return (_unit_around(today, name, direction), place + 2) if word_at(tokens, place + 2) != "of" else None
    if name in WEEKDAYS or (name in SHORT_WEEKDAYS and tokens[place + 1].capital):
        return _day(_weekday(today, WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0)), direction)), place + 2
    if (name in MONTHS and tokens[place + 1].capital) or name in SEASONS:
        civil = Civil(Grain.MONTH, None, MONTHS[name]) if name in MONTHS else Civil(Grain.SEASON, None, SEASONS[name])
        period = _yearless_around(civil, today, direction)
        return (period, place + 2) if period else None
    amount = read_amount_of_time(saying, place + 1) if direction else None
    if word == "past" and name in _UNITS:
        amount = Amount(1, name, place + 2)
    if amount:
        there = shift(saying.said, amount, direction)
        return Period(_UNITS[amount.unit], min(there, saying.said), max(there, saying.said), sharp=True), amount.end
    return None


def _unit_around(today: datetime, unit: str, direction: int) -> Period:
    """The whole week (from Monday), month, quarter, year or decade so many away from today's."""
    if unit == "day":
        return _day(today)
    if unit in ("week", "weekend"):
        monday = today - today.weekday() * _DAY + 7 * direction * _DAY
        return Period(Grain.WEEK, monday + (5 * _DAY if unit == "weekend" else 0 * _DAY), monday + 7 * _DAY)
    months = _STEP_MONTHS[unit]
    first = today.replace(day=1)
    if unit == "decade":
        first = first.replace(year=first.year // 10 * 10, month=1)
    else:
        first = first.replace(month=(first.month - 1) // months * months + 1)
    start = shift_months(first, direction * months)
    return Period(_UNITS[unit], start, shift_months(start, months))


def _weekday(today: datetime, weekday: int, direction: int) -> datetime:
    """The nearest such day strictly before or after today; for 0 the one of this week, Monday to Sunday."""
    if direction == 0:
        return today + (weekday - today.weekday()) * _DAY
    distance = (weekday - today.weekday()) * direction % 7 or 7
    return today + direction * distance * _DAY


def _yearless_around(civil: Civil, today: datetime, direction: int) -> Period | None:
    """Here "last May" is the latest that is over, "next May" the earliest not begun, "this May" the current year's."""
    spans = [span for year in range(today.year - 2, today.year + 3) if (span := civil.bounds(year))]
    if direction < 0:
        spans = [span for span in spans if span[1] <= today][-1:]
    elif direction > 0:
        spans = [span for span in spans if span[0] > today][:1]
    else:
        spans = [span for span in spans if span[0].year == today.year]
    return Period(civil.grain, *spans[0]) if spans else None


def _read_weekday(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """Days of the week: "Monday", "Monday morning", "Monday, 3 May 2025"; not "Mondays".

    By itself it is a date only where the sentence pauses behind it: Friday deploys and Black Friday are no days.
    """
    tokens = saying.tokens
    word = word_at(tokens, at)
    short = word in SHORT_WEEKDAYS and tokens[at].capital
    if word not in WEEKDAYS and not short:
        return None
    place = at + 1
    while word_at(tokens, place) in (",", ".", "the"):
        place += 1
    written = read_civil(tokens, place, day_first=saying.day_first) if place < len(tokens) else None
    if written and written[0].grain is Grain.DAY:
        return _read_written(saying, place, lean)
    weekday = WEEKDAYS.get(word, SHORT_WEEKDAYS.get(word, 0))
    day = _weekday(saying.today, weekday, -1 if lean is Lean.PAST else 1)
    end = at + 2 if word_at(tokens, at + 1) in _HOURS_OF else at + 1
    black = at > 0 and tokens[at - 1].capital and word_at(tokens, at - 1) not in ("on", "since", "until", "by", "from")
    pause = end > at + 1 or word_at(tokens, end) in ("", ".", ",", "!", "?", ";", ":", ")", "at")
    return _day(day)._replace(lone=short or black or not pause), end


def _read_ago(saying: Saying, at: int, _lean: Lean) -> tuple[Period, int] | None:
    """Distances: "two weeks ago", "3 days from now", "in three weeks" (the caller sees to the "in").

    As coarse as what was said: a day for days and weeks, the calendar month or year for months and years.
    """
    tokens = saying.tokens
    amount = read_amount_of_time(saying, at)
    if not amount:
        return None
    then = word_at(tokens, amount.end)
    if then == "ago" or (then == "back" and word_at(tokens, at - 1) not in ("go", "went", "going")):
        return _at_distance(saying, amount, -1), amount.end + 1
    if then == "from" and word_at(tokens, amount.end + 1) in ("now", "today"):
        return _at_distance(saying, amount, 1), amount.end + 2
    return None


def _at_distance(saying: Saying, amount: Amount, sign: int) -> Period:
    there = shift(saying.said, amount, sign)
    grain = _UNITS[amount.unit] if amount.number >= 1 or amount.unit != "year" else Grain.MONTH  # half a year ago
    if grain is Grain.MOMENT:
        return Period(grain, there, there + _STEPS[amount.unit], sharp=True)
    if grain in (Grain.DAY, Grain.WEEK):
        return _day(_midnight(there))
    return _unit_around(_midnight(there), "month" if grain in (Grain.MONTH, Grain.QUARTER) else "year", 0)


def read_ahead(saying: Saying, at: int) -> tuple[Period, int] | None:
    """What "in" three weeks, a month, 5 minutes is: the amount from token `at` on, ahead of now."""
    amount = read_amount_of_time(saying, at)
    try:
        return (_at_distance(saying, amount, 1), amount.end) if amount else None
    except (ValueError, OverflowError):
        return None


def _read_written(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """A date written out; "the 5th" and dates without a year take what is missing from when they were said."""
    tokens = saying.tokens
    if at >= len(tokens):
        return None
    if MOMENT.fullmatch(tokens[at].word):
        moment = datetime.fromisoformat(tokens[at].word.upper())
        start = moment.astimezone(saying.clock).replace(tzinfo=None) if moment.tzinfo else moment
        return Period(Grain.MOMENT, start, start + timedelta(seconds=1), sharp=True), at + 1
    place = at + 1 if word_at(tokens, at) == "the" else at
    found = read_civil(tokens, place, day_first=saying.day_first) if place < len(tokens) else None
    if found:
        civil, end = found
        period = fill(civil, saying.today, lean)
        return (period, end) if period else None
    day = ordinal_day(tokens, place) if place > at else 0
    return (period, place + 1) if day and (period := _day_of_month(day, saying.today, lean)) else None


def fill(civil: Civil, today: datetime, lean: Lean) -> Period | None:
    """The period of a written date, its year supplied where it has none; None for a date there is not."""
    sharp = civil.grain is Grain.DAY
    if civil.year is not None:
        span = civil.bounds(civil.year)
        return Period(civil.grain, *span, sharp=sharp, lone=civil.grain is Grain.YEAR) if span else None
    chosen = None
    for reach in (1, _YEARS_TRIED):  # only a 29 February is ever further away than a year
        years = range(max(today.year - reach, 1), today.year + reach + 1)
        spans = [span for year in years if (span := civil.bounds(year))]
        if chosen := _choose(spans, today, lean):
            break
    return Period(civil.grain, *chosen, sharp=sharp, lone=civil.grain is not Grain.DAY) if chosen else None


def _day_of_month(day: int, today: datetime, lean: Lean) -> Period | None:
    first = today.replace(day=1)
    spans = []
    for months in range(-2, 3):
        month = shift_months(first, months)
        if span := Civil(Grain.DAY, month.year, month.month, day).bounds(month.year):
            spans.append(span)
    chosen = _choose(spans, today, lean)
    return Period(Grain.DAY, *chosen, sharp=True, lone=True) if chosen else None


def _choose(spans: list[tuple[datetime, datetime]], today: datetime, lean: Lean) -> tuple[datetime, datetime] | None:
    """Of the same day or month in several years the one that is meant (see the module's first lines)."""
    if lean is Lean.PAST:
        begun = [span for span in spans if span[0] <= today]
        return begun[-1] if begun else None
    if lean is Lean.FUTURE:
        return next((span for span in spans if span[1] > today), None)
    return min(spans, key=lambda span: abs(span[0] - today), default=None)


_THE = (_read_named_day, _read_edge, _read_directed, _read_written)
_READERS: dict[str, tuple[_Reader, ...]] = {
    **dict.fromkeys(("today", "yesterday", "tomorrow", "tonight"), (_read_named_day,)),
    **dict.fromkeys(_DIRECTIONS, (_read_named_day, _read_directed)),
    **dict.fromkeys((*_EDGES, *_PARTS), (_read_edge,)),
    **dict.fromkeys((*WEEKDAYS, *SHORT_WEEKDAYS), (_read_weekday,)),
    **dict.fromkeys((*MONTHS, *SEASONS), (_read_written,)),
    "the": _THE,
}
"""Who reads what begins with a word; anything else is a number or an ordinal."""


def may_begin(token: Token) -> bool:
    """Whether a date may begin with this token: a cheap look before the readers are asked."""
    word = token.word
    return word in _READERS or word[0].isdigit() or bool(_OTHER_START.match(word))
