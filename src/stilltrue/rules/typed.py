"""What do two values of one slot mean for each other, and does the new statement end what the existing one says?

Compares typed values where both statements fill one slot (LABELS 1, 7-9, 13), and reads ends: a retraction, a value
left behind, an event that takes away the ground of a state (LABELS 10, 14-16). Values are compared by
`rules.comparison`; frames whose slot could not be told are `rules.frames`' business.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality, ValueType
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.attributes import attributes
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.finding import Finding
from stilltrue.rules.frames import fixed_predicates, holds_many
from stilltrue.rules.guards import qualifiers_clash
from stilltrue.rules.pair import Pair, head_key, words_of
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.shapes import canonical
from stilltrue.rules.text import content_stems, normal_hash, normalise, stems, tokens

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.slot import Value

_ORDERED: Final = frozenset(
    {"over", "than", "to", "before", "after", "from", "not", "no", "never", "without", "but", "instead"}
)
"""Where one of these stands, the same words in another order may say the opposite ("fixtures over mocks")."""

_PHYSICAL: Final = frozenset({ValueType.NUMBER, ValueType.DURATION})
ROUNDED: Final = 0.025
"""Share by which one quantity may differ in two systems of units: 10 miles, 16 km (0.6%); 4 GB, 4096 MB (2.4%)"""
MOST_EXTRA: Final = 2  # words that a restated figure may have beside it; more of them say something of their own
_RECENT: Final = 4096  # values kept: a sweep meets each of them in several pairs

_LOOSE: Final = frozenset({ValueType.TEXT, ValueType.NAME, ValueType.ENUM})

_DIGIT: Final = re.compile(r"\d")
_SAME: Final = {False: "same slot, same value", True: "same slot, same figure"}
"""Two words for one value may mislead; one figure in two units, or one date in two forms, was reckoned."""


LONGEST_PLAIN: Final = 6
"""Content words up to which another value in a slot speaks for itself; longer statements hold conditions and parts that
no slot tells (0.6 of their swaps are conflicts, of terse ones 0.9)."""


def same_text(pair: Pair) -> Finding | None:
    """The same words, case and punctuation aside."""
    if normal_hash(pair.existing.text) != normal_hash(pair.new.text):
        return None
    if _two_claims(pair):
        return _typed("same text, another claim", Relation.OVERLAP, "two claims of one sentence")
    return _typed("same text", Relation.DUPLICATE, "the same words")


def _two_claims(pair: Pair) -> bool:
    """One sentence that fills two recognised attributes ("We use FastAPI with PostgreSQL") makes two claims."""
    old, new = pair.existing, pair.new
    attributes_of = {old.slot.attribute, new.slot.attribute}
    if len(attributes_of) == 1 or not all(name in attributes() for name in attributes_of):
        return False
    return old.value is not None and new.value is not None and old.value.key != new.value.key


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
    if not pair.same_slot or qualifiers_clash(old.slot.qualifiers, new.slot.qualifiers):
        return None
    if old.value is None or new.value is None:
        bare = old.value is new.value and old.negated != new.negated
        return _flip(pair) if bare and _same_claim(pair) else None
    if old.negated != new.negated:
        return _flip(pair) if compare(old.value, new.value) is Comparison.SAME and _turned(pair) else None
    return _compared(pair, old.value, new.value)


def _same_claim(pair: Pair) -> bool:
    """The denial has no content of its own: "runs on weekends" / "doesn't run on weekends"."""
    denier, claimer = pair.old_reading, pair.new_reading
    if pair.new.negated:
        denier, claimer = claimer, denier
    words = denier.content - {"ani", "anymor", "longer"}
    return words <= claimer.content or words <= content_stems((pair.existing if pair.new.negated else pair.new).text)


def _turned(pair: Pair) -> bool:
    """One side is really negative, whole, and the other is not: "nothing but" and parts are neither."""
    if pair.old_reading.negative == pair.new_reading.negative and not pair.new_wording.end and not pair.opposites:
        return False
    denial = pair.new if pair.new.negated else pair.existing
    parts = set(tokens(denial.text)) & _PARTLY
    alone = denial.slot.qualifiers != (pair.existing if pair.new.negated else pair.new).slot.qualifiers
    return not parts and not alone


_PARTLY: Final = frozenset({"but", "except", "only", "unless", "anything"})


def _compared(pair: Pair, old: Value, new: Value) -> Finding | None:
    words = old, new
    old, new = _typed_value(old), _typed_value(new)
    if {value.type for value in words} == {ValueType.TEXT} and _comparison(old, new) is Comparison.INCOMPARABLE:
        old, new = words  # the figures are parts of names: "14 Maple Court", "3 Harbour View"
    note = f"{pair.new.slot.attribute}: {old.text} / {new.text}"
    match _comparison(old, new):
        case Comparison.SAME:
            return _same_value(pair, old, note)
        case Comparison.COMPATIBLE if not _promoted(pair) or old.type not in _LOOSE:
            return _typed("same slot, compatible", Relation.OVERLAP, note)
        case Comparison.COMPATIBLE:
            return _different(pair, old, new, note)
        case Comparison.INCOMPARABLE:
            return None
        case Comparison.DIFFERENT:
            return _different(pair, old, new, note)


@lru_cache(maxsize=_RECENT)
def _typed_value(value: Value) -> Value:
    """A value that was kept as words, read again as a figure where it is one ("2 GB", "2 am").

    >>> from stilltrue.model.slot import Value
    >>> text = Value("2,000 MB", ValueType.TEXT, "2,000 mb")
    >>> _typed_value(text).type.value, _typed_value(Value("tea", ValueType.TEXT, "tea")).type.value
    ('number', 'text')
    """
    if value.type not in (ValueType.TEXT, ValueType.NAME) or not any(letter.isdigit() for letter in value.text):
        return value
    read = parse_value(value.text)
    return value if read.type in _LOOSE else read


def _comparison(old: Value, new: Value) -> Comparison:
    """As `compare`; figures in units of two systems are one where they agree to what such figures are rounded to."""
    found = compare(old, new)
    if found is not Comparison.DIFFERENT or old.number is None or new.number is None or old.bound is not new.bound:
        return found
    units = {_unit_word(old.text), _unit_word(new.text)}
    if len(units) > 1 and old.unit == new.unit and old.type is new.type and old.type in _PHYSICAL:
        close = math.isclose(old.number, new.number, rel_tol=ROUNDED)
        return Comparison.SAME if close else found
    return found


def _unit_word(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalpha())


def _same_value(pair: Pair, value: Value, note: str) -> Finding | None:
    extra = pair.new_reading.content - pair.old_reading.content
    missing = pair.old_reading.content - pair.new_reading.content
    if pair.old_reading.negative != pair.new_reading.negative:
        return None
    if pair.recognised_slot and _only_verbs_differ(pair, extra, missing):
        return _typed(_SAME[_reckoned(pair)], Relation.DUPLICATE, note)
    if value.type in _LOOSE and ((extra and missing) or len(extra) > 1):
        return None
    if value.type not in _LOOSE and (len(_beside_figures(pair, extra)) > MOST_EXTRA or not pair.recognised_slot):
        return None if extra or missing else _typed(_SAME[_reckoned(pair)], Relation.DUPLICATE, note)
    return _typed(_SAME[_reckoned(pair)], Relation.DUPLICATE, note)


def _reckoned(pair: Pair) -> bool:
    """The value is a figure, the only one of either text, and the words beside it do not differ on both sides."""
    said = [(one.text, one.value) for one in (pair.existing, pair.new)]
    if pair.opposites or any(value is None or _typed_value(value).type in _LOOSE for _, value in said):
        return False
    old, new = (content_stems(text.replace(value.text, "")) for text, value in said if value is not None)
    if old - new and new - old:
        return False
    return not any(_DIGIT.search(text.replace(value.text, "")) for text, value in said if value is not None)


def _only_verbs_differ(pair: Pair, extra: frozenset[str], missing: frozenset[str]) -> bool:
    """Two verbs lead to one value of a slot that holds one: "moved to Rome", "lives in Rome"."""
    if not Cardinality.ONE is pair.existing.cardinality is pair.new.cardinality:
        return False
    ahead = [(pair.existing, missing), (pair.new, extra)]
    return all(len(words) <= 1 and words <= _ahead(said) for said, words in ahead)


def _ahead(said: Statement) -> frozenset[str]:
    """The stems of what stands ahead of the value."""
    value = said.value.text if said.value is not None else ""
    return frozenset(stems(said.text.partition(value)[0])) if value else frozenset()


def _beside_figures(pair: Pair, words: frozenset[str]) -> frozenset[str]:
    """Without the words of the value itself."""
    value = pair.new.value
    figures = content_stems(value.text) if value is not None else frozenset()
    return frozenset(word for word in words - figures if not any(letter.isdigit() for letter in word))


def _different(pair: Pair, old: Value, new: Value, note: str) -> Finding | None:
    stands = _beside(pair, old, new)
    if stands is not None:
        return _typed(stands, Relation.OVERLAP, note)
    if pair.existing.negated or pair.new.negated:
        return None
    known = pair.new.slot.attribute in attributes()
    kind = "measured" if old.type not in _LOOSE and new.type not in _LOOSE else "named"
    name = f"same {'known' if known else 'inferred'} slot, {kind}"
    dated = pair.new.dated and pair.recognised_slot  # it is long by its date alone
    if max(len(pair.old_reading.content), len(pair.new_reading.content)) > LONGEST_PLAIN and not dated:
        name = f"same slot in a long statement, {kind}"
    if pair.new_wording.correction and _corrects_another(pair, old):
        return _typed(name, Relation.UPDATE, note)
    return _typed(name, _conflict(pair), note, corrects=bool(pair.new_wording.correction))


def _corrects_another(pair: Pair, old: Value) -> bool:
    """The correction names the value that was wrong ("never Turin; it was Nice"), and it is not this one."""
    known = frozenset((*tokens(old.text), *tokens(old.key)))
    left = [frozenset(tokens(name)) for name in pair.new.leaves]
    return bool(left) and all(not (name & known) for name in left)


def _beside(pair: Pair, old: Value, new: Value) -> str | None:  # noqa: PLR0911 - a ladder of reasons
    """Why two values of one slot stand side by side, as the name of a rule; None where they do not."""
    words, both = pair.new_wording, (pair.existing.cardinality, pair.new.cardinality)
    known = pair.new.slot.attribute in attributes()
    if Cardinality.EVENT in both:
        return "same slot, event"
    if words.addition and not words.announces:
        return "same slot, added"
    if both != (Cardinality.ONE, Cardinality.ONE) and not words.exclusivity and not words.change and not _is_now(pair):
        return "same slot, set" if known else "same slot, unknown set"
    if holds_many(pair) and old.type in _LOOSE and not pair.opposites:
        return "same slot, members"
    if _only_one_is_over(pair):
        return "same slot, past"
    positions = old.type is new.type is ValueType.ENUM and old.key != new.key
    if not positions and (_refines(pair, old, new) or _repeated_in(pair, old, new)):
        return "same slot, refined"
    if _generic(pair, old, new):
        return "same slot, generic"
    if _scoped_apart(pair, old, new):
        return "same slot, scoped"
    return "same slot, two ends" if _two_ends(pair, old, new) else None


def _is_now(pair: Pair) -> bool:
    """A thing in the singular that "is now" another value: "the gym day is now Thursday" names no further day."""
    old, new = pair.old_shape, pair.new_shape
    one_thing = bool(new.head) and head_key(old.head) == head_key(new.head) and not (old.plural or new.plural)
    return one_thing and old.predicate == new.predicate == "be" and "now" in tokens(pair.new.text)


def _only_one_is_over(pair: Pair) -> bool:
    """The one tells of then, the other of now: "worked at Sasol" / "works at Eskom"."""
    if pair.new_wording.announces or pair.new.dated:
        return False
    if (pair.existing.modality is Modality.PAST) and pair.new.modality is not Modality.PAST:
        return True
    was = [bool({"was", "were"} & set(tokens(one.text))) for one in (pair.existing, pair.new)]
    return was == [False, True] and any(name == "condition" for name, _ in pair.new.slot.qualifiers)


def _two_ends(pair: Pair, old: Value, new: Value) -> bool:
    """Opposite words beside the values: "opens at 8" and "closes at 10" are two ends of one span."""
    values = content_stems(old.text) | content_stems(new.text)
    if not all(any(letter.isdigit() for letter in value.text) for value in (old, new)):
        return False
    return any(one not in values and other not in values for one, other in pair.opposites) and not pair.new.leaves


def _tail(text: str, value: Value) -> frozenset[str]:
    """The content after the value: where, when or for whom it holds."""
    _, found, tail = normalise(text).partition(normalise(value.text))
    return content_stems(tail) if found else frozenset()


def _scoped_apart(pair: Pair, old: Value, new: Value) -> bool:
    """Each value has a scope of its own behind it: "tabs in Makefiles", "spaces in Python files" (LABELS 6)."""
    before, after = _tail(pair.existing.text, old), _tail(pair.new.text, new)
    return bool(before - after) and bool(after - before) and not pair.new_wording.announces


def _repeated_in(pair: Pair, old: Value, new: Value) -> bool:
    """The one statement holds the other's value too: "Berlin" / "Kreuzberg, Berlin" (LABELS 7)."""
    words = pair.new_wording
    if words.announces or words.weak_change or words.exclusivity or pair.new_reading.negative or pair.opposites:
        return False
    if old.type not in _LOOSE or new.type not in _LOOSE or set(tokens(pair.new.text)) & _INSTEAD:
        return False
    left, right = content_stems(old.text), content_stems(new.text)
    return bool(left and right) and (left <= pair.new_reading.content or right <= pair.old_reading.content)


_INSTEAD: Final = frozenset({"over", "than", "from", "not", "rather", "instead", "was", "were", "to", "until"})
"""Words by which a statement names a value that it does not hold."""


def _generic(pair: Pair, old: Value, new: Value) -> bool:
    """An indefinite common noun, and a proper name that may be one of its kind: "a bank" / "Nordea" (LABELS 7)."""
    if old.type not in _LOOSE or new.type not in _LOOSE or pair.new_wording.announces or pair.new_wording.weak_change:
        return False
    return (_indefinite(pair.existing.text, old) and _proper(pair.new.text, new)) or (
        _indefinite(pair.new.text, new) and _proper(pair.existing.text, old)
    )


def _indefinite(text: str, value: Value) -> bool:
    """Whether a common noun with "a" or "an" is the value.

    >>> from stilltrue.model.slot import Value
    >>> bank, nordea = Value("bank", ValueType.NAME, "bank"), Value("Nordea", ValueType.NAME, "nordea")
    >>> _indefinite("User works at a bank.", bank), _indefinite("User works at Nordea.", nordea)
    (True, False)
    """
    words = value.text.removeprefix("a ").removeprefix("an ")
    return words.islower() and any(f" {article} {words}" in text for article in ("a", "an"))


def _proper(text: str, value: Value) -> bool:
    return value.text[:1].isupper() and f"a {value.text}" not in text and f"an {value.text}" not in text


def _refines(pair: Pair, old: Value, new: Value) -> bool:
    """One value's words are all in the other's: "tea" / "Earl Grey tea"; a promotion is a change all the same."""
    left, right = set(stems(old.text)), set(stems(new.text))
    nested = bool(left and right) and (left <= right or right <= left)
    return nested and old.type in _LOOSE and new.type in _LOOSE and not _promoted(pair)


def _promoted(pair: Pair) -> bool:
    return bool(pair.new_wording.change) or bool({"promot", "demot"} & set(pair.new_reading.stems))


def _flip(pair: Pair) -> Finding:
    words = pair.new_wording
    changed = bool(words.change or words.weak_change) and not words.correction
    if words.end and pair.new.negated:
        return _typed("same slot, ended", Relation.RETRACTION, "ended")
    relation = Relation.UPDATE if changed or pair.existing.negated else Relation.CONTRADICTION
    corrects = bool(words.correction) or (pair.new.negated and bool(_NEVER_YET.search(pair.new.text)))
    return _typed("same slot, flipped", relation, "the same value, denied on one side", corrects=corrects)


_NEVER_YET: Final = re.compile(r"(?:\b(?:has|have|had)|['’](?:s|ve|d)) never\b|\bnever \w+ed\b", re.IGNORECASE)
"""Denies all of the past, so that what is claimed was never true: "has never played golf" (LABELS 8)."""


def _conflict(pair: Pair) -> Relation:
    """UPDATE, or CONTRADICTION for what cannot change, corrections, bare opposites, undated rules (LABELS 11, 13)."""
    words = pair.new_wording
    if words.correction:
        return Relation.CONTRADICTION
    attribute = (pair.new.slot.attribute or "").replace("_", " ").split()
    if {*attribute, *pair.old_shape.head} & words_of("fixed") or _fixed_predicate(pair):
        return Relation.CONTRADICTION
    if words.change or words.weak_change or pair.new.dated:
        return Relation.UPDATE
    rules = pair.existing.modality is Modality.RULE and pair.new.modality is Modality.RULE
    if rules or pair.opposites:
        return Relation.CONTRADICTION
    return Relation.UPDATE


def _fixed_predicate(pair: Pair) -> bool:
    """Both say something that cannot change with its verb alone ("was born in")."""
    return pair.same_predicate and canonical(pair.new_shape.predicate or "") in fixed_predicates()


def _typed(signal: str, relation: Relation, note: str, *, corrects: bool = False) -> Finding:
    return Finding(EvidenceSource.TYPED, signal, relation, note, corrects=corrects)
