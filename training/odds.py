"""What is each thing that an audit observes of two claims worth?

Answer: ``python -m training odds`` reads the memory files and the companies (one paragraph a line) that the judge of an
audit did not train on, has every nominated pair observed as an audit does, and fits a logistic regression of
clash-or-not on the observations, held back towards nothing. Three kinds of source have a bias of their own: companies,
where clashes are common, files whose clashes are said in other words (*hard*), where most of them look like none, and
files as people keep them (*plain*), which are few and count more. Only the bias of the last is written, to
``weights/audit_odds.json``, with the figures of a cross-validation over files, of either kind apart.

Left to others: the observations (``stilltrue.audit.weighing``), figures on other files (``bench``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from stilltrue.audit.scoring import together
from stilltrue.audit.weighing import ODDS_FILE, chance, own_word
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import OnnxPairModel, bundled_for_lines
from stilltrue.ports import Embedder, PairModel
from training import companies, files, lines
from training.files import Labelled

ROOT: Final = Path(__file__).resolve().parent.parent
PLANTED: Final = tuple(ROOT / "tests" / "audit" / "planted" / name for name in ("dev", "held"))
TARGET: Final = ROOT / "src" / "stilltrue" / "weights"
KINDS: Final = ("company", "hard", "plain")
WORTH: Final = {"plain": 3.0}
"""How often a pair counts in the fit, where that is not once: of 1, 3 and 10 the best over folders of plain files."""
HOLD: Final = 3.0
"""Weight of the squared, standardised weights: some hundred clashes are few."""
COMPANY: Final = "company "
"""How the name of a company begins that is read as a file."""
STEPS: Final = 100
CLOSE: Final = 1e-8
SHOWN: Final = (0.3, 0.42, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Row:
    """The observations of one pair of lines, whether it is a clash, where it stands, and the kind of source.

    `own`: the judge's own word, where the weights are not asked (`weighing.own_word`).
    """

    file: str
    lines: tuple[int, int]
    seen: dict[str, float]
    clash: bool
    kind: str
    own: float = 0.0


def kind_of(file: Labelled) -> str:
    """Which of `KINDS` a file is."""
    if file.name.startswith(COMPANY):
        return "company"
    return "plain" if files.plain(file) else "hard"


def rows_of(file: Labelled, judge: PairModel, embedder: Embedder) -> Iterator[Row]:
    """The nominated pairs of one file."""
    for pair, seen in lines.nominated(file, embedder, judge):
        place = lines.places(pair)
        yield Row(file.name, place, seen, place in file.clashes, kind_of(file), own_word(pair, seen))


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
        yield Labelled(f"{COMPANY}{company.id}", text, labels)


def fit(rows: list[Row]) -> dict[str, float]:
    """The weight of each observation, in log-odds, and the bias of plain files, by Newton's steps."""
    names = list(rows[0].seen)
    seen = np.array([[row.seen[name] for name in names] for row in rows])
    middle, spread = seen.mean(axis=0), seen.std(axis=0) + CLOSE
    others = np.array([[float(row.kind == kind) for kind in KINDS[:-1]] for row in rows])
    x = np.hstack([(seen - middle) / spread, others, np.ones((len(rows), 1))])
    truth = np.array([row.clash for row in rows], dtype=float)
    worth = np.array([WORTH.get(row.kind, 1.0) for row in rows])
    hold = np.array([HOLD] * len(names) + [CLOSE] * len(KINDS))
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (worth * (said - truth)) + hold * weights
        step = np.linalg.solve((x.T * (worth * said * (1 - said))) @ x + np.diag(hold), slope)
        weights -= step
        if np.abs(step).max() < CLOSE:
            break
    own = weights[: len(names)] / spread
    found = {name: round(float(value), 4) for name, value in zip(names, own, strict=True)}
    return found | {"bias": round(float(weights[-1] - own @ middle), 4)}


def surenesses(rows: list[Row], weights: dict[str, float]) -> list[float]:
    """How sure the weights are of each pair that it clashes."""
    told = (weights["bias"] + sum(weights[name] * value for name, value in row.seen.items()) for row in rows)
    return [chance(one) for one in told]


def rate_of(rows: Iterable[Row]) -> float:
    """The share of the pairs of plain files that clash."""
    clashes = [row.clash for row in rows if row.kind == "plain"]
    return sum(clashes) / len(clashes)


def crossed(rows: list[Row], hot: dict[str, int]) -> dict[str, dict[str, dict[str, int]]]:
    """What is found in files by kind, each judged by weights that were fitted without it. ``hot``: all clashes."""
    return {kind: counted([row for row in rows if row.kind == kind], rows, hot[kind]) for kind in hot}


def counted(asked: list[Row], rows: list[Row], hot: int) -> dict[str, dict[str, int]]:
    """How many pairs are found and how many of them are right, by sureness as an audit has it (`audit.scoring`)."""
    found: list[tuple[float, bool]] = []
    for file in sorted({row.file for row in asked}):
        weights = fit([row for row in rows if row.file != file])
        own = [row for row in asked if row.file == file]
        places = [((file, row.lines[0]), (file, row.lines[1])) for row in own]
        told = together(places, surenesses(own, weights), [row.own for row in own], rate_of(rows))
        surest: dict[tuple[int, int], tuple[float, bool]] = {}
        for row, sure in zip(own, told, strict=True):
            surest[row.lines] = max(surest.get(row.lines, (0.0, False)), (sure, row.clash))
        found += surest.values()
    shown = {}
    for least in SHOWN:
        hits = [clash for sure, clash in found if sure >= least]
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
    hot = {kind: sum(len(file.clashes) for file in held if kind_of(file) == kind) for kind in KINDS[1:]}
    shown = crossed(rows, hot)
    told = {
        "weights": fit(rows),
        "usual_rate": round(rate_of(rows), 4),
        "pair_model": judge.model_version,
        "fitted_on": {"files": len(held), "companies": len(sources) - len(held), "pairs": len(rows)},
        "crossed": shown,
    }
    (given.out / ODDS_FILE).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
