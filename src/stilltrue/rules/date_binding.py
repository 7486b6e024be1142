"""How do the words around a date bind it, and do they make it one?

Answer: `binding_before` (prepositions), `is_licensed` (whether "May" or "2019" is a date here), `is_recurring` ("every
Monday") and `read_range` ("from May to July"). What each binding does to an interval is `rules.dates`' business.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.rules.civil import (
    SHORT_WEEKDAYS,
    WEEKDAYS,
    Civil,
    Grain,
    Token,
    ordinal_day,
    read_civil,
    word_at,
)
from stilltrue.rules.periods import Lean, Period, fill
from stilltrue.rules.relative_dates import Saying, read_period
from stilltrue.rules.words import word_set

if TYPE_CHECKING:
    from datetime import datetime


class Bind(StrEnum):
    """How the words before a date bind it; finer than a role."""

    BARE = "bare"
    AT = "at"
    SINCE = "since"
    FROM = "from"
    UNTIL = "until"
    THROUGH = "through"
    BEFORE = "before"
    AFTER = "after"
    BY = "by"
    BETWEEN = "between"
    FOR = "for"


class Binding(NamedTuple):
    """`first` is the token at which the binding words begin, `word` the last of them."""

    bind: Bind
    first: int
    word: str = ""


class Ends(NamedTuple):
    """Both ends of a range up to token `end`; not `known` where it recurs (Monday to Friday)."""

    start: datetime | None
    stop: datetime | None
    end: int
    known: bool = True


_WORDS = {
    **dict.fromkeys(("at", "on", "in", "during", "over", "year", "to", "throughout", "around"), Bind.AT),
    **dict.fromkeys(("from", "starting", "starts", "effective", "commencing", "beginning", "begins"), Bind.FROM),
    **dict.fromkeys(("until", "till", "til"), Bind.UNTIL),
    **dict.fromkeys(("through", "thru", "ends", "ending", "ended", "expires", "expired", "expiring"), Bind.THROUGH),
    "since": Bind.SINCE,
    "by": Bind.BY,
    "before": Bind.BEFORE,
    "after": Bind.AFTER,
    "between": Bind.BETWEEN,
    "for": Bind.AT,
}
_STARTS = ("starting", "starts", "start", "started", "beginning", "begins", "begin", "began", "effective", "commencing")
_ENDS = ("ends", "ending", "ended", "end", "expires", "expired", "expiring", "expire")
_PAIRS = {
    ("as", "of"): Bind.FROM,
    ("as", "from"): Bind.FROM,
    ("up", "to"): Bind.UNTIL,
    ("up", "until"): Bind.UNTIL,
    **{(verb, "on"): Bind.FROM for verb in _STARTS},
    **{(verb, "in"): Bind.FROM for verb in _STARTS},
    **{(verb, "from"): Bind.FROM for verb in (*_STARTS, "effect", "valid")},
    **{(verb, "on"): Bind.THROUGH for verb in _ENDS},
    **{(verb, "in"): Bind.THROUGH for verb in _ENDS},
    **{(verb, "at"): Bind.THROUGH for verb in _ENDS},
}
_HEDGES = ("the", "about", "roughly", "circa", "approximately")
_YEAR_WORDS = frozenset(
    (
        *("in", "since", "until", "till", "from", "by", "during", "before", "after", "through", "thru", "between"),
        *("of", "year", "starting", "throughout", "for", "around", "circa", "expires", "ends", "ended"),
    )
)
_NO_MONTH_WORDS = ("at", "on", "over")
_TO = ("to", "-", "–", "—", "until", "till", "through", "thru", "and")
_FOLLOW_A_DAY = frozenset(
    (
        *("", ".", ",", "!", "?", ";", ":", ")", "of", "at", "in", "and", "to", "for", "from", "until", "with", "we"),
        *("i", "he", "she", "they", "it", "the", "this", "next", "last", "but", "or", "because", "when", "-", "–"),
    )
)
_NOT_COUNTED = frozenset(("was", "is", "has", "does", "its", "his", "this", "as", "us", "always", "plus", "across"))


def binding_before(tokens: list[Token], at: int) -> Binding:
    """The binding words right before token `at`, an article or "about" apart.

    >>> from stilltrue.rules.civil import tokenize
    >>> binding_before(tokenize("expires on 3 May"), 2), binding_before(tokenize("as of the 5th"), 3)[:2]
    (Binding(bind=<Bind.THROUGH: 'through'>, first=0, word='on'), (<Bind.FROM: 'from'>, 0))
    >>> binding_before(tokenize("met Anna yesterday"), 2).bind
    <Bind.BARE: 'bare'>
    """
    place = at - 1
    while place >= max(0, at - 2) and tokens[place].word in _HEDGES:
        place -= 1
    word, before = word_at(tokens, place), word_at(tokens, place - 1)
    if pair := _PAIRS.get((before, word)):
        return Binding(pair, place - 1, word)
    if bind := _WORDS.get(word):
        return Binding(bind, place, word)
    return Binding(Bind.BARE, at, word)


def is_recurring(tokens: list[Token], at: int) -> bool:
    """Whether "every Monday" or "each May" is meant, which is a rule and no date."""
    return word_at(tokens, at - 1) in ("every", "each", "any", "most", "per")


def is_licensed(tokens: list[Token], period: Period, binding: Binding, end: int) -> bool:
    """Whether the words around make a date of a bare month, season, year, weekday or "the 5th".

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.dates import find_dates
    >>> said = datetime(2025, 6, 18, tzinfo=UTC)
    >>> [len(find_dates(words, said)) for words in ("in May", "in 2019", "since the 5th", "on Friday")]
    [1, 1, 1, 1]
    >>> [len(find_dates(words, said)) for words in ("May I", "in 2019 cases", "on the 5th floor", "Friday deploys")]
    [0, 0, 0, 0]
    """
    word, then = binding.word, word_at(tokens, end)
    if period.grain is Grain.YEAR:
        counts = then.isalpha() and then.endswith("s") and then not in _NOT_COUNTED
        goes_on = then in ("to", "-", "–") and word_at(tokens, end + 1)[:1].isdigit()  # "from 2000 to 5000 requests"
        return word in _YEAR_WORDS and not counts and not goes_on and then not in ("/", "%", "$", "€")
    if binding.bind is Bind.BARE or _names_a_place(tokens, end):
        return False
    if period.grain is Grain.DAY:
        return then in _FOLLOW_A_DAY or not ordinal_day(tokens, end - 1)
    return word not in _NO_MONTH_WORDS or binding.bind is not Bind.AT


def _names_a_place(tokens: list[Token], end: int) -> bool:
    """As in "Winter Park", "August Town", "March Street": a name that begins like a date.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.dates import find_dates
    >>> said = datetime(2025, 6, 18, tzinfo=UTC)
    >>> [len(find_dates(words, said)) for words in ("I live in Winter Park", "We met in winter", "In May Street View")]
    [0, 1, 0]
    """
    return end < len(tokens) and tokens[end].capital and tokens[end].word in word_set("word_classes", "place_nouns")


def read_range(saying: Saying, at: int, first: tuple[Period, int], binding: Binding, lean: Lean) -> Ends | None:
    """Both ends of "May to July 2025", "from 3 May until 5 June", "2015-2018", "between March and June".

    A missing year is taken from the other end. "Monday to Friday" recurs, so it is read but not known.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.dates import find_dates
    >>> [found] = find_dates("from November to March 2025", datetime(2025, 6, 18, tzinfo=UTC))
    >>> found.interval.start.date().isoformat(), found.interval.end.date().isoformat()
    ('2024-11-01', '2025-04-01')
    >>> find_dates("open Monday to Friday", datetime(2025, 6, 18, tzinfo=UTC))
    []
    """
    tokens, (period, place) = saying.tokens, first
    joint = word_at(tokens, place)
    if joint not in _TO or (joint == "and") != (binding.bind is Bind.BETWEEN) or place + 1 >= len(tokens):
        return None
    if binding.bind not in (Bind.BARE, Bind.FROM, Bind.BETWEEN, Bind.AT, Bind.SINCE):
        return None
    start, second = place + 1, place + 2 if word_at(tokens, place + 1) == "the" else place + 1
    left = read_civil(tokens, at, day_first=saying.day_first)
    right = read_civil(tokens, second, day_first=saying.day_first) if second < len(tokens) else None
    if left and right:
        return _written_range(saying, left[0], right, binding, lean, joint)
    last = read_period(saying, start, lean)
    if not last:
        return None
    if _is_weekday(tokens, at) and _is_weekday(tokens, start):
        return Ends(None, None, last[1], known=False)
    stop = last[0].start if joint in ("until", "till") and not last[0].sharp else last[0].end
    return Ends(period.start, stop, last[1]) if period.start <= stop else None


def _is_weekday(tokens: list[Token], at: int) -> bool:
    return word_at(tokens, at) in WEEKDAYS or word_at(tokens, at) in SHORT_WEEKDAYS


def _written_range(
    saying: Saying, left: Civil, right: tuple[Civil, int], binding: Binding, lean: Lean, joint: str
) -> Ends | None:
    last, end = right
    if Grain.YEAR in (left.grain, last.grain) and (left.grain is not last.grain or binding.bind is Bind.BARE):
        return None  # "2000 to 3000 requests", "May to 2019"
    if left.year is None and last.year is not None:
        closing = fill(last, saying.today, lean)
        opening = fill(left, closing.start, Lean.PAST) if closing else None
    elif left.year is None and lean is not Lean.PAST:  # the next range that is not over
        closing = fill(last, saying.today, Lean.FUTURE)
        opening = fill(left, closing.start, Lean.PAST) if closing else None
    else:
        opening = fill(left, saying.today, lean)
        closing = fill(last, opening.start, Lean.FUTURE) if opening else None
    if not opening or not closing:
        return None
    stop = closing.start if joint in ("until", "till") and not closing.sharp else closing.end
    return Ends(opening.start, stop, end) if opening.start <= stop else None
