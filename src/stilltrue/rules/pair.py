"""What do two statements have in common? One look at both, made once and shared by every rule that judges them.

Holds what guards, typed comparison and signals ask for: shapes, readings, wording, shared content and whether the two
speak of one subject. It draws no conclusion about the relation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.slot import Cardinality
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.polarity import Reading, canonical_stems, opposites, reading
from stilltrue.rules.shapes import Shape, canonical, shape
from stilltrue.rules.text import content_stems, stem, tokens
from stilltrue.rules.wording import Wording, wording

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement

_NAME: Final = re.compile(r"(?<![\w.])[A-Z][\w'-]*")
_OWNER: Final = re.compile(r"(?<!\w)(\w+)['’]s?(?= \w)")
_COREFERENT: Final = frozenset(
    {"he", "she", "they", "it", "him", "her", "them", "his", "its", "their", "this", "that", "these", "those"}
)
_OWN: Final = frozenset({"i", "me", "my", "mine", "myself"})
_SELVES: Final = _OWN | {"we", "our", "ours", "user"}


class Sameness(StrEnum):
    """Whether two statements speak of one subject, as far as their words tell."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"


LEAST_CONTENT: Final = 4
"""Content words of a statement of which one shared word and a cue, or a weak word ("now"), suffice; in terser ones they
mislead (14 conflicts of 35 such pairs against 264 of 296)."""


class Common(StrEnum):
    """How firmly two statements are known to speak of one thing; what a rule is worth depends on it.

    SLOT: one subject and one attribute that was recognised. FRAME: one subject, and one predicate and head (or an
    attribute that only repeats the verb). TERSE: neither, both short. LONG: neither, and one of them is long.
    """

    SLOT = "slot"
    FRAME = "frame"
    TERSE = "terse"
    LONG = "long"


TERSE_CONTENT: Final = 6
"""Content words up to which a statement is terse: such statements hold one thing, longer ones several."""


@dataclass(frozen=True)
class Pair:
    """An existing and a new statement, with all that is read off their words; what is derived is derived once."""

    existing: Statement
    new: Statement
    old_shape: Shape
    new_shape: Shape
    old_reading: Reading
    new_reading: Reading
    old_wording: Wording
    new_wording: Wording

    @cached_property
    def shared(self) -> frozenset[str]:
        """Content stems (synonyms as one) that both texts hold."""
        return self.old_reading.content & self.new_reading.content

    @cached_property
    def same_predicate(self) -> bool:
        """Whether both have one predicate, synonyms as one."""
        old, new = self.old_shape.predicate, self.new_shape.predicate
        return old is not None and new is not None and canonical(old) == canonical(new)

    @cached_property
    def same_slot(self) -> bool:
        """Whether extraction gave both one subject and one attribute."""
        old, new = self.existing.slot, self.new.slot
        if old.attribute is None or old.attribute != new.attribute:
            return False
        return old.subject == new.subject or self._of_no_speaker

    @property
    def _of_no_speaker(self) -> bool:
        """Two speakers, each named as the subject for want of another, tell of one thing that is nobody's own."""
        told = [
            one.author is not None and one.slot.subject == one.author.lower() and not _SELVES & set(tokens(one.text))
            for one in (self.existing, self.new)
        ]
        head = self.old_shape.head
        return all(told) and bool(head) and head_key(head) == head_key(self.new_shape.head)

    @cached_property
    def recognised_slot(self) -> bool:
        """Whether they fill one slot whose attribute says more than the verb of the sentence."""
        return self.same_slot and not is_fallback(self.new.slot.attribute)

    @cached_property
    def common(self) -> Common:
        """How firmly they are known to speak of one thing."""
        if self.recognised_slot:
            return Common.SLOT
        one_head = head_key(self.old_shape.head) == head_key(self.new_shape.head)
        one_subject = self.existing.slot.subject == self.new.slot.subject
        if self.same_slot or ((one_subject or self.new_shape.head) and one_head and self.same_predicate):
            return Common.FRAME
        longest = max(len(self.old_reading.content), len(self.new_reading.content))
        return Common.TERSE if longest <= TERSE_CONTENT else Common.LONG

    @cached_property
    def sameness(self) -> Sameness:
        """Whether they speak of one subject, by their slots and heads."""
        if self.strangers or self.siblings:
            return Sameness.OTHER
        same = head_key(self.old_shape.head) == head_key(self.new_shape.head)
        return Sameness.SAME if same else Sameness.UNKNOWN

    @cached_property
    def strangers(self) -> bool:
        """A person, team or thing that owns or heads the one statement and is not in the other at all."""
        if self._two_speakers:
            return True
        old_people, new_people = people(self.existing.text), people(self.new.text)
        old_words, new_words = set(self.old_reading.stems), set(self.new_reading.stems)
        unknown = bool(new_people - old_words) and (bool(old_people - new_words) or not old_people)
        return unknown or self._owner_for_kin

    @property
    def _two_speakers(self) -> bool:
        """Two named speakers, each telling of themselves ("my editor", "my editor")."""
        old, new = self.existing, self.new
        if old.author is None or new.author is None or old.author == new.author:
            return False
        return old.slot.subject != new.slot.subject and all(_OWN & set(tokens(one.text)) for one in (old, new))

    @property
    def _owner_for_kin(self) -> bool:
        """The existing statement is about somebody's kin, the new one about that somebody."""
        head = self.old_shape.head
        if not head or head[-1] not in words_of("kin") or head[-1] in self.new_reading.stems:
            return False
        new_head = set(self.new_shape.head)
        return bool(new_head) and new_head <= {stem(owner.lower()) for owner in _OWNER.findall(self.existing.text)}

    @cached_property
    def siblings(self) -> bool:
        """Whether their heads share a noun and each has a word of its own ("export endpoint", "import endpoint")."""
        old, new = head_key(self.old_shape.head), head_key(self.new_shape.head)
        if not old & new:
            return False
        return bool((new - old) - self.old_reading.content) and bool((old - new) - self.new_reading.content)

    @cached_property
    def names_other_member(self) -> bool:
        """The new statement names a value of a set, and not the one that the existing statement holds."""
        value = self.existing.value
        if value is None or not self.same_slot or self.existing.cardinality is not Cardinality.MANY:
            return False
        named = self.new.value is not None or bool(self.new.leaves)
        return named and not content_stems(value.text) & self.new_reading.content

    @cached_property
    def opposites(self) -> tuple[tuple[str, str], ...]:
        """Opposite words, one from each text."""
        return opposites(self.old_reading, self.new_reading)


_FALLBACK: Final = frozenset({"is", "has", "be"})


def is_fallback(attribute: str | None) -> bool:
    """Whether an attribute only repeats the verb, because none was recognised.

    >>> is_fallback("verb:hold"), is_fallback("is"), is_fallback("residence")
    (True, True, False)
    """
    return attribute is None or attribute in _FALLBACK or attribute.startswith("verb:")


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


_LINKS: Final = frozenset({"for", "in", "on", "at", "to"})  # "the code for the front door", "front door code"
_RECENT: Final = 4096  # texts and heads kept: a sweep meets each statement in several pairs


@cache
def words_of(table: str) -> frozenset[str]:
    """The stems of a table of the subject lexicon."""
    return frozenset(stem(part) for word in lexicon("subjects")[table]["words"] for part in tokens(word))


@lru_cache(maxsize=_RECENT)
def head_key(head: tuple[str, ...]) -> frozenset[str]:
    """A head without the words that make no other subject.

    >>> head_key(("current", "camera")) == head_key(("camera",))
    True
    """
    return frozenset(canonical_stems(" ".join(head))) - words_of("generic") - _LINKS if head else frozenset()


class Difference(StrEnum):
    """What makes two subjects different ones, from the surest on."""

    NAMED = "named"
    MODIFIED = "modified"
    HEADED = "headed"


def subjects(pair: Pair) -> Sameness:
    """Whether the two speak of one subject, by their slots and heads.

    SAME needs equal heads; OTHER a person or owner that the other text does not know.
    """
    return pair.sameness


def difference(pair: Pair) -> Difference | None:
    """Why the two speak of different subjects, or None where they may speak of one.

    NAMED: a person or owner that the other text does not know. MODIFIED: one noun, told apart by a word ("cache TTL",
    "session TTL"). HEADED: one predicate and two heads that share nothing.
    """
    if pair.recognised_slot and not _other_owner(pair):
        return None
    if pair.strangers:
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


def _other_owner(pair: Pair) -> bool:
    """In one slot only kin and owners that the other text lacks make another subject: names may be the values."""
    ours = {stem(owner.lower()) for owner in _OWNER.findall(pair.new.text)} | (
        set(pair.new_shape.head) & words_of("kin")
    )
    values = {word for one in (pair.existing, pair.new) if one.value for word in content_stems(one.value.text)}
    subject = content_stems(pair.existing.slot.subject)
    return pair.siblings or bool(ours - set(pair.old_reading.stems) - values - subject - {"user"})


@lru_cache(maxsize=_RECENT)
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
