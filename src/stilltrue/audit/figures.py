"""Do two lines give one quantity two figures?

Memory files write figures in more ways than sentences do: settings ("`TTL_SECONDS=3600`"), ports in addresses, versions
beside a product, pixels by pixels. Each figure has a kind, and only figures of one kind are compared. What a clash of
figures is worth is `audit.weighing`'s; what figures are and how they compare is `rules.quantities`' and
`rules.comparison`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.slot import Bound, Value, ValueType
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.text import content_stems, stem
from stilltrue.rules.value_finding import find_values

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
}  # fmt: skip
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3}){1,9}|\d+(?:\.\d+)?|" + "|".join(_COUNTS) + r")"
_MEASURED: Final = re.compile(
    rf"(?<![\w.:/-])(?P<n>{_NUMBER})[\s-]?(?P<unit>ms|milliseconds?|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?"
    r"|days?|weeks?|months?|years?)(?![\w-])",
    re.IGNORECASE,
)
_SETTING: Final = re.compile(
    r"(?<![\w])[A-Za-z][\w.-]{0,80}_(?P<unit>SECONDS?|SECS?|MINUTES?|MINS?|HOURS?|DAYS?|MONTHS?|MS|MILLIS(?:ECONDS)?)"
    r"\s*[=:]\s*[\"']?(?P<n>\d+)",
    re.IGNORECASE,
)
_IN_BRACKETS: Final = re.compile(
    r"(?<!\d)(?<!\d,)(?P<n>\d[\d,]{0,30}+)[`\"']?\s*\((?:in )?"
    r"(?P<unit>milliseconds|ms|seconds|minutes|hours|days|months)\)",
    re.IGNORECASE,
)
_EVERY: Final = re.compile(r"\b(?:every|each|per)\s*$", re.IGNORECASE)
_PORT: Final = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|://[\w.-]+):(?P<a>\d{2,5})\b"
    r"|\bports?(?: is| of| number|:|\s*=)?\s*(?:is |on )?`?(?P<b>\d{2,5})\b|\bPORT\s*[=:]\s*(?P<c>\d{2,5})\b"
    r"|\b(?P<d>\d{2,5})(?:/tcp|/udp)\b|\b(?P<e>\d{4,5}),? (?:is )?the [\w' -]{0,30}port\b"
    r"|\blistens? on (?:port )?`?(?P<f>\d{2,5})\b",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(
    r"(?:(?<![\w.])(?P<name>[A-Za-z][\w#+]{0,40}(?:\.js)?)\s+(?:version\s+)?|(?<![\w.]))v?(?P<v>\d+(?:\.\d+){1,3})(?![\w%]|\.\d)"
)
_MAJOR: Final = re.compile(
    r"\b(?P<name>Node(?:\.js)?|Python|PostgreSQL|Postgres|Java|Ruby|Go|Rust|PHP|Django|Rails|React|Next\.js|Angular|Vue"
    r"|Redis|MySQL|MariaDB|Kubernetes|Ubuntu|Debian|Unity|Terraform|Kafka|Elasticsearch|Android|iOS|Swift|Kotlin"
    r"|TypeScript|Tailwind|Xcode|Godot|Unreal|R|MongoDB)\s+v?(?P<v>\d{1,4}(?:\.\d+)*)\b"
)
_BY: Final = re.compile(r"(?<!\d)(\d{2,5})\s?[x×]\s?(\d{2,5})(?!\d)")
_DAY: Final = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_COUNTED: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?P<n>{_NUMBER})(?:-|\s+)(?:(?:separate|full|different|extra|parallel|more)\s+)?"
    r"(?P<noun>[a-z]{3,})\b",
    re.IGNORECASE,
)
_NO_NOUN: Final = frozenset(
    {"and", "the", "per", "for", "are", "is", "was", "were", "has", "have", "not", "than", "more", "less", "that",
     "who", "which", "with", "from", "time", "times", "thing", "things", "way", "ways", "day", "days", "week",
     "weeks", "line",
     "lines", "person", "people", "place", "places", "kind", "kinds", "all", "each", "can", "may", "must", "should",
     "will", "hour", "hours", "minute", "minutes", "second", "seconds", "month", "months", "year", "years", "file",
     "files",
     "point", "points", "step", "steps", "word", "words", "only", "before", "after", "until", "workday", "another",
     "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"}
)  # fmt: skip
_FIRST_VERSION: Final = 2  # "0.95" and "1.0" are mostly shares and scores


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and what kind of thing it measures."""

    kind: str
    value: Value
    said: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Figures of one kind that do not agree, as they are said."""

    kind: str
    one: str
    other: str


@lru_cache(maxsize=4096)
def figures(text: str) -> tuple[Figure, ...]:
    """The figures of a line.

    >>> [(one.kind, one.value.key) for one in figures("Returns within two weeks, `IDLE_SECONDS=90`, port 8080")]
    [('s', '1209600 s'), ('s', '90 s'), ('port', '8080')]
    >>> figures("older ones go")
    ()
    >>> [(one.kind, one.said) for one in figures("Node 22.4 and 2048 × 2048, two approvals, Mondays")]
    [('version', 'Node 22.4'), ('by', '2048 × 2048'), ('approv', 'two approvals'), ('weekday', 'Mondays')]
    """
    found: list[tuple[int, int, Figure]] = []
    for start, end, figure in (*_written(text), *_found(text)):
        if all(end <= first or last <= start for first, last, _ in found):
            found.append((start, end, figure))
    return tuple(figure for _, _, figure in sorted(found, key=lambda one: one[0]))


def clash(one: str, other: str) -> Clash | None:
    """The first kind in which two lines have figures, of which none agrees with one of the other line.

    Where both lines have figures that are no limits, those decide ("at most seven weeks (49 days)").

    >>> clash("Kept for 30 days", "Kept for two weeks").kind, clash("Kept for 14 days", "Kept for two weeks")
    ('s', None)
    """
    left, right = figures(one), figures(other)
    for kind in dict.fromkeys(figure.kind for figure in left):
        ours: list[Figure] = [figure for figure in left if figure.kind == kind]
        theirs = [figure for figure in right if figure.kind == kind]
        exact = [[one for one in side if one.value.bound is Bound.EXACT] for side in (ours, theirs)]
        ours, theirs = exact if all(exact) else (ours, theirs)
        if theirs and all(_differ(a.value, b.value) for a in ours for b in theirs):
            return Clash(kind, ours[0].said, theirs[0].said)
    return None


def differ_alone(one: str, other: str) -> bool:
    """Whether two lines say the same but for their figures, of which some of one kind disagree.

    >>> differ_alone("The API listens on port 8080", "The API listens on port 9090.")
    True
    >>> differ_alone("The API listens on port 8080", "The shop listens on port 9090")
    False
    """
    return clash(one, other) is not None and _without(one) == _without(other)


def same_in_other_figures(one: str, other: str) -> bool:
    """Whether two lines say the same, with figures that agree in other units or other words.

    >>> same_in_other_figures("Kept for 14 days", "Kept for two weeks")
    True
    >>> same_in_other_figures("Kept", "Kept for 14 days")
    False
    """
    return agree(one, other) and clash(one, other) is None and _without(one) == _without(other)


def _without(text: str) -> frozenset[str]:
    for figure in figures(text):
        text = text.replace(figure.said, " ")
    return content_stems(text)


def agree(one: str, other: str) -> bool:
    """Whether some figure of one line is also the other's.

    >>> agree("Kept for 14 days", "Kept for two weeks, port 80"), agree("Kept for 14 days", "Kept for 30 days")
    (True, False)
    """
    left, right = figures(one), figures(other)
    return any(a.kind == b.kind and compare(a.value, b.value) is Comparison.SAME for a in left for b in right)


def _differ(one: Value, other: Value) -> bool:
    return compare(one, other) is Comparison.DIFFERENT and compare(other, one) is Comparison.DIFFERENT


def _written(text: str) -> Iterator[tuple[int, int, Figure]]:
    """Figures in the ways of writing that sentences lack; the surest first."""
    for pattern in (_SETTING, _IN_BRACKETS, _MEASURED):
        for hit in pattern.finditer(text):
            if hit["n"].isalpha() and hit.end("n") == hit.start("unit"):
                continue  # "ones" is no second
            value = parse_value(f"{_plain(hit['n'])} {_unit(hit['unit'])}")
            if value.type is ValueType.DURATION:
                kind = "every" if _EVERY.search(text[: hit.start()]) else "s"
                yield hit.start(), hit.end(), Figure(kind, _bounded(text, hit, value), hit.group())
    for hit in _PORT.finditer(text):
        number = next(part for part in hit.groups() if part)
        yield hit.start(), hit.end(), Figure("port", Value(number, ValueType.NAME, number), number)
    for hit in _BY.finditer(text):
        key = f"{hit[1]}x{hit[2]}"
        yield hit.start(), hit.end(), Figure("by", Value(key, ValueType.NAME, key), hit.group())
    for pattern in (_MAJOR, _VERSION):
        for hit in pattern.finditer(text):
            if pattern is _MAJOR or _is_version(hit):
                value = parse_value(hit["v"], ValueType.VERSION)
                yield hit.start(), hit.end(), Figure("version", value, hit.group())
    for hit in _DAY.finditer(text):
        key = hit[1].lower()
        yield hit.start(), hit.end(), Figure("weekday", Value(key, ValueType.ENUM, key), hit.group())


def _is_version(hit: re.Match[str]) -> bool:
    """A number with points is a version where a name stands before it, or it has two of them."""
    parts = hit["v"].split(".")
    named = hit["name"] is not None and hit["name"][:1].isupper()
    return len(parts) > 2 or (int(parts[0]) >= _FIRST_VERSION and (named or int(parts[0]) > 9))  # noqa: PLR2004


def _found(text: str) -> Iterator[tuple[int, int, Figure]]:
    """Figures as sentences write them: money, sizes, rates, clock times, and counted things."""
    for span, value in find_values(text):
        kind = {ValueType.TIME: "time", ValueType.RATIO: "ratio", ValueType.VERSION: "version"}.get(
            value.type, value.unit
        )
        if kind is not None and value.type is not ValueType.DATE:
            yield span.start, span.end, Figure(kind, value, value.text)
    for hit in _COUNTED.finditer(text):
        noun = hit["noun"].lower()
        if noun not in _NO_NOUN:
            number = _plain(hit["n"])
            value = Value(number, ValueType.NUMBER, number, float(number), stem(noun), _bound(text, hit))
            yield hit.start(), hit.end(), Figure(stem(noun), value, hit.group())


def _bounded(text: str, hit: re.Match[str], value: Value) -> Value:
    return Value(value.text, value.type, value.key, value.number, value.unit, _bound(text, hit))


_AT_MOST: Final = re.compile(
    r"\b(?:at most|up to|nothing above|nothing over|not above|no more than|under|below|max(?:imum)?(?: of)?|less than"
    r"|not more than|not exceed)\s*$"
)
_AT_LEAST: Final = re.compile(r"\b(?:at least|over|more than|above|minimum(?: of)?|older than|from)\s*$")


def _bound(text: str, hit: re.Match[str]) -> Bound:
    """Whether words before or behind a figure make it a limit."""
    before, behind = text[max(0, hit.start() - 24) : hit.start()].lower(), text[hit.end() : hit.end() + 18].lower()
    if _AT_MOST.search(before) or behind.lstrip(" ,").startswith(("at most", "max", "or less", "tops", "limit")):
        return Bound.AT_MOST
    return Bound.AT_LEAST if _AT_LEAST.search(before) or behind.lstrip().startswith("or more") else Bound.EXACT


def _plain(number: str) -> str:
    return str(_COUNTS.get(number.lower(), number)).replace(",", "")


def _unit(word: str) -> str:
    lowered = word.lower()
    return {"ms": "ms", "millis": "ms", "milliseconds": "ms", "sec": "s", "secs": "s", "mins": "min"}.get(
        lowered, lowered
    )
