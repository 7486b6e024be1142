"""What does memory on a server cost beside one in a file, and how does that grow?
`python -m bench.postgres ADDRESS [--layouts FACTS/SPACES ...]`.

The same facts lie in both, in one space or evenly over many: some thousands kept through the store, the others put
beside them by `bench.multiply`. Writes, searches and sweeps take turns call by call, file and server, so that the ratio
of their medians says something on cores that others use too; milliseconds are given because sizes are chosen by them,
and belong to the machine beside them. Texts are embedded before the clock starts: the network is not what differs. The
first search of a process reads what it keeps of the space, and stands for itself. ADDRESS names an empty database, as a
superuser. Each layout is written to bench/results/postgres.* when it is done; with `--keep`, those that were measured
before stay.
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
from bench.growth import drawn
from bench.made import facts
from bench.multiply import multiply
from bench.space import fill
from bench.timing import in_turns, percentile
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.ports import Embedder, Vectors

RESULTS: Final = Path(__file__).parent / "results"
LAYOUTS: Final = ("10000/1", "10000/1000", "100000/1", "100000/1000", "1000000/1", "1000000/1000")
EMBEDDED: Final = 300
FILLED: Final = 2_000
"""Facts that are kept through the store; what is beyond them is multiplied."""

SWEPT: Final = 100
SWEEPS: Final = 3
_SEED: Final = 11
_ENOUGH: Final = 20
_SIZE: Final = """
    SELECT sum(pg_total_relation_size(oid)), (SELECT sum(pg_relation_size(i.oid)) FROM pg_class i
        WHERE i.relnamespace = 'stilltrue'::regnamespace AND i.relname LIKE 'vectors_near_%')
    FROM pg_class WHERE relnamespace = 'stilltrue'::regnamespace AND relkind = 'r'
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What one layout takes: bytes a fact, and seconds of building the server's index of vectors.

    `index`: of the server's bytes, those of the index; seconds are None where nothing was multiplied.
    """

    facts: int
    spaces: int
    file: float
    server: float
    index: float
    index_seconds: float | None
    load: str
    commit: str

    @property
    def name(self) -> str:
        """As tables have it."""
        return f"{self.facts:,} facts, {self.spaces:,} spaces"


def measured(address: str, count: int, spaces: int, rounds: int, filled: int = FILLED) -> tuple[list[Row], Layout]:
    """All rows of one layout, and what it takes."""
    embedder = Remembered()
    names = [f"s{number}" for number in range(spaces)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stilltrue-bench-")))
        built = _filled(folder / "file.db", address, embedder, names, count // spaces, filled)
        with psycopg.connect(address, autocommit=True) as raw:
            raw.execute("VACUUM ANALYZE")
            found = raw.execute(_SIZE).fetchone() or (0, 0)
        about = machine.described()
        layout = Layout(
            facts=count, spaces=spaces, file=_size(folder) / count, server=float(found[0]) / count,
            index=float(found[1]) / count, index_seconds=built, load=about["load"], commit=about["commit"],
        )  # fmt: skip
        _warm(embedder)
        file, server = (stack.enter_context(_opened(place, embedder)) for place in (folder / "file.db", address))
        taken = _taken(file, server, names, rounds)
        return [_rated(name, count, spaces, seconds) for name, seconds in taken.items()], layout


def _opened(place: Path | str, embedder: Embedder) -> Memory:
    return Memory.open(place, space="s0", embedder=embedder, pair_model="off")


def _warm(embedder: Embedder) -> None:
    """Word lists and patterns are read by whoever needs them first."""
    with Memory.open(":memory:", embedder=embedder, pair_model="off") as memory:
        for made in facts(5, _SEED):
            memory.remember(made.text, wait=False)
        memory.sweep()
        memory.search("Where does Ada live?")


def _filled(file: Path, address: str, embedder: Embedder, names: Sequence[str], each: int, filled: int) -> float | None:
    """So many facts in each space: through the store, and past `filled` by multiplying; `multiply`'s seconds."""
    held = min(each, filled)
    begun = names[: max(1, filled // held)]
    for place in (file, address):
        with _opened(place, embedder) as memory:
            for name in begun:
                fill(memory.engine, memory.in_space(name).space, held, min(EMBEDDED, held))
    if held == each and len(begun) == len(names):
        return None
    return multiply(file, address, names, held, each)


def _size(folder: Path) -> float:
    return float(sum(item.stat().st_size for item in folder.iterdir()))


def _taken(file: Memory, server: Memory, names: Sequence[str], rounds: int) -> dict[str, list[list[float]]]:
    chance = random.Random(_SEED)
    swept = [f"swept{number}" for number in range(SWEEPS)]
    new = [item.text for item in facts(rounds + SWEEPS * SWEPT, _SEED)]
    asked = [item.text for item in facts(rounds + 1, _SEED + 1)]
    file.engine.embedder.embed([*new, *asked])
    where = [chance.choice(names) for _ in range(rounds)]
    both = {name: (file.in_space(name), server.in_space(name)) for name in [*dict.fromkeys(where), *swept]}
    sides = (0, 1)
    taken = {
        "first search": in_turns(1, *(lambda _, at=at: both[where[0]][at].search(asked[rounds]) for at in sides)),
        "write, wait=False": in_turns(
            rounds, *(lambda turn, at=at: both[where[turn]][at].remember(new[turn], wait=False) for at in sides)
        ),
        "search": in_turns(rounds, *(lambda turn, at=at: both[where[turn]][at].search(asked[turn]) for at in sides)),
    }
    for at, text in enumerate(new[rounds:]):
        for memory in both[swept[at % SWEEPS]]:
            memory.remember(text, wait=False)
    sweeps = in_turns(SWEEPS, *(lambda turn, at=at: both[swept[turn]][at].sweep() for at in sides))
    taken["sweep, rules alone, a fact"] = [[seconds / SWEPT for seconds in side] for side in sweeps]
    return taken


def _rated(verb: str, count: int, spaces: int, taken: list[list[float]]) -> Row:
    in_file, on_server = ([seconds * 1000 for seconds in one] for one in taken)
    return Row(
        verb=verb, facts=count, spaces=spaces, n=len(in_file),
        file_p50=percentile(in_file, 50), file_p95=percentile(in_file, 95),
        server_p50=percentile(on_server, 50), server_p95=percentile(on_server, 95),
        ratio=percentile(on_server, 50) / percentile(in_file, 50),
    )  # fmt: skip


def page(rows: Sequence[Row], layouts: Sequence[Layout], about: dict[str, str]) -> str:
    """The page for readers."""
    lines = [
        "# PostgreSQL beside SQLite",
        "",
        "Made by `python -m bench.postgres`. Milliseconds: median, then 95th percentile where n is 20 or more.",
        "",
        *(f"- {name}: {words}" for name, words in about.items()),
        "",
        "| what | facts | spaces | file | server | server : file | n |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.verb} | {row.facts:,} | {row.spaces:,} | {_millis(row, row.file_p50, row.file_p95)} "
        f"| {_millis(row, row.server_p50, row.server_p95)} | {row.ratio:.1f} × | {row.n} |"
        for row in rows
    ]
    return "\n".join([*lines, *_layouts(layouts), ""])


def _millis(row: Row, median: float, late: float) -> str:
    """Of a few there is no 95th percentile."""
    return f"{median:,.1f}, {late:,.1f}" if row.n >= _ENOUGH else f"{median:,.1f}"


def _layouts(layouts: Sequence[Layout]) -> list[str]:
    lines = [
        "",
        "![Milliseconds by facts](postgres.svg)",
        "",
        "The index is the server's, of vectors; it is timed by the server. Load and commit are those of the layout.",
        "",
        "| layout | bytes a fact, file | server | of it the index | the index built, s | load | commit |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {one.name} | {one.file:,.0f} | {one.server:,.0f} | {one.index:,.0f} "
        f"| {_seconds(one.index_seconds)} | {one.load.partition(' ')[0]} | {one.commit} |"
        for one in layouts
    ]
    return lines


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def write(folder: Path, rows: Sequence[Row], layouts: Sequence[Layout], about: dict[str, str]) -> str:
    """All three files, by size; the page."""
    rows = sorted(rows, key=lambda row: (row.facts, row.spaces))
    layouts = sorted(layouts, key=lambda one: (one.facts, one.spaces))
    told = page(rows, layouts, about)
    whole = {"about": about, "rows": [asdict(row) for row in rows], "layouts": [asdict(one) for one in layouts]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "postgres.md").write_text(told, encoding="utf-8")
    (folder / "postgres.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    (folder / "postgres.svg").write_text(drawn(rows), encoding="utf-8")
    return told


def kept(folder: Path, but: Sequence[tuple[int, int]]) -> tuple[list[Row], list[Layout]]:
    """What was measured before, of other layouts than these."""
    file = folder / "postgres.json"
    told = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"rows": [], "layouts": []}
    rows, layouts = [Row(**row) for row in told["rows"]], [Layout(**one) for one in told["layouts"]]
    return (
        [row for row in rows if (row.facts, row.spaces) not in but],
        [one for one in layouts if (one.facts, one.spaces) not in but],
    )


def _layout(text: str) -> tuple[int, int]:
    count, _, spaces = text.partition("/")
    return int(count), int(spaces)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres")
    parser.add_argument("address")
    parser.add_argument("--layouts", nargs="+", type=_layout, default=[_layout(one) for one in LAYOUTS])
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--filled", type=int, default=FILLED, help="facts kept through the store; others multiplied")
    parser.add_argument("--disk", default="not said", help="what both lie on, in words")
    parser.add_argument("--keep", action="store_true", help="layouts measured before stay in the results")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    rows, layouts = kept(given.results, given.layouts) if given.keep else ([], [])
    about = {**machine.described(), "disk": given.disk}
    for count, spaces in given.layouts:
        with psycopg.connect(given.address, autocommit=True) as raw:
            raw.execute("DROP SCHEMA IF EXISTS stilltrue CASCADE")
            about["server"] = f"PostgreSQL {raw.info.server_version // 10_000}, on the same cores"
        more, layout = measured(given.address, count, spaces, given.rounds, given.filled)
        rows, layouts = [*rows, *more], [*layouts, layout]
        print(write(given.results, rows, layouts, about), flush=True)


if __name__ == "__main__":
    main()
