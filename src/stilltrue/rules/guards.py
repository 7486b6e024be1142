"""Which pairs cannot be a conflict, however alike the words?

Answers with OVERLAP or NONE for another subject, another condition, another time, what is no assertion, an exception to
a general rule, another attribute, and texts with nothing in common (LABELS 2-6, 18; BAR 1, 10, 11, 16, 18). What is
left may be a conflict: that is asked by `rules.typed` and `rules.signals`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.finding import Finding
from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.pair import Difference, Pair, Sameness, difference, subjects, words_of
from stilltrue.rules.text import content_stems, tokens

if TYPE_CHECKING:
    from stilltrue.model.slot import Qualifiers

_NOT_FACTS: Final = frozenset({Modality.PLAN, Modality.HYPOTHETICAL, Modality.QUESTION, Modality.HEARSAY})
_TAKES_EFFECT: Final = re.compile(
    r"\b(?:from|as of|starting|effective|beginning|with effect from)\b(?! \w+ to\b)", re.IGNORECASE
)


def not_asserted(pair: Pair) -> Finding | None:
    """A plan, wish, question, hypothesis or hearsay leaves the present state alone (LABELS 5); a plan about a plan is
    judged on (LABELS 15), and a dated beginning is an update that takes effect then (LABELS 3).
    """
    voice = pair.new.modality
    if voice not in _NOT_FACTS or pair.existing.modality in _NOT_FACTS:
        return None
    if voice is Modality.PLAN and (_takes_effect(pair) or pair.new_wording.end or pair.new_wording.withdrawal):
        return None
    related = pair.same_slot or bool(pair.shared) or _same_attribute(pair)
    return Finding(
        EvidenceSource.GUARD,
        "not an assertion",
        Relation.OVERLAP if related else Relation.NONE,
        f"the new statement is a {voice.value}, which changes nothing yet",
    )


def _takes_effect(pair: Pair) -> bool:
    starts_later = pair.new.valid.start is not None and pair.new.valid.start > pair.new.said_at
    return bool(_TAKES_EFFECT.search(pair.new.text)) and (pair.new.dated or starts_later)


def _same_attribute(pair: Pair) -> bool:
    attribute = pair.new.slot.attribute
    return attribute is not None and attribute == pair.existing.slot.attribute


def other_time(pair: Pair) -> Finding | None:
    """A stated past stands beside the present, and late facts retire nothing (LABELS 3, BAR 10)."""
    if pair.existing.modality in _NOT_FACTS or pair.new_wording.withdrawal:
        return None
    apart = not pair.new.valid.overlaps(pair.existing.valid) and not pair.new.valid.empty
    past = _speaks_of_past(pair.new.text)
    if pair.new_wording.correction or (pair.new_wording.change and not past):
        return None
    ended_before = pair.new.valid.end is not None and pair.new.valid.end <= pair.new.said_at and pair.new.dated
    perfect = pair.new_reading.negative or pair.new_wording.restatement
    over = (past and not perfect) or (pair.new.modality is Modality.PAST and ended_before)
    if not over or (_speaks_of_past(pair.existing.text) and not apart):
        return None
    if subjects(pair) is Sameness.OTHER or not (pair.shared or pair.same_predicate or _same_attribute(pair)):
        return None
    return Finding(
        EvidenceSource.GUARD, "other time", Relation.OVERLAP, "the new statement speaks of a time that is over"
    )


def _speaks_of_past(text: str) -> bool:
    return bool(_past().search(" " + " ".join(tokens(text)) + " "))


_PAST_CACHE: dict[str, re.Pattern[str]] = {}


def _past() -> re.Pattern[str]:
    """The phrases of `lexicon/past.toml`, compiled once."""
    if "past" not in _PAST_CACHE:
        phrases = lexicon("past")["past"]["phrases"]
        _PAST_CACHE["past"] = re.compile(r" (?:" + "|".join(phrases) + r")(?= )")
    return _PAST_CACHE["past"]


def other_subject(pair: Pair) -> Finding | None:
    """Two people, services, pets or projects are not one, whatever else is alike (LABELS 2, BAR 1, 18)."""
    kind = difference(pair)
    if kind is None or pair.new_wording.withdrawal or (kind is not Difference.NAMED and pair.new_wording.announces):
        return None
    old = " ".join(pair.old_shape.head) or pair.existing.slot.subject
    new = " ".join(pair.new_shape.head) or pair.new.slot.subject
    return Finding(
        EvidenceSource.GUARD,
        f"other subject, {kind.value}",
        Relation.NONE,
        f"one is about {old}, the other about {new}",
    )


def narrowed(pair: Pair) -> Finding | None:
    """The same statement again, with the only condition under which it holds (SPEC F3)."""
    found = _ONLY_UNDER.search(pair.new.text)
    if found is None or _ONLY_UNDER.search(pair.existing.text) or pair.sameness is Sameness.OTHER:
        return None
    if pair.new_reading.negative or pair.old_reading.negative or pair.new.modality in _NOT_FACTS:
        return None
    known = pair.old_reading.content - words_of("generic")
    if not known or not known <= pair.new_reading.content or pair.existing.slot.qualifiers:
        return None
    note = f"holds under a condition: {found.group().strip()}"
    return Finding(EvidenceSource.GUARD, "narrowed", Relation.UPDATE, note, narrows=True)


_ONLY_UNDER: Final = re.compile(
    r"\b(?:only|exclusively|solely) (?:at|on|in|during|when|if|while|for|after|before|with|within|under|until|once"
    r"|where|by)\b",
    re.IGNORECASE,
)


def other_condition(pair: Pair) -> Finding | None:
    """Values under different conditions stand together; one condition alone is an exception (LABELS 6, BAR 11)."""
    old, new = dict(pair.existing.slot.qualifiers), dict(pair.new.slot.qualifiers)
    if pair.existing.slot.subject != pair.new.slot.subject or not (
        pair.shared or pair.same_slot or pair.same_predicate
    ):
        return None
    differ = sorted(name for name in old.keys() & new.keys() if old[name] != new[name])
    alone = sorted(new.keys() - old.keys())
    if differ and not _is_the_value(pair, old, new, differ):
        name = differ[0]
        note = f"{name}: {old[name]} there, {new[name]} here"
        return Finding(EvidenceSource.GUARD, "other condition", Relation.OVERLAP, note)
    flipped = pair.old_reading.negative != pair.new_reading.negative or pair.new_wording.weak_change
    if alone and old.items() <= new.items() and not pair.new_wording.announces and not flipped and not pair.opposites:
        return Finding(EvidenceSource.GUARD, "own condition", Relation.OVERLAP, f"only under {_said(new, alone)}")
    return None


_SCHEDULES: Final = frozenset({"weekday", "time_of_day", "date"})


def _is_the_value(pair: Pair, old: dict[str, str], new: dict[str, str], differ: list[str]) -> bool:
    """Nothing but the day or hour differs: it is what the statement says, not its condition ("Choir: Thursdays")."""
    if not set(differ) <= _SCHEDULES:
        return False
    days = content_stems(" ".join([*old.values(), *new.values()]))
    left, right = pair.old_reading.content - days, pair.new_reading.content - days
    return not (left - right and right - left)


def _said(qualifiers: dict[str, str], names: list[str]) -> str:
    return ", ".join(f"{name} {qualifiers[name]}" for name in names)


def exception(pair: Pair) -> Finding | None:
    """An exception stands beside the general rule, and the rule beside its exception (BAR 11)."""
    cue = pair.new_wording.exception
    if (
        not cue
        or pair.old_wording.exception
        or not pair.shared
        or pair.new_wording.end
        or pair.new_wording.correction
        or pair.new_wording.change
    ):
        return None
    return Finding(EvidenceSource.GUARD, "exception", Relation.OVERLAP, f"an exception beside its rule: {cue[0]}")


def unrelated(pair: Pair) -> Finding | None:
    """No content word and no slot in common: different things, however alike the vectors (BAR 16)."""
    if pair.shared or pair.same_slot or pair.new_wording.withdrawal or _same_attribute(pair):
        return None
    if pair.new_wording.announces or pair.new.leaves or not (pair.old_reading.content and pair.new_reading.content):
        return None
    if pair.same_predicate and pair.old_shape.predicate != "be":
        return None
    return Finding(EvidenceSource.GUARD, "unrelated", Relation.NONE, "no content word in common")


def qualifiers_clash(old: Qualifiers, new: Qualifiers) -> bool:
    """Whether the two name different values of one condition.

    >>> qualifiers_clash((("environment", "prod"),), (("environment", "dev"),))
    True
    >>> qualifiers_clash((), (("day", "monday"),))
    False
    """
    known = dict(old)
    return any(known.get(name, value) != value for name, value in new)


def content_free(text: str) -> bool:
    """Whether a text has no content word at all."""
    return not set(tokens(text)) - all_words("stopwords")
