"""Which training runs make the pair judge, and how are they joined?

Answer: ``train`` goes through the legs of ``recipe``: the stages of ``training.mixture``, each from the end of the one
before. What ships lies between the ends of two of them.

What is finished is skipped, so that the same command goes on with an interrupted run. ``run.json`` holds what a run was
started with; another start in the same folder is refused. Left to others: a single leg (``training.train``), the pairs
of a pass (``training.mixture``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from training import files as labelled
from training import mixture, pairs
from training.build_embedder import BuildError
from training.mixture import Stage
from training.train import Trainer, blend

ROOT: Final = Path(__file__).resolve().parent.parent
PUBLIC: Final = (ROOT / "shared" / "data" / "public", ROOT.parent / "shared" / "data" / "public")
"""Where the public sets lie when they were lent to a checkout."""

BLENDED: Final = "blended-1.pt"
BLENDED_FROM, BLENDED_SHARE = "twinned-1.pt", 0.8
"""The last two stages see few sets and forget some of what those taught: going back a fifth of the way gave back half
of it on *dev* (F1 on hard pairs 0.883, 0.891 with the share 0.7, 0.898 before) and kept most of what they learnt."""

TINY_WATCH: Final = 400
"""How many dev pairs a tiny run is watched on."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One way through a stage: the checkpoint it starts from (none: the base weights), and its two seeds."""

    name: str
    stage: Stage
    start: str
    seed: int
    data_seed: int

    @property
    def end(self) -> str:
        """The name of its last checkpoint."""
        return f"{self.name}-{self.stage.passes}.pt"


def recipe(seed: int, *, tiny: bool, curve: bool = False) -> tuple[Leg, ...]:
    """The legs in order, each from the end of the one before."""
    if tiny:
        return (Leg("tiny", mixture.TINY, "", seed, seed),)
    if curve:
        return (Leg("curve", mixture.CURVE, "", seed, seed),)
    broad = Leg("broad", mixture.BROAD, "", seed, seed)
    sharp = Leg("sharp", mixture.SHARP, broad.end, seed + 1, seed)
    final = Leg("final", mixture.FINAL, sharp.end, seed + 2, seed)
    fresh = Leg("fresh", mixture.FRESH, final.end, seed + 3, seed)
    last = Leg("last", mixture.LAST, fresh.end, seed + 4, seed)
    closing = Leg("closing", mixture.CLOSING, last.end, seed + 5, seed)
    twinned = Leg("twinned", mixture.TWINNED, closing.end, seed + 6, seed)
    company = Leg("company", mixture.COMPANY, twinned.end, seed + 7, seed)
    gathered = Leg("gathered", mixture.GATHERED, company.end, seed + 8, seed)
    return broad, sharp, final, fresh, last, closing, twinned, company, gathered


def train(
    folder: Path, public: Path, *, seed: int, threads: int, tiny: bool, share: float, curve: bool = False
) -> Path:
    """Go through the recipe, or through what is left of it, and return the last checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    claim(folder, {"seed": seed, "tiny": tiny, "curve": curve, "share": share, "data": fingerprint(public)})
    legs = recipe(seed, tiny=tiny, curve=curve)
    watch = pairs.pairs_of(pairs.of_part("dev"))
    watch = watch[:: len(watch) // TINY_WATCH] if tiny else watch
    for leg in legs:
        if (folder / leg.end).exists():
            print(f"{leg.name}: done", flush=True)
            continue
        trainer = Trainer(folder, leg.seed, threads)
        if leg.start:
            trainer.load(folder / leg.start)
        drawn = list(mixture.epochs(leg.stage, public, seed=leg.data_seed, share=share))
        trainer.run(leg.stage, drawn[: leg.stage.passes], watch, leg.name)
    if tiny or curve:
        return folder / legs[-1].end
    blend(folder / BLENDED_FROM, folder / legs[-1].end, BLENDED_SHARE, folder / BLENDED)
    return folder / BLENDED


def claim(folder: Path, settings: dict[str, Any]) -> None:
    """Write down what the run of a folder is started with. Raises SystemExit when that was something else."""
    file = folder / "run.json"
    if not file.exists():
        file.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        return
    before = json.loads(file.read_text(encoding="utf-8"))
    other = [f"{key} {before.get(key)} (now {value})" for key, value in settings.items() if before.get(key) != value]
    if other:
        raise SystemExit(f"{folder} holds a run with {', '.join(other)}: give another --out, or remove {file}")


def fingerprint(public: Path) -> str:
    """Eight hex digits that change with any file of the corpus that is trained on, and of the public sets."""
    corpus = (file for file in pairs.CORPUS.rglob("*.jsonl*") if not file.is_relative_to(labelled.FOLDER))
    files = sorted(corpus) + sorted(public.glob("*.jsonl.gz"))
    told = "".join(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for file in files)
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def main(argv: list[str] | None = None) -> None:
    """Read the arguments of ``python -m training train`` and train."""
    parser = argparse.ArgumentParser(prog="python -m training train", description="Train the pair judge, or go on.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoints; the same one goes on")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    found = next((folder for folder in PUBLIC if folder.is_dir()), PUBLIC[0])
    parser.add_argument("--public", type=Path, default=found, help="folder of the public sets; may be absent")
    parser.add_argument("--share", type=float, default=1.0, help="part of the training sets, for the learning curve")
    parser.add_argument("--curve", action="store_true", help="a point of the learning curve: one pass over --share")
    parser.add_argument("--tiny", action="store_true", help="a few hundred pairs: shows that everything runs")
    parser.add_argument("--resume", action="store_true", help="nothing to ask for: what is finished is always skipped")
    given = parser.parse_args(argv)
    if not given.public.is_dir():
        print(f"no public sets in {given.public}: training without them", flush=True)
    try:
        how = {"seed": given.seed, "threads": given.threads, "tiny": given.tiny, "curve": given.curve}
        train(given.out, given.public, share=given.share, **how)
    except BuildError as error:
        raise SystemExit(str(error)) from error
