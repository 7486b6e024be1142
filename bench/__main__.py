"""Measure and write bench/results: `python -m bench [--quick] [--only NAME] [--pair-model FOLDER] [--results FOLDER]`.

`--quick` takes small spaces and few rounds: whether it runs, not how fast it is. A page of bench/results is written
when all that it shows was measured: `--only judging` writes its page alone.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import stilltrue
from bench import footprint, judging, llm_cost, loading, machine, report, sweeps
from bench.raw_pairs import RawPairs
from bench.searches import Watched, searched
from bench.space import fill
from bench.timing import Figure
from bench.writes import durable, judged, judges
from stilltrue.inference import pair_model as trained
from stilltrue.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.made import Made
    from stilltrue.ports import PairModel

RESULTS = Path(__file__).parent / "results"
PACKAGED = Path(stilltrue.__file__).parent / "weights"
SWEEPS = "sweeps"
NAMES = (*(name for page in report.PAGES for name in page.parts), SWEEPS)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured: facts in the spaces, how many of them are embedded, rounds a figure; pairs judged in bulk,
    those of them that are judged with every size of batch, processes that import or load something, coding sessions
    (None: all), facts swept.
    """

    spaces: tuple[int, ...] = (1_000, 10_000, 100_000)
    embedded: int = 3_000
    rounds: int = 400
    processes: int = 20
    pairs: int = 2_000
    batched: int = 768
    sessions: int | None = None
    swept: tuple[int, ...] = sweeps.SIZES


QUICK = Extent(
    spaces=(200, 1_000), embedded=200, rounds=40, processes=3, pairs=60, batched=30, sessions=2, swept=(30, 60)
)


@contextmanager
def _filled(
    path: Path, count: int, embedded: int, model: PairModel | None
) -> Iterator[tuple[Memory, Watched, list[Made]]]:
    """A memory of `count` facts in the file `path`, opened anew so that nothing is warm."""
    embedder = Watched()
    with Memory.open(path, embedder=embedder, pair_model="off") as memory:
        made = fill(memory.engine, memory.space, count, embedded)
    with Memory.open(path, embedder=embedder, pair_model=model or "off") as memory:
        yield memory, embedder, made


def measure(extent: Extent, names: tuple[str, ...], folder: Path, model: PairModel | None) -> list[Figure]:
    """All figures asked for of the main path. The largest space also serves the writes and the memory."""
    figures: list[Figure] = []
    spaced = {"search", "writes", "memory"}.intersection(names)
    largest = extent.spaces[-1]
    for count in extent.spaces if "search" in names else (largest,) if spaced else ():
        path = folder / f"{count}.db"
        with _filled(path, count, min(extent.embedded, count), model) as (memory, embedder, made):
            if "search" in names:
                figures += searched(memory, path, embedder, made, min(extent.rounds, count // 3))
            if "writes" in names and count == largest:
                figures += durable(memory, folder, count, extent.rounds)
                figures += judged({judges(memory): memory}, count, extent.rounds)
        if "memory" in names and count == largest:
            figures += footprint.resident(path, [item.question for item in made[: extent.rounds // 4]])
    if "import" in names:
        figures += footprint.imported(extent.processes)
    if "size" in names:
        figures += footprint.installed()
    return figures


def measure_judging(extent: Extent, weights: Path, folder: Path) -> list[Figure]:
    """All figures of the pair model in the folder `weights`, and of what judges with it."""
    model = trained.OnnxPairModel(weights=weights)
    return [
        *judging.candidates(model, extent.rounds),
        *_judged_writes(extent, model, folder),
        *judging.bulk(model, RawPairs(weights), extent.pairs),
        *judging.batched(weights, folder, min(extent.rounds, 100), extent.batched),
        *loading.loaded(weights, extent.processes),
    ]


def _judged_writes(extent: Extent, model: PairModel, folder: Path) -> list[Figure]:
    """The same writes to two copies of the largest space, one of which judges by rules alone."""
    count = extent.spaces[-1]
    path, copy = folder / "judged.db", folder / "ruled.db"
    with _filled(path, count, min(extent.embedded, count), None):
        pass
    shutil.copy(path, copy)
    with ExitStack() as stack:
        embedder = Watched()
        opened = [
            stack.enter_context(Memory.open(file, embedder=embedder, pair_model=judge))
            for file, judge in ((copy, "off"), (path, model))
        ]
        return judged({judges(memory): memory for memory in opened}, count, extent.rounds)


def main(arguments: list[str] | None = None) -> int:
    """Measure, show and write; 0 whatever was met, for a figure is a finding and no failure."""
    asked = _asked(arguments)
    extent = QUICK if asked.quick else Extent()
    names = tuple(asked.only or NAMES)
    weights = asked.pair_model if (asked.pair_model / trained.MODEL_FILE).is_file() else None
    model = trained.OnnxPairModel(weights=weights) if weights else None
    for page in report.PAGES:
        wanted = tuple(name for name in page.parts if name in names)
        if not wanted:
            continue
        if page is report.JUDGING and weights is None:
            print("there is no pair model, so judging with one is not measured; --pair-model names a folder")
            continue
        if page is report.LLM_COST and not asked.sessions.exists():
            print(f"the coding sessions are not at {asked.sessions}, so calls are not counted; --sessions names a file")
            continue
        with tempfile.TemporaryDirectory(prefix="stilltrue-bench-") as place:
            folder = Path(place)
            if page is report.JUDGING and weights is not None:
                figures = measure_judging(extent, weights, folder)
            elif page is report.LLM_COST:
                figures = llm_cost.counted(asked.sessions, extent.sessions, model)
            else:
                figures = measure(extent, wanted, folder, model)
        about = machine.described() | {"pair model": model.model_version if model else "off"}
        report.show(figures)
        whole = wanted == page.parts and not asked.quick
        target = asked.results or (RESULTS if whole else None)
        if target is not None:
            report.write(page, figures, about, target)
    if SWEEPS in names and weights is not None:
        target = asked.results or (None if asked.quick else RESULTS)
        sweeps.run(extent.swept, target, "python -m bench --only sweeps", weights)
    return 0


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small spaces, few rounds: under a minute")
    parser.add_argument("--only", choices=NAMES, action="append", help="only this part (may be repeated)")
    parser.add_argument(
        "--pair-model", type=Path, default=PACKAGED, help="folder of a trained pair model (default: the packaged one)"
    )
    parser.add_argument("--sessions", type=Path, default=llm_cost.SESSIONS, help="the coding sessions, as JSON")
    parser.add_argument("--results", type=Path, help=f"folder to write to (default: {RESULTS.name}, none with --quick)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
