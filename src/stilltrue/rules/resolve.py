"""Which rule reads a claim? They are tried in order, from the most certain to the fallback; the first answer stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.rules.attributes import attribute_of_class, attributes, product_at
from stilltrue.rules.copulas import context_words, copula, key_value, topic_line
from stilltrue.rules.departures import Departure, drop, rise, transfer
from stilltrue.rules.liking import liking, preferring
from stilltrue.rules.noun_phrases import name_slot
from stilltrue.rules.predicates import any_verb, listed, using
from stilltrue.rules.reading import Claim, Frame, key_of, tidy
from stilltrue.rules.subjects import US, USER, speaker_name
from stilltrue.rules.verbs import stem_of
from stilltrue.rules.words import Word, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.rules.attributes import Attribute

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.quantities import parse_value

_PEOPLE = frozenset({"i", "we", "user", "he", "she", "they", "you", "it"})
_MOVING = ("mov", "relocat", "transfer")
_POLES = {
    "enabled": "disabled", "disabled": "enabled", "allowed": "forbidden", "forbidden": "allowed", "required": "optional",
    "optional": "required",
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
_DAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "weekend"})
_ENDED = frozenset({"broke", "split"})


def frame_of(claim: Claim, context: str | None = None) -> Frame | None:
    """What a claim says, or None where nothing can be told."""
    if not claim.core:
        return None
    text = "".join(_kept(claim))
    frame = _transferred(claim, text)
    for rule in _RULES:
        if frame is not None:
            break
        frame = rule(claim)
    frame = frame or _dropped(claim, text) or copula(claim) or any_verb(claim)
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
    if frame is not None and frame.negated and (frame.value is None or _class_of(frame.value.text)):
        return _dropped(claim, claim.text) or frame
    return frame


def _listed_in_whole(claim: Claim) -> Frame | None:
    """A value that reads as a date or a restriction ("deploy on Fridays") is found when nothing is set apart."""
    everything = replace(claim, core=claim.whole)
    frame = listed(everything)
    wanted = {ValueType.TEXT, ValueType.TIME, ValueType.DATE, ValueType.DURATION}
    return frame if frame is not None and frame.value and frame.entry and frame.entry.type in wanted else None


_RULES: tuple[Callable[[Claim], Frame | None], ...] = (
    key_value,
    preferring,
    _listed,
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
    pole = _POLES.get(frame.value.key) if frame is not None and frame.value is not None and claim.negated else None
    if frame is not None and frame.value is not None and pole and frame.attribute in {"switch", "permission"}:
        frame.value, frame.negated = Value(frame.value.text, ValueType.ENUM, pole), False


def _ended(claim: Claim) -> bool:
    lows = [word.low for word in claim.core]
    return any(low in {"longer", "anymore", "stopped", "stop", "stops", "quit"} for low in lows) or (
        "any" in lows and "more" in lows
    )


def _transferred(claim: Claim, text: str) -> Frame | None:
    """As in "switched (the API) from REST to GraphQL": the class of the values, else the thing changed, names the slot."""
    found = transfer(text) or _risen(claim)
    if found is None or found.new is None:
        return None
    entry = _class_of(found.new) or _class_of(found.old or "")
    subject, attribute = _changed_thing(claim, found, entry)
    new = _new_value(found.new, entry)
    old = [key_of(found.old)] if found.old else []
    if entry is not None and entry.name == "language" and any(char.isdigit() for char in new.key):
        entry = attributes()["language_version"]
        attribute = entry.name
    cardinality = entry.cardinality if entry and entry.cardinality is not Cardinality.MANY else Cardinality.ONE
    return Frame(subject, attribute, new, cardinality, entry, negated=False, functional=True, leaves=old)


def _risen(claim: Claim) -> Departure | None:
    """A change without an old value counts when its thing is named and its new value is a figure, a day or a product."""
    found = rise(claim.text)
    if found is None or not found.new:
        return None
    before = [word for word in words(found.before) if word.low not in _AUXILIARY]
    new = words(found.new)
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    solid = bool(new) and (
        new[0].low[:1].isdigit() or _class_of(found.new) is not None or new[0].low.rstrip("s") in _DAYS
    )
    named = thing or (before and before[-1].low not in _PEOPLE and not before[-1].named)
    return found if solid and named else None


def _new_value(text: str, entry: Attribute | None) -> Value:
    key = key_of(text)
    day = text.lower().removesuffix("s")
    if day in _DAYS:
        return Value(text, ValueType.NAME, day)
    if entry is not None and entry.classes:
        return Value(text, ValueType.NAME, key)
    parsed = parse_value(text)
    return parsed if parsed.number is not None else Value(text, parsed.type, key)


def _class_of(text: str) -> Attribute | None:
    found = words(text)
    hit = product_at(found, 0) if found else None
    if hit is None or hit[2] < len(found) - 1:
        return None
    return attribute_of_class(hit[0])


def _changed_thing(
    claim: Claim, found: Departure, entry: Attribute | None
) -> tuple[Sequence[Word] | str | None, str | None]:
    thing = [word for word in words(found.thing) if word.low not in _PARTICLES]
    before = [word for word in words(found.before) if word.low not in _AUXILIARY]
    named = name_slot(thing) if thing else None
    if named is None and before and before[-1].low not in _PEOPLE:
        named = name_slot(before)
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


def _dropped(claim: Claim, text: str) -> Frame | None:
    """As in "moving away from SQLAlchemy": an end, in the slot of what is given up."""
    found = drop(text)
    if found is None or found.old is None:
        return None
    before = [word for word in words(found.before) if word.low not in _AUXILIARY]
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
