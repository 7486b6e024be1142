"""Which unit of measure does a word name, and how does it convert?

Answer: `read_unit` (longest spelling at a place) and `Unit.convert`, over `lexicon/units.toml`. Which number the unit
belongs to is `rules.quantities`' business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, NamedTuple

from stilltrue.model.slot import ValueType
from stilltrue.rules.lexicons import lexicon

_FORM = re.compile(r"(?:\s{0,2}|-)(?P<form>[^\W\d_]{1,14}+(?:[23²³](?!\w))?|[°%‰$€£¥₹¢℃℉×](?:[CF](?!\w))?)(?!\w)")
_SECOND_WORD = re.compile(r"[ \u00a0]([^\W\d_]{1,12}+)(?!\w)")
_MONEY_WORDS = re.compile(
    r"\b(?:cost|costs|price|priced|pay|pays|paid|salary|rent|budget|fee|fees|worth|earn|earns|spend|spent|charge|charges"
    r"|bill|sterling|income|wage|debt|loan)\b",
    re.IGNORECASE,
)
_TIME_WORDS = re.compile(
    r"\b(?:timeout|timeouts|ttl|interval|every|within|expir\w{1,6}|session|retention|delay|latency|wait|duration|takes"
    r"|lasts|cache|cached|grace|lease|uptime|window)\b",
    re.IGNORECASE,
)


class _Glue(StrEnum):
    ANY = "any"
    ONLY = "only"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Unit:
    """`by` converts into `base` after `plus` was added. `per`: over time it becomes a rate per second."""

    name: str
    dimension: str
    base: str
    type: ValueType
    by: float
    plus: float = 0.0
    per: bool = False

    def convert(self, number: float) -> float:
        """`number` of this unit, in the base unit.

        >>> unit = read_unit("90-minute", 2).unit
        >>> unit.convert(90), unit.base
        (5400.0, 's')
        """
        return (number + self.plus) * self.by


class UnitAt(NamedTuple):
    unit: Unit
    end: int


class _Lexicon(NamedTuple):
    forms: dict[str, list[tuple[_Glue, Unit]]]
    signs: dict[str, Unit]
    bases: frozenset[str]


@cache
def _lexicon() -> _Lexicon:
    """All spellings, from the packaged table."""
    table: dict[str, dict[str, Any]] = lexicon("units")
    forms: dict[str, list[tuple[_Glue, Unit]]] = {}
    signs: dict[str, Unit] = {}
    for dimension, row in table.items():
        units = {
            name: Unit(
                name, dimension, row["base"], ValueType(row["type"]), unit["by"], unit.get("plus", 0.0),
                per=row.get("per", False),
            )
            for name, unit in row["units"].items()
        }  # fmt: skip
        signs |= dict.fromkeys(row.get("signs", ()), next(iter(units.values())))
        for name, unit in row["units"].items():
            for glue, key in ((_Glue.ANY, "forms"), (_Glue.ONLY, "glued"), (_Glue.NEVER, "apart")):
                for form in unit.get(key, ()):
                    forms.setdefault(form, []).append((glue, units[name]))
    return _Lexicon(forms, signs, frozenset(row["base"] for row in table.values()))


@lru_cache(maxsize=16)  # asked again for every "5m" of one text
def _speaks_of_time(text: str) -> bool:
    return bool(_TIME_WORDS.search(text))


@lru_cache(maxsize=16)
def _speaks_of_money(text: str) -> bool:
    return bool(_MONEY_WORDS.search(text))


def is_base_unit(name: str) -> bool:
    """Whether `name` is a base unit of measure, or a rate or price built on one, rather than a counted thing."""
    return name in _lexicon().bases or "/" in name


def currency_signs() -> dict[str, Unit]:
    """The signs that stand before an amount, each with its currency."""
    return _lexicon().signs


def money_code(word: str) -> Unit | None:
    """The currency whose ISO code `word` is, in capitals."""
    named = _lexicon().forms.get(word, ()) if word.isupper() else ()
    return next((unit for _, unit in named if unit.type is ValueType.MONEY and unit.base == word), None)


def time_unit(word: str) -> Unit | None:
    """The unit of time that `word` names behind "per", where "m" is a minute and a quarter three months."""
    form = {"m": "minute", "quarter": "quarters"}.get(word.lower(), word)
    named = _lexicon().forms.get(form) or _lexicon().forms.get(form.lower()) or []
    return next((unit for _, unit in named if unit.dimension == "duration"), None)


def read_unit(text: str, at: int) -> UnitAt | None:
    """The unit whose spelling follows the number that ends at `at`, after at most two spaces or a hyphen.

    >>> [read_unit(words, 2).unit.name for words in ("30ms", "30 Minutes", "30 MB", "30 Mb", "20C")]
    ['millisecond', 'minute', 'megabyte', 'megabit', 'celsius']
    >>> read_unit("20 C sharp developers", 2) is None and read_unit("30 messages", 2) is None
    True
    """
    found = _FORM.match(text, at)
    if not found:
        return None
    form, glued = found["form"], found.start("form") == at
    second = _SECOND_WORD.match(text, found.end())
    if second and (unit := _named(f"{form} {second[1]}".lower(), text, glued=glued)):
        return UnitAt(unit, second.end())
    unit = _named(form, text, glued=glued) or (_named(form.lower(), text, glued=glued) if len(form) > 1 else None)
    return UnitAt(unit, found.end()) if unit else None


def _named(form: str, text: str, *, glued: bool) -> Unit | None:
    """The unit with this spelling; where "m" and "pounds" have two meanings, the words around tell.

    >>> read_unit("timeout 5m", 9).unit.name, read_unit("the rope is 5m long", 13).unit.name
    ('minute', 'metre')
    >>> read_unit("rent is 900 pounds", 11).unit.base, read_unit("lifts 90 pounds", 8).unit.base
    ('GBP', 'g')
    """
    for glue, unit in _lexicon().forms.get(form, ()):
        if glue is not _Glue.ANY and (glue is _Glue.ONLY) != glued:
            continue
        if form == "m" and glued and _speaks_of_time(text):
            return _lexicon().forms["minute"][0][1]
        if form in ("pound", "pounds") and _speaks_of_money(text):
            return _lexicon().signs["£"]
        return unit
    return None
