"""Which typed values does a sentence hold?

Answer: `find_values`, over the readers of amounts, literals and dates. `rules.quantities` hands it on; dates relative
to now are `rules.dates`' business.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final, NamedTuple

from stilltrue.model.episode import Span
from stilltrue.model.slot import Bound, Value, ValueType
from stilltrue.rules.amounts import Amount, read_amount
from stilltrue.rules.bounds import BoundWords, bound_after, bounds_before
from stilltrue.rules.civil import MOMENT, Grain, Token, impossible_day, read_civil, tokenize
from stilltrue.rules.literals import (
    ADDRESS,
    SPOKEN_WORDS,
    Literal,
    NamedPlace,
    products,
    read_literal,
    read_named_version,
    version_places,
)
from stilltrue.rules.numerals import START_WORDS, fold, read_number
from stilltrue.rules.units import read_unit

_SIGNIFICANT = 12  # digits a key keeps: floats agree to 15, and conversion costs a few of them
_BOUND_SIGNS = {Bound.EXACT: "", Bound.ABOUT: "~ ", Bound.AT_LEAST: ">= ", Bound.AT_MOST: "<= "}
_NOTHING = ValueType.TEXT  # of what looks like a date and is none: read over
_MOST_PLACES = 1000  # tried in one text: no sentence has as many numbers, and 8 KiB of them stay under 50 ms
_DATE_LICENCE = ("in", "since", "until", "till", "from", "by", "during", "before", "after", "through", "year", "of")

_START = re.compile(
    r"(?P<skip>https?://\S++|www\.\S++)|(?<!\w)(?<!\w[-./@_])(?:"
    r"(?P<digits>(?:(?<![\w)\]])[-+])?\.?[\d½¼¾⅓⅔])|(?P<money>(?:US|CA?|AU?)?[$€£¥₹](?=\s?\d)|[A-Z]{3}[ \u00a0]?(?=\d))"
    rf"|(?P<letter>[vV]\.?\s?(?=\d)|(?:{SPOKEN_WORDS})\b)"
    rf"|(?P<words>(?:{START_WORDS}|once|twice|thrice)\b"
    r"|an?\s(?=(?:hundred|thousand|million|billion|dozen|couple|half|quarter|(?:milli|micro|nano)?second[.,;!?]|minute"
    r"|hour|day|week|fortnight|month|year|decade|mile|kilometre|kilometer|gigabyte|megabyte|kilo|pound|litre|liter)\b)))",
    re.IGNORECASE,
)
_RUN = re.compile(r"\w++(?:[-./:@_]++\w++)*+")
_TIED = re.compile(r"[-/:][^\W\d]{0,20}\d|\.\d|[-/]\w{0,3}-")  # part of an id, a telephone number or the like
_THEN = re.compile(r"\s?(?:-|–|—|to|and|or)\s?(?=[\d$€£])")
_RANGE_WORD = re.compile(r"(?P<from>\bfrom|\bbetween)\s(?:about\s|around\s)?$", re.IGNORECASE)
_NOT_NOW = re.compile(r"\s(?:ago|from now|later|earlier|before|after|hence)(?!\w)", re.IGNORECASE)
_DECADE = re.compile(
    r"(?:1[89]\d0|20\d0)'?s(?!\w)|[2-9]0'?s(?!\w)(?!\s(?:timeout|ttl|limit|interval|delay|window|wait|cache|grace|default))",
    re.IGNORECASE,
)
_OF_LIFE = re.compile(r"\b(?:the|his|her|their|my|our|your|early|mid|late)[ -]$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_NO_AMOUNT = re.compile(r"\d++(?:st|nd|rd|th)(?!\w)|" + ADDRESS, re.IGNORECASE)


class _Sentence(NamedTuple):
    """A folded text with what was found in one pass over it."""

    text: str
    dates: dict[int, Literal]
    bounds: dict[int, BoundWords]
    versions: dict[int, NamedPlace]


class _Found(NamedTuple):
    """A reading from `start` (its bounding words included) to `end`."""

    start: int
    end: int
    literal: Literal | Amount
    bound: Bound


def find_values(text: str) -> list[tuple[Span, Value]]:
    """Typed quantities in `text`, left to right, never overlapping; spans cover bounding words, too.

    >>> [value.key for _, value in find_values("Up to 1k req/s, 5 MB each, on 3 May 2025 with Postgres 14")]
    ['<= 1000 1/s', '5000000 B', '2025-05-03', '14']
    >>> find_values("He may march on the 2nd, see JIRA-123 or 555-1234")
    []
    """
    folded = fold(text)
    digits = bool(_DIGIT.search(folded))  # most sentences have none, and are done at once
    dates = _dates(folded) if digits or " of " in folded else {}
    found = _START.search(folded)
    if not dates and not found:
        return []
    sentence = _Sentence(folded, dates, bounds_before(folded), version_places(folded) if digits else {})
    values: list[tuple[Span, Value]] = []
    named_dates = deque(start for start in sentence.dates if not folded[start].isdigit())  # "March 2025"
    at = places = 0
    while places < _MOST_PLACES and (found or named_dates):
        places += 1
        start = found.start() if found else len(folded)
        if named_dates and named_dates[0] <= start:
            start = named_dates.popleft()
            readings = _read(sentence, start) if start >= at else []
        else:
            readings = [] if not found or found["skip"] else _read(sentence, start)
            at = _past(folded, found) if found and not readings else at
        values += [
            (Span(one.start, one.end), _value(text, one)) for one in readings if one.literal.type is not _NOTHING
        ]
        at = readings[-1].end if readings else at
        found = _START.search(folded, at)
    return values


def _past(text: str, found: re.Match[str]) -> int:
    """Where to go on behind a place that held no value: never inside the same id, but at the next word."""
    if found["words"] or found["skip"]:
        return found.end()
    run = _RUN.match(text, found.end() - 1)
    return max(run.end() if run else 0, found.end())


def _value(text: str, found: _Found) -> Value:
    literal = found.literal
    said = text[found.start : found.end]
    if isinstance(literal, Literal):
        key = _BOUND_SIGNS[found.bound] + literal.key
        return Value(said, literal.type, key, literal.number, None, found.bound)
    plain = literal.exact or render(literal.number)
    key = _BOUND_SIGNS[found.bound] + (f"{plain} {literal.unit}" if literal.unit else plain)
    return Value(said, literal.type, key, literal.number, literal.unit, found.bound)


def render(number: float) -> str:
    """A number as keys show it: equal quantities, however converted, look equal.

    >>> render(60_000 / 60), render(0.1 + 0.2), render(-0.0)
    ('1000', '0.3', '0')
    """
    return f"{number + 0.0:.{_SIGNIFICANT}g}".replace("-0", "0") if number == 0 else f"{number:.{_SIGNIFICANT}g}"


def _read(sentence: _Sentence, at: int) -> list[_Found]:
    """What begins at `at`: nothing, one value, or the two ends of a range."""
    text = sentence.text
    place = sentence.versions.get(at)
    if place and (version := read_named_version(text, at, known=place.name.lower() in products())):
        return [_bounded(sentence, at, version, version.end)]
    if date := sentence.dates.get(at):
        return [_bounded(sentence, at, date, date.end)]
    if literal := read_literal(text, at):
        return [_bounded(sentence, at, literal, literal.end)]
    if _NO_AMOUNT.match(text, at) or _is_decade(text, at):
        return []
    amount = read_amount(text, at)
    if not amount:
        return []
    if ends := _range(sentence, at, amount):
        return ends
    if amount.type is ValueType.DURATION and _NOT_NOW.match(text, amount.end):
        return []  # "three weeks ago" is a date
    return [] if amount.unit is None and _TIED.match(text, amount.end) else [_bounded(sentence, at, amount, amount.end)]


def _is_decade(text: str, at: int) -> bool:
    """Whether "80s" are years rather than seconds: for four digits always, for two as "the 80s" or "his 30s".

    >>> [_is_decade(words, 4) for words in ("the 80s", "his 30s")], _is_decade("the 30s timeout", 4)
    ([True, True], False)
    """
    found = _DECADE.match(text, at)
    return bool(found) and (text[at : at + 4].isdigit() or bool(_OF_LIFE.search(text[max(0, at - 8) : at])))


def _bounded(sentence: _Sentence, at: int, literal: Literal | Amount, end: int) -> _Found:
    before = sentence.bounds.get(at)
    after = bound_after(sentence.text, end)
    vague = isinstance(literal, Amount) and literal.vague
    if before:
        return _Found(before.start, end, literal, before.bound)
    if after and isinstance(literal, Literal) and sentence.text.endswith("older", at, after[1]):
        return _Found(at, after[1], literal, Bound.AT_MOST)  # of versions; "18 or older" is a minimum
    if after:
        return _Found(at, after[1], literal, after[0])
    return _Found(at, end, literal, Bound.ABOUT if vague else Bound.EXACT)


def _range(sentence: _Sentence, at: int, first: Amount) -> list[_Found]:
    """Both ends of "5-10 minutes" and "between 5 and 10 MB" as bounds; of "from 5 to 10 MB" as two values.

    >>> [value.key for _, value in find_values("takes 5 to 10 minutes")]
    ['>= 300 s', '<= 600 s']
    >>> [value.key for _, value in find_values("raised from 5 to 10 minutes")]  # a change, the second is what holds
    ['300 s', '600 s']
    >>> [value.key for _, value in find_values("10 cats and 5 minutes")]
    ['10', '300 s']
    """
    text = sentence.text
    then = _THEN.match(text, first.end)
    if not then:
        return []
    last = read_amount(text, then.end())
    number = read_number(text, then.end()) if last else None
    if not last or first.number >= last.number * (1 if first.unit == last.unit else float("inf")):
        return []
    lead = _RANGE_WORD.search(text[max(0, at - 20) : at])
    word, joined = (lead["from"].lower() if lead else ""), then[0].strip()
    if (joined == "and") != (word == "between") or joined == "or":
        return []
    if first.unit is None and number:
        whole = read_amount(text[at : first.end] + text[number.end : last.end], 0)
        first = whole._replace(end=first.end) if whole and last.unit else first
    if first.unit != last.unit or (last.unit is None and not (word or _counts(text, first, last))):
        return []
    low, high = (Bound.EXACT, Bound.EXACT) if word == "from" else (Bound.AT_LEAST, Bound.AT_MOST)
    return [_Found(at, first.end, first, low), _Found(then.end(), last.end, last, high)]


def _counts(text: str, first: Amount, last: Amount) -> bool:
    """Whether "3-5" counts something: small, and a word follows ("3-5 people", not "555-1234")."""
    small = last.number < 1000  # noqa: PLR2004 - longer ones are telephone numbers and ids
    return small and first.number < last.number and text[last.end : last.end + 2].strip().isalpha()


def _dates(folded: str) -> dict[int, Literal]:
    """Dates that need no "now": those with a year or a day, by where they begin."""
    tokens = tokenize(folded)
    dates: dict[int, Literal] = {}
    at = 0
    while at < len(tokens):
        if MOMENT.fullmatch(tokens[at].word):
            dates[tokens[at].start] = Literal(ValueType.DATE, tokens[at].word.replace(" ", "t"), None, tokens[at].end)
        if none := impossible_day(tokens, at):
            dates[tokens[at].start] = Literal(_NOTHING, "", None, tokens[none - 1].end)
            at = none
            continue
        read = read_civil(tokens, at)
        measured = read is not None and read[0].grain is Grain.YEAR and _is_measured(folded, tokens[at])
        if not read or measured or not _is_value(tokens, at, read[0].grain, has_year=read[0].year is not None):
            at += 1
            continue
        civil, after = read
        dates[tokens[at].start] = Literal(ValueType.DATE, civil.key, None, tokens[after - 1].end)
        at = after
    return dates


def _is_measured(folded: str, token: Token) -> bool:
    """Whether a unit of time or size follows what looks like a year: "in 1800 ms" is no date, "in 1800" is."""
    unit = read_unit(folded, token.end)
    return unit is not None and unit.unit.dimension in _AFTER_FIGURES


_AFTER_FIGURES: Final = frozenset({"duration", "data"})
"""Dimensions whose units are no English words: behind a year, "in" is no inch."""


def _is_value(tokens: list[Token], at: int, grain: Grain, *, has_year: bool) -> bool:
    if grain is Grain.YEAR:
        return at > 0 and tokens[at - 1].word in _DATE_LICENCE
    return has_year or grain is Grain.DAY
