"""What does a claim of change say: what moved, rose or was dropped, from what, to what?

Answers with the frame of the thing that changed, its new value and what it left. Which rule reads a claim first is
`resolve`'s business; the words of leaving are found by `departures`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import attribute_of_class, attributes, noun_index, product_at
from stilltrue.rules.civil import MONTHS, SEASONS
from stilltrue.rules.departures import Departure, drop, rise, transfer
from stilltrue.rules.kinds import DAYS
from stilltrue.rules.noun_phrases import is_kin, is_relational, name_slot
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.reading import NUMERIC, Claim, Frame, counted, key_of, measure, numbers_in, tidy
from stilltrue.rules.subjects import US
from stilltrue.rules.words import Word, joined, word_set, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.rules.attributes import Attribute


_PEOPLE = frozenset({"i", "we", "user", "he", "she", "they", "you", "it"})
_MOVING = ("mov", "relocat", "transfer")
_EXCHANGING = ("chang", "switch", "swap", "replac", "trad")
_GROUPS = frozenset({"team", "company", "department"})
_PERIODS = frozenset({"week", "month", "year", "quarter", *SEASONS})
_PARTICLES = frozenset({"over", "back", "away", "up", "down", "out", "yet", "again"})
_PRESENT = frozenset({"go", "goes", "come", "comes"})  # "metrics go to Datadog" tells where, not that it changed
_NO_MEASURE = frozenset({"team", "residence", "version", "plan"})
"""Attributes whose noun also names a thing with a size, a day or a price: "the release was pushed to 10 March"."""
_SHORT = 3  # words of a value that needs no other sign that it is one
_ENDED = frozenset({"broke", "split"})


def transferred(claim: Claim) -> Frame | None:
    """As in "switched (the API) from REST to GraphQL": the values' class, else the thing, names the slot."""
    found = transfer(claim.unscoped) or _risen(claim)
    if found is None or found.new is None:
        return None
    entry = class_of(found.old or "") if _is_day(found.new) else class_of(found.new) or class_of(found.old or "")
    subject, attribute = _changed_thing(found, entry)
    if entry is None or entry.name != attribute:
        entry = attributes().get(attribute or "") or attributes().get(
            noun_index().get(tuple((attribute or "").split()), "")
        )
    new = new_value(found.new, entry)
    told = _told(found, new, entry)
    if told == "price":
        new = parse_value(found.new)
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES] or _before(found)
    # "The upload size was raised to 50 MB": a thing that names its measure is the attribute already.
    measured = thing and thing[-1].low not in _PEOPLE and thing[-1].low != told
    if told is not None and attribute is not None and measured:
        subject, attribute, entry = thing, told, attributes().get(told)
        new = counted(new)
    if told is None and entry is None and _stands(found):
        subject, attribute = words(found.thing), "location"
    if entry is not None and entry.name == "meeting_time" and new.number is None and measure(new) is None:
        attribute, entry = "location", None
    old = left_keys(found.old) if found.old else []
    if entry is not None and entry.name == "language" and any(char.isdigit() for char in new.key):
        entry = attributes()["language_version"]
        attribute = entry.name
    cardinality = entry.cardinality if entry and entry.cardinality is not Cardinality.MANY else Cardinality.ONE
    return Frame(subject, attribute, new, cardinality, entry, negated=False, functional=True, leaves=old)


def _told(found: Departure, new: Value, entry: Attribute | None) -> str | None:
    """What the new value itself says of the thing: a day, an hour, a size, a price."""
    told = None
    if entry is None or entry.name in _NO_MEASURE:
        told = "event_date" if _is_day(new.text) else measure(new)
    elif entry.name == "meeting_time" and measure(new) == "event_date":
        told = "event_date"
    if told is None and _is_priced(found, entry):
        told = "price"
    return "end_date" if told == "event_date" and found.verb.startswith(("extend", "shorten")) else told


def _risen(claim: Claim) -> Departure | None:
    """A change without an old value counts when its thing is named and the new value is a figure, day or name."""
    found = rise(claim.unscoped)
    if found is None or not found.new or found.verb in _PRESENT:
        return None
    before = _before(found)
    new = words(found.new)
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    moved = found.verb.startswith(_MOVING) and not thing
    solid = bool(new) and (
        (new[0].text[:1].isupper() and len(new) <= _SHORT and not moved)
        or new[0].low.lstrip("$€£v")[:1].isdigit()
        or class_of(found.new) is not None
        or _is_day(found.new)
    )
    slot = name_slot(thing or before)
    listed_noun = slot is not None and slot.known is not None and not _moves_itself(found, before)
    named = thing or listed_noun or (before and before[-1].low not in _PEOPLE and not before[-1].named)
    return found if named and (solid or ((listed_noun or _stands(found)) and len(new) <= _SHORT)) else None


def _moves_itself(found: Departure, before: Sequence[Word]) -> bool:
    """As in "my sister moved to Lyon": it is she who moved, and nobody took another sister.

    >>> told = rise("My sister moved to Lyon"), rise("My rent rose to 9")
    >>> [_moves_itself(found, words(found.before)) for found in told if found]
    [True, False]
    """
    group = bool(before) and before[-1].low in _GROUPS and found.verb.startswith(_MOVING)
    return not found.thing and (group or (is_kin(before) and not found.verb.startswith(_EXCHANGING)))


def _stands(found: Departure) -> bool:
    """As in "moved my desk to the fifth floor": one thing, that stands somewhere."""
    one = found.thing.partition(" ")[0].lower() in {"my", "our", "the", "his", "her", "their"}
    named = (found.new or "")[:1].isupper()  # "moved the contract to Telia" names a holder
    return one and not named and found.verb.startswith(_MOVING)


def _is_priced(found: Departure, entry: Attribute | None) -> bool:
    """As in "the Pro plan went up to $12 a month": money of a thing whose noun names no figure."""
    if found.new is None or parse_value(found.new).type is not ValueType.MONEY:
        return False
    thing = words(found.thing) or _before(found)
    return entry.type not in NUMERIC if entry is not None else not is_relational(thing)


def _is_day(text: str) -> bool:
    """A day, month or season, by its name or from now.

    >>> [_is_day(text) for text in ("Fridays", "June", "next spring", "next door")]
    [True, True, True, False]
    """
    lows = text.lower().split()
    if lows[:1] in (["next"], ["this"]):
        lows = lows[1:]
        return len(lows) == 1 and (lows[0] in _PERIODS or lows[0] in DAYS or lows[0] in MONTHS)
    return bool(lows) and (lows[0].rstrip("s") in DAYS or " ".join(lows) in MONTHS)


def _before(found: Departure) -> list[Word]:
    """The words before a change, without the auxiliaries that belong to its verb."""
    before = words(found.before)
    while before and before[-1].low in _AUXILIARY:
        before.pop()
    return [word for word in before if word.low not in {",", "the", "we've"}]


_JOINED = re.compile(r"\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+")


def left_keys(text: str) -> list[str]:
    """The values that a phrase says were left: each of a list of known ones, else the whole.

    >>> left_keys("ESLint and Prettier"), left_keys("Johnson and Johnson"), left_keys("REST")
    (['eslint', 'prettier'], ['johnson and johnson'], ['rest'])
    """
    parts = [part for part in _JOINED.split(text) if part]
    if len(parts) > 1 and all(class_of(part) is not None for part in parts):
        return [key_of(part) for part in parts]
    return [key_of(text)]


def new_value(text: str, entry: Attribute | None) -> Value:
    key = key_of(text)
    day = text.lower().removesuffix("s")
    if day in DAYS or _is_day(text):
        return Value(text, ValueType.NAME, day if day in DAYS else tidy(text))
    if entry is not None and entry.classes:
        return Value(text, ValueType.NAME, key)
    if entry is not None and entry.type in {ValueType.TEXT, ValueType.NAME}:
        return Value(text, entry.type, tidy(text))
    parsed = parse_value(text)
    figures = numbers_in(text) if entry is not None and entry.type in NUMERIC and parsed.number is None else []
    if figures:
        return figures[0][2]
    return parsed if parsed.number is not None else Value(text, parsed.type, key)


def class_of(text: str) -> Attribute | None:
    found = words(text)
    hit = product_at(found, 0) if found else None
    if hit is None or hit[2] < len(found) - 1:
        return None
    return attribute_of_class(hit[0])


def _changed_thing(found: Departure, entry: Attribute | None) -> tuple[Sequence[Word] | str | None, str | None]:
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    before = _before(found)
    named = name_slot(thing) if thing else None
    if named is None and before and before[-1].low not in _PEOPLE and not _moves_itself(found, before):
        named = name_slot(before)
    if entry is not None and named is not None and named.known is not None and named.known is not entry:
        nouns = word_set("word_classes", "thing_nouns")
        if (thing or before)[-1].low not in nouns and named.known.type in {ValueType.NAME, ValueType.TEXT}:
            return list(named.owner) or None, named.attribute
    if entry is not None:
        return (_owner_of(entry.name, named, thing, before)), entry.name
    if named is not None and (named.known or thing or before[-1].low not in _PEOPLE):
        return (list(named.owner) or (US if named.known and named.known.owner != "person" else None)), named.attribute
    if any(found.verb.startswith(stem) for stem in _MOVING) and (
        not before or before[-1].low in _PEOPLE or before[-1].named
    ):
        return before or None, "residence"
    return before or None, "uses"


def _owner_of(name: str, named: object, thing: list[Word], before: list[Word]) -> Sequence[Word] | None:
    from stilltrue.rules.noun_phrases import Named  # noqa: PLC0415 - only its type is asked for

    if attributes()[name].owner == "project" and joined(thing) in word_set("word_classes", "deeds"):
        return before or None
    if isinstance(named, Named):
        if named.known is not None and named.known.name == name:
            return list(named.owner) or None
        return thing or before or None
    return before or None


_AUXILIARY = frozenset(
    {
        "'ve",
        "have",
        "has",
        "had",
        "was",
        "were",
        "is",
        "are",
        "been",
        "just",
        "'re",
        "'m",
        "am",
        "want",
        "to",
        "recently",
        "will",
        "be",
        "being",
        "we've",
        "now",
        "finally",
        "the",
        ",",
        "got",
        "s",
        "let",
        "'s",
        "also",
        "going",
    }
)


def dropped(text: str) -> Frame | None:
    """As in "moving away from SQLAlchemy": an end, in the slot of what is given up."""
    found = drop(text)
    if found is None or found.old is None:
        return None
    before = _before(found)
    entry = class_of(found.old)
    key = key_of(found.old)
    if entry is None:
        named = name_slot(words(found.old))
        entry = named.known if named else None
    if (
        entry is None
        and found.verb.split()[0]
        in {
            "dropped",
            "drop",
            "drops",
            "dropping",
            "removed",
            "removing",
            "remove",
            "retired",
            "deprecated",
            "sold",
            "selling",
            "cancelled",
            "canceled",
        }
        and not before
    ):
        return None
    if entry is not None and entry.owner == "noun":  # "cancelled the meeting": the noun is what it is about
        return Frame(words(found.old), entry.name, None, entry.cardinality, entry, negated=True)
    attribute = entry.name if entry else ("partner" if found.verb.split()[0] in _ENDED else "uses")
    value = Value(found.old, ValueType.NAME, tidy(key))
    entry = entry or attributes().get(attribute)
    cardinality = entry.cardinality if entry else Cardinality.MANY
    return Frame(before or None, attribute, value, cardinality, entry, negated=True, leaves=[value.key])
