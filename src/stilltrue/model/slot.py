"""What is a fact about, and what does it say of it?

A slot is (subject, attribute, qualifiers); a value is what the fact says of it, typed so that "60 s" and "1 min" are
one value. How words become slots and values is `rules.slots` and `rules.quantities`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Cardinality(StrEnum):
    """How many values a slot holds at a time: one (a city), many (allergies), or events, which never end."""

    ONE = "one"
    MANY = "many"
    EVENT = "event"


class ValueType(StrEnum):
    """How a value is compared."""

    NUMBER = "number"
    MONEY = "money"
    VERSION = "version"
    DATE = "date"
    TIME = "time"
    DURATION = "duration"
    RATIO = "ratio"
    ENUM = "enum"
    NAME = "name"
    TEXT = "text"


class Bound(StrEnum):
    """Whether a number is the value itself or only limits it ("over 900", "at most 5", "about 30")."""

    EXACT = "exact"
    ABOUT = "about"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


@dataclass(frozen=True, slots=True)
class Value:
    """`text` as said; `key` is the canonical form: two exact values are the same if and only if their keys are.

    `number` is in the base unit `unit` (seconds for durations, bytes for sizes, "USD" for money, 1/s for rates).
    """

    text: str
    type: ValueType
    key: str
    number: float | None = None
    unit: str | None = None
    bound: Bound = Bound.EXACT


Qualifiers: TypeAlias = tuple[tuple[str, str], ...]
"""Sorted (name, value) pairs, lower case: (("environment", "staging"), ("weekday", "friday"))."""


@dataclass(frozen=True, slots=True)
class Slot:
    """`subject` and `attribute` are canonical lower-case names; `attribute` is None where none could be told."""

    subject: str
    attribute: str | None
    qualifiers: Qualifiers = ()

    def qualifier(self, name: str) -> str | None:
        """The value of one qualifier, or None."""
        return dict(self.qualifiers).get(name)
