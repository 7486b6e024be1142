"""What does memory on a server cost beside one in a file? `python -m bench.postgres ADDRESS [--facts N] [--spaces N]`.

The same facts lie in both, in one space or evenly over many. Writes and searches take turns call by call, file and
server, so that the ratio of their medians says something on cores that others use too; milliseconds are given because
sizes are chosen by them, and belong to the machine beside them. Texts are embedded before the clock starts: the network
is not what differs. ADDRESS names an empty database. Writes bench/results/postgres.*.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import psycopg

from bench import machine
from bench.made import facts
from bench.space import fill
from bench.timing import in_turns, percentile, timed
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.ports import Vectors

RESULTS: Final = Path(__file__).parent / "results"
EMBEDDED: Final = 300
SWEPT: Final = 100
_SEED: Final = 11
_SIZE: Final = """
    SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relnamespace = 'stilltrue'::regnamespace AND relkind = 'r'
"""


class Remembered:
    """The embedder that ships, asked once for each text."""

    def __init__(self) -> None:
        self._real = MiniLMEmbedder()
        self._known: dict[str, Vectors] = {}
        self.dimensions = self._real.dimensions
        self.model_version = self._real.model_version

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._real.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._real.embed([])


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One verb in one layout: medians and 95th percentiles in milliseconds, the server's median to the file's."""

    verb: str
    facts: int
    spaces: int
    n: int
    file_p50: float
    file_p95: float
    server_p50: float
    server_p95: float
    ratio: float


def measured(address: str, count: int, spaces: int, rounds: int) -> tuple[list[Row], dict[str, float]]:
    """All rows of one layout, and how many bytes a fact takes on either side."""
    embedder = Remembered()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file, server = (
            stack.enter_context(Memory.open(place, space="s0", embedder=embedder, pair_model="off"))
            for place in (folder / "file.db", address)
        )
        names = [f"s{number}" for number in range(spaces)]
        for memory in (file, server):
            for name in names:
                fill(memory.engine, memory.in_space(name).space, count // spaces, min(EMBEDDED, count // spaces))
        with psycopg.connect(address, autocommit=True) as raw:
            raw.execute("VACUUM ANALYZE")
            found = raw.execute(_SIZE).fetchone()
        sizes = {"server": float(found[0]) / count if found else 0.0, "file": _size(folder) / count}
        rows = [_rated(name, count, spaces, taken) for name, taken in _taken(file, server, names, rounds).items()]
    return rows, sizes


def _size(folder: Path) -> float:
    return float(sum(item.stat().st_size for item in folder.iterdir()))


def _taken(file: Memory, server: Memory, names: Sequence[str], rounds: int) -> dict[str, list[list[float]]]:
    chance = random.Random(_SEED)
    new = [item.text for item in facts(rounds + SWEPT, _SEED)]
    asked = [item.text for item in facts(rounds, _SEED + 1)]
    file.engine.embedder.embed([*new, *asked])
    where = [chance.choice(names) for _ in range(rounds)]
    both = {name: (file.in_space(name), server.in_space(name)) for name in dict.fromkeys(where)}
    taken = {
        "write, wait=False": in_turns(
            rounds,
            lambda turn: both[where[turn]][0].remember(new[turn], wait=False),
            lambda turn: both[where[turn]][1].remember(new[turn], wait=False),
        ),
        "search": in_turns(
            rounds,
            lambda turn: both[where[turn]][0].search(asked[turn]),
            lambda turn: both[where[turn]][1].search(asked[turn]),
        ),
    }
    for memory in (file, server):
        for text in new[rounds:]:
            memory.in_space("swept").remember(text, wait=False)
    sweeps = [timed(memory.in_space("swept").sweep) / SWEPT for memory in (file, server)]
    taken["sweep, rules alone, a fact"] = [[seconds] for seconds in sweeps]
    return taken


def _rated(verb: str, count: int, spaces: int, taken: list[list[float]]) -> Row:
    in_file, on_server = ([seconds * 1000 for seconds in one] for one in taken)
    return Row(
        verb=verb, facts=count, spaces=spaces, n=len(in_file),
        file_p50=percentile(in_file, 50), file_p95=percentile(in_file, 95),
        server_p50=percentile(on_server, 50), server_p95=percentile(on_server, 95),
        ratio=percentile(on_server, 50) / percentile(in_file, 50),
    )  # fmt: skip


def page(rows: Sequence[Row], sizes: dict[str, dict[str, float]], about: dict[str, str]) -> str:
    """The page for readers."""
    lines = [
        "# PostgreSQL beside SQLite",
        "",
        "Made by `python -m bench.postgres`; do not edit. Milliseconds: median, then 95th percentile.",
        "",
        *(f"- {name}: {words}" for name, words in about.items()),
        "",
        "| what | facts | spaces | file | server | server : file | n |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.verb} | {row.facts:,} | {row.spaces:,} | {row.file_p50:.1f}, {row.file_p95:.1f} "
        f"| {row.server_p50:.1f}, {row.server_p95:.1f} | {row.ratio:.1f} × | {row.n} |"
        for row in rows
    ]
    lines += ["", "| layout | bytes a fact, file | bytes a fact, server |", "| --- | --- | --- |"]
    lines += [f"| {name} | {one['file']:,.0f} | {one['server']:,.0f} |" for name, one in sizes.items()]
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres")
    parser.add_argument("address")
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--spaces", type=int, nargs="+", default=[1, 1_000])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--disk", default="not said", help="what both lie on, in words")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    rows: list[Row] = []
    sizes: dict[str, dict[str, float]] = {}
    about = {**machine.described(), "disk": given.disk}
    for spaces in given.spaces:
        with psycopg.connect(given.address, autocommit=True) as raw:
            raw.execute("DROP SCHEMA IF EXISTS stilltrue CASCADE")
            about["server"] = f"PostgreSQL {raw.info.server_version // 10_000}, on the same cores"
        more, one = measured(given.address, given.facts, spaces, given.rounds)
        rows += more
        sizes[f"{given.facts:,} facts, {spaces:,} spaces"] = one
    told = page(rows, sizes, about)
    (given.results / "postgres.md").write_text(told, encoding="utf-8")
    whole = {"about": about, "rows": [asdict(row) for row in rows], "bytes": sizes}
    (given.results / "postgres.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(told)


if __name__ == "__main__":
    main()
