"""Which versions, clock times and ratios are written with digits and signs?

Answer: `read_literal` ("2.0.0-rc1", "9:30 pm", "16:9") and `version_places`, where a plain number is a version for
the name before it ("Postgres 14"). Amounts are `rules.amounts`' business, dates `rules.civil`'s.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import NamedTuple

from stilltrue.model.slot import ValueType
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.units import read_unit

_SUFFIX = (
    r"(?:\.[xX](?!\w))?(?:[-.]?(?:rc|alpha|beta|a|b|c|dev|pre|preview|snapshot|final|lts|post|m|p|sp)[-.]?\d{0,4}(?!\w))?"
    r"(?:\+[\w.]{1,20}(?<=\w)(?!\w))?"
)
_MANY_PARTS = re.compile(rf"\d{{1,6}}+(?:\.\d{{1,6}}+){{2,4}}+{_SUFFIX}(?![\w]|\.\d)", re.IGNORECASE)
_LETTERED = re.compile(rf"v\.?\s?\d{{1,6}}+(?:\.\d{{1,6}}+){{0,4}}+{_SUFFIX}(?![\w]|\.\d)", re.IGNORECASE)
_PRERELEASE = re.compile(
    r"\d{1,6}+(?:\.\d{1,6}+){1,3}+[-.]?(?:rc|alpha|beta|a|b|dev|pre|preview|snapshot|post)[-.]?\d{0,4}(?!\w)",
    re.IGNORECASE,
)
_LED = re.compile(rf"v?\d{{1,6}}+(?:\.\d{{1,6}}+){{0,4}}+{_SUFFIX}(?![\w%]|[.,:/]\d)", re.IGNORECASE)
_PLAIN = re.compile(r"[-+.]?\d++(?![.:/\w]|[ \u00a0]?[aApPoO])")  # a number that is nothing of the kind; most are
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![:\d]))?"
    r"(?:[ \u00a0]?(?P<half>[ap](?:m|\.m\.))|[ \u00a0]?(?P<oclock>o'clock))?(?!\w)"
    r"(?:[ \u00a0](?P<zone>UTC|GMT|CET|CEST|EST|EDT|PST|PDT|MST|MDT|CST|CDT|BST|IST|JST|ET|PT|CT)(?!\w))?",
    re.IGNORECASE,
)
_RATIO = re.compile(r"(\d{1,6})([:/])(\d{1,6})(?![\w:/]|\.\d)")
_AROUND_THE_CLOCK = ("24/7", "7/24")
_SPOKEN_TIME = re.compile(r"(?:noon|midday|midnight)(?!\w)", re.IGNORECASE)
_SPOKEN_HOURS = {"noon": 12, "midday": 12, "midnight": 0}
_NAMED_VERSION = re.compile(
    r"(?P<name>[^\W\d_][\w+#]{0,20}+(?:\.js|\.NET)?)\s(?P<word>(?:version|release|v|v\.)\s?)?"
    r"(?:(?:[<>]=?|[≤≥]|at least)\s?)?(?=[vV]?\d)",
    re.IGNORECASE,
)
VERSION_WORDS = ("version", "versions", "release", "ver", "v", "semver", "tag")
_DOTTED = re.compile(r"\d{1,6}\.\d")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n]\s{0,3}|[-*•]\s)$")

ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?(?![\w.]\d)"
"""A pattern for IP addresses, which are neither versions nor numbers."""

_ADDRESS = re.compile(ADDRESS)

SPOKEN_WORDS = "|".join(_SPOKEN_HOURS)


class Literal(NamedTuple):
    """A value read up to `end`: `number` is a ratio's quotient, a time's seconds after midnight."""

    type: ValueType
    key: str
    number: float | None
    end: int


class NamedPlace(NamedTuple):
    """A name before a number that is, or may be, its version; `start` and `name` are the name's."""

    start: int
    name: str


@cache
def products() -> frozenset[str]:
    """Names that are followed by a version, casefolded, from `lexicon/products.toml`."""
    return frozenset(name for group in lexicon("products").values() for name in group["names"])


def version_places(text: str) -> dict[int, NamedPlace]:
    """Where a number is a version because of the name before it.

    >>> list(version_places("It runs Postgres 14 and Python 3.12").values())
    [NamedPlace(start=8, name='Postgres'), NamedPlace(start=24, name='Python')]
    >>> version_places("In Room 14 Ada has 3.5 cakes. Rated 4.5 by Bob.")
    {}
    """
    places: dict[int, NamedPlace] = {}
    for found in _NAMED_VERSION.finditer(text):
        name, at = found["name"], found.start()
        known = name.lower() in products() or name.lower() in VERSION_WORDS or found["word"]
        dotted = _DOTTED.match(text, found.end())
        proper = name[0].isupper() and not _SENTENCE_START.search(text[max(0, at - 4) : at])
        if known or (proper and dotted):
            places[found.end()] = NamedPlace(at, name)
    return places


def read_named_version(text: str, at: int, *, known: bool) -> Literal | None:
    """The version at a place that `version_places` found. An unknown name needs one that stands by itself."""
    found = _LED.match(text, at)
    if not found or (not known and (read_unit(text, found.end()) or text[found.end() : found.end() + 1] == "/")):
        return None
    return Literal(ValueType.VERSION, version_key(found[0]), None, found.end())


def read_literal(text: str, at: int) -> Literal | None:
    """The version, clock time or ratio that begins exactly at `at` of a folded text, or None.

    >>> [read_literal(words, 0).key for words in ("v2", "2.0.0-RC1", "9:30 pm", "5 p.m.", "noon", "16:9", "2/6")]
    ['2', '2.0.0-rc1', '21:30', '17:00', '12:00', '16:9', '1:3']
    >>> [read_literal(words, 0) for words in ("3.12", "10.0.0.1", "24/7", "25:30:10", "5 parts")]
    [None, None, None, None, None]
    """
    if text[at : at + 1].isalpha():
        return _spoken(text, at) or _version(_LETTERED, text, at)
    if _PLAIN.match(text, at) or _ADDRESS.match(text, at):
        return None
    version = _version(_MANY_PARTS, text, at) or _version(_PRERELEASE, text, at)
    return version or _clock(text, at) or _ratio(text, at)


def _spoken(text: str, at: int) -> Literal | None:
    found = _SPOKEN_TIME.match(text, at)
    hour = _SPOKEN_HOURS[found[0].lower()] if found else 0
    return Literal(ValueType.TIME, f"{hour:02d}:00", hour * 3600.0, found.end()) if found else None


def _version(pattern: re.Pattern[str], text: str, at: int) -> Literal | None:
    found = pattern.match(text, at)
    return Literal(ValueType.VERSION, version_key(found[0]), None, found.end()) if found else None


def version_key(written: str) -> str:
    """Without the v, leading zeros of parts, a wildcard and build data; lower case.

    >>> version_key("v2.00.1-RC1+build5"), version_key("3.x")
    ('2.0.1-rc1', '3')
    """
    plain = re.sub(r"^v\.?\s?|\+.*$|\.x$", "", written.lower())
    return re.sub(r"\d+", lambda part: str(int(part[0])), plain)


def _clock(text: str, at: int) -> Literal | None:
    """A time of day; "17.30" needs "pm" or the like, as it is a number otherwise."""
    found = _CLOCK.match(text, at)
    if not found or not (found["half"] or found["oclock"] or (found["minute"] and ":" in found[0])):
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if found["half"]:
        if not 1 <= hour <= 12:  # noqa: PLR2004 - the clock's face
            return None
        hour = hour % 12 + (12 if found["half"][0] in "pP" else 0)
    if hour > 23:  # noqa: PLR2004 - hours of a day
        return None
    key = f"{hour:02d}:{minute:02d}" + (f":{second:02d}" if second else "")
    zone = f" {found['zone'].upper()}" if found["zone"] else ""
    return Literal(ValueType.TIME, key + zone, float(hour * 3600 + minute * 60 + second), found.end())


def _ratio(text: str, at: int) -> Literal | None:
    found = _RATIO.match(text, at)
    if not found or found[0] in _AROUND_THE_CLOCK:
        return None
    left, right = int(found[1]), int(found[3])
    common = math.gcd(left, right)
    if not right or not left:
        return None
    return Literal(ValueType.RATIO, f"{left // common}:{right // common}", left / right, found.end())
