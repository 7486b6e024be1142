"""How sure is it that a pair of lines clashes, all pairs of an audit beside each other?

Answer: what the pair itself tells (`audit.weighing`), at the rate at which the pairs of its files clash
(`audit.base_rate`), less where one of its lines clashes surer with another one (`audit.rivals`). Lines that are nearly
the same are taken at the judge's own word, whatever the rate. Left to others: which pairs are looked at
(`audit.pairing`), what is made of it (`audit.comparing`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from stilltrue.audit.base_rate import at_own_rate
from stilltrue.audit.rivals import given_way
from stilltrue.audit.voting import Scored
from stilltrue.audit.weighing import own_word, sureness, usual_rate
from stilltrue.model.verdict import CONFLICTS, Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.audit.weighing import Pair

Place: TypeAlias = tuple[str, int]
"""A file and a line of it."""


class Observed(NamedTuple):
    """A pair, what was observed of it (`weighing.observations`), and what the pair model says of (older, newer)."""

    pair: Pair
    seen: Mapping[str, float]
    told: Mapping[Relation, float]


def beside_each_other(observed: Sequence[Observed]) -> list[Scored]:
    """Each pair with how sure it is that it clashes, 0..1, and the likeliest kind of conflict; in order."""
    places = [_lines(one.pair) for one in observed]
    sure = [sureness(one.seen) for one in observed]
    own = [own_word(one.pair, one.seen) for one in observed]
    return [
        Scored(one.pair, _kind(one.told), after, one.told.get(Relation.DUPLICATE, 0.0))
        for one, after in zip(observed, together(places, sure, own, usual_rate()), strict=True)
    ]


def together(
    places: Sequence[tuple[Place, Place]], sure: Sequence[float], own: Sequence[float], usual: float
) -> list[float]:
    """How sure each pair is, 0..1, beside the others; in order.

    `places`: where its lines stand. `sure`: what the weights say of it at the rate `usual`; `own`: the judge's own
    word, where that counts (`weighing.own_word`).
    """
    by_itself = list(map(max, _at_their_rates(places, sure, usual), own))
    surest: dict[tuple[Place, Place], float] = {}
    for lines, one in zip(places, by_itself, strict=True):
        surest[lines] = max(surest.get(lines, 0.0), one)
    kept = given_way(surest)
    return [min(one, kept[lines]) for lines, one in zip(places, by_itself, strict=True)]


def _at_their_rates(places: Sequence[tuple[Place, Place]], sure: Sequence[float], usual: float) -> list[float]:
    """The pairs of one file have a rate, and so have those of two."""
    of_files: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, ((first, _), (second, _)) in enumerate(places):
        of_files[first, second].append(number)
    found = [0.0] * len(places)
    for numbers in of_files.values():
        for number, one in zip(numbers, at_own_rate([sure[number] for number in numbers], usual), strict=True):
            found[number] = one
    return found


def _kind(told: Mapping[Relation, float]) -> Relation:
    return max(sorted(CONFLICTS), key=lambda name: told.get(name, 0.0))


def _lines(pair: Pair) -> tuple[Place, Place]:
    first, second = sorted((claim.file, claim.line) for claim in (pair.old, pair.new))
    return first, second
