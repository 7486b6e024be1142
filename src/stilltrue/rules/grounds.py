"""Does memory hold what a question asks for? Refusing rests on words that can be counted, never on likeness alone.

Answer: `ground`. A fact answers when each word the question is about is in it, in the name of its slot, or explained by
the attribute that is asked for, and when it is about whom the question names. "Where does Mara live?" is not answered
by where the user lives, nor "What is Mara's cat called?" by the name of her dog, however alike the sentences are.
A value that a yes-or-no question proposes need not be in memory: another one in its place is the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.slot import ValueType
from stilltrue.rules.attributes import attributes, noun_index, pattern_index
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.inquiry import Form, Inquiry
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.polarity import canonical_stems
from stilltrue.rules.subjects import US, USER
from stilltrue.rules.text import content_stems, content_words, normalise, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stilltrue.model.expert import Exhibit
    from stilltrue.model.fact import Statement

_FIGURE: Final = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred)\b")
_WHEN: Final = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|daily|weekly|monthly|noon|midnight|morning|evening|every|each|after|before|"
    r"tomorrow|yesterday|today|tonight|weekends?|weekdays?)\b"
)
_WHERE: Final = re.compile(
    r"\b(?:in|at|on|near|to|from|under|behind|beside|inside|into|by|outside|via|next) "
    r"(?!\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may\b|june|july|august|september|october|november|december|noon|night)"
    r"|[/\\]\w|://"
)
_PROPOSING: Final = frozenset({Form.WHETHER, Form.SINCE, Form.UNTIL, Form.TIME})
"""Forms that name a value themselves; in others only a value that memory holds is taken for one."""
_NEEDS: Final = {Form.NUMBER: _FIGURE, Form.TIME: _WHEN, Form.PLACE: _WHERE}
"""What a sentence must hold to tell a figure, a time or a place, where no slot says that it does."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A fact that answers. `in_slot`: by its slot; `proposed`: how its value stands to the one the question names."""

    exhibit: Exhibit
    in_slot: bool
    proposed: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Grounds:
    """Those that answer, in the order given. `words`: what the question is about; `missing`: those of them that no fact
    at hand speaks of.
    """

    found: tuple[Ground, ...]
    words: tuple[str, ...]
    missing: tuple[str, ...]


def ground(question: str, inquiry: Inquiry, exhibits: Iterable[Exhibit], asker: str = USER) -> Grounds:
    """Which of `exhibits` answer; those told by their slot shut out those that only share the words."""
    at_hand = list(exhibits)
    found = [one for one in (_weighed(inquiry, exhibit, asker) for exhibit in at_hand) if one is not None]
    slotted = [one for one in found if one.in_slot]
    spoken: frozenset[str] = frozenset().union(
        *(held(one.statement) | _explained(one.statement, inquiry) for one in at_hand)
    )
    words = dict.fromkeys(word for word in content_words(question) if stem(word) in inquiry.stems - inquiry.dated)
    return Grounds(tuple(slotted or found), tuple(words), tuple(word for word in words if stem(word) not in spoken))


def held(statement: Statement) -> frozenset[str]:
    """The stems that a fact speaks of, in its words or by the names of its slot; synonyms count.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.rules.slots import read_statement
    >>> sorted(held(read_statement("Mara adores decaf", said_at=datetime(2025, 1, 1, tzinfo=UTC))))
    ['ador', 'decaf', 'like', 'mara', 'prefer']
    """
    slot = statement.slot
    names = " ".join((slot.subject, (slot.attribute or "").replace("_", " "), *(word for _, word in slot.qualifiers)))
    said = f"{statement.text} {names} {statement.topic or ''} {statement.author or ''}"
    return content_stems(said) | frozenset(canonical_stems(said))


def same_slot(reading: Statement, statement: Statement, asker: str = USER) -> bool:
    """Whether a question, read as a statement, is about the slot of a fact."""
    mine, theirs = reading.slot, statement.slot
    if mine.attribute is None or mine.attribute != theirs.attribute:
        return False
    subjects = {mine.subject, asker} if mine.subject == USER else {mine.subject}
    return theirs.subject in subjects and set(mine.qualifiers) <= set(theirs.qualifiers)


def _weighed(inquiry: Inquiry, exhibit: Exhibit, asker: str) -> Ground | None:
    statement = exhibit.statement
    if not statement.text or not _about(inquiry, statement, asker):
        return None
    left = inquiry.stems - inquiry.dated - held(statement) - _synonyms(inquiry, statement)
    return _by_slot(inquiry, exhibit, left, asker) or _by_words(inquiry, exhibit, left)


def _by_slot(inquiry: Inquiry, exhibit: Exhibit, left: frozenset[str], asker: str) -> Ground | None:
    """It answers by its slot: the one the question names, or would have if it were a statement."""
    statement = exhibit.statement
    left -= _explained(statement, inquiry)
    reading = next((one for one in inquiry.readings if same_slot(one, statement, asker)), None)
    named = statement.slot.attribute in inquiry.attributes
    if reading is not None and reading.value is not None and statement.value is not None:
        told = _compared(reading, statement)
        proposes = inquiry.form in _PROPOSING or told in (Comparison.SAME, Comparison.COMPATIBLE)
        if proposes and not left - content_stems(reading.value.text):
            return Ground(exhibit, in_slot=True, proposed=told)
    if left or not (named or reading is not None):
        return None
    return Ground(exhibit, in_slot=named or statement.value is not None)


def _by_words(inquiry: Inquiry, exhibit: Exhibit, left: frozenset[str]) -> Ground | None:
    """It answers by its sentence: all that the question speaks of is in it, and the kind of thing asked for as well."""
    if left or not inquiry.stems - inquiry.dated:
        return None
    needs = _NEEDS.get(inquiry.form)
    if needs is not None and not needs.search(_beyond(exhibit.statement, inquiry)):
        return None
    whole = inquiry.form is not Form.WHETHER or inquiry.dated <= held(exhibit.statement)
    return Ground(exhibit, in_slot=False, proposed=Comparison.SAME if whole else Comparison.INCOMPARABLE)


def _about(inquiry: Inquiry, statement: Statement, asker: str) -> bool:
    """Whether a fact may be about whom the question means. What is a project's is said by I and by we alike."""
    subject = statement.slot.subject
    if content_stems(subject) & inquiry.stems:
        return True
    if inquiry.somebody:
        return False
    own = {USER, asker} if inquiry.first else set()
    own |= {US} if inquiry.we else set()
    entry = attributes().get(statement.slot.attribute or "")
    if own and (entry is None or entry.owner != "person"):
        own |= {USER, US, asker}
    return not own or subject in own


def _explained(statement: Statement, inquiry: Inquiry) -> frozenset[str]:
    """Words of the question that name the attribute of a fact whose slot may be meant."""
    attribute = statement.slot.attribute
    read = any(one.slot.attribute == attribute for one in inquiry.readings)
    if attribute is None or not (attribute in inquiry.attributes or read):
        return frozenset()
    return _naming(attribute)


def _synonyms(inquiry: Inquiry, statement: Statement) -> frozenset[str]:
    """Stems of the question of which a synonym is held ("adore" where the fact says "like")."""
    canon = frozenset(canonical_stems(statement.text))
    return frozenset(one for one in inquiry.stems if canon.issuperset(canonical_stems(one)))


@cache
def _naming(attribute: str) -> frozenset[str]:
    """Stems that name an attribute: its nouns, its verbs, and the forms of question that ask for it."""
    nouns = [word for words, name in noun_index().items() if name == attribute for word in words]
    verbs = [
        word
        for patterns in pattern_index().values()
        for pattern in patterns
        if pattern.attribute == attribute
        for part in pattern.parts
        for word in part.words
    ]
    forms = [
        word
        for entry in lexicon("asked").values()
        if attribute in entry["attributes"]
        for word in re.findall(r"[a-z]{3,}", entry["pattern"])
    ]
    spelled = attribute.removeprefix("verb:").replace("_", " ").split()
    return frozenset(stem(word) for word in (*nouns, *verbs, *forms, *spelled))


def _compared(reading: Statement, statement: Statement) -> Comparison:
    """How the value a fact holds stands to the proposed one; a denied one is as another."""
    if reading.value is None or statement.value is None:
        return Comparison.INCOMPARABLE
    told = compare(statement.value, reading.value)
    if told is Comparison.INCOMPARABLE and statement.value.type in (ValueType.NAME, ValueType.TEXT, ValueType.ENUM):
        return Comparison.DIFFERENT
    return told


def _beyond(statement: Statement, inquiry: Inquiry) -> str:
    """A fact's words without those that the question had already."""
    kept = [word for word in normalise(statement.text).split() if stem(word.strip(".,;:!?")) not in inquiry.stems]
    return " ".join(kept)
