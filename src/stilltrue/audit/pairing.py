"""Which claims of some files could be about one thing? Only those are judged: work grows with claims, not with n².

Nominated are claims of one slot and claims whose words are alike; each claim is paired with at most `MOST_ALIKE` others
by likeness and with `MOST_IN_SLOT` of its slot. Likeness nominates and never decides. What a pair is, is
`audit.comparing`'s question.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.ports import Embedder

MOST_ALIKE: Final = 8
MOST_IN_SLOT: Final = 24
LEAST_COSINE: Final = 0.4
"""BAR.md: as a nominator 0.6 loses 29% of true conflicts before judging, 0.3 loses 3-11%; the top few do the rest."""
_ROWS: Final = 512


def candidate_pairs(claims: Sequence[Claim], embedder: Embedder) -> list[tuple[int, int]]:
    """Pairs of places in `claims`, the earlier first, without repeats, in order."""
    found = {pair for pair in _in_slots(claims) if pair[0] != pair[1]}
    found |= set(_alike(claims, embedder))
    return sorted((one, other) for one, other in found if may_meet(claims[one], claims[other]))


def may_meet(one: Claim, other: Claim) -> bool:
    """Whether two claims stand in two places."""
    return (one.file, one.line, one.record) != (other.file, other.line, other.record)


def _in_slots(claims: Sequence[Claim]) -> Iterator[tuple[int, int]]:
    slots: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, claim in enumerate(claims):
        slot = claim.statement.slot
        if slot.attribute is not None:
            before = slots[slot.subject, slot.attribute]
            yield from ((one, place) for one in before[-MOST_IN_SLOT:])
            before.append(place)


def _alike(claims: Sequence[Claim], embedder: Embedder) -> Iterator[tuple[int, int]]:
    if not claims:
        return
    vectors = embedder.embed([claim.text for claim in claims])
    for first in range(0, len(claims), _ROWS):
        scores = vectors[first : first + _ROWS] @ vectors.T
        for row, line in enumerate(scores):
            place = first + row
            line[place] = -1.0
            near = np.argpartition(-line, min(MOST_ALIKE, len(line) - 1))[:MOST_ALIKE]
            yield from ((min(place, int(one)), max(place, int(one))) for one in near if line[one] >= LEAST_COSINE)
