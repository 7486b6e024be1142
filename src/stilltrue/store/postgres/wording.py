"""How does PostgreSQL say what the shared queries say in SQLite's words? By a table of phrases, and its own parameters.

Answer: `worded`, remembered for each statement. A phrase is replaced only where both mean the same; what no wording
bridges is not here but has a method of its own (words, vectors, locks). PostgreSQL keeps no U+0000 in a text, so it
travels as a pair that begins with a noncharacter, which Unicode leaves to programs for their own use.

Left to others: the queries (`store.queries` and their callers), running them (`store.postgres.session`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.store.session import Parameters

_REMEMBERED: Final = 2_048  # statements; an IN (...) makes one for each number of values

# SQLite's words, PostgreSQL's words.
_PHRASES: Final = (
    (re.compile(r"\bIS NOT (\?|'\w+')"), r"IS DISTINCT FROM \1"),
    (re.compile(r"\bIS (\?)"), r"IS NOT DISTINCT FROM \1"),
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),  # in SQLite: in this order
    (re.compile(r"\bINDEXED BY \w+ ?"), ""),  # in SQLite: by this index
    (re.compile(r"(?<=[ (])\+(?=[a-z])"), ""),  # in SQLite: not by this column's index
    (re.compile(r"\bjson_group_array\((\w+)\)"), r"coalesce('[' || string_agg(to_json(\1)::text, ',') || ']', '[]')"),
    (re.compile(r"\bjson_extract\(([\w.]+), '\$\.(\w+)'\)"), r"(CAST(\1 AS json) ->> '\2')"),
    (re.compile(r"\bjson_each\(([^()]+)\)"), r"json_array_elements_text(CAST(\1 AS json))"),
    (re.compile(r"\binstr\("), "strpos("),
    (re.compile(r"\bchar\(0\)"), r"U&'\\FDD0'"),
    (re.compile(r"\bsubstr\((\w+), -(:\w+)\)"), r"right(\1, \2)"),
    (re.compile(r"\bmax\(([\w.]+, )"), r"greatest(\1"),
    (re.compile(r"\bLIMIT (\?|:\w+)"), r"LIMIT NULLIF(\1, -1)"),
)
_PARTS: Final = re.compile(r"'(?:[^']|'')*'|::\w+|\?(\d*)|:([a-z_]+)|%")

_MARK: Final = "\ufdd0"
_NUL, _ITSELF = "\ufdd1", "\ufdd2"


class Worded(NamedTuple):
    """A statement for psycopg. `order`: which values it takes, in turn; None where it takes them by name."""

    sql: str
    order: tuple[int, ...] | None

    def arguments(self, given: Parameters) -> list[Any] | dict[str, Any]:
        """The values as they are sent."""
        if self.order is None:
            named: Mapping[str, Any] = given  # type: ignore[assignment] # names in the statement, so values by name
            return {name: sent(value) for name, value in named.items()}
        return [sent(given[at]) for at in self.order]  # type: ignore[index] # no names, so values in turn


@lru_cache(_REMEMBERED)
def worded(sql: str) -> Worded:
    """A statement of the shared code, in PostgreSQL's words.

    >>> worded("SELECT a FROM b WHERE c IS NOT 'd' AND e IN (?, ?) LIMIT ?").sql
    "SELECT a FROM b WHERE c IS DISTINCT FROM 'd' AND e IN (%s, %s) LIMIT NULLIF(%s, -1)"
    >>> worded("SELECT '50%: why?' FROM b WHERE c = :c")
    Worded(sql="SELECT '50%%: why?' FROM b WHERE c = %(c)s", order=None)
    """
    for phrase, said in _PHRASES:
        sql = phrase.sub(said, sql)
    order: list[int] = []
    names = False

    def part(found: re.Match[str]) -> str:
        nonlocal names
        text, number, name = found.group(), found.group(1), found.group(2)
        if name is not None:
            names = True
            return f"%({name})s"
        if number is not None:
            order.append(int(number) - 1 if number else len(order))
            return "%s"
        return text.replace("%", "%%")

    said = _PARTS.sub(part, sql)
    return Worded(said, None if names else tuple(order))


def sent(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    """A value as PostgreSQL can keep it."""
    if isinstance(value, str) and ("\0" in value or _MARK in value):
        return value.replace(_MARK, _MARK + _ITSELF).replace("\0", _MARK + _NUL)
    return value


def kept(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    r"""The value that was sent.

    >>> kept(sent("a\0b\ufdd0c")) == "a\0b\ufdd0c"
    True
    """
    if isinstance(value, str) and _MARK in value:
        return value.replace(_MARK + _NUL, "\0").replace(_MARK + _ITSELF, _MARK)
    return value
