"""What does a write cost? Durable but unjudged against a raw SQLite insert; judged against one embedding."""

from __future__ import annotations

import sqlite3
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpus import FEW
from bench.made import Made, facts
from bench.timing import Figure, in_turns, percentile
from stilltrue.inference.embed import MiniLMEmbedder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.memory import Memory

LIMIT_MILLISECONDS = 10.0  # BAR: p99 of a durable write
_SEED = 5  # other facts than those the space holds


def durable(memory: Memory, folder: Path, held: int, rounds: int) -> list[Figure]:
    """`remember(wait=False)` in a space of `held` facts against an insert into a table of as many rows."""
    raw = _table(folder / "floor.db", facts(held))
    new = facts(rounds + 20, _SEED)
    in_turns(20, lambda turn: memory.remember(new[rounds + turn].text, wait=False))
    floor, ours = in_turns(
        rounds,
        lambda turn: raw.execute("INSERT INTO kept VALUES (?, ?, ?)", (str(uuid.uuid4()), new[turn].text, turn)),
        lambda turn: memory.remember(new[turn].text, wait=False),
    )
    raw.close()
    limit = LIMIT_MILLISECONDS / 1000
    base = f"raw insert (WAL, FULL), {held:,} rows"
    return [
        Figure(
            bench="durable write",
            what="wait=False, p50",
            against=f"{base}, p50",
            number=percentile(ours, 50) / percentile(floor, 50),
            n=rounds,
            demanded=5,
        ),
        Figure(
            bench="durable write",
            what="wait=False, p99",
            against=f"{base}, p99",
            number=percentile(ours, 99) / percentile(floor, 99),
            n=rounds,
        ),
        Figure(
            bench="durable write",
            what="wait=False, p99",
            against="the limit of 10 ms",
            number=percentile(ours, 99) / limit,
            n=rounds,
            demanded=1,
        ),
    ]


def _table(path: Path, held: list[Made]) -> sqlite3.Connection:
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = FULL")
    raw.execute("CREATE TABLE kept (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL)")
    raw.execute("BEGIN")
    raw.executemany(
        "INSERT INTO kept VALUES (?, ?, ?)", [(str(uuid.uuid4()), made.text, at) for at, made in enumerate(held)]
    )
    raw.execute("COMMIT")
    return raw


def judged(memories: Mapping[str, Memory], held: int, rounds: int) -> list[Figure]:
    """`remember` in spaces of the same `held` facts, by what judges there: two new statements, then one that changes a
    known one.
    """
    embedder = MiniLMEmbedder(cache_size=0)
    new = _statements(held, rounds + 10)
    writers = [_Writer(memory, new) for memory in memories.values()]
    for turn in range(rounds, rounds + 10):
        embedder.embed([new[turn]])
        for writer in writers:
            writer.memory.remember(new[turn])
    floor, *taken = in_turns(rounds, lambda turn: embedder.embed([new[turn]]), *(writer.remember for writer in writers))
    return [
        figure
        for name, writer, seconds in zip(memories, writers, taken, strict=True)
        for figure in _judged_figures(f"write with {name}", f"wait=True, {held:,} facts", writer.pairs, seconds, floor)
    ]


@dataclass(slots=True)
class _Writer:
    """Remembers one text a turn and notes how many pairs that judged."""

    memory: Memory
    new: list[str]
    pairs: list[int] = field(default_factory=list)

    def remember(self, turn: int) -> None:
        decisions = self.memory.remember(self.new[turn])
        self.pairs.append(sum(decision.receipt.cost.pairs for decision in decisions))


def _judged_figures(bench: str, where: str, pairs: list[int], ours: list[float], floor: list[float]) -> list[Figure]:
    few = [seconds for seconds, count in zip(ours, pairs, strict=True) if count <= FEW]
    assert few, f"some writes should meet at most {FEW} candidates"

    def figure(what: str, seconds: list[float], share: float, demanded: float | None = None) -> Figure:
        return Figure(
            bench=bench,
            what=f"{where}, {what}, p{share:g}",
            against=f"one embedding, p{share:g}",
            number=percentile(seconds, share) / percentile(floor, share),
            n=len(seconds),
            demanded=demanded,
        )

    at_most = f"at most {FEW} candidates"
    every = f"{sum(pairs) / len(pairs):.1f} candidates on average"
    return [figure(at_most, few, 50), figure(at_most, few, 95, 15), figure(every, ours, 50), figure(every, ours, 95)]


def judges(memory: Memory) -> str:
    """What judges in a memory, for the name of a bench."""
    return "rules" if memory.engine.pair_model is None else "rules and pair model"


def _statements(held: int, count: int) -> list[str]:
    """New ones, and every third about what the space knows: another value of the same slot."""
    unknown = facts(count, _SEED + 1)
    others = {made.attribute: made.value for made in facts(1_000, _SEED)}
    known = facts(held)[:: max(1, held // count)][:count]
    changes = [made.text.replace(made.value, others[made.attribute]) for made in known]
    return [changes[at] if at % 3 == 2 else unknown[at].text for at in range(count)]
