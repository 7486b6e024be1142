"""What do two statements' words alone say of a conflict? The four signals of SPEC E4, without a slot or a model.

Negation polarity, antonyms, another value in one frame, and time (more than a day apart and a word of change). Each
looks at words that are tied to the same predicate; guards have spoken before, and what a signal is worth was measured.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.finding import Finding
from stilltrue.rules.frames import frame_values
from stilltrue.rules.pair import LEAST_CONTENT, Pair, Sameness, about_value, head_key, subjects

if TYPE_CHECKING:
    from stilltrue.rules.polarity import Reading

LEAST_SHARED: Final = 2  # SPEC E4: shared content words; the subject counts as one where it is the same
_PART: Final = 3  # letters of a word that can be half of a compound
APART: Final = timedelta(hours=24)  # SPEC E4

_STATIVE: Final = frozenset(
    {
        "alway",
        "never",
        "ever",
        "all",
        "at",
        "whatsoev",
        "complet",
        "entir",
        "total",
        "have",
        "get",
        "ani",
        "kind",
    }
)


_DENYING: Final = frozenset({"forbid", "prevent", "block", "strip", "teetot", "refus", "lack", "avoid", "exclud"})
"""Verbs that deny by themselves: "phones are forbidden" and "no phones" say the same."""


def negation(pair: Pair) -> Finding | None:
    """One denies what the other claims: exactly one of them is negative, and the denied words are the other's."""
    old, new = pair.old_reading, pair.new_reading
    if old.negative == new.negative or _shared_words(pair) < LEAST_SHARED or pair.sameness is Sameness.OTHER:
        return None
    if (pair.existing.modality is Modality.PAST) != (pair.new.modality is Modality.PAST):
        return None
    denier, claimer = (old, new) if old.negative else (new, old)
    flipped = denier.denied & claimer.content - claimer.denied
    if not flipped or _restricts(denier, claimer):
        return None
    if (pair.new_wording.end and new.negative) or claimer.content & _DENYING or _reports_on_demand(pair):
        return None
    denied = ", ".join(sorted(flipped))
    return _signal(pair, "negation", f"one denies what the other claims: {denied}")


def _reports_on_demand(pair: Pair) -> bool:
    """What is to be made sure of is not so yet: the demand stands ("make sure the cart is cleared", "it is not")."""
    return bool(_DEMAND.search(pair.existing.text)) and not _DEMAND.search(pair.new.text)


_DEMAND: Final = re.compile(r"\b(?:make sure|ensure|see to it|remember to|don['’]t forget to)\b", re.IGNORECASE)


def _restricts(denier: Reading, claimer: Reading) -> bool:
    """A denial with words of its own denies only a part: "never smokes indoors" leaves "smokes" alone."""
    return bool(denier.content - claimer.content - _STATIVE)


def antonym(pair: Pair) -> Finding | None:
    """Opposite words about the same thing, with the same polarity on both sides."""
    found = pair.opposites
    if not found:
        return None
    one, other = found[0]
    rest_old, rest_new = _without(pair.old_reading.content, one), _without(pair.new_reading.content, other)
    if pair.old_reading.negative != pair.new_reading.negative or _new_head(pair, one, other):
        return None
    about_same = rest_old & rest_new or (not rest_new or not rest_old) or subjects(pair) is Sameness.SAME
    if not about_same or (rest_old - rest_new and rest_new - rest_old):
        return None
    return _signal(pair, "antonym", f"opposites about the same thing: {one} / {other}")


def _new_head(pair: Pair, one: str, other: str) -> bool:
    """The new statement's head has a word of its own: "the lab firewall" is not "the firewall"."""
    return bool(head_key(pair.new_shape.head) - pair.old_reading.content - {one, other}) and pair.new_shape.label


def _without(content: frozenset[str], word: str) -> frozenset[str]:
    """The content beside a word, which may be two written as one ("full-time")."""
    return frozenset(other for other in content if other.rstrip("e") not in word or len(other) < _PART)


def value_conflict(pair: Pair) -> Finding | None:
    """The same head and predicate, another value, in a frame that holds one (LABELS 13)."""
    return frame_values(pair)


def temporal(pair: Pair) -> Finding | None:
    """Said more than a day later with a word of change, about the same thing."""
    if pair.new.said_at - pair.existing.said_at <= APART or subjects(pair) is Sameness.OTHER:
        return None
    cues = pair.new_wording.change + pair.new_wording.weak_change
    if about_value(pair) or not pair.new_reading.content - pair.old_reading.content:
        return None
    if not cues or _shared_words(pair) < LEAST_SHARED or pair.new_wording.addition:
        return None
    if (
        not pair.new_wording.change
        and min(len(pair.old_reading.content), len(pair.new_reading.content)) < LEAST_CONTENT
    ):
        return None
    name = "temporal" if pair.new_wording.change else "temporal, weak word"
    return Finding(EvidenceSource.SIGNAL, name, Relation.UPDATE, f"said later with a word of change: {cues[0]}")


def _shared_words(pair: Pair) -> int:
    same_subject = pair.existing.slot.subject == pair.new.slot.subject and subjects(pair) is not Sameness.OTHER
    return len(pair.shared) + same_subject


def _signal(pair: Pair, name: str, note: str) -> Finding:
    words = pair.new_wording
    changed = (words.change or words.weak_change or words.returning) and not words.correction
    relation = Relation.UPDATE if changed else Relation.CONTRADICTION
    return Finding(EvidenceSource.SIGNAL, name, relation, note, corrects=bool(words.correction))
