"""Which typed values does a sentence hold, and what is the value of a slot?

Answer: `find_values` (all in a sentence), `parse_value` (a value given as a whole), `product_version` ("Postgres 14").
Whether two values agree is `rules.comparison`; calendar dates are `rules.dates`' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.slot import Value, ValueType
from stilltrue.rules.comparison import Comparison, compare

if TYPE_CHECKING:
    from stilltrue.model.episode import Span

__all__ = ["Comparison", "ProductVersion", "compare", "find_values", "parse_value", "product_version"]


@dataclass(frozen=True, slots=True)
class ProductVersion:
    """A product named with its version: `span` covers both words, `product` is as said, `value` is the version."""

    span: Span
    product: str
    value: Value


def find_values(text: str) -> list[tuple[Span, Value]]:
    """Typed quantities in `text`, left to right, never overlapping."""
    del text
    return []


def product_version(text: str) -> ProductVersion | None:
    """The first product named with its version ("Postgres 14"), or None."""
    del text
    return None


def parse_value(text: str, hint: ValueType | None = None) -> Value:
    """The value that `text` as a whole stands for; text itself where it is no quantity, enum or name."""
    folded = " ".join(text.split()).casefold()
    return Value(text=text, type=hint or ValueType.TEXT, key=folded)
