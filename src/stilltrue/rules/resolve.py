"""Which rule reads a claim? They are tried in order, from the most certain to the fallback; the first answer stands."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.rules.attributes import attribute_of_class, attributes, noun_index, product_at
from stilltrue.rules.copulas import context_words, copula, key_value, topic_line
from stilltrue.rules.departures import Departure, drop, rise, transfer
from stilltrue.rules.having import having
from stilltrue.rules.kinds import DAYS
from stilltrue.rules.liking import liking, preferring
from stilltrue.rules.noun_phrases import FAVOURITE, name_slot
from stilltrue.rules.predicates import any_verb, listed
from stilltrue.rules.reading import NUMERIC, Claim, Frame, counted, key_of, measure, numbers_in, tidy, value_of
from stilltrue.rules.subjects import US, USER, speaker_name
from stilltrue.rules.uses import using
from stilltrue.rules.verbs import stem_of
from stilltrue.rules.words import Word, word_set, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.rules.attributes import Attribute

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.quantities import parse_value

_PEOPLE = frozenset({"i", "we", "user", "he", "she", "they", "you", "it"})
_MOVING = ("mov", "relocat", "transfer")
_POLES = {
    "enabled": "disabled", "disabled": "enabled", "allowed": "forbidden", "forbidden": "allowed",
    "required": "optional",    "optional": "required",
}  # fmt: skip
_GENERIC = frozenset(
    {
        "settings",
        "config",
        "notes",
        "fields",
        "points",
        "commands",
        "changes",
        "setup",
        "summary",
        "status",
        "overview",
        "details",
        "preferences",
        "rules",
        "conventions",
        "facts",
        "memory",
        "general",
    }
)
_PARTICLES = frozenset({"over", "back", "away", "up", "down", "out", "yet", "again"})
_PRESENT = frozenset({"go", "goes", "come", "comes"})  # "metrics go to Datadog" tells where, not that it changed
_SHORT = 3  # words of a value that needs no other sign that it is one
_ENDED = frozenset({"broke", "split"})


def frame_of(claim: Claim, context: str | None = None) -> Frame | None:
    """What a claim says, or None where nothing can be told.

    A day or hour that was set apart is the value where nothing else is ("The conference starts on 12 September").
    """
    frame = _frame_of(claim, context)
    if frame is None and len(claim.whole) > len(claim.core):
        frame = _frame_of(replace(claim, core=claim.whole), context)
    frame = _habit(frame)
    _flip(claim, frame)
    return frame


_HABITS = {
    "verb:smoke": ("smoking", "smoker"), "verb:cycle to": ("commute", "bike"), "verb:bike to": ("commute", "bike"),
    "verb:walk to": ("commute", "on foot"),
}  # fmt: skip
"""Verbs that say by themselves what a noun says of somebody elsewhere: "smokes" / "is a smoker"."""


def _habit(frame: Frame | None) -> Frame | None:
    """A verb of habit without an object is the attribute it tells."""
    if frame is not None and frame.attribute == "smoking" and frame.value and frame.value.key == "non-smoker":
        frame.value, frame.negated = Value(frame.value.text, ValueType.ENUM, "smoker"), not frame.negated
    if frame is None or (frame.value is not None and frame.value.key != "work"):
        return frame
    name, key = _HABITS.get(frame.attribute or "", ("", ""))
    if name:
        frame.attribute, frame.value, frame.entry = name, Value(key, ValueType.ENUM, key), attributes()[name]
        frame.cardinality = Cardinality.ONE
    return frame


def _frame_of(claim: Claim, context: str | None) -> Frame | None:
    if not claim.core:
        return None
    text = "".join(_kept(claim))
    frame = _transferred(claim)
    for rule in _RULES:
        if frame is not None:
            break
        frame = rule(claim)
    frame = frame or _dropped(text) or copula(claim) or any_verb(claim)
    if frame is not None and claim.negated and frame.negated is None and frame.value and _ended(claim):
        frame.leaves.append(frame.value.key)
    _flip(claim, frame)
    return _in_context(claim, frame, context)


def _first_noun(claim: Claim) -> Frame | None:
    """A copula is certain only when its noun or its value is known; what it is otherwise is a fallback."""
    frame = copula(claim)
    return frame if frame is not None and frame.certain else None


def _listed(claim: Claim) -> Frame | None:
    frame = listed(claim)
    if frame is None and len(claim.whole) > len(claim.core):
        frame = _listed_in_whole(claim)
    if (
        frame is not None
        and frame.negated
        and frame.value
        and frame.value.key.endswith("ing")
        and " " not in frame.value.key
    ):
        return Frame(frame.subject, f"verb:{stem_of(frame.value.key)}", None, Cardinality.ONE, negated=True)
    if frame is not None and _of_favourite(frame):
        return None
    if frame is not None and frame.entry is not None and frame.entry.name in _PLACED:
        _placed(frame)
    if frame is not None and frame.entry is not None and frame.entry.name == "event_date":
        _dated(frame)
    if frame is not None and frame.entry is not None and frame.entry.name == "rate_limit" and _is_size(frame):
        frame.attribute, frame.entry = "max_size", attributes()["max_size"]
    if frame is not None and frame.negated and (frame.value is None or _class_of(frame.value.text)):
        return _dropped(claim.text) or frame
    return frame


_PLACED = frozenset({"residence", "storage_location", "hosting"})
"""Attributes that say where something is: a known product there says what it is for ("lives in Redis")."""


def _is_size(frame: Frame) -> bool:
    return frame.value is not None and frame.value.unit == "B"


def _placed(frame: Frame) -> None:
    """A thing that lives or moved somewhere has a location; only people have a residence."""
    entry = _class_of(frame.value.text) if frame.value is not None and not frame.negated else None
    found = frame.subject if frame.subject and not isinstance(frame.subject, str) else ()
    if entry is not None and not (found and found[-1].low in _PEOPLE):
        frame.attribute, frame.entry, frame.value = (
            entry.name,
            entry,
            _new_value(str(frame.value and frame.value.text), entry),
        )
    elif frame.attribute == "residence" and found and _is_thing(found):
        frame.attribute, frame.entry, frame.cardinality = "location", None, Cardinality.ONE


def _dated(frame: Frame) -> None:
    """As in "My birthday is on 3 May": a noun that itself names a date is the slot, and its owner the subject."""
    found = frame.subject if frame.subject and not isinstance(frame.subject, str) else ()
    named = name_slot(found) if found else None
    if named is not None and named.known is not None and named.known.type is ValueType.DATE and not named.known.named:
        frame.subject, frame.attribute, frame.entry = list(named.owner) or None, named.attribute, named.known


def _is_thing(subject: Sequence[Word]) -> bool:
    """Whether a phrase with an article or an owner names no person: "the conference", "User's desk"."""
    lows = [word.low for word in subject]
    people = (
        word_set("word_classes", "kin")
        | word_set("word_classes", "occupation")
        | _PEOPLE
        | {"user", "family", "couple"}
    )
    return (
        lows[-1].removesuffix("s") not in people
        and lows[-1] not in people
        and (lows[0] in {"the", "our"} or "'s" in lows)
    )


def _of_favourite(frame: Frame) -> bool:
    """As in "User's favourite colour is green": the noun names the slot, whatever the value might be elsewhere."""
    return any(word.low in FAVOURITE for word in frame.subject or () if not isinstance(word, str))


def _listed_in_whole(claim: Claim) -> Frame | None:
    """A value that reads as a date or a restriction ("deploy on Fridays") is found when nothing is set apart."""
    everything = replace(claim, core=claim.whole)
    frame = listed(everything)
    wanted = {ValueType.TEXT, ValueType.TIME, ValueType.DATE, ValueType.DURATION}
    return frame if frame is not None and frame.value and frame.entry and frame.entry.type in wanted else None


_WITHDRAWS = re.compile(
    r"^\s*(?:please\s+)?(?:forget|disregard|ignore|scratch)\s+(?:(?:everything|all|what|the\s+(?:thing|bit|part|note))\s+)?"
    r"(?:(?:that\s+)?(?:i|we)\s+(?:said|told\s+you|mentioned|wrote)\s+)?(?P<how>about|regarding|that)\s+(?=\S)",
    re.IGNORECASE,
)
_VALUE_AFTER = frozenset({"to", "at", "in", "with", "for"})


def _withdrawn(claim: Claim) -> Frame | None:
    """As in "Forget what I said about my dog": an end, in the slot of what is to be forgotten."""
    hit = _WITHDRAWS.match(claim.text)
    if hit is None:
        return None
    found = [word for word in claim.whole if word.start >= hit.end() and word.low not in {".", "!"}]
    if not found:
        return None
    told = _frame_of(replace(claim, core=found, text=" " * hit.end() + claim.text[hit.end() :]), None)
    frame = told if hit["how"].lower() == "that" and told is not None else _withdrawn_noun(claim, found)
    if frame is None:
        return None
    frame.negated = True
    frame.leaves = [frame.value.key] if frame.value is not None else []
    return frame


def _withdrawn_noun(claim: Claim, found: list[Word]) -> Frame | None:
    """The slot that a withdrawn noun names: "my dog" is a pet, "my allergy to nuts" the allergy nuts."""
    at = next((n for n, word in enumerate(found) if n and word.low in _VALUE_AFTER), len(found))
    named = name_slot(found[:at])
    if named is None or named.known is None:
        return None
    noun = value_of(claim, found[at - 1 : at], named.known) if named.known.classes else None
    value = value_of(claim, found[at + 1 :], named.known) if at < len(found) else noun
    return Frame(list(named.owner) or None, named.attribute, value, named.known.cardinality, named.known)


_RULES: tuple[Callable[[Claim], Frame | None], ...] = (
    _withdrawn,
    key_value,
    preferring,
    _listed,
    having,
    liking,
    using,
    _first_noun,
    topic_line,
)


def _kept(claim: Claim) -> list[str]:
    """The text with everything but the core blanked out."""
    chars = [" "] * len(claim.text)
    for word in claim.core:
        chars[word.start : word.end] = claim.text[word.start : word.end]
    return chars


def _flip(claim: Claim, frame: Frame | None) -> None:
    """As in "not enabled" is disabled: of two poles the claim names one, so that both wordings meet in one value."""
    if frame is None or frame.value is None or not claim.negated or frame.negated is not None:
        return
    pole = _POLES.get(frame.value.key)
    if pole and frame.attribute in {"switch", "permission"}:
        frame.value, frame.negated = Value(frame.value.text, ValueType.ENUM, pole), False


def _ended(claim: Claim) -> bool:
    lows = [word.low for word in claim.core]
    return any(low in {"longer", "anymore", "stopped", "stop", "stops", "quit"} for low in lows) or (
        "any" in lows and "more" in lows
    )


def _transferred(claim: Claim) -> Frame | None:
    """As in "switched (the API) from REST to GraphQL": the values' class, else the thing, names the slot."""
    found = transfer(claim.unscoped) or _risen(claim)
    if found is None or found.new is None:
        return None
    entry = _class_of(found.new) or _class_of(found.old or "")
    subject, attribute = _changed_thing(found, entry)
    if entry is None or entry.name != attribute:
        entry = attributes().get(attribute or "") or attributes().get(
            noun_index().get(tuple((attribute or "").split()), "")
        )
    new = _new_value(found.new, entry)
    told = measure(new) if entry is None or entry.name in {"team", "residence"} else None
    if entry is not None and entry.name == "meeting_time" and measure(new) == "event_date":
        told = "event_date"
    if told == "event_date" and found.verb.startswith(("extend", "shorten")):
        told = "end_date"
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES] or _before(found)
    if told is not None and attribute is not None and thing and thing[-1].low not in _PEOPLE:
        subject, attribute, entry = thing, told, attributes().get(told)
        new = counted(new)
    if entry is not None and entry.name == "meeting_time" and new.number is None and measure(new) is None:
        attribute, entry = "location", None
    old = [key_of(found.old)] if found.old else []
    if entry is not None and entry.name == "language" and any(char.isdigit() for char in new.key):
        entry = attributes()["language_version"]
        attribute = entry.name
    cardinality = entry.cardinality if entry and entry.cardinality is not Cardinality.MANY else Cardinality.ONE
    return Frame(subject, attribute, new, cardinality, entry, negated=False, functional=True, leaves=old)


def _risen(claim: Claim) -> Departure | None:
    """A change without an old value counts when its thing is named and the new value is a figure, day or name."""
    found = rise(claim.unscoped)
    if found is None or not found.new or found.verb in _PRESENT:
        return None
    before = _before(found)
    new = words(found.new)
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    moved = any(found.verb.startswith(stem) for stem in _MOVING) and not thing
    solid = bool(new) and (
        (new[0].text[:1].isupper() and len(new) <= _SHORT and not moved)
        or new[0].low.lstrip("$€£v")[:1].isdigit()
        or _class_of(found.new) is not None
        or new[0].low.rstrip("s") in DAYS
    )
    slot = name_slot(thing or before)
    listed_noun = slot is not None and slot.known is not None
    named = thing or listed_noun or (before and before[-1].low not in _PEOPLE and not before[-1].named)
    return found if named and (solid or (listed_noun and len(new) <= _SHORT)) else None


def _before(found: Departure) -> list[Word]:
    """The words before a change, without the auxiliaries that belong to its verb."""
    before = words(found.before)
    while before and before[-1].low in _AUXILIARY:
        before.pop()
    return [word for word in before if word.low not in {",", "the", "we've"}]


def _new_value(text: str, entry: Attribute | None) -> Value:
    key = key_of(text)
    day = text.lower().removesuffix("s")
    if day in DAYS:
        return Value(text, ValueType.NAME, day)
    if entry is not None and entry.classes:
        return Value(text, ValueType.NAME, key)
    if entry is not None and entry.type in {ValueType.TEXT, ValueType.NAME}:
        return Value(text, entry.type, tidy(text))
    parsed = parse_value(text)
    figures = numbers_in(text) if entry is not None and entry.type in NUMERIC and parsed.number is None else []
    if figures:
        return figures[0][2]
    return parsed if parsed.number is not None else Value(text, parsed.type, key)


def _class_of(text: str) -> Attribute | None:
    found = words(text)
    hit = product_at(found, 0) if found else None
    if hit is None or hit[2] < len(found) - 1:
        return None
    return attribute_of_class(hit[0])


def _changed_thing(found: Departure, entry: Attribute | None) -> tuple[Sequence[Word] | str | None, str | None]:
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    before = _before(found)
    named = name_slot(thing) if thing else None
    if named is None and before and before[-1].low not in _PEOPLE:
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


def _dropped(text: str) -> Frame | None:
    """As in "moving away from SQLAlchemy": an end, in the slot of what is given up."""
    found = drop(text)
    if found is None or found.old is None:
        return None
    before = _before(found)
    entry = _class_of(found.old)
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
    attribute = entry.name if entry else ("partner" if found.verb.split()[0] in _ENDED else "uses")
    value = Value(found.old, ValueType.NAME, tidy(key))
    entry = entry or attributes().get(attribute)
    cardinality = entry.cardinality if entry else Cardinality.MANY
    return Frame(before or None, attribute, value, cardinality, entry, negated=True, leaves=[value.key])


def _in_context(claim: Claim, frame: Frame | None, context: str | None) -> Frame | None:
    """A heading that names a slot or an owner completes a line that leaves them open."""
    if not context:
        return frame
    named = name_slot(context_words(context))
    if named is None or len(context_words(context)) > 5:  # noqa: PLR2004 - longer headings are sentences
        return frame
    if frame is None and named.known is not None:
        value = parse_value(claim.text.strip(" .")) if len(claim.core) <= 4 else None  # noqa: PLR2004
        return (
            Frame(list(named.owner) or None, named.attribute, value, Cardinality.MANY, named.known, certain=False)
            if value
            else None
        )
    if frame is not None and not frame.subject and frame.attribute is not None and frame.entry is not None:
        thing = frame.entry.owner == "thing" and named.known is None
        if thing and not any(word.low in _GENERIC for word in context_words(context)):
            frame.subject = context_words(context)
    return frame


def default_subject(speaker: str | None) -> str:
    """Who is spoken of where nobody is."""
    return speaker_name(speaker) or USER
