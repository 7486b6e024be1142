"""Do two statements give one frame two values? The same head and predicate side by side, where no slot could be told.

Answers DUPLICATE, OVERLAP, UPDATE or CONTRADICTION for frames that match, None for all others. Typed values of one slot
are `rules.typed`'s business; who is spoken of was settled by the guards.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

from stilltrue.model.slot import ValueType
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.finding import Finding
from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.pair import Pair, head_key, words_of
from stilltrue.rules.polarity import opposites, reading
from stilltrue.rules.quantities import find_values
from stilltrue.rules.shapes import Shape, canonical, predicates
from stilltrue.rules.text import stem, stems, tokens

_FIGURE: Final = re.compile(r"\d")
_PLURAL_LENGTH: Final = 4  # shorter words in -s are no plurals ("bus", "OS")

LONGEST_VALUE: Final = 7
"""Content words of a value; longer objects are clauses, and two clauses can both hold (0.3 of such swaps conflict)."""

_AMOUNTS: Final = frozenset(
    {
        "free", "none", "unlimit", "half", "noon", "midnight", "zero", "doubl", "singl", "ground", "top", "daili",
        "week", "weekli", "month", "monthli", "hour", "hourli", "quarter", "year", "yearli",
    }
)  # fmt: skip
"""Stems that stand where a figure may stand."""


def frame_values(pair: Pair) -> Finding | None:
    """What two values of one frame mean for each other."""
    old, new = pair.old_shape, pair.new_shape
    if not _one_frame(old, new) or not old.body or not new.body:
        return None
    before, after = _switch(old.body), _switch(new.body)
    if before is not None and after is not None:
        return _switches(pair, same=before is after)
    compared = _compared(pair)
    if compared is Comparison.SAME or set(old.body) == set(new.body):
        return None
    if compared is Comparison.COMPATIBLE:
        return _finding("frame, bound", Relation.OVERLAP, "a bound that fits the figure")
    if (
        _tells_of_past(pair)
        or pair.new_wording.addition
        or pair.old_reading.negative
        or pair.new_reading.negative
        or _comments(pair)
    ):
        return None
    swapped = _swapped(old.body, new.body)
    if swapped is None and compared is not Comparison.DIFFERENT:
        return None
    return _judge_swap(pair, swapped or (old.body, new.body), measured=compared is Comparison.DIFFERENT)


def holds_many(pair: Pair) -> bool:
    """Whether both are one frame that names members of a set ("Offices: Nairobi" / "Offices: Kigali")."""
    old, new = pair.old_shape, pair.new_shape
    if not _one_frame(old, new) or not old.label or _switch(old.body) is not None:
        return False
    return _kind(pair, canonical(old.predicate or ""), measured=False) == "many"


def _one_frame(old: Shape, new: Shape) -> bool:
    if old.predicate is None or new.predicate is None or old.order != new.order:
        return False
    return canonical(old.predicate) == canonical(new.predicate) and head_key(old.head) == head_key(new.head)


def _switches(pair: Pair, *, same: bool) -> Finding:
    if same:
        return _finding("frame, same switch", Relation.DUPLICATE, "one switch in one position")
    changed = pair.new_wording.change or pair.new_wording.weak_change
    relation = Relation.UPDATE if changed else Relation.CONTRADICTION
    return _finding("frame, switch", relation, "one switch in two positions")


@cache
def switch_words(side: str) -> frozenset[str]:
    """Stems by which a switch is said to be on or off.

    >>> "enabl" in switch_words("on"), "enabl" in switch_words("off")
    (True, False)
    """
    return frozenset(stem(word) for word in lexicon("subjects")[f"switch_{side}"]["words"])


def _switch(body: tuple[str, ...]) -> bool | None:
    """Whether a value is a switch, and in which position."""
    words = frozenset(body)
    if words <= switch_words("on"):
        return True
    return False if words <= switch_words("off") else None


def _compared(pair: Pair) -> Comparison | None:
    """The comparison of the only figures in both texts, or None."""
    measured = [
        [value for _, value in find_values(text) if value.type not in (ValueType.TEXT, ValueType.NAME, ValueType.ENUM)]
        for text in (pair.existing.text, pair.new.text)
    ]
    if all(len(values) == 1 for values in measured):
        return compare(measured[0][0], measured[1][0])
    return None


_PAST: Final = frozenset({"was", "were", "had", "did", "used"})
_BOUNDS: Final = frozenset(
    {"below", "under", "over", "above", "least", "most", "fewer", "than", "up", "about", "nearly"}
)


def _tells_of_past(pair: Pair) -> bool:
    """The one in the past tense, the other in the present: both hold ("were on React 16" beside "are on React 18")."""
    words = set(tokens(pair.new.text)) & _PAST, set(tokens(pair.existing.text)) & _PAST
    return bool(words[0]) != bool(words[1]) and not (pair.old_shape.passive or pair.new_shape.passive)


def _comments(pair: Pair) -> bool:
    """A sentence about the thing, not its value: "Port is always bound to localhost" beside "Port: 8080"."""
    old, new = pair.old_shape, pair.new_shape
    if max(len(old.body), len(new.body)) > LONGEST_VALUE or "alway" in stems(pair.new.text):
        return True
    if old.label != new.label and not _names_values(pair) and len(new.body) != len(old.body):
        return True
    if (set(tokens(pair.new.text)) ^ set(tokens(pair.existing.text))) & _BOUNDS:
        return True
    figures = [bool(_FIGURE.search(" ".join(form.body))) or bool(set(form.body) & _AMOUNTS) for form in (old, new)]
    return figures[0] != figures[1] and not any(word.isalpha() for form in (old, new) for word in form.body)


def _swapped(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words that were exchanged, where what stands around them is the same; None for other differences.

    >>> _swapped(("90", "day"), ("30", "day")), _swapped(("tea",), ("earl", "grey", "tea"))
    ((('90',), ('30',)), None)
    """
    stop = all_words("stopwords")
    left, right = _content(before, stop), _content(after, stop)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    gone, come = left[start : len(left) - end], right[start : len(right) - end]
    if not gone or not come or set(gone) & set(come):
        return None
    return gone, come


def _content(body: tuple[str, ...], stop: frozenset[str]) -> tuple[str, ...]:
    words = reading(" ".join(body)).stems
    return tuple(word for word in words if word not in stop) or words


def _judge_swap(pair: Pair, swap: tuple[tuple[str, ...], tuple[str, ...]], *, measured: bool) -> Finding | None:
    note = f"one frame, another value: {' '.join(swap[0])} / {' '.join(swap[1])}"
    words, form = pair.new_wording, pair.old_shape
    predicate = canonical(form.predicate or "")
    corrects = bool(words.correction)
    if predicate in _canonical_group("fixed") or set(form.head) & words_of("fixed"):
        return _finding("frame, fixed", Relation.CONTRADICTION, note, corrects=corrects)
    kind = _kind(pair, predicate, measured=measured or _figures_swapped(swap))
    if kind == "many":
        return _finding("frame, set", Relation.OVERLAP, note)
    if kind is None:
        return None
    opposed = opposites(reading(" ".join(swap[0])), reading(" ".join(swap[1])))
    denied = corrects or ((opposed or form.order) and not (words.change or words.weak_change))
    relation = Relation.CONTRADICTION if denied else Relation.UPDATE
    return _finding(f"frame, {kind}", relation, note, corrects=corrects)


def _figures_swapped(swap: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    """Only figures were exchanged: "22.04" / "24.04"."""
    return all(_is_figure(word) for side in swap for word in side)


def _is_figure(word: str) -> bool:
    return bool(_FIGURE.match(word)) or word in _NUMERALS or not word.isalnum()


_NUMERALS: Final = frozenset(
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelv", "dozen", "singl", "doubl"}
)


def _kind(pair: Pair, predicate: str, *, measured: bool) -> str | None:
    """Which kind of frame it is, by how many values it holds; "many" for a set, None where it cannot be told."""
    old, new = pair.old_shape, pair.new_shape
    singular = bool(set(old.head) & words_of("singular")) or bool(pair.new_wording.exclusivity)
    if predicate == "be":
        return _kind_of_be(pair, singular=singular, measured=measured)
    if old.order:
        return "order" if len(pair.shared) >= 2 else None  # noqa: PLR2004 - the verb and its scope
    if measured and old.body[-1] == new.body[-1]:
        return "count"
    if predicate in _canonical_group("one") or singular:
        return "verb"
    if predicate in _canonical_group("many"):
        return "many"
    if measured:
        return "figure"
    if old.passive and new.passive and " " in predicate:
        return "passive"
    return "place" if predicate.startswith("be ") and predicate != "be to" else None


def _kind_of_be(pair: Pair, *, singular: bool, measured: bool) -> str | None:
    old, new = pair.old_shape, pair.new_shape
    if measured:
        return "figure"
    members = set(old.head[-1:]) & words_of("set") or _names_members(pair)
    if (old.plural or new.plural or members) and not singular:
        return "many"
    if old.label or new.label:
        return "label"
    if old.head and _names_roles(pair):
        return "role"
    return "copula" if old.head and (singular or _names_values(pair)) else None


def _names_roles(pair: Pair) -> bool:
    """A definite thing that is a name, on both sides: "The session store is Redis"; a person's name is none."""
    return all(_ROLE.match(statement.text) for statement in (pair.existing, pair.new))


_ROLE: Final = re.compile(
    r"^(?:The|Our|My|User['’]s|I?ts) [a-z][a-z -]* is (?:now )?[A-Z][\w+#.]*(?: [A-Z][\w+#.]*)?[.!]?$"
)


def _names_members(pair: Pair) -> bool:
    """A label that speaks of several, though its last word is no plural: "Benchmarks we report", "Scopes granted"."""
    if not pair.old_shape.label:
        return False
    words = tokens(re.split(r"[:=]", pair.existing.text, maxsplit=1)[0])
    return any(_is_plural(noun) and (verb in _MEMBER_VERBS or verb.endswith("ed")) for noun, verb in pairwise(words))


_MEMBER_VERBS: Final = frozenset({"we", "i", "held", "run", "known", "in", "on", "by", "for", "of", "with"})


def _is_plural(word: str) -> bool:
    return len(word) >= _PLURAL_LENGTH and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _names_values(pair: Pair) -> bool:
    """Both values open like names: "The lead is Yuki" holds one value, "The pipeline is idempotent" need not."""
    return all(_opens_as_name(statement.text) for statement in (pair.existing, pair.new))


def _opens_as_name(text: str) -> bool:
    value = re.split(r"\b(?:is|are|was|were)\s|[=:]\s*", text, maxsplit=1)[-1]
    first = re.sub(r"^(?:an?|the)\s", "", value, flags=re.IGNORECASE).split(" ", 1)[0]
    return bool(first[:1].isupper() or _FIGURE.search(first))


@cache
def _canonical_group(group: str) -> frozenset[str]:
    return frozenset(canonical(predicate) for predicate in predicates(group))


def fixed_predicates() -> frozenset[str]:
    """The predicates that hold once and for all.

    >>> "bear in" in fixed_predicates(), "live in" in fixed_predicates()
    (True, False)
    """
    return _canonical_group("fixed")


def _finding(signal: str, relation: Relation, note: str, *, corrects: bool = False) -> Finding:
    return Finding(EvidenceSource.SIGNAL, signal, relation, note, corrects=corrects)
