"""Measure the main path and write bench/results: `python -m bench [--quick] [--only NAME] [--results FOLDER]`.

`--quick` takes small spaces and few rounds: whether it runs, not how fast it is.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import footprint, machine, report
from bench.searches import Watched, searched
from bench.space import fill
from bench.timing import Figure
from bench.writes import durable, judged
from stilltrue.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.made import Made

RESULTS = Path(__file__).parent / "results"
NAMES = ("search", "writes", "memory", "import", "size")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured: facts in the spaces, how many of them are embedded, rounds a figure."""

    spaces: tuple[int, ...] = (1_000, 10_000, 100_000)
    embedded: int = 3_000
    rounds: int = 400
    imports: int = 20


QUICK = Extent(spaces=(200, 1_000), embedded=200, rounds=40, imports=3)


@contextmanager
def _filled(path: Path, count: int, embedded: int) -> Iterator[tuple[Memory, Watched, list[Made]]]:
    """A memory of `count` facts in the file `path`, opened anew so that nothing is warm."""
    embedder = Watched()
    with Memory.open(path, embedder=embedder) as memory:
        made = fill(memory.engine, memory.space, count, embedded)
    with Memory.open(path, embedder=embedder) as memory:
        yield memory, embedder, made


def measure(extent: Extent, names: tuple[str, ...], folder: Path) -> list[Figure]:
    """All figures asked for. The largest space also serves the writes and the memory."""
    figures: list[Figure] = []
    spaced = {"search", "writes", "memory"}.intersection(names)
    largest = extent.spaces[-1]
    for count in extent.spaces if "search" in names else (largest,) if spaced else ():
        path = folder / f"{count}.db"
        with _filled(path, count, min(extent.embedded, count)) as (memory, embedder, made):
            if "search" in names:
                figures += searched(memory, path, embedder, made, min(extent.rounds, count // 3))
            if "writes" in names and count == largest:
                figures += durable(memory, folder, count, extent.rounds)
                figures += judged(memory, count, extent.rounds)
        if "memory" in names and count == largest:
            figures += footprint.resident(path, [item.question for item in made[: extent.rounds // 4]])
    if "import" in names:
        figures += footprint.imported(extent.imports)
    if "size" in names:
        figures += footprint.installed()
    return figures


def main(arguments: list[str] | None = None) -> int:
    """Measure, show and write; 0 whatever was met, for a figure is a finding and no failure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small spaces, few rounds: under a minute")
    parser.add_argument("--only", choices=NAMES, action="append", help="only this part (may be repeated)")
    parser.add_argument("--results", type=Path, help=f"folder to write to (default: {RESULTS.name}, none with --quick)")
    asked = parser.parse_args(arguments)
    extent = QUICK if asked.quick else Extent()
    with tempfile.TemporaryDirectory(prefix="stilltrue-bench-") as folder:
        figures = measure(extent, tuple(asked.only or NAMES), Path(folder))
    about = machine.described()
    report.show(figures)
    target = asked.results or (None if asked.quick or asked.only else RESULTS)
    if target is not None:
        report.write(figures, about, target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
