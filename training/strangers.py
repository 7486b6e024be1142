"""Which statements of two sets are put side by side, so that the network learns that they are no conflict?

Answer: ``python -m training.strangers`` draws an existing statement of one *train* set and a statement of another, both
in the same voice ("I", "User", "we") or of the same domain with subjects that share no word, and drops what could be
about one thing after all: attributes or statements that are alike. The pair model that ships judges what is left; kept
are the pairs that it takes for conflicts most (they teach something) and as many drawn at random. A reading of 70 of
those it was surest of found one true conflict, which the bounds since set on likeness leave out.

The file is written once and committed: with another model another choice would come. Left to others: reading it
(``training.companies``).
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import bundled
from stilltrue.rules.cascade import read_texts
from training.companies import STRANGERS
from training.pairs import CONFLICTS, of_part

SEED: Final = 21
DRAWS: Final = {"I": 25_000, "User": 35_000, "we": 12_000}
DRAWS_A_DOMAIN: Final = 600
FEWEST: Final = 20
"""Statements of a domain, at least, for it to be drawn from."""
JUDGED, KEPT = 60_000, 24_000
HARD: Final = 0.3
"""Probability of a conflict from which the shipped model is taken to be wrong."""
ALIKE: Final = 0.5
"""Cosine of two statements from which they may be about one thing; of two attributes less is enough."""
ALIKE_ATTRIBUTES: Final = 0.45
SURE, DOUBTFUL = 0.85, 0.35
"""Where the model is so sure of a conflict, less likeness is enough to leave the pair out."""
_VOICES: Final = {
    "I": re.compile(r"\b(?:I|I'm|I've|[Mm]y|[Mm]e)\b"),
    "User": re.compile(r"\bUser\b"),
    "we": re.compile(r"\b(?:[Ww]e|[Oo]ur)\b"),
}


class Saying(NamedTuple):
    """A statement of a set."""

    text: str
    contrast: int


class Draw(NamedTuple):
    """Two sayings, with the likeness of the statements and of their attributes."""

    old: Saying
    new: Saying
    likeness: float
    attributes: float


def sayings(sets: list[dict[str, Any]]) -> tuple[dict[str, list[Saying]], dict[str, list[Saying]]]:
    """By voice and by domain: what stands, and what stands or tells of a change."""
    stands: dict[str, list[Saying]] = defaultdict(list)
    told: dict[str, list[Saying]] = defaultdict(list)
    for place, contrast in enumerate(sets):
        same = [contrast["existing"], *(new["text"] for new in contrast["new"] if new["label"] == "DUPLICATE")]
        changed = [new["text"] for new in contrast["new"] if new["label"] in CONFLICTS]
        for text in (*same, *changed):
            voice = next((name for name, pattern in _VOICES.items() if pattern.search(text)), None)
            for group in filter(None, (voice, f"domain {contrast['domain']}")):
                told[group].append(Saying(text, place))
                if text in same:
                    stands[group].append(Saying(text, place))
    return stands, told


def drawn(sets: list[dict[str, Any]], rng: random.Random) -> Iterator[tuple[Saying, Saying]]:
    """Pairs of statements of two sets with two attributes."""
    stands, told = sayings(sets)
    for group, some in sorted(stands.items()):
        if len(some) < FEWEST:
            continue
        for _ in range(DRAWS.get(group, DRAWS_A_DOMAIN)):
            old, new = rng.choice(some), rng.choice(told[group])
            if old.text != new.text and _two_things(sets[old.contrast]["slot"], sets[new.contrast]["slot"], group):
                yield old, new


def _two_things(one: dict[str, Any], other: dict[str, Any], group: str) -> bool:
    if one["attribute"] == other["attribute"]:
        return False
    return group in _VOICES or not set(one["subject"].lower().split()) & set(other["subject"].lower().split())


def unlike(sets: list[dict[str, Any]], rng: random.Random) -> list[Draw]:
    """The drawn pairs of which neither the statements nor the attributes are alike, in random order."""
    pairs = sorted(set(drawn(sets, rng)))
    attributes = [contrast["slot"]["attribute"] for contrast in sets]
    texts = sorted({saying.text for pair in pairs for saying in pair} | set(attributes))
    vectors = dict(zip(texts, MiniLMEmbedder().embed(texts), strict=True))
    found = [
        Draw(
            old,
            new,
            float(vectors[old.text] @ vectors[new.text]),
            float(vectors[attributes[old.contrast]] @ vectors[attributes[new.contrast]]),
        )
        for old, new in pairs
    ]
    found = [one for one in found if one.likeness < ALIKE and one.attributes < ALIKE_ATTRIBUTES]
    rng.shuffle(found)
    return found[:JUDGED]


def chosen(found: list[Draw], conflict: np.ndarray[Any, np.dtype[Any]], rng: random.Random) -> list[Draw]:
    """Half of what is kept from those that are taken for conflicts, half from all."""
    clear = [
        place
        for place, one in enumerate(found)
        if conflict[place] < SURE or max(one.likeness, one.attributes) < DOUBTFUL
    ]
    hard = [place for place in clear if conflict[place] >= HARD]
    kept = set(rng.sample(hard, min(KEPT // 2, len(hard))))
    others = [place for place in clear if place not in kept]
    return [found[place] for place in sorted(kept | set(rng.sample(others, min(KEPT // 2, len(others)))))]


def main() -> None:
    """Draw, judge, choose and write the file."""
    sets, rng = of_part("train"), random.Random(SEED)
    found = unlike(sets, rng)
    told = bundled().relations([read_texts(one.old.text, one.new.text) for one in found])
    conflict = np.array([sum(row[name] for name in row if name in CONFLICTS) for row in told])
    with gzip.GzipFile(STRANGERS, "wb", mtime=0) as file:
        for one in chosen(found, conflict, rng):
            anchor = f"{sets[one.old.contrast]['id']} {sets[one.new.contrast]['id']}"
            row = {"old": one.old.text, "new": one.new.text, "anchor": anchor}
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
