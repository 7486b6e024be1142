"""Do two statements say the same sentence but for one thing? Twins that differ in a figure, a negation or their form.

Looks at the words alone, without slot or predicate, so that it also reads what extraction cannot ("Thermostat set to
20°C", "Je porte des lentilles"). Answers with a finding for near twins, and None for all other pairs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from stilltrue.model.fact import Modality
from stilltrue.model.slot import ValueType
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.finding import Finding
from stilltrue.rules.frames import switch_words
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.pair import Pair, Sameness, words_of
from stilltrue.rules.polarity import reading
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.shapes import shape
from stilltrue.rules.text import normalise, stem, tokens

LEAST_FRAME: Final = 2  # words beside the figure; with fewer the figures may be of different things
MOST_VALUE: Final = 3  # content words that may stand for a value where a label is said as a sentence
_FIGURE: Final = re.compile(r"\d")
_RECENT: Final = 4096  # texts kept: a sweep meets each statement in several pairs
_LABEL: Final = re.compile(r"^[-*•\s]*([^:=]{2,40}?)\s*[:=]\s+(\S.{0,60})$")


def denied_twin(pair: Pair) -> Finding | None:
    """The same words, and a negation more, in any of the listed languages.

    >>> def told(text): return Statement(text=text, slot=Slot("user", None), said_at=AT)
    >>> def says(old, new): return denied_twin(pair_of(told(old), told(new)))
    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> from stilltrue.rules.pair import pair_of
    >>> AT = datetime(2025, 1, 1, tzinfo=UTC)
    >>> says("Je porte des lentilles.", "Je ne porte pas de lentilles.").relation.value
    'CONTRADICTION'
    >>> says("Je porte des lentilles.", "Il ne porte pas de lunettes.") is None
    True
    """
    old, new = tokens(pair.existing.text), tokens(pair.new.text)
    foreign = _foreign()
    left, right = [word for word in old if word not in foreign], [word for word in new if word not in foreign]
    if left != right or not left or len(old) == len(new):
        return None
    relation = Relation.UPDATE if len(new) < len(old) else Relation.CONTRADICTION
    return Finding(EvidenceSource.SIGNAL, "twin, denied", relation, "the same words with a negation on one side")


@lru_cache(maxsize=1)
def _foreign() -> frozenset[str]:
    return frozenset(lexicon("negations")["foreign"]["words"])


def other_figure(pair: Pair) -> Finding | None:
    """The same words around two figures of one kind, "now" and the plural aside (LABELS 9, 13)."""
    old, new = _timeless(pair.existing.text), _timeless(pair.new.text)
    if len(old) != len(new) or len(old) <= LEAST_FRAME or pair.sameness is Sameness.OTHER:
        return None
    swapped = [(a, b) for a, b in zip(old, new, strict=True) if stem(a) != stem(b)]
    if len(swapped) != 1 or not all(_FIGURE.match(word) or word in _NUMERALS for word in swapped[0]):
        return None
    if pair.old_shape.plural or old[-2:-1] == new[-2:-1] == ("phase",) or Modality.PAST in _voices(pair):
        return None
    relation = Relation.CONTRADICTION if pair.new_wording.correction else Relation.UPDATE
    name = "twin, another figure now" if _newly(pair) else "twin, another figure"
    return Finding(EvidenceSource.SIGNAL, name, relation, " / ".join(swapped[0]))


def _newly(pair: Pair) -> bool:
    return bool(_PRESENT & set(tokens(pair.new.text)) - set(tokens(pair.existing.text)))


_NUMERALS: Final = frozenset(
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)
_PRESENT: Final = frozenset({"now", "currently", "today"})


def _timeless(text: str) -> tuple[str, ...]:
    """The words without those that only say that it is so at present.

    >>> _timeless("Deploys now need one approval")
    ('deploys', 'need', 'one', 'approval')
    """
    return tuple(word for word in tokens(text) if word not in _PRESENT)


def _voices(pair: Pair) -> tuple[Modality, Modality]:
    return pair.existing.modality, pair.new.modality


def label_and_sentence(pair: Pair) -> Finding | None:
    """A label and a sentence that says its words, with two values ("Input validation: Valibot" / "Validate input
    with Zod").
    """
    for label, sentence in ((pair.new.text, pair.existing.text), (pair.existing.text, pair.new.text)):
        found = _LABEL.match(label)
        if not found or _LABEL.match(sentence) or pair.sameness is Sameness.OTHER or _comments(found[1], sentence):
            continue
        finding = _against(reading(found[1]).content, found[2], sentence)
        if finding is not None:
            return finding
    return None


def _comments(name: str, sentence: str) -> bool:
    """A label of several things, or a sentence about a part or habit of the thing rather than its value."""
    form = shape(sentence)
    return name.rstrip().endswith("s") or form.predicate == "have" or bool({"always", "never"} & set(tokens(sentence)))


def _against(name: frozenset[str], value: str, sentence: str) -> Finding | None:
    said = reading(sentence).content - words_of("generic")
    head = name - words_of("generic") - _NAMING
    rest, held = said - head, reading(value).content
    if held <= switch_words("on") | switch_words("off") | _ANSWERS:
        return None
    if not head or not head <= said or not rest or not held or rest & held or head & words_of("set"):
        return None
    if reading(value).negative or reading(sentence).negative or len(rest) > MOST_VALUE or len(held) > MOST_VALUE:
        return None
    found = _figures(value, sentence)
    if found in (Comparison.SAME, Comparison.COMPATIBLE, Comparison.INCOMPARABLE):
        return None
    named = value[:1].isupper() and re.search(r"\s[A-Z]", sentence)
    name_of = "label and sentence, figure" if found else f"label and sentence{', names' if named else ''}"
    return Finding(EvidenceSource.SIGNAL, name_of, Relation.UPDATE, f"{', '.join(sorted(head))}: two values")


_ANSWERS: Final = frozenset({"yes", "no", "nein", "ja", "none", "require", "requir", "function", "activ", "fine"})
"""Stems of values that answer a label rather than name its value."""

_NAMING: Final = frozenset({"name", "type", "date", "time", "day", "locat", "place", "year", "provid", "tool", "level"})
"""Stems with which a label says of what kind its value is; a sentence leaves them out."""


@lru_cache(maxsize=_RECENT)
def _figures(value: str, sentence: str) -> Comparison | None:
    """How the figure of the label stands to that of the sentence; INCOMPARABLE where one alone has one."""
    has = [bool(_FIGURE.search(text)) for text in (value, sentence)]
    if not any(has):
        return None
    if has[0] != has[1]:
        return Comparison.INCOMPARABLE
    tail = re.search(r"(?<!\S)\S*\d.*$", normalise(sentence))
    one, other = parse_value(value), parse_value(tail.group().rstrip(". ") if tail else sentence)
    loose = (ValueType.TEXT, ValueType.NAME, ValueType.ENUM)
    if one.type in loose or other.type in loose:
        return Comparison.INCOMPARABLE
    return compare(one, other)
