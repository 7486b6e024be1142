"""In which order, and how often, does the network see which pairs?

Answer: nine stages. *Broad* goes once over the matrix of judged pairs, the public sets (partial labels, half weight)
and the corpus: it teaches what statements have to do with each other. *Sharp* goes twice over the sets as people wrote
them, what follows from them by logic, the programmatic families and a share of the matrix: it teaches the near misses
and the plain swaps. *Final* does the same with the plain sets doubled. *Fresh*, *last*, *closing* and *twinned* bring
the sets that answer the errors made until then, and call people otherwise. *Company* and *gathered* show statements of
one person, project or household that are about different things. ``epochs`` yields one list of pairs for each
pass; everything is drawn from one seed.

Left to others: reading and splitting (``training.pairs``, ``training.companies``), families (``training.families``).
"""

from __future__ import annotations

import random
import string
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from training import companies, pairs
from training.pairs import CONFLICTS, Pair
from training.renaming import renamed

PUBLIC_SHARES: Final = {
    "cad_nli": 2500,
    "conjnli": 2500,
    "fever_symmetric": 700,
    "fool_me_twice": 800,
    "help": 700,
    "med": 1500,
    "scone": 2000,
    "snli_devtest": 1500,
    "synthetic_persona_chat": 2500,
    "taxinli": 2500,
    "timeqa": 1945,
}
"""How many pairs of each public set a stage may take: all kinds, none in bulk (volume of one kind taught nothing)."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: how many passes, and how much of each source a pass sees."""

    name: str
    passes: int
    peak_rate: float
    corpus: float
    matrix: int
    closure: int
    families: int
    public: float
    plain: int = 0
    """How often the plain sets and what follows from them are seen again: they are few, and the commonest in life."""
    whole: frozenset[str] = frozenset()
    """Files of sets that are seen whole, and twice, whatever share of the others."""
    company: int = 0
    """How many pairs that nobody named a pass sees of companies, of the likest and of all; named ones twice."""
    strangers: int = 0
    later: frozenset[str] = frozenset()
    """Files of sets that join only in a later stage."""
    schedule: int = 0
    """Passes over which the learning rate falls, where the stage ends before (0: all of its passes)."""
    average: float = 0.998
    """How much of the running average of the weights each step keeps."""
    renamed: float = 0.0
    """The share of the written and judged rows whose people are called otherwise, anew in every pass."""
    batch: int = 64


FIRST_WRITTEN: Final = frozenset(["wa", "wb", "wc", "wd", "we", "wf", "wg", "wh", "wi", "wj"])
"""Sets that we wrote while the broad stage ran; the last ones answer errors that the sharp stage made on *dev*."""
LAST_WRITTEN: Final = frozenset(["xa", "xb", "xc"])
NEW: Final = frozenset(f"{first}{second}" for first in "yz" for second in string.ascii_lowercase)
"""Sets written after the first judge was measured, to answer the errors that it made on *dev*."""
TERSE_NEW: Final = frozenset(["yk", "yl", "ym", "yn"])
"""Those of them that answer the errors that the fresh stage made on terse pairs of *dev*."""
CANONICAL: Final = frozenset(["zl", "zm", "zn", "zo", "zp", "zq"])
"""What anybody would think of first when asked for a fact that changes: the plainest told changes."""
TWINS: Final = frozenset(["zr", "zs", "zt"])
"""Statements of one form about two things, which the closing stage had taken for changes."""
COMPANIES_NEW: Final = frozenset(["cf", "cg"])
"""Companies that were written while the company stage ran."""
LAST_NEW: Final = TERSE_NEW | CANONICAL | TWINS | {"yi", "yj", "zg", "zh", "zi", "zj", "zk"}
"""Those and what was written while the fresh stage ran."""

BROAD: Final = Stage(
    "broad",
    1,
    1.2e-4,
    corpus=1.0,
    matrix=80_000,
    closure=15_000,
    families=0,
    public=1.0,
    later=FIRST_WRITTEN | LAST_WRITTEN | NEW,
)
SHARP: Final = Stage(
    "sharp",
    2,
    8e-5,
    corpus=1.0,
    matrix=25_000,
    closure=16_000,
    families=10_000,
    public=0.25,
    later=LAST_WRITTEN | NEW,
    schedule=3,
)
FINAL: Final = Stage(
    "final",
    1,
    6e-5,
    corpus=1.0,
    matrix=8_000,
    closure=6_000,
    families=6_000,
    public=0.1,
    plain=1,
    later=NEW,
    schedule=2,
)
"""Two passes were run; after the second the log loss on *dev* was higher (see the page), so the first is taken."""
FRESH: Final = Stage(
    "fresh",
    1,
    1e-4,
    corpus=1.0,
    matrix=8_000,
    closure=34_000,
    families=8_000,
    public=0.1,
    renamed=0.3,
    later=LAST_NEW,
    schedule=2,
    batch=128,
)
LAST: Final = replace(FRESH, name="last", peak_rate=5e-5, later=TERSE_NEW | CANONICAL | TWINS, schedule=0)
CLOSING: Final = replace(
    FRESH,
    name="closing",
    peak_rate=5e-5,
    corpus=0.4,
    matrix=4_000,
    closure=10_000,
    families=5_000,
    public=0.05,
    later=TWINS,
    schedule=0,
    whole=TERSE_NEW | CANONICAL,
)
TWINNED: Final = replace(
    CLOSING, name="twinned", corpus=0.25, closure=4_000, matrix=3_000, families=2_000, later=frozenset(), whole=TWINS
)
COMPANY: Final = replace(
    CLOSING,
    name="company",
    peak_rate=6e-5,
    corpus=0.6,
    closure=5_000,
    matrix=4_000,
    families=2_000,
    whole=frozenset(),
    company=6_000,
    strangers=8_000,
    later=COMPANIES_NEW,
)
GATHERED: Final = replace(
    COMPANY,
    name="gathered",
    peak_rate=5e-5,
    corpus=0.3,
    closure=2_500,
    matrix=2_000,
    families=1_000,
    strangers=4_000,
    later=frozenset(),
)
CURVE: Final = Stage("curve", 1, 1.2e-4, corpus=1.0, matrix=0, closure=0, families=0, public=0.0)
"""The learning curve's: once over a share of the sets, as they were written."""
TINY: Final = Stage("tiny", 2, 2e-4, corpus=0.02, matrix=0, closure=200, families=200, public=0.0, average=0.9)


def sample(rows: Sequence[Pair], count: int, rng: random.Random) -> list[Pair]:
    """At most ``count`` of the rows, half of them conflicts where there are enough of either."""
    hot = [row for row in rows if row.labels <= CONFLICTS]
    cold = [row for row in rows if not row.labels <= CONFLICTS]
    take = min(len(hot), max(count // 2, count - len(cold)))
    return rng.sample(hot, take) + rng.sample(cold, min(len(cold), count - take))


def epochs(stage: Stage, public: Path, *, seed: int, share: float = 1.0) -> Iterator[list[Pair]]:
    """One shuffled list of training pairs for each pass of a stage.

    ``share`` keeps that part of the sets (0 to 1), for the learning curve.
    """
    rng, names = random.Random(f"{seed}:{stage.name}"), random.Random(f"{seed}:{stage.name}:names")
    sets = [contrast for contrast in pairs.of_part("train") if contrast["id"][:2] not in stage.later]
    whole = [contrast for contrast in sets if contrast["id"][:2] in stage.whole]
    sets = [contrast for contrast in sets if contrast["id"][:2] not in stage.whole]
    sets = rng.sample(sets, round(len(sets) * share * stage.corpus))
    kept = {contrast["id"] for contrast in sets}
    matrix = [row for row in pairs.matrix() if row.anchor in kept] if stage.matrix else []
    closure = list(pairs.closure(sets))
    made = pairs.made() if stage.families else ()
    outside = pairs.public(public) if stage.public else {}
    few = [contrast for contrast in sets if contrast["id"][:2] in pairs.PLAIN]
    plain = [*pairs.pairs_of(few), *pairs.closure(few)]
    twice = [*pairs.pairs_of(whole), *pairs.closure(whole)] * 2
    for _ in range(stage.schedule or stage.passes):
        rows = [*pairs.pairs_of(sets), *twice]
        for _ in range(stage.plain):
            rows += plain
        rows += sample(matrix, min(stage.matrix, len(matrix)), rng)
        rows += rng.sample(closure, min(round(stage.closure * share), len(closure)))
        rows += sample(made, min(stage.families, len(made)), rng)
        rows += among_companies(stage, rng)
        for source, found in outside.items():
            rows += sample(found, round(PUBLIC_SHARES.get(source, 0) * stage.public), rng)
        rng.shuffle(rows)
        yield [called(muted(row), stage.renamed, names) for row in rows]


def among_companies(stage: Stage, rng: random.Random) -> list[Pair]:
    """What a pass sees of statements of one person or project, and of statements of two sets."""
    if not stage.company:
        return []
    chosen = [company for company in companies.of_part("train") if company.id[:2] not in stage.later]
    rows = companies.named(chosen) * 2
    for found in (companies.beside(chosen), companies.apart(chosen)):
        rows += rng.sample(found, min(stage.company, len(found)))
    return rows + rng.sample(companies.strangers(), min(stage.strangers, len(companies.strangers())))


def called(row: Pair, share: float, rng: random.Random) -> Pair:
    """The row, one in ``share`` with other names. Families have their own, and public sets are about known people."""
    written = row.source in {"corpus", "closure", "matrix", "companies", "strangers"}
    return renamed(row, rng) if share and written and rng.random() < share else row


def muted(row: Pair) -> Pair:
    """The row, without weight if its words are a held-out pair's: some follow from two sets (two linters, swapped).

    It keeps its place, so that no batch depends on what is held out.
    """
    return replace(row, weight=0.0) if row.words in pairs.withheld() else row


def batches(lengths: list[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Indices of the rows of those lengths in batches of like length (little padding), the batches in random order."""
    by_block = defaultdict(list)
    for index in range(len(lengths)):
        by_block[index // (size * 50)].append(index)
    for block in by_block.values():
        block.sort(key=lambda index: lengths[index])
        cut = [block[start : start + size] for start in range(0, len(block), size)]
        rng.shuffle(cut)
        yield from cut
