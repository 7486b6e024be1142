"""What is each thing that an audit observes of two claims worth?

Answer: ``python -m training odds`` reads the memory files and the companies (one paragraph a line) that the judge of an
audit did not train on, has every nominated pair observed as an audit does, and fits a logistic regression of
clash-or-not on the observations, held back towards nothing. Clashes are rarer in files than among companies: companies
get a bias of their own, and only that of files is written, to ``weights/audit_odds.json``, with the figures of a
cross-validation over files.

Left to others: the observations (``stilltrue.audit.weighing``), figures on other files (``bench``).
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from stilltrue.audit.weighing import ODDS_FILE
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import OnnxPairModel, bundled_for_lines
from stilltrue.ports import Embedder, PairModel
from training import companies, files, lines
from training.files import Labelled

ROOT: Final = Path(__file__).resolve().parent.parent
PLANTED: Final = tuple(ROOT / "tests" / "audit" / "planted" / name for name in ("dev", "held"))
TARGET: Final = ROOT / "src" / "stilltrue" / "weights"
HOLD: Final = 3.0
"""Weight of the squared, standardised weights: some hundred clashes are few."""
STEPS: Final = 100
CLOSE: Final = 1e-8
SHOWN: Final = (0.5, 0.6, 0.7, 0.75, 0.8)


@dataclass(frozen=True, slots=True)
class Row:
    """The observations of one pair of lines, whether it is a clash, and where it stands."""

    file: str
    lines: tuple[int, int]
    seen: dict[str, float]
    clash: bool
    company: bool


def rows_of(file: Labelled, judge: PairModel, embedder: Embedder) -> Iterator[Row]:
    """The nominated pairs of one file."""
    for pair, seen in lines.nominated(file, embedder, judge):
        place = lines.places(pair)
        yield Row(file.name, place, seen, place in file.clashes, file.name.startswith("company "))


def held_back() -> list[Labelled]:
    """Every labelled memory file that the judge of an audit did not train on."""
    found = [*(file for folder in PLANTED for file in files.read(folder)), *files.files()]
    return [file for file in found if not lines.learnt_from(file)]


def as_files(chosen: Iterable[companies.Company]) -> Iterator[Labelled]:
    """Companies as files: each statement a paragraph."""
    for company in chosen:
        place = {key: 3 + 2 * number for number, key in enumerate(company.lines)}
        text = "\n\n".join((f"# {company.kind}", *company.lines.values())) + "\n"
        labels = {(place[old], place[new]): label for (old, new), (label, _) in company.named.items()}
        yield Labelled(f"company {company.id}", text, labels)


def fit(rows: list[Row]) -> dict[str, float]:
    """The weight of each observation, in log-odds, and the bias of files, by Newton's steps."""
    names = list(rows[0].seen)
    seen = np.array([[row.seen[name] for name in names] for row in rows])
    middle, spread = seen.mean(axis=0), seen.std(axis=0) + CLOSE
    company = np.array([[float(row.company)] for row in rows])
    x = np.hstack([(seen - middle) / spread, company, np.ones((len(rows), 1))])
    truth = np.array([row.clash for row in rows], dtype=float)
    hold = np.array([HOLD] * len(names) + [CLOSE, CLOSE])
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (said - truth) + hold * weights
        step = np.linalg.solve((x.T * (said * (1 - said))) @ x + np.diag(hold), slope)
        weights -= step
        if np.abs(step).max() < CLOSE:
            break
    own = weights[: len(names)] / spread
    found = {name: round(float(value), 4) for name, value in zip(names, own, strict=True)}
    return found | {"bias": round(float(weights[-1] - own @ middle), 4)}


def surenesses(rows: list[Row], weights: dict[str, float]) -> list[float]:
    """How sure it is of each pair that it clashes."""
    told = (weights["bias"] + sum(weights[name] * value for name, value in row.seen.items()) for row in rows)
    return [1 / (1 + math.exp(-one)) for one in told]


def crossed(rows: list[Row], hot: int) -> dict[str, dict[str, int]]:
    """Precision and recall over files, each judged by weights that were fitted without it. ``hot``: all clashes."""
    found: dict[tuple[str, tuple[int, int]], tuple[float, bool]] = {}
    for file in sorted({row.file for row in rows if not row.company}):
        weights = fit([row for row in rows if row.file != file])
        own = [row for row in rows if row.file == file]
        for row, sure in zip(own, surenesses(own, weights), strict=True):
            key = (row.file, row.lines)
            found[key] = max(found.get(key, (0.0, False)), (sure, row.clash))
    shown = {}
    for least in SHOWN:
        hits = [clash for sure, clash in found.values() if sure >= least]
        shown[str(least)] = {"found": len(hits), "right": sum(hits), "clashes": hot}
    return shown


def main(argv: list[str] | None = None) -> None:
    """Observe, fit, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m training odds", description="Fit what an audit weighs.")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="default: the judge of an audit that ships")
    parser.add_argument("--out", type=Path, default=TARGET, help="folder to write to")
    given = parser.parse_args(argv)
    judge = bundled_for_lines() if given.model is None else OnnxPairModel(weights=given.model)
    embedder = MiniLMEmbedder()
    held = held_back()
    sources = [*held, *as_files(companies.of_part("dev"))]
    rows = [row for file in sources for row in rows_of(file, judge, embedder)]
    shown = crossed(rows, sum(len(file.clashes) for file in held))
    told = {
        "weights": fit(rows),
        "pair_model": judge.model_version,
        "fitted_on": {"files": len(held), "companies": len(sources) - len(held), "pairs": len(rows)},
        "crossed": shown,
    }
    (given.out / ODDS_FILE).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
