"""Which typed values does a sentence hold, and what is the value that a text as a whole stands for?

Answer: `find_values`, `parse_value`, `product_version`; `compare` and `Comparison` are handed on from
`rules.comparison`. Which slot a value fills is `rules.slots`' business, dates relative to now `rules.dates`'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stilltrue.model.episode import Span
from stilltrue.model.slot import Bound, Value, ValueType
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.literals import VERSION_WORDS, read_named_version, version_key, version_places
from stilltrue.rules.numerals import fold
from stilltrue.rules.value_finding import find_values
from stilltrue.rules.value_keys import name_key, state_key, strip_edges, text_key

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Comparison", "ProductVersion", "compare", "find_values", "parse_value", "product_version"]

_RESIDUE = re.compile(r"[\s.,;:!?\"'“”()]*(?:(?:the|a|an|is|of|equals?|=)\s)?[\s.,;:!?\"'“”()]*", re.IGNORECASE)
_COUNTED = re.compile(r"[\s-]([^\W\d_]{2,20})(?:\s([^\W\d_]{2,20}))?[.!]?\s*$")
_BARE_VERSION = re.compile(r"[vV]?\d{1,6}(?:\.\d{1,6}){0,4}(?:[-.]?[A-Za-z]{1,8}\.?\d{0,4})?(?:\+[\w.]{1,20})?\+?")
_TWO_PARTS = re.compile(r"[1-9]\d{0,5}\.\d{1,6}")
_MINOR_WORDS = (
    "of",
    "the",
    "and",
    "for",
    "de",
    "la",
    "van",
    "von",
    "der",
    "den",
    "du",
    "da",
    "del",
    "di",
    "&",
    "at",
    "in",
)
_CODE = re.compile(r"(?=.*[A-Za-z])[\w@/.#+~:-]*(?:[\d_@/.#+~:]|[a-z][A-Z]|\w-\w)[\w@/.#+~:-]*")
_LONGEST_NAME = 8  # words; longer runs of capitals are titles or shouting


@dataclass(frozen=True, slots=True)
class ProductVersion:
    """A product named with its version: `span` covers both words, `product` is as said, `value` is the version."""

    span: Span
    product: str
    value: Value


def product_version(text: str) -> ProductVersion | None:
    """The first product named with its version, or None.

    >>> found = product_version("Production runs Postgres 14 now")
    >>> found.product, found.value.key
    ('Postgres', '14')
    >>> product_version("Lives in Apartment 14 with Ada 3 days a week") is None
    True
    """
    folded = fold(text)
    for at, place in version_places(folded).items():
        found = read_named_version(folded, at, known=True)
        if found and place.name.lower() not in VERSION_WORDS:
            value = Value(text[at : found.end], ValueType.VERSION, found.key)
            name = text[place.start : place.start + len(place.name)]
            return ProductVersion(Span(place.start, found.end), name, value)
    return None


def parse_value(text: str, hint: ValueType | None = None) -> Value:
    """The value that `text` as a whole stands for: a quantity, a state (on or off), a name, or text as it is.

    `hint` says what it should be; a text that cannot be read that way gets the type it has.

    >>> [parse_value(words).key for words in ("60 seconds", "Enabled", "Postgres 17", "the 1k req/s", "dark mode")]
    ['60 s', 'on', 'postgresql 17', '1000 1/s', 'dark mode']
    >>> parse_value("3.12", ValueType.VERSION).key, parse_value("3.10", ValueType.NUMBER).key
    ('3.12', '3.1')
    """
    if hint is ValueType.TEXT:
        return Value(text, ValueType.TEXT, text_key(text))
    if hint is ValueType.NAME:
        return Value(text, ValueType.NAME, name_key(text))
    if hint is ValueType.VERSION and (version := _bare_version(text)):
        return version
    state = state_key(text)
    if state and hint in (None, ValueType.ENUM):
        return Value(text, ValueType.ENUM, state)
    if hint is ValueType.ENUM:
        return Value(text, ValueType.ENUM, text_key(text))
    return _quantity(text, hint) or _name_or_text(text)


def _bare_version(text: str) -> Value | None:
    """A version given by itself ("14", "3.12", "2.0-beta", "3.11+")."""
    plain = strip_edges(fold(text))
    if not _BARE_VERSION.fullmatch(plain):
        return None
    bounded = plain.endswith("+")
    key, bound = version_key(plain.removesuffix("+")), Bound.AT_LEAST if bounded else Bound.EXACT
    return Value(text, ValueType.VERSION, f">= {key}" if bounded else key, bound=bound)


def _quantity(text: str, hint: ValueType | None) -> Value | None:
    """The one quantity that covers the text. "3.12" is a version that may be a number, so it keeps both readings.

    >>> parse_value("3.12"), parse_value("0.72").type.value
    (Value(text='3.12', type=<ValueType.VERSION: 'version'>, key='3.12', number=3.12, ...), 'number')
    >>> parse_value("3 dogs").unit, parse_value("Dallas 3 dogs").type.value
    ('dog', 'text')
    """
    found = find_values(text)
    if len(found) != 1:
        return None
    span, value = found[0]
    if not _RESIDUE.fullmatch(text[: span.start]):
        return None
    whole = replace(value, text=text)
    if _RESIDUE.fullmatch(text[span.end :]):
        doubtful = hint is None and value.bound is Bound.EXACT and value.unit is None
        if doubtful and value.type is ValueType.NUMBER and _TWO_PARTS.fullmatch(strip_edges(fold(value.text))):
            return replace(whole, type=ValueType.VERSION, key=version_key(strip_edges(fold(value.text))))
        return whole
    counted = _COUNTED.fullmatch(text[span.end :])
    if counted and value.type is ValueType.NUMBER and value.unit is None:
        thing = _singular(word for word in counted.groups() if word)
        return replace(whole, key=f"{value.key} {thing}", unit=thing)
    return None


def _singular(words: Iterable[str]) -> str:
    phrase = " ".join(words).casefold()
    if phrase.endswith("ies"):
        return phrase[:-3] + "y"
    return phrase if phrase.endswith("ss") else phrase.removesuffix("s")


def _name_or_text(text: str) -> Value:
    """A name where every word but minor ones is capitalised, or where it is written like code.

    >>> [parse_value(words).type.value for words in ("Bank of America", "us-east-1", "PostgreSQL 17", "snake_case")]
    ['name', 'name', 'name', 'name']
    >>> [parse_value(words).type.value for words in ("likes Berlin", "dark mode", "well-known", "")]
    ['text', 'text', 'name', 'text']
    """
    plain = strip_edges(fold(text))
    words = plain.split()
    if words and len(words) <= _LONGEST_NAME and _is_name(words):
        return Value(text, ValueType.NAME, name_key(text))
    return Value(text, ValueType.TEXT, text_key(text))


def _is_name(words: list[str]) -> bool:
    if len(words) == 1 and len(words[0]) <= 64 and _CODE.fullmatch(words[0]):  # noqa: PLR2004 - longer tokens are data
        return True
    major = [word for word in words if word not in _MINOR_WORDS]
    named = [word for word in major if word[0].isupper() or not word[0].isalpha()]
    return len(named) == len(major) > 0 and any(word[0].isupper() for word in major)
