"""What does a write cost? Durable but unjudged against a raw SQLite insert; judged by rules against one embedding."""

from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from bench.made import Made, facts
from bench.timing import Figure, in_turns, percentile
from stilltrue.inference.embed import MiniLMEmbedder

if TYPE_CHECKING:
    from stilltrue.memory import Memory

LIMIT_MILLISECONDS = 10.0  # BAR: p99 of a durable write
FEW = 5  # candidates of a write, as BAR counts them
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


def judged(memory: Memory, held: int, rounds: int) -> list[Figure]:
    """`remember` with rules in a space of `held` facts: two new statements, then one that changes a known one."""
    embedder = MiniLMEmbedder(cache_size=0)
    new = _statements(held, rounds + 10)
    in_turns(10, lambda turn: memory.remember(new[rounds + turn]), lambda turn: embedder.embed([new[turn]]))
    pairs: list[int] = []

    def remember(turn: int) -> None:
        pairs.append(sum(decision.receipt.cost.pairs for decision in memory.remember(new[turn])))

    floor, ours = in_turns(rounds, lambda turn: embedder.embed([new[turn]]), remember)
    few = [seconds for seconds, count in zip(ours, pairs, strict=True) if count <= FEW]
    assert few, f"some writes should meet at most {FEW} candidates"

    def figure(what: str, seconds: list[float], share: float, demanded: float | None = None) -> Figure:
        return Figure(
            bench="write with rules",
            what=f"wait=True, {held:,} facts, {what}, p{share:g}",
            against=f"one embedding, p{share:g}",
            number=percentile(seconds, share) / percentile(floor, share),
            n=len(seconds),
            demanded=demanded,
        )

    at_most = f"at most {FEW} candidates"
    every = f"{sum(pairs) / len(pairs):.1f} candidates on average"
    return [figure(at_most, few, 50), figure(at_most, few, 95, 15), figure(every, ours, 50), figure(every, ours, 95)]


def _statements(held: int, count: int) -> list[str]:
    """New ones, and every third about what the space knows: another value of the same slot."""
    unknown = facts(count, _SEED + 1)
    others = {made.attribute: made.value for made in facts(1_000, _SEED)}
    known = facts(held)[:: max(1, held // count)][:count]
    changes = [made.text.replace(made.value, others[made.attribute]) for made in known]
    return [changes[at] if at % 3 == 2 else unknown[at].text for at in range(count)]
