"""What do several workers on one server bring? `python -m bench.workers ADDRESS [--facts N] [--workers N ...]`.

The same facts are told with `wait=False`, five to a slot, once each slot in a space of its own and once all in one
space. Then so many `stilltrue worker` processes judge them with the models that ship. The clock runs from the first
fact that is judged to the last: that workers take their time to start is told beside it. Processor time is that of the
workers alone, their start included; the server works on the same cores, so no number here is that of a machine
with cores to spare. Every run begins anew and must leave nothing undone; runs of one, two and more workers take turns,
and medians are told. ADDRESS names an empty database, as a superuser. Writes bench/results/workers.*.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import psycopg

import stilltrue
from bench import machine
from bench.sweeps import TO_A_SLOT, told
from stilltrue.inference.pair_model import OnnxPairModel
from stilltrue.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

RESULTS: Final = Path(__file__).parent / "results"
WEIGHTS: Final = Path(stilltrue.__file__).parent / "weights"
_LOOK_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 1_800.0
_WORDS_SECONDS: Final = 15.0
_LEFT: Final = "SELECT count(*) FROM stilltrue.jobs WHERE kind = 'remember'"
_UNDONE: Final = "SELECT count(*) FROM stilltrue.jobs WHERE kind = 'remember' OR failed = 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """So many workers on so many spaces: medians over runs. `wall`: seconds from the first fact judged to the last
    (`walls`: of each run), `start`: until the first; `ratio`: facts a second to those of the first row with as many
    spaces; `shares`: facts that each judged in the last run.
    """

    spaces: int
    workers: int
    facts: int
    start: float
    wall: float
    walls: list[float]
    facts_a_second: float
    processor: float
    ratio: float
    shares: list[int]


class Run(NamedTuple):
    """What was seen of one run."""

    start: float
    wall: float
    processor: float
    shares: list[int]


def tell(address: str, count: int, *, one_space: bool) -> int:
    """Begin anew, and leave so many facts to be judged; over how many spaces they lie."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("DROP SCHEMA IF EXISTS stilltrue CASCADE")
    with Memory.open(address, space="s0") as memory:
        for number, one in enumerate(told(count)):
            space = memory if one_space else memory.in_space(f"s{number // TO_A_SLOT}")
            space.remember(one.pop("text"), wait=False, **one)
    return 1 if one_space else -(-count // TO_A_SLOT)


def measured(address: str, facts: int, counts: Sequence[int], rounds: int, *, one_space: bool) -> list[Row]:
    """A row for each number of workers; their runs take turns."""
    runs: dict[int, list[Run]] = {workers: [] for workers in counts}
    for workers in [*counts] * rounds:
        spaces = tell(address, facts, one_space=one_space)
        runs[workers].append(worked(address, workers, facts))
    rows: list[Row] = []
    for workers, seen in runs.items():
        wall = median(run.wall for run in seen)
        rate = (facts - 1) / wall
        rows.append(
            Row(
                spaces=spaces, workers=workers, facts=facts, start=median(run.start for run in seen), wall=wall,
                walls=[run.wall for run in seen], facts_a_second=rate,
                processor=median(run.processor for run in seen),
                ratio=rate / (rows[0].facts_a_second if rows else rate), shares=seen[-1].shares,
            )
        )  # fmt: skip
    return rows


def worked(address: str, workers: int, facts: int) -> Run:
    """Let so many workers loose on what was told. Raises RuntimeError where they leave something undone."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-bench-") as folder:
        begun = time.perf_counter()
        said = [Path(folder) / str(number) for number in range(workers)]
        running = [_started(address, file) for file in said]
        try:
            start, wall = _watched(address, facts, begun, running)
            _wait_for_words(said, facts)
        finally:
            processor = sum(map(_ended, running))
        shares = sorted(map(_jobs, said), reverse=True)
    return Run(start, wall, processor, shares)


def _started(address: str, said: Path) -> subprocess.Popen[bytes]:
    """One process of the verb itself, which ends when we end it."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "stilltrue", "--db", address, "worker", "--json"]
    with said.open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path})


def _watched(address: str, facts: int, begun: float, running: Sequence[subprocess.Popen[bytes]]) -> tuple[float, float]:
    """Seconds to the first fact judged, and from there to the last."""
    first = 0.0
    with psycopg.connect(address, autocommit=True) as raw:
        while time.perf_counter() - begun < _PATIENCE_SECONDS:
            left = _number(raw, _LEFT)
            now = time.perf_counter() - begun
            if left < facts and not first:
                first = now
            if not left:
                if undone := _number(raw, _UNDONE):
                    raise RuntimeError(f"{undone} jobs failed; see them with `stilltrue doctor`")
                return first, max(now - first, _LOOK_SECONDS)
            if any(map(_is_over, running)):
                raise RuntimeError(
                    "a worker ended by itself; start one by hand to see why: stilltrue --db ADDRESS worker"
                )
            time.sleep(_LOOK_SECONDS)
    raise RuntimeError(f"the workers did not end within {_PATIENCE_SECONDS:g} s; {left} facts are left")


def _is_over(one: subprocess.Popen[bytes]) -> bool:
    """Only asked: what it used is told to who waits for it."""
    return os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _number(raw: psycopg.Connection, question: str) -> int:
    row = raw.execute(question.encode()).fetchone()
    return int(row[0]) if row else 0


def _wait_for_words(said: Sequence[Path], facts: int) -> None:
    """A worker tells what it did when it has looked at every space."""
    deadline = time.monotonic() + _WORDS_SECONDS
    while sum(map(_jobs, said)) < facts and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)


def _ended(one: subprocess.Popen[bytes]) -> float:
    """Its processor seconds."""
    os.kill(one.pid, signal.SIGTERM)  # Popen's own would take what it used away
    _, status, used = os.wait4(one.pid, 0)
    one.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def _jobs(said: Path) -> int:
    """How many it says it did: each look that found something is told as one JSON value."""
    text, at, decoder, found = said.read_text(encoding="utf-8"), 0, json.JSONDecoder(), 0
    with suppress(json.JSONDecodeError):  # a look that is being told
        while (at := len(text) - len(text[at:].lstrip())) < len(text):
            look, at = decoder.raw_decode(text, at)
            found += sum(space["jobs"] for space in look["done"])
    return found


HEADINGS: Final = (
    "spaces", "workers", "facts", "until the first, s", "from the first to the last, s", "each run", "facts/s",
    "to the first row", "processor s of the workers", "jobs of each",
)  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = [" | ".join(HEADINGS), " | ".join(["---"] * len(HEADINGS))]
    lines += [
        f"{row.spaces:,} | {row.workers} | {row.facts:,} | {row.start:.1f} | {row.wall:.1f} | {_listed(row.walls)} | "
        f"{row.facts_a_second:.1f} | {row.ratio:.2f} × | {row.processor:.1f} | {', '.join(map(str, row.shares))}"
        for row in rows
    ]
    return "\n".join(f"| {line} |" for line in lines)


def _listed(seconds: Sequence[float]) -> str:
    return ", ".join(f"{one:.1f}" for one in seconds)


def write(rows: Sequence[Row], folder: Path, command: str) -> None:
    """Both files."""
    about = machine.described() | {"pair model": OnnxPairModel(weights=WEIGHTS).model_version, "command": command}
    told_about = "\n".join(f"- {name}: {words}" for name, words in about.items())
    notes = " ".join((__doc__ or "").split("\n\n")[1].split())
    page = f"# Workers on one server\n\nGenerated by `{command}`; do not edit.\n\n{told_about}\n\n{notes}\n\n"
    folder.mkdir(parents=True, exist_ok=True)
    found = {"about": about, "rows": [asdict(row) for row in rows]}
    (folder / "workers.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (folder / "workers.md").write_text(f"{page}{table(rows)}\n", encoding="utf-8")


def main() -> None:
    """Measure, show and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.workers")
    parser.add_argument("address")
    parser.add_argument("--facts", type=int, default=200)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    rows: list[Row] = []
    for one_space in (False, True):
        rows += measured(given.address, given.facts, given.workers, given.rounds, one_space=one_space)
        print(table(rows), flush=True)
    counts = " ".join(map(str, given.workers))
    command = f"python -m bench.workers ADDRESS --facts {given.facts} --workers {counts} --rounds {given.rounds}"
    write(rows, given.results, command)


if __name__ == "__main__":
    main()
