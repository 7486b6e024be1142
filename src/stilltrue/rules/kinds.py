"""Does a phrase fit the kind that a verb pattern asks for? `{value:duration}`, `{value:sport}`, `{value:who}`.

Kinds are types of quantities, classes of listed values, kinds of words of `word_classes.toml`, and the few tests below.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from stilltrue.model.slot import Value, ValueType
from stilltrue.rules.attributes import is_class, product_at
from stilltrue.rules.reading import Claim, is_rate, number_at, value_words
from stilltrue.rules.verbs import is_past, lemma_of
from stilltrue.rules.words import Word, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "weekend"})
_MONTHS = frozenset(
    {"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"}
)
_PARTICLES = frozenset({"on", "up", "down"})
_AFTER_PARTICLE = frozenset(
    {"by", "for", "in", "again", "now", "since", "until", "because", "and", "but", "when", "if", "as"}
)
_STREETS = (
    "street",
    "road",
    "avenue",
    "lane",
    "strasse",
    "straße",
    "gata",
    "gate",
    "gatan",
    "boulevard",
    "crescent",
    "square",
)
"""Endings of street names: where somebody "lives on" one, that is the address and not the city."""
_SOMEBODY = frozenset({"someone", "somebody", "a", "an", "my", "her", "his", "their", "our"})


def fits(claim: Claim, kind: str, found: Sequence[Word]) -> bool:
    """Whether the words found are of the kind asked for."""
    if not found:
        return False
    if kind == "date" and len(found) > 1 and _is_a_name(found[1]):
        return False
    number = number_at(claim, found[0].start, found[-1].end)
    leading = number is not None and any(start <= found[0].start < end for start, end, _ in claim.numbers)
    measured = _quantity(kind, number, found[0], leading=leading)
    if measured is not None:
        return measured
    if is_class(kind):
        return product_at(found, 0, kind) is not None and not _part_of_more(claim, found, kind)
    test = _TESTS.get(kind)
    if kind == "org":
        return not leading and not found[0].low[:1].isdigit() and found[0].low not in word_set("verbs", "prepositions")
    return test(found) if test else _of_word_class(kind, found)


def _is_a_name(after: Word) -> bool:
    """As in "on Friday Street", "in April's team": what looks like a day belongs to a name."""
    return after.low == "'s" or (after.named and after.low in word_set("word_classes", "place_nouns"))


def _quantity(kind: str, number: Value | None, first: Word, *, leading: bool) -> bool | None:
    """The answer for kinds of quantities, None for any other kind."""
    if kind == "typed":
        return leading
    if kind == "number":
        return leading or first.low.isdigit()
    if kind == "rate":
        return number is not None and is_rate(number)
    if kind in {"duration", "money", "version", "time", "ratio"}:
        return (leading or kind != "version") and number is not None and number.type.value == kind
    if kind == "date":
        dated = number is not None and number.type is ValueType.DATE and leading
        return dated or first.low.removesuffix("s") in DAYS or first.low in _MONTHS or first.text == "May"
    return None


def _a_name(found: Sequence[Word]) -> bool:
    return found[0].text[:1].isupper() and product_at(found, 0) is None


def _a_street(found: Sequence[Word]) -> bool:
    return any(word.low.endswith(_STREETS) for word in found[:5])


def _a_region(found: Sequence[Word]) -> bool:
    return any(char.isdigit() for char in found[0].low) and "-" in found[0].low


def _part_of_more(claim: Claim, found: Sequence[Word], kind: str) -> bool:
    """Whether what follows makes it another saying: "is on holiday" switches nothing on, "done with X" ends nothing."""
    hit = product_at(found, 0, kind)
    after = next((other for other in claim.whole if other.start >= found[hit[2] - 1 if hit else 0].end), None)
    if after is None or (hit is not None and hit[2] > 1):
        return False
    if found[0].low in {"done", "complete", "finished"}:
        return after.low in {"with", "by", "via", "through", "using"}
    return found[0].low in _PARTICLES and after.low not in _AFTER_PARTICLE and after.low.isalnum()


def _of_word_class(kind: str, found: Sequence[Word]) -> bool:
    """The first words of a value hold one of the class, and no verb stands before it ("has never played golf")."""
    listed = word_set("word_classes", kind)
    for word in found[:4]:
        if word.low in listed:
            return True
        if is_past(word.low) and lemma_of(word.low) is not None:
            return False
    return False


def is_occupation(found: Sequence[Word]) -> bool:
    """Whether a phrase names what somebody works as.

    >>> from stilltrue.rules.words import words
    >>> is_occupation(words("senior data analyst at Bosch")), is_occupation(words("good idea"))
    (True, False)
    """
    phrase = value_words(found, name=True)
    return bool(phrase) and phrase[-1].low.rstrip("s") in word_set("word_classes", "occupation") | {"analyst"}


_TESTS: Mapping[str, Callable[[Sequence[Word]], bool]] = MappingProxyType(
    {
        "gerund": lambda found: found[0].low.endswith("ing"),
        "region": _a_region,
        "path": lambda found: "/" in found[0].low or "." in found[0].low,
        "occupation": is_occupation,
        "who": lambda found: found[0].text[:1].isupper() or found[0].low in _SOMEBODY,
        "named": _a_name,
        "street": _a_street,
    }
)
