"""How much is it: which number, of which unit, per what?

Answer: `read_amount`, an amount of something at one place of a text ("1k requests per second", "€950 a day",
"5 ft 11 in", "90-minute"), converted into its base unit. Where amounts begin, and what bounds them, is
`rules.quantities`' business.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stilltrue.model.slot import ValueType
from stilltrue.rules.numerals import Numeral, read_number
from stilltrue.rules.units import Unit, currency_signs, money_code, read_unit, time_unit

_COMPOUND_PARTS = 3  # more parts than "1 day, 3 hours, 20 minutes and 5 seconds" nobody says
_LONGEST_EXACT = 15  # digits that a float holds without loss (IEEE 754)
_YEARLY = {"month": 12, "quarter": 4}  # pay is quoted by month or year alike; a day rate is not 1/365 of a year's

_NOUNS = (  # what is counted, between the number and "per": a word or two, or "cups of coffee"
    r"(?:[ \u00a0-](?!(?:per|a|an|each|every|in|at|on|for|with|and|or|to|from|had|have|has|got|is|was|are|were|needs?"
    r"|wants?|took|as|but|when|if|that|which|once|twice)\b)[^\W\d_]{1,20}+){0,3}?"
)
_PER = re.compile(
    rf"(?P<nouns>{_NOUNS})\s?(?:(?P<slash>/\s?|\bper\s+)|\b(?:an?|each|every)\s+)(?:(?P<count>\d{{1,4}}+)\s)?"
    r"(?P<what>[^\W\d_]{1,20}+)(?!\w)",
    re.IGNORECASE,
)
_PERIODIC = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_PERIODIC |= {"annually": "year", "annual": "year", "p.a.": "year", "pa": "year"}
_PERIODIC_WORD = re.compile(r"\s(hourly|daily|weekly|monthly|yearly|annually|annual|p\.a\.|pa)(?!\w)", re.IGNORECASE)
_TIMES = re.compile(r"(once|twice|thrice)(?=\s)", re.IGNORECASE)
_HOW_OFTEN = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_HOURS_MINUTES = re.compile(r"(\d{1,4})\s?h\s?(\d{1,2})\s?m?(?!\w)")
_FEET_INCHES = re.compile(r"(\d)'\s?(\d{1,2})(?:\"|''|”|″)")
_JOIN = re.compile(r"\s{0,2}+(?:,\s|and\s|,\sand\s)?(?=\d)")
_AND_A_HALF = re.compile(r"\s+and\s+a\s+(half|quarter)(?!\w)", re.IGNORECASE)


class Amount(NamedTuple):
    """`number` in the base unit `unit`, read up to `end`; `exact` are the digits of an id that no float holds."""

    number: float
    unit: str | None
    type: ValueType
    end: int
    exact: str = ""
    vague: bool = False


def read_amount(text: str, at: int) -> Amount | None:
    """The amount that begins exactly at `at` of a folded text, or None.

    >>> [read_amount(words, 0)[:2] for words in ("1k requests per second", "60 rpm", "120 requests/minute")]
    [(1000.0, '1/s'), (1.0, '1/s'), (2.0, '1/s')]
    >>> [read_amount(words, 0)[:2] for words in ("€950 a day", "30 times a minute", "1h30m", "3 dogs")]
    [(950.0, 'EUR/day'), (0.5, '1/s'), (5400.0, 's'), (3.0, None)]
    """
    if text[at : at + 1] in "oOtT" and (times := _TIMES.match(text, at)):
        number = Amount(_HOW_OFTEN[times[1].lower()], None, ValueType.NUMBER, times.end())
        rate = _per(text, number, None)
        return rate if rate.unit and rate.unit.startswith("1/s") else None
    currency, at = _currency_before(text, at)
    numeral = read_number(text, at)
    if not numeral:
        return None
    if currency:
        return _money(text, numeral, currency)
    if numeral.digits and (pair := _pair(text, at)):
        return pair
    found = read_unit(text, numeral.end)
    return _measured(text, numeral, found.unit, found.end) if found else _counted(text, numeral)


def _currency_before(text: str, at: int) -> tuple[Unit | None, int]:
    """The currency ("$", "US$", "EUR") before the number, and where the number begins."""
    if text[at : at + 1].isdigit():
        return None, at
    for length in (3, 2, 1):
        sign = text[at : at + length]
        unit = currency_signs().get(sign) or (money_code(sign) if len(sign) == 3 else None)  # noqa: PLR2004 - ISO 4217
        if unit:
            at += length
            return unit, at + 1 if text[at : at + 1] in (" ", "\u00a0") else at
    return None, at


def _money(text: str, numeral: Numeral, currency: Unit) -> Amount:
    number, end = numeral.number, numeral.end
    if text[end : end + 1] == "m" and not text[end + 1 : end + 2].isalnum():  # $5m: no one pays in metres
        number, end = number * 1e6, end + 1
    code = read_unit(text, end)
    if code and code.unit.base == currency.base and code.unit.by == 1:  # $1,200 USD
        end = code.end
    return _per(text, Amount(number, currency.base, ValueType.MONEY, end), currency)


def _pair(text: str, at: int) -> Amount | None:
    """A pair such as "1h30m" and 5'11", whose second unit is left out or means something else by itself."""
    if found := _HOURS_MINUTES.match(text, at):
        return Amount(int(found[1]) * 3600.0 + int(found[2]) * 60, "s", ValueType.DURATION, found.end())
    if found := _FEET_INCHES.match(text, at):
        return Amount((int(found[1]) * 12 + int(found[2])) * 0.0254, "m", ValueType.NUMBER, found.end())
    return None


def _counted(text: str, numeral: Numeral) -> Amount | None:
    """A number without a unit; a rate where "/s" or "requests per second" follows."""
    exact = numeral.digits.isdigit() and (len(numeral.digits) > _LONGEST_EXACT or numeral.digits[0] == "0")
    kept = numeral.digits if exact and len(numeral.digits) > 1 else ""
    plain = Amount(numeral.number, None, ValueType.NUMBER, numeral.end, kept, numeral.vague)
    rate = _per(text, plain, None)
    if rate is not plain:
        return rate
    if numeral.needs_unit or text[numeral.end : numeral.end + 1].isalnum():
        return None
    return plain


def _measured(text: str, numeral: Numeral, unit: Unit, end: int) -> Amount:
    number = unit.convert(numeral.number)
    if half := _AND_A_HALF.match(text, end):  # an hour and a half
        number, end = number + unit.by * (0.5 if half[1].lower() == "half" else 0.25), half.end()
    number, end = _compound(text, unit, number, end)
    return _per(text, Amount(number, unit.base, unit.type, end, vague=numeral.vague), unit)


def _compound(text: str, unit: Unit, number: float, end: int) -> tuple[float, int]:
    """Smaller parts of the same dimension: "6 lbs 3 oz", "2 days and 3 hours".

    >>> read_amount("1 min, 30 s", 0).number
    90.0
    >>> read_amount("3 hours and 2 dogs", 0).number, read_amount("3 min, 2 days", 0).number  # two amounts each
    (10800.0, 180.0)
    """
    by = unit.by
    for _ in range(_COMPOUND_PARTS):
        join = _JOIN.match(text, end)
        part = read_number(text, join.end()) if join else None
        found = read_unit(text, part.end) if part else None
        if not part or not found or found.unit.dimension != unit.dimension or found.unit.by >= by or found.unit.plus:
            break
        number, end, by = number + found.unit.convert(part.number), found.end, found.unit.by
    return number, end


def _per(text: str, amount: Amount, unit: Unit | None) -> Amount:
    """The amount, as a rate where the text says per what; itself otherwise.

    Counts and measures convert to "per second"; money and time stay per what was said ("40 hours a week").

    >>> [read_amount(words, 0)[:2] for words in ("40 hours a week", "$5k per month", "5 GB per user")]
    [(144000.0, 's/week'), (60000.0, 'USD/year'), (5000000000.0, 'B/user')]
    >>> read_amount("5 people had a second coffee", 0)[:2]
    (5.0, None)
    """
    if amount.type is ValueType.MONEY and (word := _PERIODIC_WORD.match(text, amount.end)):
        return _over_time(amount, unit, time_unit(_PERIODIC[word[1].lower()]), 1, word.end())
    found = _PER.match(text, amount.end)
    if not found:
        return amount
    time = time_unit(found["what"])
    if time:
        return _over_time(amount, unit, time, int(found["count"] or 1) or 1, found.end())
    if not found["slash"] or found["count"] or len(found["what"]) < 2:  # noqa: PLR2004 - "3 / x" is algebra
        return amount
    thing = found["what"].lower().removesuffix("s")
    return amount._replace(unit=f"{amount.unit or 1}/{thing}", end=found.end(), exact="")


def _over_time(amount: Amount, unit: Unit | None, time: Unit | None, count: int, end: int) -> Amount:
    if time is None:
        return amount
    if unit is None or unit.per:
        rate = amount.number / (time.by * count)
        return amount._replace(number=rate, unit=f"{amount.unit or 1}/s", type=ValueType.NUMBER, end=end, exact="")
    name, number = time.name, amount.number / count
    if amount.type is ValueType.MONEY and name in _YEARLY:
        name, number = "year", number * _YEARLY[name]
    return amount._replace(number=number, unit=f"{amount.unit}/{name}", end=end)
