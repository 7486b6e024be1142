"""What does the engine add to a search beyond embedding the question? And is what it finds what an exact scan finds?

The floor is one exact scan: the product of all vectors with the question's, in numpy, and the ten best of it.
"""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.timing import Figure, in_turns, percentile, timed
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.ports import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.made import Made
    from stilltrue.memory import Memory
    from stilltrue.ports import Vectors

LIMIT_SECONDS = 0.005  # BAR: p95 beyond embedding
_WARM_UP = 20
_TEN = 10


class Watched:
    """An embedder that keeps no cache and adds up the time it takes."""

    def __init__(self) -> None:
        self._real = MiniLMEmbedder(cache_size=0)
        self.model_version = self._real.model_version
        self.dimensions = self._real.dimensions
        self.seconds = 0.0
        self.processor_seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the real one."""
        begun, processor = time.perf_counter(), time.thread_time()
        vectors = self._real.embed(texts)
        self.seconds += time.perf_counter() - begun
        self.processor_seconds += time.thread_time() - processor
        return vectors


def searched(memory: Memory, path: Path, embedder: Watched, made: Sequence[Made], rounds: int) -> list[Figure]:
    """Warm searches for different questions that the space can answer, each in turn with the exact scan."""
    questions = _questions(made, rounds + _WARM_UP + 1)
    embedder.embed(["the model is loaded by its first text"])
    embedder.seconds = 0.0
    cold = timed(lambda: memory.search(questions[-1])) - embedder.seconds
    matrix, vectors = _vectors(path, len(made)), embedder.embed(questions)
    total: list[float] = []
    embedding: list[float] = []
    processor: list[float] = []

    def search(turn: int) -> None:
        embedder.seconds = embedder.processor_seconds = 0.0
        begun, worked = time.perf_counter(), time.thread_time()
        found = memory.search(questions[turn])
        total.append(time.perf_counter() - begun)
        processor.append(time.thread_time() - worked - embedder.processor_seconds)
        embedding.append(embedder.seconds)
        assert found.results, f"nothing was found for {questions[turn]!r}"

    scans, _ = in_turns(rounds + _WARM_UP, lambda turn: _exact(matrix, vectors[turn], _TEN), search)
    warm = slice(_WARM_UP, None)
    times = {"total": total[warm], "embedding": embedding[warm], "scan": scans[warm], "processor": processor[warm]}
    recall = _recall(memory, matrix, vectors[:rounds])
    return _figures(f"search, {len(made):,} facts", times, cold, recall)


def _figures(bench: str, times: dict[str, list[float]], cold: float, recall: float) -> list[Figure]:
    total, embedding, scan = times["total"], times["embedding"], times["scan"]
    engine = [whole - part for whole, part in zip(total, embedding, strict=True)]
    n = len(total)

    def figure(what: str, against: str, number: float, demanded: float | None = None) -> Figure:
        return Figure(bench=bench, what=what, against=against, number=number, n=n, demanded=demanded)

    middle = percentile(embedding, 50)
    return [
        figure("beyond embedding, p95", "the limit of 5 ms", percentile(engine, 95) / LIMIT_SECONDS, 1),
        figure("beyond embedding, p50", "the limit of 5 ms", percentile(engine, 50) / LIMIT_SECONDS),
        figure(
            "beyond embedding, processor time, p95",
            "the limit of 5 ms",
            percentile(times["processor"], 95) / LIMIT_SECONDS,
        ),
        figure("beyond embedding, p50", "one embedding, p50", percentile(engine, 50) / middle),
        figure("beyond embedding, p50", "exact numpy scan, p50", percentile(engine, 50) / percentile(scan, 50)),
        figure("beyond embedding, p95", "exact numpy scan, p95", percentile(engine, 95) / percentile(scan, 95)),
        figure("whole search, p50", "one embedding, p50", percentile(total, 50) / middle),
        figure("first search after opening, beyond embedding", "a warm one, p50", cold / percentile(engine, 50)),
        Figure(
            bench=bench,
            what="nearest ten found by the vector index",
            against="the exact ten",
            number=recall,
            n=n,
            demanded=0.98,
            least=True,
            unit="",
        ),
    ]


def _questions(made: Sequence[Made], count: int) -> list[str]:
    different = list(dict.fromkeys(item.question for item in made))
    random.Random(3).shuffle(different)
    return different[:count]


def _vectors(path: Path, count: int) -> Vectors:
    """All vectors of the database, in the order told."""
    with closing(sqlite3.connect(path)) as raw:
        blocks = [row[0] for row in raw.execute("SELECT vector FROM vectors ORDER BY rowid")]
    return np.frombuffer(b"".join(blocks), dtype="<f4").reshape(count, -1)


def _exact(matrix: Vectors, vector: Vectors, limit: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The best cosines of all, best first."""
    scores = np.einsum("ij,j->i", matrix, vector)
    best = np.argpartition(-scores, limit - 1)[:limit]
    return np.sort(scores[best])[::-1]


def _recall(memory: Memory, matrix: Vectors, vectors: Vectors) -> float:
    """The share of the exact ten best cosines that the index returns among its ten."""
    hit = 0
    where = Filter(memory.engine.clock.now())
    with memory.engine.store.read() as reader:
        for vector in vectors:
            least = _exact(matrix, vector, _TEN)[-1] - 1e-5
            hit += sum(found.score >= least for found in reader.near(memory.space, vector, _TEN, where))
    return float(hit / (_TEN * len(vectors)))
