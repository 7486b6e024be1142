"""How does a checkpoint become the folder that ships?

Answer: ``export`` writes ``pair_model.onnx`` (int8), ``vocab.txt`` and ``pair_model.json``, the card that
``stilltrue.inference.pair_model`` reads: version, labels, limits, hashes, how the rules are weighed in, and how far
int8 is from fp32 on pairs that were not trained on. It stops when that is too far.

Left to others: the graph (``training.export``), fitting the calibration (``training.calibrate``), how good the answers
are (``training.evaluate``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.progress import track

from stilltrue.inference import wordpiece
from stilltrue.inference.calibration import Calibration
from stilltrue.inference.cross_encoder import CrossEncoder, Loaded, WordPiecePairs
from stilltrue.rules.cascade import judge_texts, read_texts
from training import pairs, score
from training.build_embedder import DEFAULT_TARGET, session
from training.calibrate import Ruled, fit_combination, folded, refit_head
from training.export import MODEL_NAME, State, build_graph, state_of
from training.network import MAX_TOKENS
from training.pairs import RELATIONS, Pair

if TYPE_CHECKING:
    from stilltrue.inference.calibration import Table

MAX_BATCH: Final = 4
"""Pairs a run: with activations scaled by row more do not change the scores, and 4 were fastest on one thread
(``stilltrue.inference.cross_encoder``)."""

CHECK: Final = 500
"""Dev pairs that int8 is compared with fp32 on."""

MAX_DRIFT: Final = 0.03
"""Largest mean difference of the probability of a conflict to fp32."""


class DriftError(Exception):
    """The exported model is not the trained one; the message says by how much."""


def scores(model: bytes, rows: list[Pair]) -> Table:
    """Scores [pairs, 6] of a graph, computed as the package does."""
    loaded = Loaded(WordPiecePairs(wordpiece.bundled(), MAX_TOKENS), session(model), MODEL_NAME)
    encoder = CrossEncoder(lambda: loaded, labels=len(RELATIONS), max_batch=MAX_BATCH, remedy="export it anew")
    return np.asarray(encoder.scores([(row.old, row.new) for row in rows]))


def probabilities(model: bytes, rows: list[Pair]) -> Table:
    """Probabilities [pairs, 6] of a graph."""
    return Calibration().probabilities(scores(model, rows))


def fidelity(exact: bytes, small: bytes, rows: list[Pair]) -> dict[str, float]:
    """How close int8 is to fp32: the probability of a conflict, and how often the likeliest relation is the same."""
    fp32, int8 = (probabilities(model, rows) for model in (exact, small))
    gap = np.abs(score.conflict(fp32) - score.conflict(int8))
    return {
        "pairs": len(rows),
        "conflict_difference_mean": round(float(gap.mean()), 4),
        "conflict_difference_max": round(float(gap.max()), 4),
        "same_relation": round(float((score.named(fp32) == score.named(int8)).mean()), 4),
    }


def judged(rows: list[Pair]) -> list[Ruled]:
    """What the rules say of pairs, with a progress bar: it takes some milliseconds a pair."""
    return [(judge_texts(row.old, row.new), read_texts(row.old, row.new)) for row in track(rows, "rules")]


def combination(model: bytes, rows: list[Pair]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fitted combination as the card holds it, and how it was chosen."""
    table = probabilities(model, rows)
    fit = fit_combination(table, judged(rows), [row.label for row in rows], [row.anchor for row in rows])
    return asdict(fit.combination), {"pairs": len(rows), "hold": fit.hold, "log_loss": fit.losses}


def card(files: dict[str, bytes], weighed: dict[str, Any] | None, measured: dict[str, Any]) -> dict[str, Any]:
    """The facts that the package reads; the version changes with any byte of model, vocabulary or combination."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    seen = "".join(hashes.values()) + json.dumps(weighed, sort_keys=True)
    return {
        "model_version": f"{MODEL_NAME}-{hashlib.sha256(seen.encode()).hexdigest()[:8]}",
        "labels": list(RELATIONS),
        "max_tokens": MAX_TOKENS,
        "max_batch": MAX_BATCH,
        "input": "text",
        "combination": weighed,
        "sha256": hashes,
        **measured,
    }


def export(checkpoint: Path, folder: Path, fit_on: int = 0) -> dict[str, Any]:
    """Write the folder and return its card. ``fit_on``: how many dev pairs are fitted on and compared (0: all).

    Raises:
        DriftError: int8 is further from fp32 than allowed; nothing was written.
    """
    dev = pairs.pairs_of(pairs.of_part("dev"))
    dev = dev[:: max(1, len(dev) // fit_on)] if fit_on else dev
    state = state_of(checkpoint)
    said = scores(build_graph(state, exact=True).SerializeToString(), dev)
    state = folded(state, *refit_head(said, [row.label for row in dev]))
    small, drift = graph(state, dev)
    weighed, chosen = combination(small, dev)
    return write(folder, small, weighed, {"fidelity_to_fp32": drift, "fitted_on": chosen})


def graph(state: State, dev: list[Pair]) -> tuple[bytes, dict[str, float]]:
    """The int8 graph, and how far it is from fp32 on some of these pairs. Raises DriftError where that is too far."""
    small = build_graph(state).SerializeToString(deterministic=True)
    drift = fidelity(build_graph(state, exact=True).SerializeToString(), small, dev[:: max(1, len(dev) // CHECK)])
    if drift["conflict_difference_mean"] > MAX_DRIFT:
        raise DriftError(f"int8 is too far from fp32: {json.dumps(drift)}, allowed is a mean of {MAX_DRIFT}")
    return small, drift


def write(folder: Path, small: bytes, weighed: dict[str, Any] | None, measured: dict[str, Any]) -> dict[str, Any]:
    """Write the three files of a graph and return their card."""
    files = {"pair_model.onnx": small, "vocab.txt": (DEFAULT_TARGET / "vocab.txt").read_bytes()}
    facts = card(files, weighed, measured)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "pair_model.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return facts


def main(argv: list[str] | None = None) -> None:
    """Read the arguments of ``python -m training export``, export, print the card."""
    parser = argparse.ArgumentParser(prog="python -m training export", description="Turn a checkpoint into a folder.")
    parser.add_argument("checkpoint", type=Path, help="the last checkpoint of a run, or any other")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--fit-on", type=int, default=0, help="dev pairs to fit the probabilities on (0: all)")
    given = parser.parse_args(argv)
    try:
        facts = export(given.checkpoint, given.out, given.fit_on)
    except DriftError as error:
        raise SystemExit(str(error)) from error
    print(json.dumps(facts, indent=2))
