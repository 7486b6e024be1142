"""How does the judge of an audit come about, that tells whether two lines of a file can both hold?

Answer: ``python -m training audit`` takes the pair judge of ``training.recipe`` through one more stage: pairs of lines
(``training.lines``) beside a little of what it had seen before, and writes it to ``weights/audit``. It is a model of
its own, because what it learns there costs it some of what it knows about statements (decision 0024).

Left to others: what its word is worth beside all else that an audit observes (``training.odds``), the graph
(``training.export``).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from stilltrue.inference.embed import MiniLMEmbedder
from training import files, lines, mixture, pairs
from training.build_embedder import DEFAULT_TARGET
from training.export import state_of
from training.lines import LineSet
from training.pairs import Pair
from training.recipe import PUBLIC
from training.ship import graph, write
from training.train import Trainer

TARGET: Final = DEFAULT_TARGET / "audit"
STAGE: Final = replace(
    mixture.GATHERED,
    name="audit",
    passes=3,
    peak_rate=6e-5,
    corpus=0.05,
    closure=600,
    matrix=600,
    families=200,
    public=0.0,
    company=0,
    strangers=0,
    average=0.99,
    batch=64,
)
TINY: Final = replace(STAGE, passes=1, corpus=0.005, closure=20, matrix=20, families=20)
TINY_SETS, TINY_FILES = 20, 1
"""A stage, sets and files that show that everything runs."""
SEED, DATA_SEED = 23, 7
TOLD_AGAIN: Final = 4_500
APART: Final = 2_500
WATCHED: Final = 6
"""Every so many of the dev pairs are looked at after a pass: it is not chosen by them."""


def passes(stage: mixture.Stage, sets: Sequence[LineSet], learnt: list[Pair], seed: int) -> list[list[Pair]]:
    """The pairs of each pass: lines, files (``learnt``), and a little of everything else."""
    rng = random.Random(f"{seed}:{stage.name}")
    follows = list(lines.told_again(sets))
    found = []
    for before in mixture.epochs(stage, PUBLIC[0], seed=seed):
        rows = [*before, *lines.written(sets), *lines.apart(sets, APART, rng), *learnt]
        rows += rng.sample(follows, min(TOLD_AGAIN, len(follows)))
        rng.shuffle(rows)
        found.append(rows)
    return found


def train(folder: Path, start: Path, threads: int, *, tiny: bool = False) -> Path:
    """Go through the stage, or what is left of it; the last checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    stage, sets = STAGE, lines.sets()
    seen = [file for file in files.files() if lines.learnt_from(file)]
    watch = pairs.pairs_of(pairs.of_part("dev"))[::WATCHED]
    if tiny:
        stage, sets, seen, watch = TINY, sets[:TINY_SETS], seen[:TINY_FILES], watch[::WATCHED]
    learnt = list(lines.of_files(seen, MiniLMEmbedder(), random.Random(SEED)))
    trainer = Trainer(folder, SEED, threads)
    trainer.load(start)
    trainer.run(stage, passes(stage, sets, learnt, DATA_SEED), watch)
    return folder / f"{stage.name}-{stage.passes}.pt"


def export(checkpoint: Path, folder: Path) -> dict[str, Any]:
    """Write the folder and return its card.

    Raises:
        DriftError: int8 is further from fp32 than allowed; nothing was written.
    """
    small, drift = graph(state_of(checkpoint), pairs.pairs_of(pairs.of_part("dev")))
    return write(folder, small, None, {"fidelity_to_fp32": drift})


def main(argv: list[str] | None = None) -> None:
    """Train, export, print the card."""
    parser = argparse.ArgumentParser(prog="python -m training audit", description="Train and export an audit's judge.")
    parser.add_argument("start", type=Path, help="the checkpoint that the pair judge is made from")
    parser.add_argument("--run", type=Path, required=True, help="folder of the checkpoints; the same one goes on")
    parser.add_argument("--out", type=Path, default=TARGET, help="folder to write to")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tiny", action="store_true", help="a few hundred pairs: shows that everything runs")
    given = parser.parse_args(argv)
    checkpoint = train(given.run, given.start, given.threads, tiny=given.tiny)
    print(json.dumps(export(checkpoint, given.out), indent=2))
