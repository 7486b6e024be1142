"""What do two statements have in common? One look at both, made once and shared by every rule that judges them.

Holds what guards, typed comparison and signals ask for: shapes, readings, wording, shared content and whether the two
speak of one subject. It draws no conclusion about the relation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.polarity import Reading, reading
from stilltrue.rules.shapes import Shape, canonical, shape
from stilltrue.rules.text import stem, tokens
from stilltrue.rules.wording import Wording, wording

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement

_NAME: Final = re.compile(r"(?<![\w.])[A-Z][\w'-]*")
_OWNER: Final = re.compile(r"(?<!\w)(\w+)['’]s?(?= \w)")
_COREFERENT: Final = frozenset(
    {"he", "she", "they", "it", "him", "her", "them", "his", "its", "their", "this", "that", "these", "those"}
)


class Sameness(StrEnum):
    """Whether two statements speak of one subject, as far as their words tell."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Pair:
    """An existing and a new statement, with all that is read off their words."""

    existing: Statement
    new: Statement
    old_shape: Shape
    new_shape: Shape
    old_reading: Reading
    new_reading: Reading
    old_wording: Wording
    new_wording: Wording

    @property
    def shared(self) -> frozenset[str]:
        """Content stems (synonyms as one) that both texts hold."""
        return self.old_reading.content & self.new_reading.content

    @property
    def same_predicate(self) -> bool:
        """Whether both have one predicate, synonyms as one."""
        old, new = self.old_shape.predicate, self.new_shape.predicate
        return old is not None and new is not None and canonical(old) == canonical(new)

    @property
    def same_slot(self) -> bool:
        """Whether extraction gave both one subject and one attribute."""
        old, new = self.existing.slot, self.new.slot
        return old.attribute is not None and old.attribute == new.attribute and old.subject == new.subject


def pair_of(existing: Statement, new: Statement) -> Pair:
    """One look at both."""
    return Pair(
        existing,
        new,
        shape(existing.text),
        shape(new.text),
        reading(existing.text),
        reading(new.text),
        wording(existing.text),
        wording(new.text),
    )


@cache
def words_of(table: str) -> frozenset[str]:
    """The stems of a table of the subject lexicon."""
    return frozenset(stem(part) for word in lexicon("subjects")[table]["words"] for part in tokens(word))


def head_key(head: tuple[str, ...]) -> frozenset[str]:
    """A head without the words that make no other subject.

    >>> head_key(("current", "camera")) == head_key(("camera",))
    True
    """
    return frozenset(reading(" ".join(head)).stems) - words_of("generic") if head else frozenset()


class Difference(StrEnum):
    """What makes two subjects different ones, from the surest on."""

    NAMED = "named"
    MODIFIED = "modified"
    HEADED = "headed"


def subjects(pair: Pair) -> Sameness:
    """Whether the two speak of one subject, by their slots and heads.

    SAME needs equal heads; OTHER a person or owner that the other text does not know.
    """
    if _strangers(pair):
        return Sameness.OTHER
    same = head_key(pair.old_shape.head) == head_key(pair.new_shape.head)
    return Sameness.SAME if same else Sameness.UNKNOWN


def difference(pair: Pair) -> Difference | None:
    """Why the two speak of different subjects, or None where they may speak of one.

    NAMED: a person or owner that the other text does not know. MODIFIED: one noun, told apart by a word ("cache TTL",
    "session TTL"). HEADED: one predicate and two heads that share nothing.
    """
    if _strangers(pair):
        return Difference.NAMED
    old, new = head_key(pair.old_shape.head), head_key(pair.new_shape.head)
    if (
        old == new
        or _refers_back(pair.new.text)
        or pair.new_shape.predicate is None
        or pair.old_shape.predicate is None
    ):
        return None
    if pair.old_shape.order or pair.new_shape.order:
        return None
    if old & new:
        extra = (new - old) - pair.old_reading.content, (old - new) - pair.new_reading.content
        return Difference.MODIFIED if (extra[0] or extra[1]) and pair.same_predicate else None
    if not pair.same_predicate or (old | new) & pair.shared:
        return None
    return Difference.HEADED


def _strangers(pair: Pair) -> bool:
    """A person, team or thing that owns or heads the one statement and is not in the other at all."""
    old_people, new_people = people(pair.existing.text), people(pair.new.text)
    old_words, new_words = set(pair.old_reading.stems), set(pair.new_reading.stems)
    return bool(new_people - old_words) and (bool(old_people - new_words) or not old_people)


def people(text: str) -> frozenset[str]:
    """Stems of those whom a statement is about by name, ownership or kinship: its head, not its objects.

    >>> sorted(people("Jonas no longer works there")), sorted(people("User's brother smokes"))
    (['jona'], ['brother'])
    >>> people("Metrics go to Loki"), people("User lives in Oslo")
    (frozenset(), frozenset())
    """
    found = {stem(owner.lower()) for owner in _OWNER.findall(text)}
    kin = words_of("kin")
    form = shape(text)
    found.update(word for word in form.head if word in kin)
    names = {stem(word.lower().removesuffix("'s")) for word in _NAME.findall(text)}
    opening = text.split(" ", 1)[0].strip("-*•,:").lower()
    if len(form.head) == 1 and not form.label and form.head[0] in names and not form.plural:
        found.add(form.head[0])
    elif not form.label:
        found.update(word for word in form.head if word in names and word != stem(opening))
    return frozenset(found) - {"user", "it", "that", "he", "she", "there", "let", "what"}


def _refers_back(text: str) -> bool:
    return bool(_COREFERENT & set(tokens(text)[:4]))


def about_value(pair: Pair) -> bool:
    """The new statement is about the existing value, not about whose it is: a customer's move ends no contract."""
    new, old = set(pair.new_shape.head), pair.old_shape
    return bool(new) and old.predicate == "be" and new <= set(old.body) and not new & set(old.head)
