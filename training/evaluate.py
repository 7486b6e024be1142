"""How often is the judge right, on pairs that nobody trained on?

Answer: ``python -m training evaluate`` judges every pair of a part with the rules alone, with the pair model alone and
with both, and writes one JSON with every figure that ``training.report`` shows. Three kinds of pairs: *hard* and
*plain* ones that people wrote, and *families*: programmatic ones over values that are in no training pair.

The surest errors are listed for ``dev`` only: who has read the errors of ``test`` can no longer measure with it.
Left to others: the judging (``training.judging``), the arithmetic (``training.figures``).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench import machine
from stilltrue.inference.pair_model import OnnxPairModel, bundled
from stilltrue.ports import PairModel
from training import families, figures, pairs
from training.figures import Json
from training.judging import POLICY, WAYS, Case, Remembered, ablations, judge_all, without
from training.pairs import Pair, of_part, pairs_of

RESULTS: Final = Path(__file__).resolve().parent.parent / "bench" / "results"
KINDS: Final = ("hard", "plain", "families")
CORPUS_KINDS: Final = frozenset(KINDS[:2])
MOST_FAMILY_PAIRS: Final = 1_500
FAMILY_SEEDS: Final = {"dev": 7_001, "test": 7_002}
FAMILY_DRAWS: Final = 9 * MOST_FAMILY_PAIRS
"""Rows to generate: about one in seven has values that are kept from training."""
SAMPLE: Final = {"hard": 400, "plain": 200}
"""Pairs of the test part that every test run judges again."""
ERRORS: Final = {"dev": 40, "test": 0}
_INNERMOST: Final = re.compile(r'\{(?:[^{}\[\]"]|"(?:[^"\\]|\\.)*")*\}')

Triple = tuple[Pair, str, str]


def result_file(part: str) -> Path:
    """Where the figures of a part are kept."""
    return RESULTS / f"judge_{part}.json"


def corpus_pairs(part: str) -> list[Triple]:
    """The pairs of a part that people wrote, with their kind and their file."""
    return [(pair, "plain" if pair.plain else "hard", pair.anchor[:2]) for pair in pairs_of(of_part(part))]


def family_pairs(part: str) -> list[Triple]:
    """Programmatic pairs over values that no training pair has, other ones for each part."""
    rows = (row for row in families.generate(FAMILY_SEEDS[part], FAMILY_DRAWS) if row.pool == "test")
    found = [
        (Pair(row.existing, row.new, frozenset({row.label}), "families", row.anchor, row.trap), "families", row.family)
        for row in rows
    ]
    return found[:MOST_FAMILY_PAIRS]


def drawn(found: Sequence[Triple], sizes: dict[str, int]) -> list[Triple]:
    """So many pairs of each kind, always the same ones: those whose hashes come first."""
    ordered = sorted(found, key=lambda triple: figures.key_of(triple[0]))
    return [case for kind, size in sizes.items() for case in [one for one in ordered if one[1] == kind][:size]]


def sample() -> list[Triple]:
    """The pairs of the test part that are judged in every test run."""
    return drawn(corpus_pairs("test"), SAMPLE)


def sample_figures(cases: Sequence[Case]) -> Json:
    """Precision and recall of conflicts, of both together."""
    found = figures.conflict_shares(cases, figures.said_by("both", cases), lambda one: one.alarm)
    return {"pairs": len(cases), "precision": found["precision"], "recall": found["recall"]}


def evaluated(part: str, cases: Sequence[Case], model: Remembered) -> Json:
    """All figures of a part."""
    kinds = {name: [case for case in cases if case.kind == name] for name in KINDS}
    written = [case for case in cases if case.kind in CORPUS_KINDS]
    ways = {name: _ways(some) for name, some in (*kinds.items(), ("corpus", written)) if some}
    chosen = {figures.key_of(pair) for pair, *_ in drawn([(c.pair, c.kind, c.source) for c in written], SAMPLE)}
    return {
        "part": part,
        "model": model.model_version,
        "policy": _policy(),
        "anchors": {name: len({case.pair.anchor for case in some}) for name, some in kinds.items()},
        "kinds": ways,
        "fresh": _fresh(written),
        "traps": figures.by_trap(written),
        "languages": figures.by_language(written),
        "sources": figures.grouped(cases, lambda case: f"{case.kind}: {case.source}"),
        "thresholds": {name: figures.by_threshold(some) for name, some in kinds.items() if some},
        "ablation": _ablation(kinds, model),
        "sample": sample_figures([case for case in written if figures.key_of(case.pair) in chosen]),
        "errors": figures.worst(written, ERRORS[part]),
    }


def _ways(cases: Sequence[Case]) -> Json:
    return {way: figures.figures(cases, figures.said_by(way, cases)) for way in WAYS}


def _fresh(cases: Sequence[Case]) -> Json:
    """The pairs of the files that were written last, by kind and way: no earlier judge was ever measured on them."""
    late = [case for case in cases if case.pair.anchor.startswith(pairs.LATE)]
    fresh = {kind: [case for case in late if case.kind == kind] for kind in KINDS[:2]}
    return {
        kind: {way: figures.brief(some, figures.said_by(way, some)) for way in WAYS}
        for kind, some in fresh.items()
        if some
    }


def _policy() -> dict[str, float]:
    return {name: value for name, value in dataclasses.asdict(POLICY).items() if type(value) is float}


def _ablation(kinds: dict[str, list[Case]], model: PairModel) -> list[Json]:
    rows = []
    for ablation in ablations():
        row: Json = {"off": ablation.name, "whole_step": ":" not in ablation.name}
        for name, cases in kinds.items():
            said = without(ablation, cases, model)
            changed = sum(one != case.said["both"] for one, case in zip(said, cases, strict=True))
            row[name] = {"changed": changed, **figures.brief(cases, said)}
        rows.append(row)
    return rows


def model_of(folder: Path | None) -> Remembered:
    """The pair model of a folder, or the shipped one. Raises ModelError."""
    return Remembered.of(bundled() if folder is None else OnnxPairModel(weights=folder))


def as_text(result: Json) -> str:
    """The JSON as it is kept: one line for each innermost group, so that a change is seen where it is."""
    text = json.dumps(result, indent=1, ensure_ascii=False)
    return _INNERMOST.sub(lambda found: re.sub(r"\n\s*", "", found[0].replace(",\n", ", \n")), text) + "\n"


def _shown(work: Callable[[Callable[[int], object]], list[Case]], count: int) -> list[Case]:
    columns = (TextColumn("judging"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("judging", total=count)
        return work(lambda done: bar.advance(task, done))


def _line(name: str, row: Json) -> str:
    shares = " ".join(f"{word} {row[word]['share'] or 0:.3f}" for word in ("precision", "recall", "f1"))
    return f"{name:9s} {row['pairs']:5d} pairs  {shares}  retired wrongly {row['retire']['wrong']['hits']}"


def main(argv: Sequence[str] | None = None) -> int:
    """Judge a part, write the JSON, print one line a kind."""
    parser = argparse.ArgumentParser(prog="python -m training evaluate", description=__doc__)
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="default: the pair model that ships")
    parser.add_argument("--parts", choices=("dev", "test"), default="dev", help="default: dev")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="default: bench/results/judge_PART.json")
    parser.add_argument("--most", type=int, metavar="N", help="only N pairs of each kind, to try it out")
    given = parser.parse_args(argv)
    model = model_of(given.model)
    found = [*corpus_pairs(given.parts), *family_pairs(given.parts)]
    if given.most is not None:
        found = drawn(found, dict.fromkeys(KINDS, given.most))
    cases = _shown(lambda tick: judge_all(found, model, tick), len(found))
    result = {"about": machine.described()} | evaluated(given.parts, cases, model)
    out: Path = given.out or result_file(given.parts)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(as_text(result), encoding="utf-8")
    for name, ways in result["kinds"].items():
        print(_line(name, ways["both"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
