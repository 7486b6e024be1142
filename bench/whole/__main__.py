"""Gather what was measured into one report: `python -m bench.whole [--run NAME ...] [--compare OTHER.json]`.

Writes report.md, report.json and report_*.svg beside the results they are made from. `--run` measures those benches
anew before; `--place NAME=WHERE` gives one the folder or the address that it wants. `--compare` also prints what became
better or worse since another report, beyond noise, and writes it to comparison.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.whole import comparing, page
from bench.whole.sources import RESULTS, ROOT, SOURCES, Source, gathered

COMPARISON: Final = "comparison.md"


def written(folder: Path, shipped: str | None = None) -> dict[str, str]:
    """Every file of the report on what lies in the folder, by name, as text."""
    kept = folder / page.PEERS
    peers = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else None
    return page.files(gathered(folder, shipped), peers)


def measure(source: Source, places: Mapping[str, str]) -> None:
    """Run one bench. Raises ValueError where it wants a place that was not given, CalledProcessError where it fails."""
    if "{place}" in source.arguments and source.name not in places:
        message = f"{source.name} wants a place ({source.command}): give --place {source.name}=WHERE"
        raise ValueError(message)
    arguments = [places[source.name] if word == "{place}" else word for word in source.arguments]
    words = [sys.executable, "-m", *arguments] if source.module else arguments
    print(f"measuring {source.name}: {' '.join(words)}", flush=True)
    subprocess.run(words, cwd=ROOT, check=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for, gather, write, compare; 1 where something could not be done, with the reason."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        before = comparing.read(asked.compare) if asked.compare else None
        for source in SOURCES:
            if source.name in asked.run:
                measure(source, dict(_place(told) for told in asked.place))
        texts = written(asked.results)
        if before is not None:
            now = comparing.entries_of(json.loads(texts[f"{page.NAME}.json"]), page.NAME)
            texts[COMPARISON] = comparing.page(comparing.compared(before, now), asked.compare.name)
            print(texts[COMPARISON])
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    for name, text in texts.items():
        (asked.results / name).write_text(text, encoding="utf-8")
        print(asked.results / name)
    return 0


def _place(told: str) -> tuple[str, str]:
    name, found, where = told.partition("=")
    if not found or name not in {source.name for source in SOURCES}:
        message = f"--place {told}: give NAME=WHERE, with the name of a bench"
        raise ValueError(message)
    return name, where


def _parser() -> argparse.ArgumentParser:
    names = [source.name for source in SOURCES]
    parser = argparse.ArgumentParser(prog="python -m bench.whole", description=__doc__)
    parser.add_argument("--run", nargs="+", choices=names, default=[], metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--place", action="append", default=[], metavar="NAME=WHERE", help="a folder or an address")
    parser.add_argument("--compare", type=Path, metavar="OTHER.json", help="the report.json of another run or commit")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FOLDER", help="default: bench/results")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
