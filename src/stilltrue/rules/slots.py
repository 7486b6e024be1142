"""What is a statement about, and what does it say of it? Words become a slot, a typed value, a polarity and a time.

Reads one claim; a text with several is cut by `rules.sentences` first. What the caller gives wins over what is read.
Names refine by their words: the keys "postgresql" and "postgresql 14" are one product, the second more exact. An end
("sold the car") has negated True, its value what ended, and that value in `leaves`.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from stilltrue.model.candidate import Given
from stilltrue.model.episode import Span
from stilltrue.model.fact import Kind, Modality, Statement
from stilltrue.model.slot import Cardinality, Slot, Value, ValueType
from stilltrue.model.timeline import Interval
from stilltrue.rules.attributes import attributes, noun_index
from stilltrue.rules.claims import claim_of
from stilltrue.rules.modality import modality
from stilltrue.rules.noun_phrases import name_slot
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.reading import Frame
from stilltrue.rules.resolve import frame_of
from stilltrue.rules.subjects import US, USER, canonical, speaker_name
from stilltrue.rules.validity import validity
from stilltrue.rules.words import Word, joined, plain, word_set, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.timeline import Instant
    from stilltrue.rules.dates import DateMention
    from stilltrue.rules.scopes import Scope

_NO_CARDINALITIES: Mapping[str, str] = MappingProxyType({})
_NOTHING = Given()
_SCHEDULES = frozenset({"deploy_day", "gym_days", "release_date", "meeting_time", "release_cadence", "work_schedule"})
"""Attributes whose value is itself a day: the day neither restricts the claim nor starts its validity."""
_BARE_FIGURE = re.compile(r"[$€£]?\d[\d.,]*\s?(?:k|m)?", re.IGNORECASE)
_FIRST_FIGURE = re.compile(r"[$€£]?\d[\d.,]*(?:\s?[km]\b)?", re.IGNORECASE)
_CODE = re.compile(r"[a-z]_[a-z]|[A-Z]_[A-Z]")


def read_statement(
    text: str,
    *,
    said_at: Instant,
    speaker: str | None = None,
    topic: str | None = None,
    role: str | None = None,  # noqa: ARG001 - who speaks in a chat; callers may give it, nothing hangs on it yet
    context: str | None = None,
    zone: str = "UTC",
    given: Given | None = None,
    cardinalities: Mapping[str, str] = _NO_CARDINALITIES,
) -> Statement:
    """The one claim that `text` makes. Total: it never raises, and what it cannot tell stays None.

    >>> from datetime import UTC, datetime
    >>> read = read_statement("I moved to Oslo", said_at=datetime(2025, 1, 1, tzinfo=UTC))
    >>> read.slot.subject, read.slot.attribute, read.value.key, read.cardinality.value
    ('user', 'residence', 'oslo', 'one')
    """
    given = given or _NOTHING
    voice = modality(text)
    read = claim_of(text, said_at, zone, speaker)
    frame = frame_of(read.claim, context) or Frame(None, None)
    frame.leaves = [*read.leaves, *([] if voice is Modality.PLAN and frame.negated else frame.leaves)]
    subject = given.subject.lower() if given.subject else _subject(frame, speaker, text, voice)
    attribute = given.attribute.lower() if given.attribute else frame.attribute
    value = parse_value(given.value) if given.value else frame.value
    cardinality = given.cardinality or _cardinality(attribute, frame, cardinalities, functional=read.claim.functional)
    negated = read.claim.negated if frame.negated is None else frame.negated
    said = _place(text, value)
    valid, dated = _valid(given, read.dates, said_at, voice, cardinality, attribute, said)
    scopes = [scope for scope in read.scopes if not _within(said, scope.span)]
    return Statement(
        text=text,
        slot=Slot(subject, attribute, given.qualifiers or _qualifiers(frame, scopes, value)),
        value=value,
        cardinality=cardinality,
        modality=voice,
        negated=negated,
        kind=given.kind or Kind.FACT,
        valid=valid,
        said_at=said_at,
        dated=dated,
        author=speaker,
        topic=topic,
        leaves=tuple(dict.fromkeys(_completed(old, value) for old in frame.leaves)),
    )


def _place(text: str, value: Value | None) -> Span | None:
    """Where the value stands in the text, if it stands there as it is."""
    start = plain(text).lower().find(value.text.lower()) if value is not None and value.text else -1
    return Span(start, start + len(value.text)) if value is not None and start >= 0 else None


def _within(said: Span | None, other: Span) -> bool:
    """A day that is (the beginning of) the value neither dates nor restricts the claim ("starts on 12 September")."""
    return said is not None and other.start <= said.start < other.end


def _completed(old: str, value: Value | None) -> str:
    """A bare figure that was left has the unit of what came ("from 100 to 200 req/s" leaves 100 req/s)."""
    if value is None or value.unit is None or not _BARE_FIGURE.fullmatch(old):
        return old
    same = parse_value(_FIRST_FIGURE.sub(old, value.text, count=1))
    return same.key if same.type is value.type and same.unit == value.unit else old


def _valid(
    given: Given,
    dates: Sequence[DateMention],
    said_at: Instant,
    voice: Modality,
    cardinality: Cardinality,
    attribute: str | None,
    said: Span | None,
) -> tuple[Interval, bool]:
    entry = attributes().get(attribute or "")
    schedule = attribute in _SCHEDULES or (entry is not None and entry.type is ValueType.DATE)
    bound = [] if schedule else [date for date in dates if not _within(said, date.span)]
    valid, dated = validity(bound, said_at, voice, cardinality)
    if given.valid_from is None and given.valid_until is None:
        return valid, dated
    start = given.valid_from or valid.start
    end = given.valid_until or valid.end
    if start is not None and end is not None and end < start:
        start = None if given.valid_from is None else start
        end = end if given.valid_from is None else None
    return Interval(start, end), dated or given.valid_from is not None


_WITH_OTHERS: Final = frozenset({"residence", "housing", "street_address"})
_WE_LIVE: Final = re.compile(r"\W*(?:\w+,? ){0,2}we(?:'re| are| still| now| both| all)*+ liv(?:e|ing)\b", re.IGNORECASE)
"""Who says "we live in Oslo" lives there too; what "we moved to" may be a city, a provider or a tool."""


def _subject(frame: Frame, speaker: str | None, text: str, voice: Modality) -> str:
    """The canonical subject; where nobody is named, the lexicon or the words of the key say whose it is."""
    entry = frame.entry
    named = canonical(_possessor(frame), speaker) if frame.subject else ""
    project = entry is not None and entry.owner != "person"
    if named == US and frame.attribute in _WITH_OTHERS and _WE_LIVE.match(text):
        return speaker_name(speaker)
    if named:
        first_person = named in {speaker_name(speaker), "user"} and not _by_name(frame.subject, named)
        return US if project and first_person and entry and entry.owner == "project" else named
    if project or (entry is None and voice is Modality.RULE and _told(frame.attribute)):
        return US
    if entry is None and frame.attribute and _of_project(frame.attribute, text):
        return US
    name = speaker_name(speaker)
    # "The brand colour is navy" is said of a thing all know of, whichever named author says it.
    shared = entry is None and name != USER and text.lstrip("-*• ").lower().startswith("the ")
    return US if shared else name


def _by_name(subject: str | Sequence[Word] | None, named: str) -> bool:
    """Whether the speaker is called by name ("Mona prefers tabs", said by Mona): that is no "I" who speaks for all."""
    return isinstance(subject, str) or (named != USER and bool(subject) and joined(list(subject or ())) == named)


def _told(attribute: str | None) -> bool:
    """Whether a rule without a subject tells what to do ("use tabs") and does not name a thing ("brand colour")."""
    return attribute is None or attribute.startswith(("verb:", "uses", "has", "is", "prefer"))


def _possessor(frame: Frame) -> str | Sequence[Word]:
    """As in "Our CI runs on Jenkins": a subject that only names the attribute again stands for its owner."""
    subject = frame.subject or ""
    if isinstance(subject, str) or frame.entry is None or frame.entry.owner == "noun":
        return subject
    named = name_slot(subject)
    if frame.entry.owner == "thing" and named is not None and not named.owner and len(subject) > 1:
        return subject
    return list(named.owner) if named and named.known is not None and named.known.name == frame.entry.name else subject


def _of_project(attribute: str, text: str) -> bool:
    del text
    return bool(_CODE.search(attribute)) or any(
        word in word_set("word_classes", "work_nouns") for word in attribute.split()
    )


def _cardinality(attribute: str | None, frame: Frame, overrides: Mapping[str, str], *, functional: bool) -> Cardinality:
    if attribute is not None and attribute in overrides:
        try:
            return Cardinality(overrides[attribute])
        except ValueError:
            pass
    listed = attributes().get(attribute or "")
    base = frame.cardinality or (listed.cardinality if listed else Cardinality.MANY)
    if attribute != frame.attribute:
        known = listed or attributes().get(noun_index().get(tuple((attribute or "").split()), ""))
        base = known.cardinality if known else Cardinality.ONE
    if base is Cardinality.MANY and (functional or frame.functional):
        return Cardinality.ONE
    return base


def _qualifiers(frame: Frame, scopes: Sequence[Scope], value: Value | None) -> tuple[tuple[str, str], ...]:
    """Restrictions by name; one that is the value itself ("deploys on Fridays") restricts nothing."""
    found: dict[str, str] = {}
    for scope in scopes:
        if scope.name == "audience" and tuple(scope.value.split()) in noun_index():
            continue
        if value is not None and scope.value in value.key and frame.attribute in _SCHEDULES:
            continue
        found[scope.name] = f"{found[scope.name]}, {scope.value}" if scope.name in found else scope.value
    if frame.qualifier:
        found.setdefault(*frame.qualifier)
    return tuple(sorted(found.items()))


def subject_words(subject: str | Sequence[Word] | None) -> list[Word]:
    """The words of a subject, however it was found."""
    return words(subject) if isinstance(subject, str) else list(subject or ())
