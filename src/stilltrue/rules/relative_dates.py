"""Which stretch of the local calendar do words mean that are relative to when they were said?

Answer: `read_period`, for "yesterday", "last Monday", "two weeks ago", "end of March" and, through `rules.civil`, for
dates written out; a missing year is supplied here. Prepositions and time zones are `rules.dates`' business.

A month or day without a year is the latest that has begun where the words lean to the past, the earliest that is not
over where they lean to the future, and the nearest where they do neither.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
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
    tokenize,
    word_at,
)
from stilltrue.rules.numerals import START_WORDS, read_number
from stilltrue.rules.patterns import late
from stilltrue.rules.periods import (
    Lean,
    Period,
    cut,
    day_of_month,
    fill,
    midnight,
    month_near,
    unit_around,
    weekday_near,
    whole_day,
)

_UNITS = {
    "second": Grain.MOMENT, "minute": Grain.MOMENT, "min": Grain.MOMENT, "hour": Grain.MOMENT, "day": Grain.DAY,
    "night": Grain.DAY, "week": Grain.WEEK, "fortnight": Grain.WEEK, "month": Grain.MONTH, "quarter": Grain.QUARTER,
    "year": Grain.YEAR, "decade": Grain.DECADE,
}  # fmt: skip
_DAY = timedelta(days=1)
_STEPS = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "min": timedelta(minutes=1),
    "hour": timedelta(hours=1), "day": _DAY, "night": _DAY, "week": 7 * _DAY, "fortnight": 14 * _DAY,
}  # fmt: skip
_OTHER_START = late(rf"(?:{START_WORDS}|an?|[qh][1-4]|first|second|third|fourth|in|within|for)(?!\w)")
_STEP_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HOURS_OF = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30), "tonight": (18, 30)}
_EDGES = {"end": "end", "close": "end", "start": "start", "beginning": "start", "middle": "mid"}
_PARTS = {"early": "early", "mid": "mid", "late": "late", "eoy": "end", "eom": "end"}
_DIRECTIONS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "following": 1}
_DIRECTIONS |= {"upcoming": 1}
_LONGEST_NUMERAL = 6  # tokens before the unit: "twenty-one and a half years"
_NUMBER_START = late(rf"(?:{START_WORDS}|an?)(?!\w)")


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
    """The period named from token `at` on, and the token after it; None where none begins. Raises no error."""
    try:
        for reader in _READERS.get(word_at(saying.tokens, at), (_read_ago, _read_written)):
            if found := reader(saying, at, lean):
                return found
    except (ValueError, OverflowError):  # a year that no calendar here has
        return None
    return None


def read_whole(words: str, said: datetime, lean: Lean = Lean.NEITHER, clock: tzinfo = UTC) -> Period | None:
    """The period that the whole of a folded text is, said at the local time `said`; None where it is not just that.

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> [read_whole("3 March", said, lean).start.year for lean in (Lean.PAST, Lean.FUTURE)]
    [2025, 2026]
    >>> [read_whole(words, said) for words in ("recently", "the last dog", "two dogs ago", "Mondays", "today we met")]
    [None, None, None, None, None]
    """
    tokens = tokenize(words)
    saying = Saying(words, tokens, said, clock=clock)
    found = read_period(saying, 0, lean) if tokens else None
    return found[0] if found and found[1] == len(tokens) else None


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
    """Days: "today", "yesterday evening", "last night", "this morning", "the day after tomorrow".

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> [read_whole(words, said).start.isoformat() for words in ("yesterday", "last night")]
    ['2025-06-17T00:00:00', '2025-06-17T18:00:00']
    >>> read_whole("today's special", said), read_whole("the day before Christmas", said)
    (None, None)
    """
    tokens, today = saying.tokens, saying.today
    word, then = word_at(tokens, at), word_at(tokens, at + 1)
    if word == "the" and then == "day" and word_at(tokens, at + 2) in ("before", "after"):
        distance = {("before", "yesterday"): -2, ("after", "tomorrow"): 2}.get(
            (word_at(tokens, at + 2), word_at(tokens, at + 3))
        )
        return (whole_day(today + distance * _DAY), at + 4) if distance else None
    if word == "last" and then == "night":
        return _hours(today - _DAY, "night"), at + 2
    if word == "this" and then in _HOURS_OF:
        return _hours(today, then), at + 2
    if word == "tonight":
        return _hours(today, word), at + 1
    if word in ("today", "yesterday", "tomorrow"):
        day = today + ("yesterday", "today", "tomorrow").index(word) * _DAY - _DAY
        return (_hours(day, then), at + 2) if then in _HOURS_OF else (whole_day(day), at + 1)
    return None


def _hours(day: datetime, name: str) -> Period:
    first, last = _HOURS_OF[name]
    return Period(Grain.MOMENT, day + timedelta(hours=first), day + timedelta(hours=last), sharp=True)


def _read_edge(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """Parts of a longer period: "end of March", "mid-June", "early 2019", "the end of the year".

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> [read_whole(words, said).start.date().isoformat() for words in ("end of March 2025", "mid-June", "late 2019")]
    ['2025-03-31', '2025-06-11', '2019-09-01']
    >>> read_whole("end of story", said), read_whole("early bird", said), read_whole("end of 3 May", said)
    (None, None, None)
    """
    tokens = saying.tokens
    place = at + 1 if word_at(tokens, at) == "the" else at
    word = word_at(tokens, place)
    part = _EDGES.get(word) if word_at(tokens, place + 1) == "of" else _PARTS.get(word)
    if not part:
        return None
    if word in ("eoy", "eom"):
        return cut(unit_around(saying.today, "year" if word == "eoy" else "month", 0), part), place + 1
    place += 2 if word in _EDGES or word_at(tokens, place + 1) in ("-", "in", "of") else 1
    after_the = place + 1 if word_at(tokens, place) == "the" else place
    unit = word_at(tokens, after_the)
    if unit in ("day", "week", "month", "quarter", "year", "decade") and part in ("end", "start", "mid"):
        return cut(unit_around(saying.today, unit, 0), part), after_the + 1
    whole = _read_directed(saying, place, lean) or _read_written(saying, after_the, lean)
    if not whole or whole[0].grain in (Grain.DAY, Grain.MOMENT):
        return None
    return cut(whole[0], part), whole[1]


def _read_directed(saying: Saying, at: int, _lean: Lean) -> tuple[Period, int] | None:
    """From here: "last week", "this year", "next Friday", "last May", "next summer", "the past year".

    The past year ends now; last year is the calendar's. "last May" is over, "next May" has not begun.

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> [read_whole(words, said).start.date().isoformat() for words in ("last week", "next Friday", "last May")]
    ['2025-06-09', '2025-06-20', '2025-05-01']
    >>> read_whole("last dog", said), read_whole("next a week", said), read_whole("the last week of May", said)
    (None, None, None)
    """
    tokens, today = saying.tokens, saying.today
    place = at + 1 if word_at(tokens, at) == "the" else at
    word = word_at(tokens, place)
    if word not in _DIRECTIONS:
        return None
    direction, name = _DIRECTIONS[word], word_at(tokens, place + 1)
    if name in ("week", "month", "quarter", "year", "decade", "weekend") and word != "past":
        return (unit_around(today, name, direction), place + 2) if word_at(tokens, place + 2) != "of" else None
    if name in WEEKDAYS or (name in SHORT_WEEKDAYS and tokens[place + 1].capital):
        return whole_day(weekday_near(today, WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0)), direction)), place + 2
    if (name in MONTHS and tokens[place + 1].capital) or name in SEASONS:
        civil = Civil(Grain.MONTH, None, MONTHS[name]) if name in MONTHS else Civil(Grain.SEASON, None, SEASONS[name])
        period = month_near(civil, today, direction)
        return (period, place + 2) if period else None
    amount = read_amount_of_time(saying, place + 1) if direction and name not in ("a", "an") else None
    if word == "past" and name in _UNITS:
        amount = Amount(1, name, place + 2)
    if amount:
        there = shift(saying.said, amount, direction)
        return Period(_UNITS[amount.unit], min(there, saying.said), max(there, saying.said), sharp=True), amount.end
    return None


def _read_weekday(saying: Saying, at: int, lean: Lean) -> tuple[Period, int] | None:
    """Days of the week: "Monday", "Monday morning", "Monday, 3 May 2025"; not "Mondays".

    By itself it is a date only where the sentence pauses behind it: Friday deploys and Black Friday are no days.

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> read_whole("Monday", said, Lean.PAST).start.day, read_whole("Monday morning", said).start.day
    (16, 23)
    >>> read_whole("Mondays", said), read_whole("Sun", said).lone
    (None, True)
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
    day = weekday_near(saying.today, weekday, -1 if lean is Lean.PAST else 1)
    end = at + 2 if word_at(tokens, at + 1) in _HOURS_OF else at + 1
    black = at > 0 and tokens[at - 1].capital and word_at(tokens, at - 1) not in ("on", "since", "until", "by", "from")
    pause = end > at + 1 or word_at(tokens, end) in ("", ".", ",", "!", "?", ";", ":", ")", "at")
    return whole_day(day)._replace(lone=short or black or not pause), end


def _read_ago(saying: Saying, at: int, _lean: Lean) -> tuple[Period, int] | None:
    """Distances: "two weeks ago", "3 days from now", "in three weeks" (the caller sees to the "in").

    As coarse as what was said: a day for days and weeks, the calendar month or year for months and years.

    >>> said = datetime(2025, 6, 18, 15, 30)  # a Wednesday
    >>> [read_whole(words, said).start.date().isoformat() for words in ("two weeks ago", "a day from now")]
    ['2025-06-04', '2025-06-19']
    >>> read_whole("two dogs ago", said), read_whole("two weeks", said)
    (None, None)
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
        return whole_day(midnight(there))
    return unit_around(midnight(there), "month" if grain in (Grain.MONTH, Grain.QUARTER) else "year", 0)


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
    return (period, place + 1) if day and (period := day_of_month(day, saying.today, lean)) else None


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
