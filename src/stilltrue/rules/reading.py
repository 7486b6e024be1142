"""The claim as it is being read: the words that count, the quantities among them, and the value they give.

Shared by the rules that look for a predicate (`rules.predicates`) and for a noun (`rules.copulas`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stilltrue.model.slot import Value, ValueType
from stilltrue.rules.attributes import Attribute, product_at
from stilltrue.rules.quantities import find_values, parse_value
from stilltrue.rules.words import Word, joined, word_set, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.slot import Cardinality

NUMERIC = frozenset(
    {
        ValueType.NUMBER,
        ValueType.MONEY,
        ValueType.VERSION,
        ValueType.TIME,
        ValueType.DURATION,
        ValueType.RATIO,
        ValueType.DATE,
    }
)
_STOPS = frozenset({";", "—", "!", "?", "(", ")", ":"})
_TRIM = frozenset({",", ".", '"', "'", "*", "_", "and", "or", "also", "too", "-", "|"})
_DAYS = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun|week)days\b")
WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_HEADCOUNT = re.compile(r"\d{1,6} (?:people|members|persons|engineers|developers|employees|staff)", re.IGNORECASE)
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st"})
_ARTICLES = frozenset({"a", "an", "the", "and", "or", "no", "not", "also", "too"})
_CALLED = frozenset({"called", "named"})
_RATE = re.compile(
    r"(?:/|\bper\b|\ba\b|\beach\b)\s*(?:s|sec|second|m|min|minute|h|hr|hour|day)\b|\brp[sm]\b|\bqps\b|\breq",
    re.IGNORECASE,
)
MAX_VALUE_WORDS = 14  # longer values are clauses


@dataclass(slots=True)
class Claim:
    """A sentence under reading. `core`: its words without dates, scopes and asides; `whole`: with them.

    `numbers`: the quantities in it. `speaker`: who says it. `unscoped`: the text with its restrictions blanked out.
    """

    text: str
    core: list[Word]
    whole: list[Word]
    numbers: list[tuple[int, int, Value]]
    speaker: str | None = None
    negated: bool = False
    functional: bool = False
    unscoped: str = ""

    def __post_init__(self) -> None:
        """Without restrictions, the text is its own unrestricted form."""
        self.unscoped = self.unscoped or self.text


@dataclass(slots=True)
class Frame:
    """What one rule makes of a claim. `subject` None: nobody is named; `certain` False: only a fallback."""

    subject: str | Sequence[Word] | None
    attribute: str | None
    value: Value | None = None
    cardinality: Cardinality | None = None
    entry: Attribute | None = None
    negated: bool | None = None
    functional: bool = False
    leaves: list[str] = field(default_factory=list)
    certain: bool = True
    qualifier: tuple[str, str] | None = None


def numbers_in(text: str) -> list[tuple[int, int, Value]]:
    """Quantities with their places."""
    return [(span.start, span.end, value) for span, value in find_values(text)]


def number_at(claim: Claim, start: int, end: int, *, kind: ValueType | None = None) -> Value | None:
    """The first quantity that begins in [start, end), of the kind asked for if there is one."""
    inside = [value for first, _, value in claim.numbers if start <= first < end]
    fitting = [value for value in inside if kind is None or value.type is kind]
    return next(iter(fitting or inside), None)


def is_rate(value: Value) -> bool:
    """Whether a quantity is so many a second, minute or hour."""
    return value.unit in {"1/s", "Hz"} or bool(_RATE.search(value.text))


def measure(value: Value) -> str | None:
    """What a bare quantity says of a thing, whatever the verb: 950 GB is a size ("holds 950 GB", "grew to 1 TB").

    So is a day when it takes place ("is on 3 March", "was moved to 5 March"), an hour its time, people a head count.
    """
    if value.unit == "B":
        return "size"
    if value.type is ValueType.DATE or value.key.removesuffix("s") in WEEKDAYS:
        return "event_date"
    if value.type is ValueType.TIME:
        return "time"
    return "team_size" if _HEADCOUNT.fullmatch(value.text) else None


def counted(value: Value) -> Value:
    """A head count as its figure ("9 people" is 9); any other value as it is."""
    return parse_value(value.text.split()[0]) if _HEADCOUNT.fullmatch(value.text) else value


def value_words(found: Sequence[Word], *, name: bool, lists: bool = False) -> list[Word]:
    """The words of a value: up to where an adjunct or another clause begins.

    >>> joined(value_words(words("the Oslo office with my wife"), name=True))
    'oslo office'
    """
    kept: list[Word] = []
    terminators = word_set("verbs", "terminators")
    names = word_set("verbs", "name_terminators")
    for word in found:
        if not kept and (
            word.low in word_set("verbs", "fillers")
            or word.low in word_set("verbs", "determiners")
            or word.low in _TRIM
        ):
            continue
        if word.low in _STOPS or (kept and word.low in terminators):
            break
        if name and kept and ((word.low in names and not lists) or (word.low == "," and not lists)):
            break
        if word.low == "." and kept and kept[-1].low in _TITLES:
            continue
        if word.low == "." or len(kept) >= MAX_VALUE_WORDS:
            break
        if word.low not in _CALLED:
            kept.append(word)
    fillers = word_set("verbs", "fillers")
    if not kept:  # "the default branch is main": a word that carries nothing elsewhere is the value itself
        kept = [
            word for word in found[:3] if word.low in word_set("verbs", "determiners") and word.low not in _ARTICLES
        ]
    while len(kept) > 1 and (kept[-1].low in _TRIM or kept[-1].low in fillers):
        kept.pop()
    return kept


def value_of(claim: Claim, found: Sequence[Word], entry: Attribute | None) -> Value | None:
    """The value that the words after a predicate give, typed as the attribute asks."""
    kind = entry.type if entry else None
    if not found:
        return None
    for cls in entry.classes if entry else ():
        for at in range(min(len(found), 8)):
            hit = product_at(found, at, cls)
            if hit:
                return named_value(found[at : hit[2] + 1], hit[1], hit[2] - at)
    if kind in NUMERIC or kind is None:
        number = number_at(claim, found[0].start, found[-1].end, kind=kind)
        if number is not None and (kind is not None or _leads(claim, found, number)):
            return number
    lists = entry is None or entry.cardinality.value == "many"
    kept = value_words(found, name=kind in {ValueType.NAME, ValueType.DATE, *NUMERIC}, lists=lists)
    if not kept:
        return None
    text = claim.text[kept[0].start : kept[-1].end]
    hint = kind if kind in {ValueType.NAME, ValueType.TEXT} else None
    parsed = parse_value(text, hint)
    return Value(text, parsed.type, tidy(parsed.key), parsed.number, parsed.unit, parsed.bound)


def _leads(claim: Claim, found: Sequence[Word], number: Value) -> bool:
    """Whether a quantity opens the value, so that it is the value and no detail of it."""
    lead = next(
        (
            w
            for w in found
            if w.low not in word_set("verbs", "fillers") and w.low not in word_set("verbs", "determiners")
        ),
        None,
    )
    return bool(lead) and any(
        first <= lead.start < last and value is number for first, last, value in claim.numbers if lead
    )


def named_value(found: Sequence[Word], canonical: str, length: int) -> Value:
    """A listed value; a version right after it belongs to it ("Postgres 14")."""
    name = joined(list(found[:length]))
    after = found[length].low if len(found) > length else ""
    if re.fullmatch(r"v?\d+(?:\.\d+)*\+?", after) and canonical[-1:].isalpha():
        return Value(f"{name} {after}", ValueType.NAME, f"{canonical} {after.removeprefix('v')}")
    return Value(name, ValueType.NAME, canonical)


def tidy(key: str) -> str:
    """A text key without the marks around it.

    >>> tidy('"the Blue Note".')
    'blue note'
    """
    key = " ".join(key.lower().split()).strip(" .,;:!\"'*`")
    key = _DAYS.sub(r"\1day", key)
    return re.sub(r"^(?:a|an|the|my|our|on|at)\s+(?=\S)", "", key)


def key_of(text: str) -> str:
    """The key of a value that is named in passing: a listed product's canonical name, else the tidy text."""
    found = words(text)
    for at in range(min(len(found), 3)):
        hit = product_at(found, at)
        if hit and hit[2] >= len(found) - 1:
            return named_value(found[at : hit[2] + 1], hit[1], hit[2] - at).key
    quantity = numbers_in(text)
    if quantity and quantity[0][0] == 0 and quantity[0][1] >= len(text.rstrip(" .")):
        return quantity[0][2].key
    return tidy(text)
