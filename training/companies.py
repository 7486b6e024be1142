"""Which statements of one person, project or household have nothing to do with each other, and which do?

Answer, from two files of the corpus:

* ``companies`` (``corpus/companies/*.jsonl``): some forty statements each of one person, project or team, with every
  pair named that is more than two different things. All others are compatible.
* ``strangers`` (``corpus/strangers.jsonl.gz``): statements of two different *train* sets, drawn by
  ``training.strangers``, that are about two attributes. They are NONE.

Sets compare what is about one thing; without these the network had never seen that one person's manager and the same
person's move are no conflict. A company is in *train*, *dev* or *test* as a whole. Left to others: how many of them a
pass sees (``training.mixture``).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final

import numpy as np

from stilltrue.inference.embed import MiniLMEmbedder
from training.pairs import CORPUS, PEACE, Pair, fraction

FOLDER: Final = CORPUS / "companies"
STRANGERS: Final = CORPUS / "strangers.jsonl.gz"
TEST, DEV = 0.12, 0.12
"""The shares of the companies that are held out."""
NEAREST: Final = 8
"""How many of the likest statements each one is paired with: what a search would nominate."""


@dataclass(frozen=True, slots=True)
class Company:
    """Statements that belong together, in their order, and the pairs of them that are more than two things."""

    id: str
    kind: str
    lines: dict[str, str]
    named: dict[tuple[str, str], tuple[str, str]]

    @property
    def part(self) -> str:
        """``train``, ``dev`` or ``test``."""
        place = fraction(f"company {self.id}")
        return "test" if place < TEST else "dev" if place < TEST + DEV else "train"

    def pair(self, old: str, new: str) -> Pair:
        """The pair of two keys; without a conflict where nobody named one."""
        label, why = self.named.get((old, new), ("", ""))
        labels = frozenset({label}) if label else PEACE
        return Pair(self.lines[old], self.lines[new], labels, "companies", self.id, why)


@cache
def companies() -> tuple[Company, ...]:
    """Every company, in the order of the files."""
    found = [
        _company(json.loads(line))
        for file in sorted(FOLDER.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return tuple(found)


def of_part(name: str) -> list[Company]:
    """The companies of one part."""
    return [company for company in companies() if company.part == name]


def _company(told: dict[str, Any]) -> Company:
    named = {(old, new): (label, why or "") for old, new, label, why in told["pairs"]}
    return Company(told["id"], told["kind"], dict(told["lines"]), named)


def named(chosen: Iterable[Company]) -> list[Pair]:
    """The pairs that somebody named, and those without a conflict the other way round too."""
    found = []
    for company in chosen:
        for old, new in company.named:
            forth = company.pair(old, new)
            found.append(forth)
            if forth.labels <= PEACE:
                turned = forth.labels if forth.label in {"NONE", "DUPLICATE"} else PEACE
                found.append(Pair(forth.new, forth.old, turned, forth.source, forth.anchor, forth.trap))
    return found


def beside(chosen: Iterable[Company]) -> list[Pair]:
    """Pairs that nobody named, each statement with those that are likest to it, the older first; no conflict in any."""
    embedder = MiniLMEmbedder()
    return [pair for company in chosen for pair in _beside(company, embedder)]


def _beside(company: Company, embedder: MiniLMEmbedder) -> list[Pair]:
    keys = list(company.lines)
    vectors = embedder.embed(list(company.lines.values()))
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1.0)
    order = np.argsort(-likeness, axis=1, kind="stable")
    near = {(min(at, int(other)), max(at, int(other))) for at in range(len(keys)) for other in order[at][:NEAREST]}
    return [company.pair(keys[one], keys[other]) for one, other in sorted(near) if _unnamed(company, keys, one, other)]


def apart(chosen: Iterable[Company]) -> list[Pair]:
    """Every pair that nobody named, the older first."""
    return [
        company.pair(*names)
        for company in chosen
        for names in combinations(company.lines, 2)
        if names not in company.named
    ]


def _unnamed(company: Company, keys: list[str], one: int, other: int) -> bool:
    return (keys[one], keys[other]) not in company.named


@cache
def strangers() -> tuple[Pair, ...]:
    """Statements of two sets, in the order of the file."""
    with gzip.open(STRANGERS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(Pair(row["old"], row["new"], frozenset({"NONE"}), "strangers", row["anchor"]) for row in rows)
