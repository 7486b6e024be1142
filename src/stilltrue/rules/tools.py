"""Which further tools does a sentence name beside the one its slot was read from?

"FastAPI with PostgreSQL, Redis for caching" speaks of the framework, the database and the cache. Only sentences of use
are read so: a tool that is merely mentioned is no claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.fact import Modality
from stilltrue.model.slot import Value, ValueType
from stilltrue.rules.attributes import attribute_of_class, attributes, product_at
from stilltrue.rules.reading import named_value
from stilltrue.rules.words import joined, plain, word_set, words

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.slot import Cardinality, Qualifiers
    from stilltrue.rules.words import Word

_USE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|stack|with|add|run|runs|built|build|adopt(?:ed)?|install(?:ed)?|set up|using|migrat|"
    r"switch)\b",
    re.IGNORECASE,
)
_MARRIAGE = re.compile(r"\b(?:married|marries|wed|(?P<engaged>engaged))\b", re.IGNORECASE)
_LINKS = frozenset({",", "and", "with", "+", "&", "on", "for", "plus", "also", ".", "the", "a", "our", "in", "/"})


@dataclass(frozen=True, slots=True)
class Tool:
    """One more tool and the slot it fills."""

    attribute: str
    value: Value
    cardinality: Cardinality
    purpose: str | None = None

    def qualifiers(self, base: Qualifiers) -> Qualifiers:
        """The sentence's restrictions, with this tool's own purpose instead of the first one's."""
        kept = {name: value for name, value in base if name != "purpose"}
        return tuple(sorted((kept | ({"purpose": self.purpose} if self.purpose else {})).items()))


def _status(text: str, statement: Statement) -> list[Tool]:
    """As in "Ada married Ben": who it is, and that she is married now."""
    hit = _MARRIAGE.search(text) if statement.slot.attribute == "partner" else None
    if hit is None:
        return []
    entry = attributes()["marital_status"]
    key = "engaged" if hit["engaged"] else "married"
    return [Tool(entry.name, Value(hit.group(), ValueType.NAME, key), entry.cardinality)]


def further_tools(text: str, statement: Statement) -> list[Tool]:
    """What a sentence names beside its own value: further tools of use, each in another slot, or a status.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.slots import read_statement
    >>> def more(text):
    ...     read = read_statement(text, said_at=datetime(2025, 1, 1, tzinfo=UTC))
    ...     return [tool.value.key for tool in further_tools(text, read)]
    >>> more("We use FastAPI with PostgreSQL"), more("Ada got married to Ben."), more("Ada is dating Ben.")
    (['postgresql'], ['married'], [])
    """
    if not statement.negated and statement.modality is Modality.ASSERTION and _status(text, statement):
        return _status(text, statement)
    if statement.leaves or statement.negated or statement.modality is Modality.PAST or not _USE.search(text):
        return []
    if statement.slot.attribute is None or statement.slot.attribute.startswith(
        ("verb:", "preference:", "is", "prefers")
    ):
        return []
    own = (statement.slot.attribute, statement.value.key if statement.value else "")
    found: list[Tool] = []
    cut = words(plain(text))
    at = 0
    while at < len(cut):
        hit = product_at(cut, at) if cut[at].named or (cut[at].low == cut[at].text and _listed_place(cut, at)) else None
        if hit is None:
            at += 1
            continue
        tool = _tool(cut, at, hit)
        if (
            tool
            and (tool.attribute, tool.value.key) != own
            and all(t.attribute != tool.attribute for t in found)
            and tool.attribute != own[0]
        ):
            found.append(tool)
        at = hit[2]
    return found


def _listed_place(cut: list[Word], at: int) -> bool:
    return at > 0 and cut[at - 1].low in _LINKS


def _tool(cut: list[Word], at: int, hit: tuple[str, str, int]) -> Tool | None:
    kind, canonical, end = hit
    entry = attribute_of_class(kind)
    if entry is None or (entry.name in {"language", "os"} and not (len(cut) > end and cut[end].low[:1].isdigit())):
        return None
    value = named_value(cut[at : end + 1], canonical, end - at)
    stop = word_set("word_classes", "purpose_stop")
    purpose = (
        joined(cut[end + 1 : end + 2])
        if len(cut) > end + 1 and cut[end].low == "for" and cut[end + 1].low not in stop
        else None
    )
    fitting = purpose is None or purpose in entry.name or purpose == "caching"
    return Tool(entry.name, value, entry.cardinality, None if fitting else purpose)
