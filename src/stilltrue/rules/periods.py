"""Which whole day, week, month or season of the local calendar is it, counted from today?

Answer: `unit_around`, `weekday_near`, `month_near`, `cut` (parts of a period) and `fill`, which supplies the year of a
date without one. Which words ask for it is `rules.relative_dates`' business, time zones are `rules.zones`'.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from stilltrue.rules.civil import Civil, Grain, shift_months

_DAY = timedelta(days=1)
_YEARS_TRIED = 8  # a 29 February is at most eight years away (1896 to 1904)
_UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_UNIT_GRAINS = {"month": Grain.MONTH, "quarter": Grain.QUARTER, "year": Grain.YEAR, "decade": Grain.DECADE}


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


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def whole_day(day: datetime) -> Period:
    return Period(Grain.DAY, day, day + _DAY, sharp=True)


def cut(whole: Period, part: str) -> Period:
    """A part of a period: thirds for early, mid and late; the first or last day (of a year, month) for its edges.

    >>> year = Period(Grain.YEAR, datetime(2025, 1, 1), datetime(2026, 1, 1))
    >>> cut(year, "late").start.isoformat(), cut(year, "end").start.isoformat()
    ('2025-09-01T00:00:00', '2025-12-01T00:00:00')
    """
    start, end = whole.start, whole.end
    third = (end - start) / 3
    first_cut, last_cut = (midnight(start + third), midnight(start + 2 * third))
    yearly = whole.grain in (Grain.YEAR, Grain.DECADE, Grain.HALF)
    cuts = {
        "early": (start, first_cut),
        "mid": (first_cut, last_cut),
        "late": (last_cut, end),
        "start": (start, shift_months(start, 1) if yearly else start + _DAY),
        "end": (shift_months(end, -1) if yearly else end - _DAY, end),
    }
    return Period(whole.grain, *cuts[part], sharp=True)


def unit_around(today: datetime, unit: str, direction: int) -> Period:
    """The whole week (from Monday), month, quarter, year or decade so many away from today's."""
    if unit == "day":
        return whole_day(today)
    if unit in ("week", "weekend"):
        monday = today - today.weekday() * _DAY + 7 * direction * _DAY
        return Period(Grain.WEEK, monday + (5 * _DAY if unit == "weekend" else 0 * _DAY), monday + 7 * _DAY)
    months = _UNIT_MONTHS[unit]
    first = today.replace(day=1)
    if unit == "decade":
        first = first.replace(year=first.year // 10 * 10, month=1)
    else:
        first = first.replace(month=(first.month - 1) // months * months + 1)
    start = shift_months(first, direction * months)
    return Period(_UNIT_GRAINS[unit], start, shift_months(start, months))


def weekday_near(today: datetime, weekday: int, direction: int) -> datetime:
    """The nearest such day strictly before or after today; for 0 the one of this week, Monday to Sunday."""
    if direction == 0:
        return today + (weekday - today.weekday()) * _DAY
    distance = (weekday - today.weekday()) * direction % 7 or 7
    return today + direction * distance * _DAY


def month_near(civil: Civil, today: datetime, direction: int) -> Period | None:
    """Here "last May" is the latest that is over, "next May" the earliest not begun, "this May" the current year's."""
    spans = [span for year in range(today.year - 2, today.year + 3) if (span := civil.bounds(year))]
    if direction < 0:
        spans = [span for span in spans if span[1] <= today][-1:]
    elif direction > 0:
        spans = [span for span in spans if span[0] > today][:1]
    else:
        spans = [span for span in spans if span[0].year == today.year]
    return Period(civil.grain, *spans[0]) if spans else None


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


def day_of_month(day: int, today: datetime, lean: Lean) -> Period | None:
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
