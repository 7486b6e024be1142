"""What do two values of one slot mean for each other, and does the new statement end what the existing one says?

Compares typed values where both statements fill one slot (LABELS 1, 7-9, 13), and reads ends: a retraction, a value
left behind, an event that takes away the ground of a state (LABELS 10, 14-16). Values are compared by
`rules.comparison`; frames whose slot could not be told are `rules.frames`' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality, ValueType
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.attributes import attributes
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.finding import Finding
from stilltrue.rules.frames import holds_many
from stilltrue.rules.guards import qualifiers_clash
from stilltrue.rules.pair import Pair, words_of
from stilltrue.rules.polarity import opposites
from stilltrue.rules.text import normal_hash, stems

if TYPE_CHECKING:
    from stilltrue.model.slot import Value

_ORDERED: Final = frozenset(
    {"over", "than", "to", "before", "after", "from", "not", "no", "never", "without", "but", "instead"}
)
"""Where one of these stands, the same words in another order may say the opposite ("fixtures over mocks")."""

_LOOSE: Final = frozenset({ValueType.TEXT, ValueType.NAME, ValueType.ENUM})


LONGEST_PLAIN: Final = 6
"""Content words up to which another value in a slot speaks for itself; longer statements hold conditions and parts that
no slot tells (0.6 of their swaps are conflicts, of terse ones 0.9)."""


def same_text(pair: Pair) -> Finding | None:
    """The same words, case and punctuation aside."""
    if normal_hash(pair.existing.text) != normal_hash(pair.new.text):
        return None
    return _typed("same text", Relation.DUPLICATE, "the same words")


def same_words(pair: Pair) -> Finding | None:
    """The same content words once synonyms are one, in an order that cannot turn them round."""
    old, new = pair.old_reading, pair.new_reading
    if old.content != new.content or not old.content or old.negative != new.negative:
        return None
    if pair.existing.modality is not pair.new.modality or pair.new_wording.announces or pair.old_wording.announces:
        return None
    words = set(stems(pair.existing.text)) | set(stems(pair.new.text))
    if words & _ORDERED and old.stems != new.stems:
        return None
    return _typed("same words", Relation.DUPLICATE, "the same content, reworded")


def same_slot(pair: Pair) -> Finding | None:
    """Two values of one slot (LABELS 1, 9, 13)."""
    old, new = pair.existing, pair.new
    if not pair.same_slot or old.value is None or new.value is None:
        return None
    if qualifiers_clash(old.slot.qualifiers, new.slot.qualifiers):
        return None
    if old.negated != new.negated:
        return None if compare(old.value, new.value) is not Comparison.SAME else _flip(pair)
    return _compared(pair, old.value, new.value)


def _compared(pair: Pair, old: Value, new: Value) -> Finding | None:
    note = f"{pair.new.slot.attribute}: {old.text} / {new.text}"
    match compare(old, new):
        case Comparison.SAME:
            extra = pair.new_reading.content - pair.old_reading.content
            missing = pair.old_reading.content - pair.new_reading.content
            if (
                (extra and missing and old.type in _LOOSE)
                or len(extra) > 1
                or pair.old_reading.negative != pair.new_reading.negative
            ):
                return None
            return _typed("same slot, same value", Relation.DUPLICATE, note)
        case Comparison.COMPATIBLE:
            return _typed("same slot, compatible", Relation.OVERLAP, note)
        case Comparison.INCOMPARABLE:
            return None
        case Comparison.DIFFERENT:
            return _different(pair, old, new, note)


def _different(pair: Pair, old: Value, new: Value, note: str) -> Finding | None:
    words = pair.new_wording
    if pair.existing.cardinality is Cardinality.EVENT or pair.new.cardinality is Cardinality.EVENT:
        return _typed("same slot, event", Relation.OVERLAP, note)
    functional = pair.existing.cardinality is Cardinality.ONE and pair.new.cardinality is Cardinality.ONE
    if words.addition and not words.announces:
        return _typed("same slot, added", Relation.OVERLAP, note)
    known = pair.new.slot.attribute in attributes()
    if not functional and not words.exclusivity and not words.change:
        return _typed("same slot, set", Relation.OVERLAP, note) if known else None
    if holds_many(pair) and old.type in _LOOSE and not opposites(pair.old_reading, pair.new_reading):
        return _typed("same slot, members", Relation.OVERLAP, note)
    if _refines(old, new):
        return _typed("same slot, refined", Relation.OVERLAP, note)
    if pair.existing.negated or pair.new.negated:
        return None
    kind = "measured" if old.type not in _LOOSE and new.type not in _LOOSE else "named"
    name = f"same {'known' if known else 'inferred'} slot, {kind}"
    if max(len(pair.old_reading.content), len(pair.new_reading.content)) > LONGEST_PLAIN:
        name = f"same slot in a long statement, {kind}"
    return _typed(name, _conflict(pair), note, corrects=bool(words.correction))


def _refines(old: Value, new: Value) -> bool:
    """One value's words are all in the other's: "tea" / "Earl Grey tea"."""
    left, right = set(stems(old.text)), set(stems(new.text))
    return bool(left and right) and (left <= right or right <= left) and old.type in _LOOSE and new.type in _LOOSE


def _flip(pair: Pair) -> Finding:
    words = pair.new_wording
    changed = bool(words.change or words.weak_change) and not words.correction
    if words.end and pair.new.negated:
        return _typed("same slot, ended", Relation.RETRACTION, "ended")
    relation = Relation.UPDATE if changed or pair.existing.negated else Relation.CONTRADICTION
    return _typed("same slot, flipped", relation, "the same value, denied on one side", corrects=bool(words.correction))


def _conflict(pair: Pair) -> Relation:
    """UPDATE, or CONTRADICTION for what cannot change, corrections, bare opposites, undated rules (LABELS 11, 13)."""
    words = pair.new_wording
    if words.correction:
        return Relation.CONTRADICTION
    attribute = (pair.new.slot.attribute or "").replace("_", " ").split()
    if {*attribute, *pair.old_shape.head} & words_of("fixed"):
        return Relation.CONTRADICTION
    if words.change or words.weak_change or pair.new.dated:
        return Relation.UPDATE
    rules = pair.existing.modality is Modality.RULE and pair.new.modality is Modality.RULE
    if rules or opposites(pair.old_reading, pair.new_reading):
        return Relation.CONTRADICTION
    return Relation.UPDATE


def _typed(signal: str, relation: Relation, note: str, *, corrects: bool = False) -> Finding:
    return Finding(EvidenceSource.TYPED, signal, relation, note, corrects=corrects)
