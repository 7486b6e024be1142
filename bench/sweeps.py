"""How does a sweep grow with the facts, and how near does it come to the bare network? Writes bench/results/sweeps.*:
`python -m bench.sweeps [--facts N ...] [--keep] [--results FOLDER]`.

A memory that judges nothing is told so many facts, five values to a slot, one after the other. Then it is swept twice.
The floor is the bare network on pairs of the same sweep, in the same run. Both are counted in processor time, which
leaves out what other programs take. A sweep works on three threads: one decides, one has the pair model judge the
pairs of the next facts, one reads and embeds those after them. *Ratio by the clock* says what came of it on this
machine, which other programs may have used meanwhile. *Ratio on two free cores* is the floor's time against
that of the busiest thread, or against half of all, whichever is longer: an estimate from processor time, at best, for
where two can run all the time. Larger sizes take long, and are measured where they are asked for: `--facts 1000 10000`;
with `--keep` the rows of other sizes stay that were measured before.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import stilltrue
from bench import machine
from bench.made import facts
from bench.raw_pairs import RawPairs
from stilltrue.inference.pair_model import OnnxPairModel
from stilltrue.memory import Memory
from stilltrue.model.verdict import EvidenceSource
from stilltrue.rules.cascade import read_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.combination import Combination
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Relation

RESULTS: Final = Path(__file__).parent / "results"
WEIGHTS: Final = Path(stilltrue.__file__).parent / "weights"
SIZES: Final = (300, 1_000, 3_000)
TO_A_SLOT: Final = 5
SAMPLE: Final = 1_000
"""Pairs that the bare network is given: its rate does not depend on how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One size: seconds of processor time, `wall` of the clock. `ratio`: the sweep's pairs/s to the bare network's.

    `heard`: pairs in whose judgement the network speaks, the ones that count; `asked`: those and the wrong guesses.

    `models_share`: of the sweep's time, what the bare network for its pairs and the embedder for its facts take alone.
    `longest_side`: the busiest of its threads, or half of them all: what a sweep takes where two cores are free.

    `when`: the day, the commit, and how busy the machine was.
    """

    facts: int
    pairs: int
    asked: int
    heard: int
    seconds: float
    wall: float
    pairs_a_second: float
    raw_pairs_a_second: float
    ratio: float
    embedding_share: float
    models_share: float
    longest_side: float
    by_the_clock: float
    two_cores: float
    second_sweep_ms_a_fact: float
    when: str


@dataclass(slots=True)
class Counting:
    """The pair model, noting what it is asked."""

    inner: OnnxPairModel
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def model_version(self) -> str:
        return self.inner.model_version

    @property
    def combination(self) -> Combination | None:
        return self.inner.combination

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        self.asked += [(old.text, new.text) for old, new in pairs]
        return self.inner.relations(pairs)


@dataclass(slots=True)
class Clocks:
    """The processor time of a sweep's other threads, as far as they were when a fact was done with."""

    seconds: dict[int, float] = field(default_factory=dict)

    def look(self, done: int, _of: int) -> None:
        """Read them now and then."""
        if done % 16:
            return
        for one in threading.enumerate():
            if one.name.startswith("stilltrue-") and one.ident is not None:
                self.seconds[one.ident] = time.clock_gettime(time.pthread_getcpuclockid(one.ident))


def told(count: int) -> list[dict[str, Any]]:
    """So many statements; those of a slot follow one another, with values that others of the kind have."""
    made = facts(-(-count // TO_A_SLOT))
    values: dict[str, list[str]] = {}
    for one in made:
        values.setdefault(one.attribute, []).append(one.value)
    found = []
    for at, one in enumerate(made):
        others = values[one.attribute]
        for turn in range(TO_A_SLOT):
            value = one.value if turn == 0 else others[(at * TO_A_SLOT + turn) % len(others)]
            text = one.text.replace(one.value, value)
            found.append({"text": text, "subject": one.subject, "attribute": one.attribute, "value": value})
    return found[:count]


def tell_unjudged(memory: Memory, count: int) -> None:
    """Tell so many statements, and take away the jobs that would judge them."""
    for one in told(count):
        memory.remember(one.pop("text"), wait=False, **one)
    with memory.engine.store.write(memory.space) as transaction:
        for job in transaction.jobs_of_kind(memory.space, "remember"):
            transaction.finish_job(memory.space, job.id)


def measured(count: int, folder: Path, weights: Path = WEIGHTS) -> Row:
    """Tell, sweep, sweep again; then the floor."""
    model = Counting(OnnxPairModel(weights=weights))
    with Memory.open(":memory:", pair_model=model) as warm:  # models, word lists and patterns are loaded by the first
        for one in told(2 * TO_A_SLOT):
            warm.remember(one.pop("text"), **one)
        model.relations([read_texts("Ada lives in Oslo.", "Ada moved to Rome.")])
    model.asked.clear()
    with Memory.open(folder / f"{count}.db", pair_model=model) as memory:
        tell_unjudged(memory, count)
        memory.engine.embedder.embed(["Ada lives in Oslo."])
        clocks = Clocks()
        wall, begun, own = time.perf_counter(), time.process_time(), time.thread_time()
        report = memory.sweep(progress=clocks.look)
        seconds, wall, own = time.process_time() - begun, time.perf_counter() - wall, time.thread_time() - own
        asked = list(model.asked)
        with memory.engine.store.read() as reader:
            pairs = reader.judged(memory.space)
        heard = sum(any(one.source is EvidenceSource.PAIR_MODEL for one in pair.judgement.evidence) for pair in pairs)
        begun = time.process_time()
        memory.sweep()
        again = time.process_time() - begun
        embedder = memory.engine.embedder
        begun = time.process_time()
        embedder.embed([f"{one['text']} " for one in told(min(count, 300))])  # the blank: not from the cache
        embedding = (time.process_time() - begun) / min(count, 300) * count
    raw = RawPairs(weights)
    sample = asked[:: max(1, len(asked) // SAMPLE)]
    batches = raw.batches(sample)
    raw.run(batches[:1])
    begun = time.process_time()
    raw.run(batches)
    floor = len(sample) / (time.process_time() - begun)
    rate, longest = heard / seconds, max(own, seconds / 2, *clocks.seconds.values())
    return Row(
        facts=count,
        pairs=report.pairs,
        asked=len(asked),
        heard=heard,
        seconds=seconds,
        wall=wall,
        pairs_a_second=rate,
        raw_pairs_a_second=floor,
        ratio=rate / floor,
        embedding_share=embedding / seconds,
        models_share=(heard / floor + embedding) / seconds,
        longest_side=longest,
        by_the_clock=heard / wall / floor,
        two_cores=heard / longest / floor,
        second_sweep_ms_a_fact=1000 * again / count,
        when=when(machine.described()),
    )


def when(about: Mapping[str, str]) -> str:
    """Day, commit and load of a run, shortly."""
    return f"{about['date']}, {about['commit']}, {about['load'].split()[0]} ready"


def kept(folder: Path, sizes: Sequence[int]) -> list[Row]:
    """The rows of other sizes that an earlier run left there."""
    file = folder / "sweeps.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"about": {}, "rows": []}
    return [Row(**{"when": when(found["about"])} | row) for row in found["rows"] if row["facts"] not in sizes]


HEADINGS: Final = (
    "facts", "pairs judged", "a fact", "asked of the network", "heard", "processor s", "wall s", "pairs/s",
    "bare network, pairs/s", "ratio", "of its time: embedding", "both networks", "busiest thread or half, s",
    "ratio by the clock", "ratio on two free cores", "second sweep, ms a fact", "measured",
)  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = [" | ".join(HEADINGS), " | ".join(["---"] * len(HEADINGS))]
    lines += [
        f"{row.facts:,} | {row.pairs:,} | {row.pairs / row.facts:.2f} | {row.asked:,} | {row.heard:,} | "
        f"{row.seconds:.1f} | {row.wall:.1f} | "
        f"{row.pairs_a_second:.0f} | {row.raw_pairs_a_second:.0f} | {row.ratio:.0%} | {row.embedding_share:.0%} | "
        f"{row.models_share:.0%} | {row.longest_side:.1f} | {row.by_the_clock:.0%} | {row.two_cores:.0%} | "
        f"{row.second_sweep_ms_a_fact:.2f} | {row.when}"
        for row in rows
    ]
    return "\n".join(f"| {line} |" for line in lines)


def plot(rows: Sequence[Row]) -> str:
    """Seconds by facts as SVG, with the straight line through the largest: what grows linearly lies on it."""
    width, height, edge = 560, 320, 50
    most, longest = rows[-1].facts, max(row.seconds for row in rows)
    spots = [
        (edge + (width - 2 * edge) * row.facts / most, height - edge - (height - 2 * edge) * row.seconds / longest)
        for row in rows
    ]
    end = spots[-1]
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/><text x="{x:.1f}" y="{y - 10:.1f}" text-anchor="middle">'
        f"{row.facts:,}: {row.seconds:.0f} s, {row.pairs:,} pairs</text>"
        for (x, y), row in zip(spots, rows, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="11" fill="#57606a"><path d="M{edge} {edge}V{height - edge}H{width - edge}" fill="none" '
        f'stroke="#57606a"/><line x1="{edge}" y1="{height - edge}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="#7aa7d9" stroke-dasharray="4"/>{marks}<text x="{width / 2}" y="{height - 15}" text-anchor="middle">'
        f'facts</text><text x="12" y="{edge - 15}">seconds of processor time</text></svg>\n'
    )


def write(rows: Sequence[Row], folder: Path, command: str, model: str) -> None:
    """All three files."""
    about = machine.described() | {"pair model": model, "command": command}
    told_about = "\n".join(f"- {name}: {words}" for name, words in about.items())
    notes = " ".join((__doc__ or "").split("\n\n")[1].split())
    page = f"# Sweeps, measured\n\nGenerated by `{command}`; do not edit.\n\n{told_about}\n\n{notes}\n\n{table(rows)}\n"
    page += "\n![Seconds by facts](sweeps.svg)\n"
    folder.mkdir(parents=True, exist_ok=True)
    found = {"about": about, "rows": [asdict(row) for row in rows]}
    (folder / "sweeps.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    (folder / "sweeps.md").write_text(page, encoding="utf-8")
    (folder / "sweeps.svg").write_text(plot(rows), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measure each size, show and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.sweeps", description=__doc__)
    parser.add_argument("--facts", type=int, nargs="+", default=list(SIZES), help="how many; several sizes")
    parser.add_argument("--keep", action="store_true", help="keep the rows of other sizes that were measured before")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    asked = parser.parse_args(arguments)
    sizes = sorted(asked.facts)
    command = f"python -m bench.sweeps --facts {' '.join(map(str, sizes))}{' --keep' if asked.keep else ''}"
    run(sizes, asked.results, command, before=kept(asked.results, sizes) if asked.keep else ())
    return 0


def run(
    sizes: Sequence[int], folder: Path | None, command: str, weights: Path = WEIGHTS, before: Sequence[Row] = ()
) -> None:
    """Measure these sizes, smallest first, and write to the folder where one is given, with the rows `before`."""
    rows = list(before)
    with tempfile.TemporaryDirectory(prefix="stilltrue-bench-") as place:
        for count in sizes:
            rows.append(measured(count, Path(place), weights))
            print(table(rows[-1:]), flush=True)
    if folder is not None:
        write(sorted(rows, key=lambda row: row.facts), folder, command, OnnxPairModel(weights=weights).model_version)


if __name__ == "__main__":
    raise SystemExit(main())
