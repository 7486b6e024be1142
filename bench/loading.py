"""How long does the pair model take to load, and how heavy is it? Asked of fresh processes, one a round."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from bench.machine import MEGABYTE, resident_megabytes
from bench.timing import Figure, percentile
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import MODEL_FILE, OnnxPairModel
from stilltrue.rules.cascade import read_texts

LIMIT_SECONDS: Final = 0.5
_OLD, _NEW = "Ada Abbott lives in Lisbon.", "Ada Abbott has moved to Porto."


def loaded(weights: Path, rounds: int) -> list[Figure]:
    """The first pair of a process against the limit, with and without the runtime loaded; the room both models take."""
    warm = [_asked(weights, "embedder") for _ in range(rounds)]
    cold = [_asked(weights, "nothing") for _ in range(rounds)]
    limit = f"the limit of {LIMIT_SECONDS:g} s"

    def figure(what: str, against: str, number: float, demanded: float | None = None, unit: str = "×") -> Figure:
        return Figure(
            bench="pair model", what=what, against=against, number=number, n=rounds, demanded=demanded, unit=unit
        )

    return [
        figure("loading and the first pair, p50", limit, _middle(warm, 0) / LIMIT_SECONDS, 1),
        figure("the same, the runtime too, p50", limit, _middle(cold, 0) / LIMIT_SECONDS),
        figure("its file", "as it is", (weights / MODEL_FILE).stat().st_size / MEGABYTE, unit=" MB"),
        figure("the most held, both models loaded, p50", "as it is", _middle(warm, 1), unit=" MB"),
        figure("the most held before the pair model, p50", "as it is", _middle(warm, 2), unit=" MB"),
    ]


def _middle(told: list[list[float]], column: int) -> float:
    return percentile([row[column] for row in told], 50)


def _asked(weights: Path, before: str) -> list[float]:
    words = [sys.executable, "-m", "bench.loading", str(weights), before]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def load(weights: str, before: str) -> str:
    """In a process of its own: seconds until the first pair is answered, the most memory held, and that before it."""
    pair = read_texts(_OLD, _NEW)
    if before == "embedder":
        MiniLMEmbedder().embed([_OLD])
    held = resident_megabytes()
    begun = time.perf_counter()
    answer = OnnxPairModel(weights=Path(weights)).relations([pair])
    taken = time.perf_counter() - begun
    assert len(answer) == 1
    return f"{taken} {resident_megabytes()} {held}"


if __name__ == "__main__":
    print(load(*sys.argv[1:]))
