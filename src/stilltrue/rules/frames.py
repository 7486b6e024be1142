"""Do two statements give one frame two values? The same head and predicate side by side, where no slot could be told.

Answers DUPLICATE, OVERLAP, UPDATE or CONTRADICTION for frames that match, None for all others. Typed values of one slot
are `rules.typed`'s business; who is spoken of was settled by the guards.
"""

from __future__ import annotations

import re
from typing import Final

from stilltrue.model.slot import Bound, Value, ValueType
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.finding import Finding
from stilltrue.rules.lexicons import all_words
from stilltrue.rules.pair import Pair, head_key, words_of
from stilltrue.rules.polarity import opposites, reading
from stilltrue.rules.quantities import Comparison, compare, find_values
from stilltrue.rules.shapes import Shape, canonical, predicates
from stilltrue.rules.text import stem

_FIGURE: Final = re.compile(r"\d")
_MEASURED: Final = frozenset(ValueType) - {ValueType.TEXT, ValueType.NAME, ValueType.ENUM}


def frame_values(pair: Pair) -> Finding | None:
    """What two values of one frame mean for each other."""
    old, new = pair.old_shape, pair.new_shape
    if not _one_frame(pair) or not old.body or not new.body:
        return None
    before, after = _content(pair, old), _content(pair, new)
    compared = _compared(pair)
    if compared is Comparison.SAME or before == after:
        return None
    if compared is Comparison.COMPATIBLE:
        return _finding("frame, bound", Relation.OVERLAP, "a bound that fits the figure")
    if compared is not Comparison.DIFFERENT and (
        before <= after or after <= before or before & after - _figures(before)
    ):
        return None
    if pair.new_wording.addition or pair.old_reading.negative or pair.new_reading.negative:
        return None
    return _swap(pair, before, after, compared is Comparison.DIFFERENT)


def _one_frame(pair: Pair) -> bool:
    old, new = pair.old_shape, pair.new_shape
    if old.predicate is None or not pair.same_predicate or old.order != new.order:
        return False
    return head_key(old.head) == head_key(new.head)


def _content(pair: Pair, form: Shape) -> frozenset[str]:
    del pair
    stop = all_words("stopwords")
    return frozenset(word for word in reading(" ".join(form.body)).stems if word not in stop or len(form.body) == 1)


def _figures(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if _FIGURE.search(word))


def _compared(pair: Pair) -> Comparison | None:
    """The comparison of the only figures in both texts, or None."""
    old, new = _measures(pair.existing.text), _measures(pair.new.text)
    if len(old) == 1 and len(new) == 1:
        return compare(old[0], new[0])
    return None


def _measures(text: str) -> list[Value]:
    return [value for _, value in find_values(text) if value.type in _MEASURED]


def _swap(pair: Pair, before: frozenset[str], after: frozenset[str], measured: bool) -> Finding | None:  # noqa: FBT001
    note = f"one frame, another value: {' '.join(sorted(before))} / {' '.join(sorted(after))}"
    words, old = pair.new_wording, pair.old_shape
    heads = set(old.head)
    predicate = canonical(old.predicate or "")
    if predicate in predicates("fixed") or heads & words_of("fixed"):
        return _finding("frame, fixed", Relation.CONTRADICTION, note, corrects=bool(words.correction))
    kind = _holds(pair, predicate, heads, measured)
    if kind is None:
        return None
    if kind == "many":
        return _finding("frame, set", Relation.OVERLAP, note)
    opposed = opposites(reading(" ".join(before)), reading(" ".join(after)))
    denied = words.correction or ((opposed or old.order) and not (words.change or words.weak_change))
    relation = Relation.CONTRADICTION if denied else Relation.UPDATE
    return _finding(f"frame, {kind}", relation, note, corrects=bool(words.correction))


def _holds(pair: Pair, predicate: str, heads: set[str], measured: bool) -> str | None:  # noqa: FBT001
    """Which kind of frame it is: label, measure, verb, copula, order, many; None where it cannot be told."""
    old, new = pair.old_shape, pair.new_shape
    singular = bool(heads & words_of("singular")) or bool(pair.new_wording.exclusivity)
    if measured and (predicate == "be" or predicate in predicates("one")):
        return "measure"
    if predicate == "be":
        if (old.plural or new.plural) and not singular:
            return "many"
        if old.label or new.label:
            return "label"
        return "copula" if heads and (singular or _names_value(pair)) else None
    if old.order:
        return "order" if len(pair.shared) >= 2 else None  # noqa: PLR2004 - the verb and its scope
    if predicate in _canonical_group("one") or singular:
        return "verb"
    return "many" if predicate in _canonical_group("many") else None


def _names_value(pair: Pair) -> bool:
    """Both values open with a capital or a figure: "The lead is Yuki" holds one value, "The pipeline is idempotent" need not."""
    return all(_opens_as_name(statement.text) for statement in (pair.existing, pair.new))


def _opens_as_name(text: str) -> bool:
    value = re.split(r"\b(?:is|are|was|were|=|:)\s+", text, maxsplit=1)[-1]
    first = value.split(" ", 1)[0]
    return bool(first[:1].isupper() or _FIGURE.search(first))


def _canonical_group(group: str) -> frozenset[str]:
    return frozenset(canonical(predicate) for predicate in predicates(group))


def _finding(signal: str, relation: Relation, note: str, *, corrects: bool = False) -> Finding:
    return Finding(EvidenceSource.SIGNAL, signal, relation, note, corrects=corrects)


def is_bound(value: Value) -> bool:
    """Whether a value only limits."""
    return value.bound is not Bound.EXACT


def same_stem(a: str, b: str) -> bool:
    """Whether two words share their stem."""
    return stem(a) == stem(b)
