"""Which rule reads a claim? They are tried in order, from the most certain to the fallback; the first answer stands."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality, Value, ValueType
from stilltrue.rules.attributes import attributes
from stilltrue.rules.copulas import context_words, copula, key_value, topic_line
from stilltrue.rules.having import having
from stilltrue.rules.liking import liking, preferring
from stilltrue.rules.moves import class_of, dropped, new_value, transferred
from stilltrue.rules.noun_phrases import FAVOURITE, name_slot
from stilltrue.rules.predicates import any_verb, listed
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.reading import Claim, Frame, value_of
from stilltrue.rules.subjects import USER, speaker_name
from stilltrue.rules.uses import using
from stilltrue.rules.verbs import stem_of
from stilltrue.rules.words import Word, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_PEOPLE = frozenset({"i", "we", "user", "he", "she", "they", "you", "it"})
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
    frame = transferred(claim)
    for rule in _RULES:
        if frame is not None:
            break
        frame = rule(claim)
    noun = copula(claim) if frame is None else None
    if noun is not None and noun.certain:  # what it is otherwise is a fallback
        frame = noun
    frame = frame or topic_line(claim) or dropped(text) or noun or any_verb(claim)
    if frame is not None and claim.negated and frame.negated is None and frame.value and _ended(claim):
        frame.leaves.append(frame.value.key)
    _flip(claim, frame)
    return _in_context(claim, frame, context)


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
        if _is_somebody(frame):
            return None
        _dated(frame)
    if frame is not None and frame.entry is not None and frame.entry.name == "rate_limit" and _is_size(frame):
        frame.attribute, frame.entry = "max_size", attributes()["max_size"]
    supports = frame is not None and frame.attribute == "supports"
    if frame is not None and frame.negated and not supports and (frame.value is None or class_of(frame.value.text)):
        return dropped(claim.text) or frame
    return frame


_PLACED = frozenset({"residence", "storage_location", "hosting"})
"""Attributes that say where something is: a known product there says what it is for ("lives in Redis")."""


def _is_size(frame: Frame) -> bool:
    return frame.value is not None and frame.value.unit == "B"


def _placed(frame: Frame) -> None:
    """A thing that lives or moved somewhere has a location; only people have a residence."""
    entry = class_of(frame.value.text) if frame.value is not None and not frame.negated else None
    found = frame.subject if frame.subject and not isinstance(frame.subject, str) else ()
    if entry is not None and not (found and found[-1].low in _PEOPLE):
        frame.attribute, frame.entry, frame.value = (
            entry.name,
            entry,
            new_value(str(frame.value and frame.value.text), entry),
        )
    elif frame.attribute == "residence" and found and _is_thing(found):
        frame.attribute, frame.entry, frame.cardinality = "location", None, Cardinality.ONE


def _dated(frame: Frame) -> None:
    """As in "My birthday is on 3 May": a noun that itself names a date is the slot, and its owner the subject."""
    found = frame.subject if frame.subject and not isinstance(frame.subject, str) else ()
    named = name_slot(found) if found else None
    if named is not None and named.known is not None and named.known.type is ValueType.DATE:
        frame.subject, frame.attribute, frame.entry = list(named.owner) or None, named.attribute, named.known


def _is_somebody(frame: Frame) -> bool:
    """As in "I was in May": nobody takes place on a day."""
    found = frame.subject if frame.subject and not isinstance(frame.subject, str) else ()
    return bool(found) and found[-1].low in _PEOPLE - {"it"}


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
