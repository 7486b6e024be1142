"""How do drafts become rows: balanced sets that share E, roughened a little, each pair once?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from training.families.anchor import Anchor
from training.families.anchors import draw_anchor
from training.families.candidates import Draft
from training.families.noise import carried, roughened

CONFLICTS: Final = frozenset({"UPDATE", "CONTRADICTION", "RETRACTION"})
TEST_SHARE: Final = 0.15
CONFLICT_SHARE: Final = 0.45


@dataclass(frozen=True)
class Row:
    """One labelled pair."""

    family: str
    anchor: str
    existing: str
    new: str
    label: str
    trap: str
    pool: str


def _picked(rng: random.Random, drafts: list[Draft]) -> list[Draft]:
    """Four to eight drafts, so many of them conflicts that the share holds on average."""
    size = rng.randint(4, 8)
    wanted = int(size * CONFLICT_SHARE + rng.random())
    rng.shuffle(drafts)
    hits = [draft for draft in drafts if draft.label in CONFLICTS]
    rest = [draft for draft in drafts if draft.label not in CONFLICTS]
    chosen = hits[:wanted] + rest[: size - wanted]
    rng.shuffle(chosen)
    return chosen


def _rows(rng: random.Random, anchor: Anchor, number: int, *, test: bool) -> Iterator[Row]:
    existing = roughened(rng, carried(rng, anchor.existing, anchor.clause))
    name = f"{anchor.key.replace(' ', '_')}-{number:06d}"
    for draft in _picked(rng, anchor.drafts):
        light = draft.label == "DUPLICATE"
        new = roughened(rng, carried(rng, draft.text, draft.clause, light=light))
        pool = "test" if test else "train"
        yield Row(draft.family, name, existing, new, draft.label, draft.trap, pool)


def generate(seed: int, count: int) -> Iterator[Row]:
    """``count`` rows, the same for the same seed; no pair occurs twice."""
    rng = random.Random(seed)
    seen: set[tuple[str, str]] = set()
    number = 0
    while len(seen) < count:
        test = rng.random() < TEST_SHARE
        for row in _rows(rng, draw_anchor(rng, test=test), number, test=test):
            pair = (row.existing.casefold(), row.new.casefold())
            if pair in seen or len(seen) == count or pair[0] == pair[1]:
                continue
            seen.add(pair)
            yield row
        number += 1
