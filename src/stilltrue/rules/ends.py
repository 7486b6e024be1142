"""Does the new statement end, withdraw, correct or replace the existing one in so many words?

Reads the cues of `rules.wording` against what the two statements share: a withdrawal, an end, an event that takes away
a state's ground, a value left behind, a plan carried out, a correction, a way back (LABELS 10-12, 14-16). A cue counts
only where the same thing is spoken of; who is spoken of was settled by the guards.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.finding import Finding
from stilltrue.rules.frames import fixed_predicates
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.pair import LEAST_CONTENT, Pair, Sameness, about_value, subjects
from stilltrue.rules.shapes import canonical
from stilltrue.rules.text import content_stems, stem, stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPEN: Final = frozenset({Modality.PLAN, Modality.QUESTION})
_UNREAL: Final = frozenset({Modality.PLAN, Modality.HYPOTHETICAL, Modality.QUESTION})
_NEW_VALUE: Final = re.compile(r" (?:but|instead|now|and|for|in favou?r of|to) ")


def withdrawal(pair: Pair) -> Finding | None:
    """The speaker asks to forget it."""
    cues = pair.new_wording.withdrawal
    if not cues or pair.names_other_member or not (pair.shared or pair.same_slot or not _own_content(pair)):
        return None
    value = pair.existing.value
    named = pair.recognised_slot and value is not None and content_stems(value.text) <= pair.new_reading.content
    return _wording("withdrawn, by name" if named else "withdrawn", Relation.RETRACTION, f"{cues[0]}: {_about(pair)}")


def _own_content(pair: Pair) -> frozenset[str]:
    cue_words = content_stems(" ".join(pair.new_wording.withdrawal))
    return pair.new_reading.content - cue_words - {"said", "say", "thing", "told", "tell"}


def implied_end(pair: Pair) -> Finding | None:
    """An event that takes away the ground of a state (SPEC E14)."""
    if subjects(pair) is Sameness.OTHER:
        return None
    line = _line(pair.new.text)
    for event, ends, shared, excuses, why in _implied():
        found = event.search(line)
        if (
            not found
            or pair.new_wording.exception
            or _NEARLY & set(tokens(pair.new.text))
            or not ends.search(_line(pair.existing.text))
        ):
            continue
        common = pair.shared - content_stems(found.group())
        if (shared and not common) or (excuses and excuses.search(line)):
            continue
        relation = Relation.UPDATE if _new_value(pair) else Relation.RETRACTION
        return _wording("implied end", relation, f"{found.group().strip()}: {why}")
    return None


_NEARLY: Final = frozenset({"almost", "nearly", "never"})
"""Words with which an event did not happen."""


def _new_value(pair: Pair) -> bool:
    """Whether something takes the place of what was left."""
    value = pair.new.value
    return bool(pair.new.leaves) and value is not None and value.key not in pair.new.leaves and not pair.new.negated


@cache
def _implied() -> tuple[tuple[re.Pattern[str], re.Pattern[str], bool, re.Pattern[str] | None, str], ...]:
    return tuple(
        (
            _any_of(entry["event"]),
            _any_of(entry["ends"]),
            entry["shared"],
            _any_of(entry["excuses"]) if entry["excuses"] else None,
            entry["why"],
        )
        for entry in lexicon("implied_ends")["end"]
    )


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    stemmed = sorted({" ".join(stems(phrase)) for phrase in phrases}, key=len, reverse=True)
    return re.compile(r" (?:" + "|".join(re.escape(phrase) for phrase in stemmed) + r")(?= )")


def _line(text: str) -> str:
    return " " + " ".join(stem(word) for word in tokens(text)) + " "


def left_behind(pair: Pair) -> Finding | None:
    """The new statement names the existing value as the one it leaves ("switched from vim to Helix")."""
    leaves, value = pair.new.leaves, pair.existing.value
    if not leaves or subjects(pair) is Sameness.OTHER or _ROUTE.search(pair.new.text) or _cannot_be_left(pair):
        return None
    known = content_stems(value.text) if value else pair.old_reading.content
    named = [left for left in leaves if not _NO_VALUE.search(left)]
    gone = [left for left in named if content_stems(left) & known and content_stems(left) <= pair.old_reading.content]
    if not gone or content_stems(gone[0]) <= pair.old_reading.denied:  # both speak against it
        return None
    relation = Relation.UPDATE if _new_value(pair) else Relation.RETRACTION
    if pair.new_wording.correction:
        relation = Relation.CONTRADICTION
    name = "value left"
    if _new_value(pair) and _restated_but(pair, gone[0]):
        name = "value left, else restated"
    elif _whole_value(pair, gone[0]) and _one_thing(pair, gone[0]):
        name = "value left, of one thing"
        if _new_value(pair) and _one_holder(pair):
            name = "value left, of one holder"
    return _wording(name, relation, f"leaves {gone[0]}", corrects=relation is Relation.CONTRADICTION)


_NO_VALUE: Final = re.compile(r"[{<]|\b(\w+) by \1\b", re.IGNORECASE)
"""A placeholder ("{product_id} → JSON string") or a manner ("not field by field") is nothing that was held."""


def _cannot_be_left(pair: Pair) -> bool:
    """One leaves no birthplace, and what is done under a condition of its own leaves nothing for good."""
    fixed = canonical(pair.old_shape.predicate or "") in fixed_predicates() and not pair.new_wording.correction
    conditions = [dict(one.slot.qualifiers).get("condition") for one in (pair.existing, pair.new)]
    return fixed or (conditions[1] is not None and conditions[0] != conditions[1])


def _whole_value(pair: Pair, left: str) -> bool:
    """Nothing of the value stays: the rest of it only repeats the attribute ("dark roast" of "dark roast coffee"), or
    stands in the new statement beside the new value ("Python with tabs", "Python with four spaces instead of tabs").
    """
    value = pair.existing.value
    if value is None:
        return False
    rest = content_stems(value.text) - content_stems(left)
    return rest <= content_stems(pair.existing.slot.attribute or "") or (_new_value(pair) and rest <= pair.shared)


def _one_holder(pair: Pair) -> bool:
    """Both are told of one subject, which took another value."""
    return pair.existing.slot.subject == pair.new.slot.subject and subjects(pair) is Sameness.SAME


def _restated_but(pair: Pair, left: str) -> bool:
    """All that the existing statement says beside the value left is said again, and it is no single word."""
    rest = pair.old_reading.content - content_stems(left)
    return len(rest) > 1 and rest <= pair.new_reading.content


def _one_thing(pair: Pair, left: str) -> bool:
    """They share a subject or a word beside the value that is left."""
    one_subject = pair.existing.slot.subject == pair.new.slot.subject and pair.existing.slot.attribute is not None
    return one_subject or bool(pair.shared - content_stems(left))


_ROUTE: Final = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b[` *]*/")
"""A route of an interface: its DELETE ends nothing."""


def ended(pair: Pair) -> Finding | None:
    """A word of end about what the existing statement says (LABELS 14, 16)."""
    cues = pair.new_wording.end
    if not cues or subjects(pair) is Sameness.OTHER or pair.old_wording.end or pair.names_other_member:
        return None
    if _has_new_value(pair):
        return None
    if _denies_another(pair):
        kind = Relation.OVERLAP if pair.shared else Relation.NONE
        return _wording("another value ended", kind, f"{cues[0]}: {pair.new.slot.attribute} of another value")
    common = pair.shared - content_stems(" ".join(cues))
    if not common or pair.new_wording.correction or _only_comments(pair, cues) or _INCLINED.search(pair.new.text):
        return None
    fresh = _fresh_words(pair, cues)
    relation = (
        Relation.UPDATE
        if fresh and (pair.new_wording.change or _NEW_VALUE.search(_line(pair.new.text)))
        else Relation.RETRACTION
    )
    return _wording("ended" if len(common) > 1 else "ended, one word", relation, f"{cues[0]}: {_about(pair)}")


def _has_new_value(pair: Pair) -> bool:
    """Another value of the same slot stands in both: that is the typed comparison's business ("is now disabled")."""
    old, new = pair.existing.value, pair.new.value
    if not pair.recognised_slot or old is None or new is None or pair.new.negated or pair.existing.negated:
        return False
    return new.key not in pair.new.leaves and compare(old, new) is Comparison.DIFFERENT


_INCLINED: Final = re.compile(
    r"\b(?:tempted|inclined|reluctant|unwilling|loath|afraid|advised|urged|asked|told) to\b", re.IGNORECASE
)
"""Words after which an end is only felt or said by others ("tempted to give up the violin"; LABELS 5)."""


def _denies_another(pair: Pair) -> bool:
    """In a slot of one value the end names a value that the existing statement does not hold."""
    old, new = pair.existing.value, pair.new.value
    if not pair.recognised_slot or not pair.new.negated or pair.existing.negated or old is None or new is None:
        return False
    unnamed = not content_stems(old.text) & (content_stems(new.text) | pair.new_reading.content)
    return unnamed and compare(old, new) is Comparison.DIFFERENT


def _only_comments(pair: Pair, cues: tuple[str, ...]) -> bool:
    """The word of end is the existing statement's own, stands in a habit ("deleted records are never restored") or is
    one of a list of names ("columns: user_id, expires_at, revoked").
    """
    own = content_stems(" ".join(cues)) & pair.old_reading.content
    habit = {"alway", "never"} & set(stems(pair.new.text))
    return bool(own or habit) or all(_listed(cue, pair.new.text) for cue in cues)


def _listed(cue: str, text: str) -> bool:
    """Whether a cue is an item of a list after a colon.

    >>> _listed("revoked", "Columns: user_id, expires_at, revoked."), _listed("revoked", "Update: his key is revoked.")
    (True, False)
    """
    _, colon, items = text.partition(":")
    return bool(colon) and cue in [item.strip(" .`*").lower() for item in items.split(",")]


def _fresh_words(pair: Pair, cues: tuple[str, ...]) -> frozenset[str]:
    return pair.new_reading.content - pair.old_reading.content - content_stems(" ".join(cues))


def corrected(pair: Pair) -> Finding | None:
    """A word of correction about the same thing (LABELS 11)."""
    cues = pair.new_wording.correction
    if not cues or subjects(pair) is Sameness.OTHER or not _common(pair, cues):
        return None
    denied, known = pair.new_reading.denied, pair.old_reading.content
    if all("never" in cue.split() for cue in cues) and (not denied & known or denied - known):
        return None
    strong = len(_common(pair, cues)) > 1
    if not strong and len(known) < LEAST_CONTENT:
        return None
    name = "corrected" if strong else "corrected, one word"
    if strong and known <= denied and not pair.old_reading.negative:
        name = "corrected, denied whole"
    return _wording(name, Relation.CONTRADICTION, f"{cues[0]}: {_about(pair)}", corrects=True)


def changed(pair: Pair) -> Finding | None:
    """A word of change or return about the same thing (LABELS 12)."""
    words = pair.new_wording
    cues = words.change + words.returning
    if not cues or words.addition or subjects(pair) is Sameness.OTHER:
        return None
    common = _common(pair, cues)
    fresh = pair.new_reading.content - pair.old_reading.content
    if not common or not fresh or about_value(pair):
        return None
    if len(common) < 2 and len(pair.old_reading.content) < LEAST_CONTENT:  # noqa: PLR2004 - one shared word
        return None
    name = "changed" if len(common) > 1 else "changed, one word"
    return _wording(name, Relation.UPDATE, f"{cues[0]}: {_about(pair)}")


def _common(pair: Pair, cues: tuple[str, ...]) -> frozenset[str]:
    del cues
    return pair.shared


def carried_out(pair: Pair) -> Finding | None:
    """A plan or question that came true, was changed or called off (LABELS 15)."""
    if pair.existing.modality not in _OPEN or pair.new.modality in _UNREAL - {Modality.PLAN} or not pair.shared:
        return None
    if subjects(pair) is Sameness.OTHER:
        return None
    words = pair.new_wording
    if words.end or words.withdrawal or _calls_off(pair):
        return _wording("plan called off", Relation.RETRACTION, f"called off: {_about(pair)}")
    news = set(words.change + words.weak_change + words.exclusivity) - set(pair.old_wording.change)
    fresh = pair.new_reading.content - pair.old_reading.content
    if not news or (pair.new.modality is Modality.PLAN and not fresh):
        return None
    if pair.new.modality is not Modality.PLAN and (_fulfils(pair) or _carried(pair)):
        name = "plan carried out by its maker" if _fulfils(pair) else "plan carried out"
        return _wording(name, Relation.UPDATE, f"a plan that was carried out: {_about(pair)}")
    if len(pair.shared) > 1 or words.announces:
        return _wording("plan settled", Relation.UPDATE, f"a plan that was carried out or changed: {_about(pair)}")
    return None


def _carried(pair: Pair) -> bool:
    """The value that was planned is there, in the attribute for which it was planned."""
    old, new = pair.existing.value, pair.new.value
    if old is None or new is None or pair.new.negated:
        return False
    return old.key == new.key and pair.existing.slot.attribute == pair.new.slot.attribute


def _fulfils(pair: Pair) -> bool:
    """The maker of the plan has done it: the same subject, verb and object ("planning to move to Ghent", "moved")."""
    old, new = pair.existing.value, pair.new.value
    if old is None or new is None or pair.new.negated:
        return False
    planned = content_stems(new.text)
    told = bool(planned) and planned <= content_stems(old.text) and bool(pair.shared - planned)
    return told and subjects(pair) is Sameness.SAME


def _calls_off(pair: Pair) -> bool:
    return len(pair.shared) > 1 and pair.new_reading.negative and not pair.old_reading.negative


def _about(pair: Pair) -> str:
    return ", ".join(sorted(pair.shared)) or "what was said"


def _wording(signal: str, relation: Relation, note: str, *, corrects: bool = False) -> Finding:
    return Finding(EvidenceSource.WORDING, signal, relation, note, corrects=corrects)
