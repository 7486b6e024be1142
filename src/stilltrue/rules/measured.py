"""How far is each rule to be trusted? What was measured of it, by name and by what the two statements have in common.

Every pair that a rule settled was counted: plain pairs, natural sentences, pairs among the statements of one topic, and
the pair table of tests/rules/pairs (`python -m tests.rules.measure` counts them and writes `lexicon/measured.toml`).
`conflict` is the probability that such a pair is a conflict; a verdict's confidence follows from it. A rule of wording
is right nearly always inside a recognised slot and too often wrong outside, so each context is counted for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.pair import Common

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.verdict import Relation

RETIRES: Final = 0.72
"""The conflict from which policy retires by default (SPEC D11); rules that are not good enough stay below it."""
ASKS: Final = 0.5
"""The conflict from which policy asks (settings.ask_threshold)."""

_WORTH_ASKING: Final = 0.6  # with fewer true conflicts a rule is evidence for the next judge, no question to a person
_BELOW_RETIRING: Final = 0.70
_BELOW_ASKING: Final = 0.49

_GOOD_ENOUGH: Final = {Common.SLOT: 0.85, Common.FRAME: 0.88, Common.TERSE: 0.90, Common.LONG: 0.90}
"""Least share of true conflicts from which a rule may retire on its own word. Outside a shared slot it is held to more:
there its pairs are of all kinds, and a user's own are less like those measured."""
_ENOUGH: Final = {Common.SLOT: 0, Common.FRAME: 2, Common.TERSE: 8, Common.LONG: 8}
"""Least pairs of a rule in a context before it may retire there."""
_ONE_THING: Final = frozenset({"changed", "ended", "temporal", "temporal, weak word", "value left", "ended, one word"})
"""Rules that say what became of a thing, not of which: between long statements they retire nothing on their own word,
whatever was counted, for the corpora's pairs are written about one thing and those of a talk are not."""
_LEAST: Final = 0.02  # no rule is surer than this either way: none was counted on more than some hundred pairs
_PRIOR: Final = 2.0  # pairs that a rule's share over all contexts counts for in each


WORDING_IN_A_SLOT: Final = frozenset(
    {"ended", "value left", "corrected", "implied end", "withdrawn", "withdrawn, by name", "plan carried out"}
)
_IN_A_SLOT: Final = 0.97
"""Share of true conflicts among all pairs that these rules settled inside a recognised slot (66 of 68)."""


@dataclass(frozen=True, slots=True)
class Worth:
    """`conflict`: the probability that such a pair is a conflict; `seen`: how many pairs say so."""

    conflict: float
    seen: int = 0


SELF_EVIDENT: Final = frozenset(
    {
        "value left, else restated",
        "value left, of one holder",
        "plan carried out by its maker",
        "corrected, denied whole",
    }
)
"""Rules that hold only where the new statement says the existing one again, but for what is over, or whose it was: what
the two have in common is in the rule itself, so all contexts are counted as one (17 conflicts of 17 pairs)."""

_STATED: Final = {"narrowed": Worth(0.8), "habit broken": Worth(0.8)}
"""Not measured, as the corpora hold hardly such a pair. Narrowed: the new statement repeats the existing one whole, so
nothing true is hidden when it takes its place. Habit broken: LABELS' own first example of a contradiction."""
_UNMEASURED: Final = {True: Worth(_BELOW_RETIRING), False: Worth(0.15)}


@cache
def worth(signal: str, common: Common, relation: Relation) -> Worth:
    """What was measured of a rule among pairs with this much in common, or a careful guess.

    >>> from stilltrue.model.verdict import Relation
    >>> worth("corrected", Common.SLOT, Relation.CONTRADICTION).conflict >= RETIRES
    True
    >>> worth("ended", Common.LONG, Relation.RETRACTION).conflict >= RETIRES
    False
    """
    if signal in _STATED:
        return _STATED[signal]
    counts = lexicon("measured").get(signal)
    if counts is None and not (relation.is_conflict and common is Common.SLOT and signal in WORDING_IN_A_SLOT):
        return _UNMEASURED[relation.is_conflict]
    counts = counts or {}
    if signal in SELF_EVIDENT:
        counts, common = _as_one(counts), Common.SLOT
    seen = sum(pairs for _, pairs in counts.values())
    overall = (sum(conflicts for conflicts, _ in counts.values()) + 1) / (seen + 2)
    if common is Common.SLOT and relation.is_conflict and signal in WORDING_IN_A_SLOT:
        overall = _IN_A_SLOT
    conflicts, pairs = counts.get(common.value, (0, 0))
    share = min(max((conflicts + _PRIOR * overall) / (pairs + _PRIOR), _LEAST), 1 - _LEAST)
    if not relation.is_conflict:
        return Worth(round(min(share, _BELOW_ASKING), 2), pairs)
    if common is Common.LONG and signal in _ONE_THING:
        share = min(share, _BELOW_RETIRING)
    return Worth(_capped(share, pairs, common), pairs)


def _as_one(counts: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """The counts of all contexts as those of the firmest.

    >>> _as_one({"frame": [2, 2], "terse": [1, 3]})
    {'slot': [3, 5]}
    """
    return {Common.SLOT.value: [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0]}


def _capped(share: float, pairs: int, common: Common) -> float:
    """The share, held below what it may not yet do.

    >>> _capped(0.95, 50, Common.LONG), _capped(0.8, 50, Common.LONG), _capped(0.55, 50, Common.LONG)
    (0.95, 0.7, 0.49)
    """
    if share >= _GOOD_ENOUGH[common] and pairs >= _ENOUGH[common]:
        return round(share, 2)
    return round(min(share, _BELOW_RETIRING if share >= _WORTH_ASKING else _BELOW_ASKING), 2)
