"""Which claims of some files could be about one thing? Only those are judged: work grows with claims, not with n².

Nominated are claims of one slot, claims that share rare words, and claims whose vectors are alike; each claim brings
at most a fixed number of others by each. Likeness nominates and never decides. What a pair is, is
`audit.comparing`'s question.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.audit.precedence import globs_apart, load_together
from stilltrue.rules.pair import is_fallback
from stilltrue.rules.polarity import reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.ports import Embedder, Vectors

MOST_ALIKE: Final = 6
MOST_IN_SLOT: Final = 6
MOST_SHARING: Final = 6
MOST_HOLDERS: Final = 24
"""Claims that hold a word, at most, for it to nominate: what stands in more of them tells nothing."""
HANDFUL: Final = 6
"""Claims that hold a rare word, at most."""
FEW: Final = 80
"""Claims that a file is taken to have at least: in a file of five lines a word in two of them is no common word."""
LEAST_COSINE: Final = 0.35
"""BAR.md: as a nominator 0.6 loses 29% of true conflicts before judging, 0.3 loses 3-11%; the top few do the rest."""
_ROWS: Final = 512
_SMALL: Final = re.compile(r"(?<![\w`])[a-z][\w-]*")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of some claims: `stems` and `above` (headings and lead-ins) of each, and what each stem is worth.

    `rare`: the worth of a stem that at most a handful of claims hold. `common`: words that stand in small letters
    somewhere, so that a capital at the beginning of a sentence makes no name of them.
    """

    stems: tuple[frozenset[str], ...]
    above: tuple[frozenset[str], ...]
    worth: Mapping[str, float]
    rare: float = 0.0
    common: frozenset[str] = frozenset()

    def weight(self, stems: frozenset[str]) -> float:
        """What some stems are worth together."""
        return sum(self.worth.get(stem, 0.0) for stem in stems)


def words_of(claims: Sequence[Claim]) -> Words:
    """The words of some claims. A stem is worth the more, the fewer of them hold it."""
    stems = tuple(reading(claim.statement.text).content for claim in claims)
    above = tuple(reading(" . ".join((*claim.headings[1:], *claim.leads))).content for claim in claims)
    held = Counter(stem for one in stems for stem in one)
    total = max(len(claims), FEW) + 1
    worth = {stem: log(total / count) for stem, count in held.items()}
    common = frozenset(word for claim in claims for word in _SMALL.findall(claim.text))
    return Words(stems, above, worth, log(total / HANDFUL), common)


@dataclass(frozen=True, slots=True)
class Nominee:
    """Two claims by their places, the earlier first; the cosine of their vectors; and how many claims are liker to the
    one than the other is, and the other way round.
    """

    one: int
    other: int
    likeness: float
    ranks: tuple[int, int]


def candidate_pairs(claims: Sequence[Claim], words: Words, embedder: Embedder) -> list[Nominee]:
    """The nominated pairs, without repeats, in order."""
    if not claims:
        return []
    vectors = embedder.embed([claim.statement.text for claim in claims])
    found = {*_in_slots(claims), *_sharing(words), *_alike(vectors)}
    return _ranked(sorted((one, other) for one, other in found if may_meet(claims[one], claims[other])), vectors)


def _ranked(pairs: Sequence[tuple[int, int]], vectors: Vectors) -> list[Nominee]:
    """The pairs with their likeness and ranks. A row of likenesses is made for each claim that somebody nominated."""
    partners: dict[int, list[int]] = defaultdict(list)
    for one, other in pairs:
        partners[one].append(other)
        partners[other].append(one)
    likeness: dict[tuple[int, int], float] = {}
    liker: dict[tuple[int, int], int] = {}
    for place, others in partners.items():
        row = vectors @ vectors[place]
        row[place] = -1.0
        for other in others:
            likeness[place, other] = float(row[other])
            liker[place, other] = int((row > row[other]).sum())
    return [Nominee(one, other, likeness[one, other], (liker[one, other], liker[other, one])) for one, other in pairs]


def may_meet(one: Claim, other: Claim) -> bool:
    """Whether two claims are of one space, not of one line, and of files that load together."""
    if one.space != other.space:
        return False
    if one.file == other.file:
        return one.line != other.line
    return load_together(one.file, other.file) and not globs_apart(one.globs, other.globs)


def _in_slots(claims: Sequence[Claim]) -> Iterator[tuple[int, int]]:
    slots: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, claim in enumerate(claims):
        slot = claim.statement.slot
        if slot.attribute is not None and not is_fallback(slot.attribute):
            before = slots[slot.subject, slot.attribute]
            yield from ((one, place) for one in before[-MOST_IN_SLOT:])
            before.append(place)


def _sharing(words: Words) -> Iterator[tuple[int, int]]:
    """Each claim with those that share most with it, by the worth of the words; common words nominate nobody."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, stems in enumerate(words.stems):
        for stem in stems:
            holders[stem].append(place)
    for place, stems in enumerate(words.stems):
        shared: Counter[int] = Counter()
        for stem in stems:
            if len(holders[stem]) <= MOST_HOLDERS:
                for one in holders[stem]:
                    shared[one] += words.worth[stem]  # type: ignore[assignment]
        shared.pop(place, None)
        ranked = sorted(shared, key=lambda one: (-shared[one], one))
        yield from ((min(place, one), max(place, one)) for one in ranked[:MOST_SHARING])


def _alike(vectors: Vectors) -> Iterator[tuple[int, int]]:
    most = min(MOST_ALIKE, len(vectors) - 1)
    for first in range(0, len(vectors), _ROWS):
        scores = vectors[first : first + _ROWS] @ vectors.T
        for row, line in enumerate(scores):
            place = first + row
            line[place] = -1.0
            near = np.argpartition(-line, most)[:most]
            yield from ((min(place, int(one)), max(place, int(one))) for one in near if line[one] >= LEAST_COSINE)
