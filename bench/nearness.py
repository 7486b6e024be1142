"""From how many facts on does an index find what is near sooner than reading them all?
`python -m bench.nearness ADDRESS [--facts N ...] [--statements | --topic N]`.

One space of each size, half of its facts past. Vectors are made up around one topic for each hundred facts; `--topic`
says how many to a topic: with few, most of an answer lies in noise, where no neighbour is nearer than another, which is
harder than any text. `--statements` embeds those of `training/corpus` instead, which is what a memory holds, and asks
with others of them. A search is asked both ways in turn, so that the ratio of the medians says something on cores that
others use too. Recall is the share of the exact answer that is found: among what holds now, and among what held two
days ago. ADDRESS names an empty database. It sets `store.postgres.reader.EXACT_UP_TO`.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import psycopg
from rich.progress import track

from bench.timing import in_turns, percentile
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.model.timeline import to_micros
from stilltrue.ports import Filter
from stilltrue.store.postgres import reader
from stilltrue.store.postgres.schema import index_name
from stilltrue.store.postgres.store import PostgresStore
from stilltrue.wiring import SystemClock
from training import pairs

DIMENSIONS: Final = 384
MODEL: Final = "made"
SPACE: Final = "near"
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE: Final = NOW - timedelta(days=2)
"""When all facts held: half of them end a day before `NOW`."""
LIMIT: Final = 20
A_TOPIC: Final = 100
_SPREAD: Final = 0.7
_AT_ONCE: Final = 512


def made(count: int, seed: int, topic: int) -> np.ndarray:
    """Unit vectors around topics of so many, as texts lie."""
    chance = np.random.default_rng(seed)
    topics = np.random.default_rng(1).standard_normal((max(1, count // topic), DIMENSIONS))
    found = topics[chance.integers(0, len(topics), count)] + _SPREAD * chance.standard_normal((count, DIMENSIONS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def stated(count: int) -> np.ndarray:
    """The vectors of so many different statements of the corpus, in an order drawn once."""
    said = {text for one in pairs.sets() for text in (one["existing"], *(new["text"] for new in one["new"]))}
    drawn = random.Random(5).sample(sorted(said), count)
    embedder = MiniLMEmbedder()
    starts = track(range(0, count, _AT_ONCE), "embedding statements")
    return np.concatenate([embedder.embed(drawn[at : at + _AT_ONCE]) for at in starts])


def drawn(counts: Sequence[int], rounds: int, topic: int | None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each size what a space holds, and what is asked; of statements (`topic` None) what is asked is not held."""
    if topic is None:
        told = stated(max(counts) + rounds)
        yield from ((told[rounds : rounds + count], told[:rounds]) for count in counts)
        return
    for count in counts:
        asked = random.Random(4).sample(range(count), rounds)
        yield made(count, 2, topic), made(count, 3, topic)[asked]


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


def measured(address: str, rows: np.ndarray, asked: np.ndarray) -> str:
    """One line of the table."""
    shape = {"clock": SystemClock(), "dimensions": DIMENSIONS, "model_version": MODEL}
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("DROP SCHEMA IF EXISTS stilltrue CASCADE")
    PostgresStore.open(address, **shape).close()
    fill(address, rows)
    scan, walk = 2 * len(rows), 0
    found: dict[tuple[int, datetime], list[set[str]]] = defaultdict(list)
    with PostgresStore.open(address, **shape) as store:

        def near(turn: int, threshold: int, held: datetime = NOW) -> None:
            reader.EXACT_UP_TO = threshold  # type: ignore[misc] # both ways, in turn
            with store.read() as snapshot:
                hits = snapshot.near(SPACE, asked[turn], LIMIT, Filter(held))
            found[threshold, held].append({hit.fact_id for hit in hits})

        scanned, walked = in_turns(len(asked), lambda turn: near(turn, scan), lambda turn: near(turn, walk))
        for turn in range(len(asked)):
            near(turn, scan, BEFORE)
            near(turn, walk, BEFORE)
    exact, index = percentile(scanned, 50) * 1000, percentile(walked, 50) * 1000
    now, before = (recall(found[scan, held], found[walk, held]) for held in (NOW, BEFORE))
    return f"| {len(rows):,} | {exact:.1f} | {index:.1f} | {exact / index:.2f} | {now:.3f} | {before:.3f} |"


def recall(exact: Sequence[set[str]], index: Sequence[set[str]]) -> float:
    """The share of the exact answers that the index found, on average over the questions."""
    return float(np.mean([len(one & other) / len(one) for one, other in zip(exact, index, strict=True)]))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.nearness")
    parser.add_argument("address")
    parser.add_argument("--facts", type=int, nargs="+", default=[1_000, 3_000, 10_000, 30_000])
    parser.add_argument("--rounds", type=int, default=60)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--topic", type=int, default=A_TOPIC, help="facts to a topic")
    what.add_argument("--statements", action="store_true", help="real statements; the corpus has 118,000")
    given = parser.parse_args()
    print("| facts | scanned, ms | index, ms | scanned : index | recall of the index | two days ago |")
    print("| --- | --- | --- | --- | --- | --- |")
    for rows, asked in drawn(given.facts, given.rounds, None if given.statements else given.topic):
        print(measured(given.address, rows, asked), flush=True)


if __name__ == "__main__":
    main()
