"""Which attributes are known, how are they said, and which proper values tell them?

Reads the attribute lexicons once: names and nouns, verb patterns with inflections, values by class. What a sentence
makes of them is `rules.predicates`' and `rules.noun_phrases`' question.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from stilltrue.model.slot import Cardinality, ValueType
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.patterns import late
from stilltrue.rules.verbs import forms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.rules.words import Word

_FILES = ("attributes_people", "attributes_work")
_ADJECTIVES = frozenset(
    {"status", "switch", "permission", "diet", "marital_status", "religion", "employment_status", "handedness",
     "temperament", "smoking", "pet", "languages_spoken"}
)  # fmt: skip
"""Classes whose values are common words: only the patterns that ask for the class find them."""
_HOLE = late(r"\{(value|subject)(?::(\w+))?\}")
_MADE_WITH = ("-based", "-powered", "-backed", "-only")
"""Endings that make an adjective of a product: "REST-based" speaks of REST."""
MAX_NAME_WORDS = 4  # the longest listed value or noun has four words


@dataclass(frozen=True, slots=True)
class Attribute:
    """One lexicon entry. `owner` tells whose a bare mention is: a person's, the project's, or the thing's named."""

    name: str
    cardinality: Cardinality
    owner: str
    type: ValueType
    changes: bool = True
    classes: tuple[str, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A step of a verb pattern: one of `words` (or none, when optional), or a hole of a kind."""

    words: frozenset[str] = frozenset()
    optional: bool = False
    hole: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """How an attribute is said with a verb. `ends`: it says that the value is over.

    `needed`: the words of which one must come behind the verb; `adjacent`: right behind it. Most patterns fail on it.
    """

    attribute: str
    parts: tuple[Part, ...]
    verb: int
    ends: bool
    needed: frozenset[str] = frozenset()
    adjacent: bool = False

    @property
    def weight(self) -> int:
        """How much must match: the pattern that asks for more wins."""
        certain = sum(2 for part in self.parts if part.words and not part.optional)
        return certain + sum(1 for part in self.parts if part.kind)


@cache
def attributes() -> Mapping[str, Attribute]:
    """Every listed attribute by name.

    >>> attributes()["birthplace"].changes, attributes()["residence"].cardinality.value
    (False, 'one')
    """
    found = {}
    for name, entry in _entries():
        kind = ValueType(entry.get("type", "text"))
        classes = tuple(entry.get("classes", ()))
        cardinality = Cardinality(entry["cardinality"])
        found[name] = Attribute(
            name, cardinality, entry["owner"], kind, entry.get("changes", True), classes, entry.get("named", False)
        )
    return MappingProxyType(found)


def _entries() -> list[tuple[str, dict[str, Any]]]:
    return [(name, entry) for file in _FILES for name, entry in lexicon(file).items()]


@cache
def noun_index() -> Mapping[tuple[str, ...], str]:
    """Attribute by the words of a noun for it; the first file and entry that lists a noun keeps it."""
    found: dict[tuple[str, ...], str] = {}
    for name, entry in _entries():
        spelled = name.replace("_", " ")
        for noun in (*entry.get("nouns", ()), spelled, name):
            found.setdefault(tuple(noun.split()), name)
    return MappingProxyType(found)


@cache
def pattern_index() -> Mapping[str, tuple[Pattern, ...]]:
    """Verb patterns by each form of their verb."""
    found: dict[str, list[Pattern]] = {}
    for name, entry in _entries():
        for source, ends in [
            *((p, False) for p in entry.get("verbs", ())),
            *((p, True) for p in entry.get("ends", ())),
        ]:
            pattern = _compiled(name, source, ends=ends)
            for form in pattern.parts[pattern.verb].words:
                found.setdefault(form, []).append(pattern)
    return MappingProxyType({form: tuple(sorted(ps, key=lambda p: -p.weight)) for form, ps in found.items()})


def _compiled(attribute: str, source: str, *, ends: bool) -> Pattern:
    parts: list[Part] = []
    verb = -1
    for step in source.split():
        hole = _HOLE.fullmatch(step)
        if hole:
            parts.append(Part(hole=hole[1], kind=hole[2]))
            continue
        optional = step.endswith("?")
        options = frozenset(step.rstrip("?").split("|"))
        if verb < 0:
            verb = len(parts)
            options = frozenset(form for lemma in options for form in forms(lemma))
        parts.append(Part(options, optional))
    if not any(part.hole == "value" for part in parts):
        parts.append(Part(hole="value"))
    behind = parts[verb + 1 :]
    certain = next((part for part in behind if part.words and not part.optional), None)
    needed = certain.words if certain else frozenset()
    return Pattern(attribute, tuple(parts), verb, ends, needed, adjacent=bool(behind) and certain is behind[0])


@cache
def _products() -> Mapping[tuple[str, ...], tuple[str, str]]:
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for kind, entry in lexicon("attributes_products").items():
        if kind in _ADJECTIVES:
            continue
        for value in entry["values"]:
            names = value.split("|")
            for name in names:
                found.setdefault(tuple(name.split()), (kind, names[0]))
    return MappingProxyType(found)


@cache
def _products_of(kind: str) -> Mapping[tuple[str, ...], str]:
    entry = lexicon("attributes_products").get(kind, {"values": ()})
    return MappingProxyType({tuple(n.split()): v.split("|")[0] for v in entry["values"] for n in v.split("|")})


@cache
def _openings(kind: str | None) -> frozenset[str]:
    """The first words of the listed values: most words open none."""
    return frozenset(name[0] for name in (_products() if kind is None else _products_of(kind)))


@cache
def _by_class() -> Mapping[str, Attribute]:
    return MappingProxyType({cls: entry for entry in attributes().values() for cls in entry.classes})


def attribute_of_class(kind: str) -> Attribute | None:
    """The attribute that a class of values fills.

    >>> attribute_of_class("theme").name
    'screen_theme'
    """
    return _by_class().get(kind)


def is_class(kind: str) -> bool:
    """Whether `kind` is a class of listed values."""
    return kind in lexicon("attributes_products")


def product_at(words: Sequence[Word], at: int, kind: str | None = None) -> tuple[str, str, int] | None:
    """The listed value that starts at word `at`: its class, its canonical name and the word after it.

    >>> from stilltrue.rules.words import words
    >>> product_at(words("use postgres now"), 1)
    ('database', 'postgresql', 2)
    """
    first = words[at].low if at < len(words) else ""
    if first not in _openings(kind) and not (kind is not None and first.endswith(_MADE_WITH)):
        return None
    for length in range(min(MAX_NAME_WORDS, len(words) - at), 0, -1):
        name = tuple(word.low for word in words[at : at + length])
        if kind is None:
            hit = _products().get(name)
            if hit:
                return hit[0], hit[1], at + length
        elif name not in _products_of(kind) and length == 1 and name[0].endswith(_MADE_WITH):
            name = (name[0].rpartition("-")[0],)
        if kind is not None and name in _products_of(kind):
            return kind, _products_of(kind)[name], at + length
    return None
