"""What do "X: V", "X = V" and "X is V" say? The noun X names the slot, or V is what X is.

Verbs other than "be" are `rules.predicates`' question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import attribute_of_class, attributes, product_at
from stilltrue.rules.kinds import is_occupation
from stilltrue.rules.noun_phrases import Named, is_kin, is_relational, name_slot
from stilltrue.rules.reading import (
    NUMERIC,
    Claim,
    Frame,
    counted,
    measure,
    named_value,
    number_at,
    value_of,
    value_words,
)
from stilltrue.rules.verbs import is_past, lemma_of
from stilltrue.rules.words import Word, joined, word_set, words

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY = re.compile(r"^\s*(?P<key>[^\s:=][^:=\n]{0,63}?)\s*(?P<sign>:(?=\s|$)|=(?!=))\s*(?P<value>\S.*)$", re.DOTALL)
_KEY_WORDS = 7  # a longer key is a sentence
_BE = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "am",
        "'re",
        "'m",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "equals",
        "remains",
        "be",
        "been",
        "becomes",
        "became",
        "stays",
        "ain't",
    }
)
_S_IS_BE_AFTER = frozenset({"it", "that", "there", "he", "she", "here", "this", "what", "everything"})
_S_IS_BE_BEFORE = frozenset(
    {"been", "not", "a", "an", "the", "now", "on", "at", "in", "no", "called", "my", "our", "still"}
)
_PLACES = {
    "in": "location",
    "at": "location",
    "on": "location",
    "from": "origin",
    "under": "location",
    "near": "location",
    "behind": "location",
}
_LOOSE = frozenset({ValueType.NAME, ValueType.TEXT})
_SET = frozenset({"set", "fixed", "now", "configured", "capped", "kept"})
_PEOPLE = frozenset(
    {
        "i",
        "user",
        "we",
        "he",
        "she",
        "they",
        "you",
        "it",
        "this",
        "that",
        "there",
        "these",
        "those",
        "who",
        "what",
        "here",
    }
)


def key_value(claim: Claim) -> Frame | None:
    """As in "KEY: VALUE" and "KEY = VALUE", the commonest line of real memory files."""
    hit = _KEY.match(claim.text)
    if hit is None:
        return None
    at = hit.start("value")
    key = [word for word in claim.core if word.end <= hit.end("key")]
    found = [word for word in claim.core if word.start >= at] or [word for word in claim.whole if word.start >= at]
    if not key or len(key) > _KEY_WORDS or not found:
        return None
    named = name_slot(key)
    if named is None:
        return None
    dated = named.known and named.known.type is ValueType.DATE
    return _named_frame(claim, named, [w for w in claim.whole if w.start >= at] if dated else found)


def _named_frame(claim: Claim, named: Named, found: Sequence[Word]) -> Frame | None:
    figure = _of_thing(claim, named, found)
    entry = None if figure is not None else named.known
    value = figure or value_of(claim, found, entry)
    if value is None:
        return None
    typed = value.type in NUMERIC
    if entry is not None and entry.type is ValueType.VERSION and value.number is None and value.type is ValueType.TEXT:
        return None
    if entry is not None and entry.name in {"team", "team_members"} and measure(value) == "team_size":
        size = attributes()["team_size"]
        return Frame(list(named.owner) or None, size.name, counted(value), Cardinality.ONE, size)
    if entry is not None and entry.name == "meeting_time" and not typed and measure(value) is None:
        return Frame(list(named.owner) or None, "location", value, Cardinality.ONE)
    clock = number_at(claim, found[0].start, found[-1].end)
    timed = clock is not None and clock.type is ValueType.TIME and found[0].low in {"at", *clock.text.lower().split()}
    if timed and entry is not None and entry.owner == "person" and entry.type in {ValueType.TEXT, ValueType.NAME}:
        return Frame(list(named.owner) or None, f"{named.attribute} time", clock, Cardinality.ONE)
    single = entry is None or named.functional
    listing = entry is None and "," in value.text and not typed
    cardinality = (
        Cardinality.MANY if listing else Cardinality.ONE if single else entry.cardinality if entry else Cardinality.ONE
    )
    return Frame(list(named.owner) or None, named.attribute, value, cardinality, entry, functional=named.functional)


def _of_thing(claim: Claim, named: Named, found: Sequence[Word]) -> Value | None:
    """As in "The upload size is 20 MB": a quantity of a thing, though its noun alone tells a person's attribute."""
    entry = named.known
    if entry is None or entry.owner != "person" or named.attribute == entry.name or entry.type in NUMERIC:
        return None
    figure = number_at(claim, found[0].start, found[-1].end) if found else None
    return figure if figure is not None and figure.unit is not None and measure(figure) is not None else None


def copula(claim: Claim) -> Frame | None:
    """As in "X is V" for an attribute X; "V is Y's X"; what somebody or something is; where it is."""
    at = _be(claim.core)
    if at is None:
        return None
    passed = word_set("verbs", "fillers") | (word_set("verbs", "auxiliaries") - {"'s"})
    left = [word for word in claim.core[:at] if word.low not in passed]
    right = list(claim.core[at + 1 :])
    drop = word_set("verbs", "fillers") | word_set("verbs", "negations")
    while right and right[0].low in drop:
        right = right[1:]
    past = claim.core[at].end
    everything = [word for word in claim.whole if word.start >= past]
    if len(left) > 2 and left[-2].low in _PEOPLE and lemma_of(left[-1].low):  # noqa: PLR2004 - "the database we use"
        left = left[:-2]
    if not left:
        return None
    if left[0].low == "there":
        return _existing(claim, right)
    return (
        _is_named(claim, left, right, everything)
        or _named_by(claim, left, right)
        or _is(claim, left, right or everything)
    )


def _be(core: Sequence[Word]) -> int | None:
    for at, word in enumerate(core[:24]):
        if word.low in _BE and at:
            return at + 1 if word.low == "be" and at + 1 < len(core) and core[at + 1].low == "set" else at
        if (
            word.low == "'s"
            and at
            and (core[at - 1].low in _S_IS_BE_AFTER or (at + 1 < len(core) and core[at + 1].low in _S_IS_BE_BEFORE))
        ):
            return at
    return None


def _is_named(claim: Claim, left: list[Word], right: list[Word], everything: list[Word]) -> Frame | None:
    """As in "The wifi password is V": the left side names an attribute of something."""
    if left[-1].low in _PEOPLE or not (is_relational(left) or _possessed_name(left, right)):
        return None
    named = name_slot(left)
    if named is None or (is_kin(left) and not _names_somebody(right)):
        return None
    if named.known is not None and named.known.type in _LOOSE and _befalls(claim, right):
        return None
    if right and right[0].low in _SET and len(right) > 1:
        right = right[1:]
    if named.known is None and right and right[0].low in _PLACES and right[0].low != "at":
        return None
    right = _without_direction(right)
    while right and right[0].low in {"to", "on", "at", "in", "for", "with"}:
        right = right[1:]
    dated = named.known is not None and named.known.type in {ValueType.DATE, ValueType.TIME}
    return _named_frame(claim, named, everything if dated or not right else right)


def _befalls(claim: Claim, right: Sequence[Word]) -> bool:
    """As in "My phone was repaired": what happened to it is not what it is."""
    was = any(word.low in {"was", "were", "been"} for word in claim.core)
    if not was or not right or not right[0].text.islower():
        return False
    return right[0].low.endswith("ed") or (is_past(right[0].low) and lemma_of(right[0].low) is not None)


def _possessed_name(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """As in "User's vet is Dr. Moss", "My laptop is a ThinkPad": who or what it is, not what it is like."""
    owned = left[0].low in {"my", "our"} or any(word.low == "'s" for word in left[:3])
    named = [word for word in right[:3] if word.low not in {"a", "an", "the", "with", "called"}]
    return owned and bool(named) and named[0].text[:1].isupper() and not is_kin(left)


def _without_direction(right: Sequence[Word]) -> list[Word]:
    """As in "is down to 7 minutes": where it came from does not matter to what it is."""
    lows = [word.low for word in right[:2]]
    return list(right[2:]) if len(right) > 2 and lows in (["down", "to"], ["up", "to"]) else list(right)  # noqa: PLR2004


def _names_somebody(right: Sequence[Word]) -> bool:
    """As in "my manager is Priya", not "my manager is a nurse": only a name says who it is, the rest what they are."""
    first = next((word for word in right if word.low not in {"called", "named", "now", "."}), None)
    return first is not None and first.text[:1].isupper()


_AFTER_A_NOUN = frozenset(
    {",", ".", ";", "with", "since", "and", "who", "which", "now", "again", "currently", "these", "instead", "anymore"}
)


def _named_by(claim: Claim, left: list[Word], right: list[Word]) -> Frame | None:
    """As in "Postgres is our database", "Priya is the team lead": the right side names the attribute of the left."""
    opens = right and (
        right[0].low in {"my", "our", "the", "his", "her", "their", "user"} or any(w.low == "'s" for w in right[:3])
    )
    if _is_office(left, right):
        opens = True
    one_of = bool(right) and right[0].low in {"a", "an", "one"} and any(w.low in {"of", "'s"} for w in right[1:4])
    if not (opens or one_of) or left[-1].low in _PEOPLE:
        return None
    end = next((n for n, w in enumerate(right) if w.low in _AFTER_A_NOUN), len(right))
    named = name_slot(right[:end])
    if named is None or (named.known is None and not named.attribute.startswith("favourite")):
        return None
    if not opens and (named.known is None or named.known.cardinality is not Cardinality.MANY or not named.owner):
        return None
    if named.known is not None and named.known.type in NUMERIC:
        return None
    hit = product_at(left, 0)
    text = claim.text[left[0].start : left[-1].end]
    value = (
        named_value(left[: hit[2] + 1], hit[1], hit[2])
        if hit and hit[2] == len(left)
        else Value(text, ValueType.NAME, joined(left))
    )
    cardinality = named.known.cardinality if named.known and not named.functional else Cardinality.ONE
    return Frame(
        list(named.owner) or None, named.attribute, value, cardinality, named.known, functional=named.functional
    )


def _is_office(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """As in "Maria is no longer CTO": one holds it, so it is the project's slot with Maria in it."""
    named = name_slot(right) if 0 < len(right) <= 2 and right[0].low not in {"a", "an"} else None  # noqa: PLR2004
    return bool(named and named.known and named.known.name in {"ceo", "holder", "lead"} and left[0].text[:1].isupper())


def _existing(claim: Claim, right: list[Word]) -> Frame | None:
    found = value_words(right, name=True)
    if not found:
        return None
    value = Value(claim.text[found[0].start : found[-1].end], ValueType.TEXT, joined(found))
    return Frame(None, "has", value, Cardinality.MANY, certain=False)


def _is(claim: Claim, left: list[Word], right: list[Word]) -> Frame | None:
    if not right:
        return None
    if (
        is_occupation(right)
        and not any(w.low == "'s" for w in right[:3])
        and left[-1].low not in {"it", "this", "that"}
    ):
        entry = attributes()["job_title"]
        return Frame(left, entry.name, value_of(claim, right, entry), entry.cardinality, entry)
    product = next((hit for n in range(min(3, len(right))) if (hit := product_at(right, n))), None)
    of_class = attribute_of_class(product[0]) if product else None
    if of_class is not None:
        return Frame(left, of_class.name, value_of(claim, right, of_class), of_class.cardinality, of_class)
    if right[0].low in _PLACES and len(right) > 1:
        value = value_of(claim, right[1:], None)
        attribute = "time" if value and value.type is ValueType.TIME else _PLACES[right[0].low]
        return Frame(left, attribute, value, Cardinality.ONE, certain=False)
    number = number_at(claim, right[0].start, right[-1].end)
    value = value_of(claim, right, None)
    if number is not None and value is number and is_kin(left) and number.unit is None:
        age = attributes()["age"]
        return Frame(left, age.name, value_of(claim, right, age), age.cardinality, age)
    if number is not None and value is number:
        named = name_slot(left)
        owner = list(named.owner) if named and named.owner else None
        if owner is None and named and named.known is None and measure(number):
            return Frame(left, measure(number), number, Cardinality.ONE, certain=False)
        return Frame(owner, named.attribute if named else "is", number, Cardinality.ONE, certain=False)
    return Frame(left, "is", value, Cardinality.MANY, certain=False) if value else None


def topic_line(claim: Claim) -> Frame | None:
    """A line without a verb that only names a product ("Python 3.12."): its class tells the attribute."""
    if len(claim.core) > 4:  # noqa: PLR2004 - longer lines have something else to say
        return None
    hit = product_at(claim.core, 0)
    entry = attribute_of_class(hit[0]) if hit else None
    if hit is None or entry is None or hit[2] < len([w for w in claim.core if w.low != "."]) - 1:
        return None
    value = named_value(claim.core[: hit[2] + 1], hit[1], hit[2])
    if entry.name == "language" and value.key != hit[1]:
        entry = attributes()["language_version"]
    return Frame(None, entry.name, value, entry.cardinality, entry)


def context_words(context: str) -> list[Word]:
    """The words of a heading, without its colon."""
    return words(context.strip(" :*#"))
