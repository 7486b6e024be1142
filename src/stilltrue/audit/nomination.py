"""Which entries of a store could speak of one thing? Those of one slot, and those whose vectors are alike.

Each brings a fixed number of others, so work grows with entries. Likeness nominates and never decides. Left to others:
what a pair is (`audit.judging`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.rules.pair import is_fallback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.audit.entries import Entry
    from stilltrue.ports import Embedder

MOST_ALIKE: Final = 6
MOST_IN_SLOT: Final = 6
LEAST_COSINE: Final = 0.3
"""BAR.md: as a nominator 0.3 loses 3-11% of true conflicts, 0.6 loses 29%."""


def neighbours(asked: Sequence[Entry], among: Sequence[Entry], embedder: Embedder) -> list[list[Entry]]:
    """For each entry that is asked about the others `among` which could speak of the same, the most alike first."""
    if not asked or not among:
        return [[] for _ in asked]
    vectors = embedder.embed([one.text for one in (*asked, *among)])
    others = vectors[len(asked) :]
    slots = _slots(among)
    found: list[list[Entry]] = []
    for entry, vector in zip(asked, vectors[: len(asked)], strict=True):
        scores = others @ vector
        most = min(MOST_ALIKE + 1, len(among))
        best = sorted(np.argpartition(-scores, most - 1)[:most], key=lambda place, s=scores: -s[place])  # type: ignore[misc]
        alike = [among[place] for place in best if scores[place] >= LEAST_COSINE]
        mates = [one for slot in _slots_of(entry) for one in slots.get(slot, ())[-MOST_IN_SLOT:]]
        named = {one.key: one for one in (*alike, *mates) if one.key != entry.key}
        found.append(list(named.values()))
    return found


def _slots(entries: Sequence[Entry]) -> dict[tuple[str, str], list[Entry]]:
    slots: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        for slot in _slots_of(entry):
            slots[slot].append(entry)
    return slots


def _slots_of(entry: Entry) -> set[tuple[str, str]]:
    told = (claim.statement.slot for claim in entry.claims)
    return {
        (one.subject, one.attribute) for one in told if one.attribute is not None and not is_fallback(one.attribute)
    }
