"""Which date of the civil calendar do these words write out?

Answer: `read_civil` ("3 May 2025", "2025-03", "Q3 2025", "summer of 2024", "the 1990s") over `tokenize`d text, and
`Civil.bounds`, its first and last moment on the local clock. Dates relative to now ("last Monday") are
`rules.relative_dates`' business, prepositions `rules.dates`'.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from stilltrue.rules.patterns import late

_FIRST_HALF = ("january", "february", "march", "april", "may", "june")
_SECOND_HALF = ("july", "august", "september", "october", "november", "december")
MONTHS = {name: place for place, name in enumerate(_FIRST_HALF + _SECOND_HALF, start=1)}
MONTHS |= {name[:3]: place for name, place in MONTHS.items()} | {"sept": 9}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # meteorological, northern: first month
_SEASON_NAMES = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
WEEKDAYS = {
    name: place
    for place, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SHORT_WEEKDAYS = {name[:3]: place for name, place in WEEKDAYS.items()} | {"tues": 1, "thur": 3, "thurs": 3}
_ORDINAL_WORDS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_LONE_YEARS = (1800, 2099)  # a bare number outside is far more often a count than a year
_ALSO_WORDS = ("may", "mar", "march", "sun", "sat", "wed", "jan", "dec", "august")  # a date only with a capital

_TOKEN = late(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?(?![\w:])"
    r"|\d{1,20}+(?:[-/.:]\d{1,20}+){0,5}(?:st|nd|rd|th|ST|ND|RD|TH)?(?!\w)"
    r"|[QqHh][1-4](?!\w)|[^\W\d_]+(?:'[^\W\d_]+)?(?!\w)|\w+|\S"
)
MOMENT = late(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d\S*")
"""The word of a token that is an ISO 8601 datetime in form."""

_YEAR_FIRST = late(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = late(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_YEAR_MONTH = late(r"(\d{4})-(\d\d)")
_DAY = late(r"([0-3]?\d)(st|nd|rd|th)?")
_DAYS = late(r"([0-3]?\d)-([0-3]?\d)")
_YEAR = late(r"[12]\d{3}")
_YEARS = late(r"(1[89]\d\d|20\d\d)-(1[89]\d\d|20\d\d)")
_DECADE = late(r"(1[89]\d|20\d)0s")


class Grain(StrEnum):
    """How finely a date is told."""

    MOMENT = "moment"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"


_MONTHS_IN = {
    Grain.MONTH: 1, Grain.QUARTER: 3, Grain.SEASON: 3, Grain.HALF: 6, Grain.YEAR: 12, Grain.DECADE: 120,
}  # fmt: skip


class Token(NamedTuple):
    """A word, number or sign of a folded text; `word` is its lower-case form."""

    word: str
    start: int
    end: int
    capital: bool


def tokenize(folded: str) -> list[Token]:
    """The tokens of a text that went through `numerals.fold`; "2025-03-01" and "3rd" are one token each.

    >>> [token.word for token in tokenize("Since May 3rd, v2025.")]
    ['since', 'may', '3rd', ',', 'v2025', '.']
    """
    return [Token((word := m[0]).lower(), *m.span(), word[0].isupper()) for m in _TOKEN.finditer(folded)]


class Civil(NamedTuple):
    """A date as written: `month` is the first month of what it names; None where the words leave it open."""

    grain: Grain
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def key(self) -> str:
        """Canonical form: ISO 8601, "--05-03" without a year, "2025-Q3", "2025-summer", "1990s".

        >>> read_civil(tokenize("3rd of May"), 0)[0].key, read_civil(tokenize("Q3 2025"), 0)[0].key
        ('--05-03', '2025-Q3')
        """
        year = "-" if self.year is None else f"{self.year:04d}"
        month = self.month or 1
        if self.grain in (Grain.YEAR, Grain.DECADE):
            return year + "s" * (self.grain is Grain.DECADE)
        if self.grain is Grain.QUARTER:
            return f"{year}-Q{month // 3 + 1}"
        if self.grain is Grain.HALF:
            return f"{year}-H{month // 6 + 1}"
        if self.grain is Grain.SEASON:
            return f"{year}-{_SEASON_NAMES[month]}"
        return f"{year}-{month:02d}" + (f"-{self.day:02d}" if self.day else "")

    def bounds(self, year: int) -> tuple[datetime, datetime] | None:
        """First moment and first moment after, on the local clock, taken in `year`; None for a date there is not.

        >>> leap_day = read_civil(tokenize("29 February"), 0)[0]
        >>> leap_day.bounds(2024)[1].isoformat(), leap_day.bounds(2025)
        ('2024-03-01T00:00:00', None)
        """
        try:
            start = datetime(year, self.month or 1, self.day or 1)  # noqa: DTZ001 - local, dates.py gives it its zone
            if self.grain is Grain.DAY:
                return start, start + timedelta(days=1)
            return start, shift_months(start, _MONTHS_IN[self.grain])
        except (ValueError, OverflowError):
            return None


def shift_months(moment: datetime, months: int) -> datetime:
    """`moment` that many calendar months on; the last day of a shorter month. Raises ValueError out of range.

    >>> shift_months(datetime(2025, 1, 31), 1).day
    28
    """
    total = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(total, 12)
    for day in range(moment.day, 27, -1):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    return moment.replace(year=year, month=month + 1)


def read_civil(tokens: list[Token], at: int, *, day_first: bool | None = None) -> tuple[Civil, int] | None:
    """The date written out from token `at` on, and the token after it; None where none begins there.

    `day_first` decides about "3/5/2025"; without it only what can be read in one way is a date.

    >>> [read_civil(tokenize(words), 0)[0].key for words in ("3 May 2025", "May 3rd, 2025", "13/5/2025", "Sept. 2024")]
    ['2025-05-03', '2025-05-03', '2025-05-13', '2024-09']
    >>> [read_civil(tokenize(words), 0) for words in ("3/5/2025", "version 14", "may help", "2025.1", "8000")]
    [None, None, None, None, None]
    """
    token = tokens[at]
    if token.word[0].isdigit():
        signed = len(token.word) > 4 and _numeric(token, at, day_first=day_first)  # noqa: PLR2004 - longer than 2025
        return signed or _day_month(tokens, at) or _lone_year(tokens, at)
    if token.word in MONTHS:
        return _month(tokens, at)
    if token.word in _ORDINAL_WORDS and word_at(tokens, at + 1) == "of" and (found := _day_month(tokens, at)):
        return found
    return _part_of_year(tokens, at)


def impossible_day(tokens: list[Token], at: int) -> int:
    """The token after a day and month that no calendar has together ("31 February 2025"), 0 where there is none.

    >>> impossible_day(tokenize("31 February 2025"), 0), impossible_day(tokenize("29 February"), 0)
    (3, 0)
    """
    day, place = _day_of(tokens, at), _skip(tokens, at + 1, "of")
    if not day or word_at(tokens, place) not in MONTHS or not tokens[place].capital:
        return 0
    year, end = _year_after(tokens, place + 1)
    return 0 if _in_calendar(Civil(Grain.DAY, year, MONTHS[tokens[place].word], day), end) else end


def _numeric(token: Token, at: int, *, day_first: bool | None) -> tuple[Civil, int] | None:
    word = token.word
    if found := _YEAR_FIRST.fullmatch(word):
        return _whole_day(int(found[1]), int(found[3]), int(found[4]), at)
    if found := _YEAR_LAST.fullmatch(word):
        first, second = int(found[1]), int(found[3])
        if found[2] == ".":  # 3.5.2025: only where the day comes first is it written with points
            day_first = True
        if first > 12 or second > 12 or first == second:  # noqa: PLR2004 - there are 12 months
            day_first = second <= 12  # noqa: PLR2004 - as above
        if day_first is None:
            return None
        day, month = (first, second) if day_first else (second, first)
        return _whole_day(int(found[4]), month, day, at)
    if (found := _YEAR_MONTH.fullmatch(word)) and 1 <= int(found[2]) <= 12 and _is_lone_year(int(found[1])):  # noqa: PLR2004
        return Civil(Grain.MONTH, int(found[1]), int(found[2])), at + 1
    return (Civil(Grain.DECADE, int(word[:4])), at + 1) if _DECADE.fullmatch(word) else None


def _whole_day(year: int, month: int, day: int, at: int) -> tuple[Civil, int] | None:
    civil = Civil(Grain.DAY, year, month, day)
    return (civil, at + 1) if civil.bounds(year) else None


def _day_month(tokens: list[Token], at: int) -> tuple[Civil, int] | None:
    """Day first: "3 May", "3rd of May 2025"; a lower-case "3 may" or "3 march" needs its year, being words, too."""
    day = _day_of(tokens, at) or _ORDINAL_WORDS.get(word_at(tokens, at), 0)
    place = _skip(tokens, at + 1, "of")
    month = word_at(tokens, place)
    if not day or month not in MONTHS:
        return None
    year, end = _year_after(tokens, place + 1)
    if month in _ALSO_WORDS and not tokens[place].capital and year is None:
        return None
    return _in_calendar(Civil(Grain.DAY, year, MONTHS[month], day), end)


def _in_calendar(civil: Civil, end: int) -> tuple[Civil, int] | None:
    """The date, if there is such a day in its year (in a leap year where it names none)."""
    return (civil, end) if civil.bounds(civil.year if civil.year is not None else 2024) else None


def _month(tokens: list[Token], at: int) -> tuple[Civil, int] | None:
    """Month first: "May 3rd, 2025", "May 2025", and "May" by itself, which callers accept only behind a preposition."""
    token = tokens[at]
    month = MONTHS[token.word]
    after = _skip(tokens, at + 1, ".") if len(token.word) in (3, 4) and token.word != "may" else at + 1
    year, end = _year_after(tokens, after)
    if year is not None:
        return Civil(Grain.MONTH, year, month), end
    if token.word in _ALSO_WORDS and not token.capital:
        return None
    place = _skip(tokens, after, "the")
    counted = word_at(tokens, at - 1) == "in" and word_at(tokens, place).isdigit()  # "in May 20 people joined"
    if not counted and (day := _day_of(tokens, place)):
        year, end = _year_after(tokens, place + 1)
        return _in_calendar(Civil(Grain.DAY, year, month, day), end)
    return Civil(Grain.MONTH, None, month), at + 1


def _part_of_year(tokens: list[Token], at: int) -> tuple[Civil, int] | None:
    """Longer ones: "Q3 2025", "H1", "third quarter of 2025", "summer of 2024"; bare ones need a preposition."""
    word = tokens[at].word
    place = _skip(tokens, at, "the")
    ordinal = _ORDINAL_WORDS.get(word_at(tokens, place))
    if len(word) == 2 and word[0] in "qh" and word[1].isdigit():  # noqa: PLR2004 - Q3, H1
        grain, months = (Grain.QUARTER, 3) if word[0] == "q" else (Grain.HALF, 6)
        month = (int(word[1]) - 1) * months + 1
        place = at
    elif ordinal and word_at(tokens, place + 1) == "quarter":
        grain, month, place = Grain.QUARTER, (ordinal - 1) * 3 + 1, place + 1
    elif word in SEASONS:
        grain, month, place = Grain.SEASON, SEASONS[word], at
    else:
        return None
    if month > 12:  # noqa: PLR2004 - H3 is no half of a year
        return None
    year, end = _year_after(tokens, _skip(tokens, place + 1, "of"))
    return Civil(grain, year, month), end if year is not None else place + 1


def _lone_year(tokens: list[Token], at: int) -> tuple[Civil, int] | None:
    """A year by itself; the caller accepts it only behind a preposition. "2025 Q3" is read here, too."""
    word = tokens[at].word
    if not (_YEAR.fullmatch(word) and _is_lone_year(int(word))):
        return None
    quarter = word_at(tokens, at + 1)
    if len(quarter) == 2 and quarter[0] == "q" and quarter[1].isdigit():  # noqa: PLR2004 - Q3
        return Civil(Grain.QUARTER, int(word), int(quarter[1]) * 3 - 2), at + 2
    return Civil(Grain.YEAR, int(word)), at + 1


def read_tight_range(tokens: list[Token], at: int) -> tuple[Civil, Civil, int] | None:
    """A range in one: "2015-2018", "3-5 May 2025", "3 to 5 May", "May 3-5": first day, last day, and the token after.

    >>> [civil.key for civil in read_tight_range(tokenize("May 3-5, 2025"), 0)[:2]]
    ['2025-05-03', '2025-05-05']
    >>> read_tight_range(tokenize("3-5 days"), 0) is None
    True
    """
    token = tokens[at]
    if (years := _YEARS.fullmatch(token.word)) and int(years[1]) < int(years[2]):
        return Civil(Grain.YEAR, int(years[1])), Civil(Grain.YEAR, int(years[2])), at + 1
    if token.word in MONTHS and token.capital:
        days, place = _days_of(tokens, at + 1)
        month, (year, end) = token.word, _year_after(tokens, place)
    else:
        days, place = _days_of(tokens, at)
        place = _skip(tokens, place, "of")
        month, (year, end) = word_at(tokens, place), _year_after(tokens, place + 1)
    if not days or month not in MONTHS or days[0] >= days[1]:
        return None
    first, last = (Civil(Grain.DAY, year, MONTHS[month], day) for day in days)
    return (first, last, end) if _in_calendar(last, end) else None


def _days_of(tokens: list[Token], at: int) -> tuple[tuple[int, int] | None, int]:
    if found := _DAYS.fullmatch(word_at(tokens, at)):
        return (int(found[1]), int(found[2])), at + 1
    first, last = _day_of(tokens, at), _day_of(tokens, at + 2)
    if first and last and word_at(tokens, at + 1) in ("to", "-", "–", "—", "until", "till", "through", "and"):
        return (first, last), at + 3
    return None, at


def _day_of(tokens: list[Token], at: int) -> int:
    """The day of the month at a token, 0 where there is none."""
    found = _DAY.fullmatch(word_at(tokens, at))
    return int(found[1]) if found and int(found[1]) <= 31 else 0  # noqa: PLR2004 - the longest month


def ordinal_day(tokens: list[Token], at: int) -> int:
    """As the day of "the 5th"; 0 for a plain 5, which counts something."""
    return _day_of(tokens, at) if not word_at(tokens, at).isdigit() else 0


def _year_after(tokens: list[Token], at: int) -> tuple[int | None, int]:
    """A year at a token, after a comma or "of" perhaps, and the token after; (None, `at`) where there is none."""
    place = _skip(tokens, _skip(tokens, at, ","), "of")
    word = word_at(tokens, place)
    return (int(word), place + 1) if _YEAR.fullmatch(word) else (None, at)


def _is_lone_year(year: int) -> bool:
    return _LONE_YEARS[0] <= year <= _LONE_YEARS[1]


def word_at(tokens: list[Token], at: int) -> str:
    """The word of a token, "" outside the text."""
    return tokens[at].word if 0 <= at < len(tokens) else ""


def _skip(tokens: list[Token], at: int, word: str) -> int:
    return at + 1 if word_at(tokens, at) == word else at
