"""Do two values say the same, can both hold, or do they differ?

Answer: `compare`. How text becomes a value is `rules.quantities`'; what a difference means for two facts (update,
contradiction, refinement of meaning) is the cascade's business.
"""

from __future__ import annotations

import math
import re
import unicodedata
from enum import StrEnum
from functools import cache

from rapidfuzz.distance import OSA

from stilltrue.model.slot import Bound, Value, ValueType
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.literals import version_key
from stilltrue.rules.numerals import fold
from stilltrue.rules.units import is_base_unit

ABOUT_TOLERANCE = 0.10  # "about 30" is said of 27 to 33: people round to one or two significant digits
FLOAT_TOLERANCE = 1e-9  # conversions lose a few of a float's 15 digits; keys keep 12
CALENDAR_TOLERANCE = 0.03  # a month is 28 to 31 days (mean 30.4), so "30 days" and "one month" are one term
SHORTEST_TYPO = 8  # letters; among shorter names one letter makes another name (Sara, Sarah; Martin, Martina)
SHORTEST_DOUBLING = 7  # letters, for a doubled letter only, which changes a name less often (Misissippi)

_MEAN_MONTH_S = 2629746  # lexicon/units.toml
_DAY_S = 86400
_VERSION_PART = re.compile(r"\d+|[a-z]+")
_TRAILING_VERSION = re.compile(r"(?P<name>(?:[^\w\n]|\d)*+[^\W\d].*) v?(?P<version>\d+(?:\.\d+)*)")
_BOUND_SIGN = re.compile(r"^(?:~|>=|<=) ")
_COUNTS = (ValueType.NUMBER, ValueType.MONEY, ValueType.DURATION)


class Comparison(StrEnum):
    """How a new value stands to an old one.

    same: one value, however written. compatible: both can hold (a bound that agrees, a finer version, date or name).
    different: not both at a time, in a slot that holds one. incomparable: not values of one kind.
    """

    SAME = "same"
    DIFFERENT = "different"
    COMPATIBLE = "compatible"
    INCOMPARABLE = "incomparable"


def compare(old: Value, new: Value) -> Comparison:
    """How `new` stands to `old`. In doubt different: the cascade has more evidence than two values.

    >>> from stilltrue.rules.quantities import parse_value
    >>> def stands(old, new): return compare(parse_value(old), parse_value(new)).value
    >>> stands("60 s", "1 min"), stands("1,000 req/s", "1k requests per second"), stands("30 s", "30 ms")
    ('same', 'same', 'different')
    >>> stands("30 s", "5 MB"), stands("Berlin", "30 s"), stands("Berlin", "Bern")
    ('incomparable', 'incomparable', 'different')
    """
    pair = {old.type, new.type}
    if old.type is new.type and old.key == new.key and old.unit == new.unit:
        return Comparison.SAME
    if pair <= {ValueType.NAME, ValueType.TEXT}:
        return _compare_words(old, new)
    if pair == {ValueType.VERSION} or (pair == {ValueType.VERSION, ValueType.NUMBER} and old.unit == new.unit is None):
        return _compare_versions(old, new)
    if old.type is not new.type:
        return Comparison.INCOMPARABLE
    if old.type in _COUNTS:
        return _compare_numbers(old, new)
    if old.type is ValueType.DATE:
        return _compare_dates(old.key, new.key)
    if old.type is ValueType.TIME:
        return _compare_times(old, new)
    return Comparison.DIFFERENT


def _compare_numbers(old: Value, new: Value) -> Comparison:
    if old.number is None or new.number is None or not _one_dimension(old.unit, new.unit):
        return Comparison.INCOMPARABLE
    if _is_id(old) or _is_id(new):  # their keys differ, or we would not be here
        return Comparison.DIFFERENT
    same = math.isclose(old.number, new.number, rel_tol=FLOAT_TOLERANCE)
    if same and old.bound is new.bound:
        return Comparison.SAME
    if _bounds_agree(old, new) or _calendar_terms_agree(old, new):
        return Comparison.COMPATIBLE
    return Comparison.DIFFERENT


def _one_dimension(old: str | None, new: str | None) -> bool:
    """One unit, or a counted thing named once only ("3 retries", then "3")."""
    named = old or new
    return old == new or ((old is None or new is None) and named is not None and not is_base_unit(named))


def _is_id(value: Value) -> bool:
    """Whether its digits are its identity: leading zeros, or more of them than a number has meaning."""
    return value.key.isdigit() and (len(value.key) > 15 or (value.key[0] == "0" and len(value.key) > 1))  # noqa: PLR2004


def _bounds_agree(old: Value, new: Value) -> bool:
    """Whether some number fits both. Two limits of one direction differ: the limit itself is what is said.

    >>> from stilltrue.rules.quantities import parse_value
    >>> _bounds_agree(parse_value("1,000 req/s"), parse_value("over 900 req/s"))
    True
    >>> _bounds_agree(parse_value("at most 5 s"), parse_value("at most 10 s"))
    False
    """
    if old.bound is new.bound and old.bound in (Bound.EXACT, Bound.AT_LEAST, Bound.AT_MOST):
        return False
    (low, high), (other_low, other_high) = _range(old), _range(new)
    slack = FLOAT_TOLERANCE * max(abs(old.number or 0), abs(new.number or 0))
    return low <= other_high + slack and other_low <= high + slack


def _range(value: Value) -> tuple[float, float]:
    number = value.number or 0.0
    if value.bound is Bound.AT_LEAST:
        return number, math.inf
    if value.bound is Bound.AT_MOST:
        return -math.inf, number
    around = abs(number) * ABOUT_TOLERANCE if value.bound is Bound.ABOUT else 0.0
    return number - around, number + around


def _calendar_terms_agree(old: Value, new: Value) -> bool:
    """Whether one is told in months or years, the other in days, and they mean one term ("30 days", "a month").

    >>> from stilltrue.rules.quantities import parse_value
    >>> _calendar_terms_agree(parse_value("30 days"), parse_value("1 month"))
    True
    >>> _calendar_terms_agree(parse_value("29 days"), parse_value("30 days"))
    False
    """
    if old.unit != "s" or old.number is None or new.number is None or old.bound is not new.bound:
        return False
    in_months = [bool(number) and number % _MEAN_MONTH_S == 0 for number in (old.number, new.number)]
    in_days = [bool(number) and number % _DAY_S == 0 for number in (old.number, new.number)]
    mixed = in_months[0] != in_months[1] and all(m or d for m, d in zip(in_months, in_days, strict=True))
    return mixed and math.isclose(old.number, new.number, rel_tol=CALENDAR_TOLERANCE)


def _compare_versions(old: Value, new: Value) -> Comparison:
    """A version and its patch release are compatible, everything else that differs is different.

    Where both may be plain numbers ("4.5", then "4"), they are compared as numbers.

    >>> from stilltrue.rules.quantities import parse_value
    >>> old = parse_value("3.12", ValueType.VERSION)
    >>> compare(old, parse_value("3.12.4")).value, compare(old, parse_value("3.1", ValueType.VERSION)).value
    ('compatible', 'different')
    """
    if old.number is not None and new.number is not None:
        equal = math.isclose(old.number, new.number, rel_tol=FLOAT_TOLERANCE)
        return Comparison.COMPATIBLE if equal else Comparison.DIFFERENT
    left, right = _version_parts(old), _version_parts(new)
    shorter = min(len(left), len(right))
    if old.bound is new.bound is Bound.EXACT:
        return Comparison.COMPATIBLE if left[:shorter] == right[:shorter] else Comparison.DIFFERENT
    if old.bound is new.bound:
        return Comparison.DIFFERENT
    for bounded, limit, other in ((old, left, right), (new, right, left)):
        if bounded.bound is Bound.AT_LEAST and other < limit and other != limit[: len(other)]:
            return Comparison.DIFFERENT
        if bounded.bound is Bound.AT_MOST and other > limit and limit != other[: len(limit)]:
            return Comparison.DIFFERENT
    return Comparison.COMPATIBLE


def _version_parts(value: Value) -> list[tuple[int, str]]:
    """Parts in order of age: numbers by value, letters (rc, beta) before any number."""
    written = fold(value.text).strip() if value.type is ValueType.NUMBER else value.key
    plain = version_key(_BOUND_SIGN.sub("", written if written[:1].isdigit() else value.key))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _VERSION_PART.findall(plain)]


def _compare_dates(old: str, new: str) -> Comparison:
    """A date and a coarser or yearless one that holds it are compatible.

    >>> _compare_dates("2025-03", "2025-03-03").value, _compare_dates("--03-03", "2025-03-03").value
    ('compatible', 'compatible')
    >>> _compare_dates("2025-03", "2025-04-03").value
    'different'
    """
    shorter, longer = sorted((old, new), key=len)
    if shorter.startswith("--"):
        return Comparison.COMPATIBLE if longer.endswith(shorter[1:]) else Comparison.DIFFERENT
    prefix = longer.startswith((shorter + "-", shorter + "t"))
    return Comparison.COMPATIBLE if prefix else Comparison.DIFFERENT


def _compare_times(old: Value, new: Value) -> Comparison:
    """A time without its half of the day or its zone is compatible with the one that has it ("9:30", "9:30 pm")."""
    (clock, zone), (other_clock, other_zone) = _clock(old), _clock(new)
    if zone != other_zone and zone and other_zone:
        return Comparison.DIFFERENT
    if clock == other_clock:
        return Comparison.COMPATIBLE
    loose = any(re.match(r"\d:\d\d$|1[0-2]:\d\d$", fold(value.text).strip()) for value in (old, new))
    halves = {(v.number or 0) % 43200 for v in (old, new)}  # twelve hours
    return Comparison.COMPATIBLE if loose and len(halves) == 1 else Comparison.DIFFERENT


def _clock(value: Value) -> tuple[str, str]:
    clock, _, zone = value.key.partition(" ")
    return clock, zone


def _compare_words(old: Value, new: Value) -> Comparison:
    left, right = _plain(old.key), _plain(new.key)
    if left == right:
        return Comparison.SAME
    versions = _TRAILING_VERSION.fullmatch(left), _TRAILING_VERSION.fullmatch(right)
    if versions[0] and versions[1]:
        if versions[0]["name"] != versions[1]["name"]:
            return Comparison.DIFFERENT
        return compare(*(Value(v["version"], ValueType.VERSION, version_key(v["version"])) for v in versions if v))
    if _is_part_of(left.split(), right.split()) or _is_typo(left.split(), right.split()):
        return Comparison.COMPATIBLE
    return Comparison.DIFFERENT


def _plain(key: str) -> str:
    """Without accents, and with hyphens as spaces: "São Paulo", "Sao Paulo", "sao-paulo"."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", key) if not unicodedata.combining(c))
    return " ".join(bare.replace("-", " ").split())


@cache
def _words(table: str) -> frozenset[str]:
    return frozenset(lexicon("aliases")[table]["names"])


def _is_part_of(left: list[str], right: list[str]) -> bool:
    """Whether one is a shorter form of the other: its first or last words, or the same but for the legal form.

    >>> _is_part_of(["acme"], ["acme", "corp"]), _is_part_of(["smith"], ["anna", "smith"])
    (True, True)
    >>> _is_part_of(["york"], ["new", "york"]), _is_part_of(["vegetarian"], ["former", "vegetarian"])
    (False, False)
    """
    short, long = sorted((left, right), key=len)
    if not short or any((word in _words("reversals")) for word in set(short) ^ set(long)):
        return False
    if [word for word in left if word not in _words("legal_forms")] == [
        word for word in right if word not in _words("legal_forms")
    ]:
        return True
    if long[-len(short) :] == short and long[0] in _words("directions"):
        return False
    return len(short) < len(long) and (long[: len(short)] == short or long[-len(short) :] == short)


def _is_typo(left: list[str], right: list[str]) -> bool:
    """Whether one word differs by two swapped letters or a doubled one, in a word long enough for that to be a slip.

    Any other single letter makes another name too often: Sara and Sarah, Christina and Christine, v1 and v2.

    >>> _is_typo(["kubernetes"], ["kuberentes"]), _is_typo(["mississippi"], ["misissippi"])
    (True, True)
    >>> [_is_typo([a], [b]) for a, b in (("sara", "sarah"), ("martina", "martin"), ("trial", "trail"))]
    [False, False, False]
    """
    if len(left) != len(right):
        return False
    differing = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if len(differing) != 1:
        return False
    one, other = sorted(differing[0], key=len)
    if not (one.isalpha() and other.isalpha()) or OSA.distance(one, other, score_cutoff=1) != 1:
        return False
    if len(one) == len(other):
        return len(one) >= SHORTEST_TYPO and sorted(one) == sorted(other)
    at = next((place for place, letter in enumerate(one) if letter != other[place]), len(one))
    return len(other) >= SHORTEST_DOUBLING and at > 0 and other[at] == other[at - 1]
