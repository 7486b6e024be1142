"""How sure is it that a pair of lines clashes, all pairs of an audit beside each other?

Answer: what the pair itself tells (`audit.weighing`), at the rate at which the pairs of its files clash
(`audit.base_rate`), less where one of its lines clashes surer with another one (`audit.rivals`). Lines that are nearly
the same are taken at the judge's own word, whatever the rate. Left to others: which pairs are looked at
(`audit.pairing`), what is made of it (`audit.comparing`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
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
    scored = [
        Scored(
            one.pair, _kind(one.told), max(sure, own_word(one.pair, one.seen)), one.told.get(Relation.DUPLICATE, 0.0)
        )
        for one, sure in zip(observed, _at_their_rates(observed), strict=True)
    ]
    surest: dict[tuple[Place, Place], float] = {}
    for one in scored:
        surest[_lines(one.pair)] = max(surest.get(_lines(one.pair), 0.0), one.sure)
    kept = given_way(surest)
    return [replace(one, sure=min(one.sure, kept[_lines(one.pair)])) for one in scored]


def _kind(told: Mapping[Relation, float]) -> Relation:
    return max(sorted(CONFLICTS), key=lambda name: told.get(name, 0.0))


def _at_their_rates(observed: Sequence[Observed]) -> list[float]:
    """The sureness of each pair. The pairs of one file have a rate, and so have those of two."""
    of_files: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, one in enumerate(observed):
        (first, _), (second, _) = _lines(one.pair)
        of_files[first, second].append(place)
    found = [0.0] * len(observed)
    for places in of_files.values():
        told = at_own_rate([sureness(observed[place].seen) for place in places], usual_rate())
        for place, sure in zip(places, told, strict=True):
            found[place] = sure
    return found


def _lines(pair: Pair) -> tuple[Place, Place]:
    first, second = sorted((claim.file, claim.line) for claim in (pair.old, pair.new))
    return first, second
