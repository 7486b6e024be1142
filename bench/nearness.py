"""From how many facts on does an index find what is near sooner than reading them all?
`python -m bench.nearness ADDRESS [--facts N ...] [--topic N]`.

One space of each size, vectors around one topic for each hundred facts, half of them past. `--topic` says how many to a
topic: with few, most of an answer lies far off, which is harder. A search is asked both ways in turn, so that the ratio
of the medians says something on cores that others use too. Recall is the share of the exact answer that is found.
ADDRESS names an empty database. It sets `store.postgres.reader.EXACT_UP_TO`.
"""

from __future__ import annotations

import argparse
import random
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import psycopg

from bench.timing import in_turns, percentile
from stilltrue.model.timeline import to_micros
from stilltrue.ports import Filter
from stilltrue.store.postgres import reader
from stilltrue.store.postgres.schema import index_name
from stilltrue.store.postgres.store import PostgresStore
from stilltrue.wiring import SystemClock

DIMENSIONS: Final = 384
MODEL: Final = "made"
SPACE: Final = "near"
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT: Final = 20
A_TOPIC: Final = 100
_SPREAD: Final = 0.7


def made(count: int, seed: int, topic: int = A_TOPIC) -> np.ndarray:
    """Unit vectors around topics of so many, as texts lie."""
    chance = np.random.default_rng(seed)
    topics = np.random.default_rng(1).standard_normal((max(1, count // topic), DIMENSIONS))
    found = topics[chance.integers(0, len(topics), count)] + _SPREAD * chance.standard_normal((count, DIMENSIONS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def fill(address: str, rows: np.ndarray) -> None:
    """The vectors alone, past the program; the index is made at once, when the store is opened next."""
    with psycopg.connect(address, autocommit=True) as raw, raw.cursor() as cursor:
        cursor.execute(f"DROP INDEX stilltrue.{index_name(MODEL, DIMENSIONS)}".encode())
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET search_path TO stilltrue, public")
        cursor.execute("INSERT INTO space_names (space_id) VALUES (%s)", (SPACE,))
        cursor.execute("INSERT INTO spaces VALUES (%s, 1, 1, 1, %s, 1)", (SPACE, len(rows) + 1))
        ends = [None if number % 2 else to_micros(NOW - timedelta(days=1)) for number in range(len(rows))]
        cursor.executemany(
            "INSERT INTO vectors (space_id, fact_id, model_version, revision, doc, served, valid_from, valid_until, "
            "half, vector) VALUES (%s, %s, %s, 1, %s, 1, NULL, %s, %s, %s)",
            [
                (SPACE, f"{number:08}", MODEL, number, ends[number], reader.half(row), row.tobytes())
                for number, row in enumerate(rows)
            ],
        )
        cursor.execute("ANALYZE vectors")


def measured(address: str, count: int, rounds: int, topic: int) -> str:
    """One line of the table."""
    shape = {"clock": SystemClock(), "dimensions": DIMENSIONS, "model_version": MODEL}
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("DROP SCHEMA IF EXISTS stilltrue CASCADE")
    PostgresStore.open(address, **shape).close()
    fill(address, made(count, 2, topic))
    asked = made(count, 3, topic)[random.Random(4).sample(range(count), rounds)]
    found: dict[int, list[set[str]]] = {0: [], 2 * count: []}
    with PostgresStore.open(address, **shape) as store:

        def near(turn: int, threshold: int) -> None:
            reader.EXACT_UP_TO = threshold  # type: ignore[misc] # both ways, in turn
            with store.read() as snapshot:
                hits = snapshot.near(SPACE, asked[turn], LIMIT, Filter(NOW))
            found[threshold].append({hit.fact_id for hit in hits})

        scanned, walked = in_turns(rounds, lambda turn: near(turn, 2 * count), lambda turn: near(turn, 0))
    exact, index = percentile(scanned, 50) * 1000, percentile(walked, 50) * 1000
    recall = np.mean([len(one & other) / len(one) for one, other in zip(found[2 * count], found[0], strict=True)])
    return f"| {count:,} | {exact:.1f} | {index:.1f} | {exact / index:.2f} | {recall:.3f} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.nearness")
    parser.add_argument("address")
    parser.add_argument("--facts", type=int, nargs="+", default=[1_000, 3_000, 10_000, 30_000])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--topic", type=int, default=A_TOPIC, help="facts to a topic")
    given = parser.parse_args()
    print("| facts | scanned, ms | index, ms | scanned : index | recall of the index |")
    print("| --- | --- | --- | --- | --- |")
    for count in given.facts:
        print(measured(given.address, count, given.rounds, given.topic), flush=True)


if __name__ == "__main__":
    main()
