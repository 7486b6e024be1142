"""Which statements are judged by the bench? The sets of training/corpus, which were written one by one.

A set is a statement and at least five others that touch it: changes, repeats, neighbours, other people's. That is what
a write meets. What they say is known to the model, how long they take is not changed by that.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "training" / "corpus"
FEW: Final = 5
"""Candidates of a write, as BAR counts them."""


@dataclass(frozen=True, slots=True)
class Told:
    """A statement, and five that a memory may hold already."""

    new: str
    known: tuple[str, ...]


@cache
def sets() -> tuple[Told, ...]:
    """All of them, in an order that is the same every time and mixes the files."""
    files = [file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.jsonl"))]
    found = [json.loads(line) for text in files for line in text.split("\n") if line]
    told = [Told(item["existing"], tuple(entry["text"] for entry in item["new"][:FEW])) for item in found]
    told = [item for item in told if len(item.known) == FEW]
    random.Random(4).shuffle(told)
    return tuple(told)


def pairs(count: int, skipped: int = 0) -> list[tuple[str, str]]:
    """So many (existing, new), those of a set together; `skipped` leaves out as many before them."""
    found = [(known, item.new) for item in sets() for known in item.known][skipped : skipped + count]
    assert len(found) == count, f"the corpus holds no {skipped + count} pairs"
    return found
