"""Which further tools does a sentence name beside the one its slot was read from?

"FastAPI with PostgreSQL, Redis for caching" speaks of the framework, the database and the cache. Only sentences of use
are read so: a tool that is merely mentioned is no claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.fact import Modality
from stilltrue.rules.attributes import attribute_of_class, product_at
from stilltrue.rules.reading import named_value
from stilltrue.rules.words import joined, plain, word_set, words

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.slot import Cardinality, Qualifiers, Value
    from stilltrue.rules.words import Word

_USE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|stack|with|add|run|runs|built|build|adopt(?:ed)?|install(?:ed)?|set up|using|migrat|"
    r"switch)\b",
    re.IGNORECASE,
)
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


def further_tools(text: str, statement: Statement) -> list[Tool]:
    """The tools a sentence of use names beside its own value, each in another slot or with another value."""
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
