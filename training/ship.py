"""How does a checkpoint become the folder that ships?

Answer: ``export`` writes ``pair_model.onnx`` (int8), ``vocab.txt`` and ``pair_model.json``, the card that
``stilltrue.inference.pair_model`` reads: version, labels, limits, hashes, calibration, and how far int8 is from fp32 on
pairs that were not trained on. It stops when that is too far.

Left to others: the graph (``training.export``), fitting the calibration (``training.calibrate``), how good the answers
are (``training.evaluate``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from stilltrue.inference import wordpiece
from stilltrue.inference.calibration import Calibration, Table
from stilltrue.inference.cross_encoder import CrossEncoder, Loaded, WordPiecePairs
from training import pairs, score
from training.build_embedder import DEFAULT_TARGET, session
from training.export import MODEL_NAME, build_graph, state_of
from training.network import MAX_TOKENS
from training.pairs import RELATIONS, Pair

MAX_BATCH: Final = 4
"""Pairs a run: with activations scaled by row more do not change the scores, and 4 were fastest on one thread
(``stilltrue.inference.cross_encoder``)."""

MAX_DRIFT: Final = 0.03
"""Largest mean difference of the probability of a conflict to fp32."""


class DriftError(Exception):
    """The exported model is not the trained one; the message says by how much."""


def probabilities(model: bytes, rows: list[Pair], calibration: Calibration) -> Table:
    """Calibrated probabilities [pairs, 6] of a graph, computed as the package does."""
    loaded = Loaded(WordPiecePairs(wordpiece.bundled(), MAX_TOKENS), session(model), MODEL_NAME)
    encoder = CrossEncoder(lambda: loaded, labels=len(RELATIONS), max_batch=MAX_BATCH, remedy="export it anew")
    table = calibration.probabilities(encoder.scores([(row.old, row.new) for row in rows]))
    return calibration.with_conflicts_mapped(table)


def fidelity(exact: bytes, small: bytes, rows: list[Pair], calibration: Calibration) -> dict[str, float]:
    """How close int8 is to fp32: the probability of a conflict, and how often the likeliest relation is the same."""
    fp32, int8 = (probabilities(model, rows, calibration) for model in (exact, small))
    gap = np.abs(score.conflict(fp32) - score.conflict(int8))
    return {
        "pairs": len(rows),
        "conflict_difference_mean": round(float(gap.mean()), 4),
        "conflict_difference_max": round(float(gap.max()), 4),
        "same_relation": round(float((score.named(fp32) == score.named(int8)).mean()), 4),
    }


def read_calibration(file: Path | None) -> dict[str, Any]:
    """The two steps of a calibration file, or of its ``calibration`` part; without a file, the ones that do nothing."""
    facts = json.loads(file.read_text(encoding="utf-8")) if file else {}
    chosen = Calibration.of(facts.get("calibration", facts))
    return {"temperature": chosen.temperature, "conflict_map": [list(point) for point in chosen.conflict_map]}


def card(files: dict[str, bytes], calibration: dict[str, Any], measured: dict[str, float]) -> dict[str, Any]:
    """The facts that the package reads; the version changes with any byte of model, vocabulary or calibration."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    seen = "".join(hashes.values()) + json.dumps(calibration, sort_keys=True)
    return {
        "model_version": f"{MODEL_NAME}-{hashlib.sha256(seen.encode()).hexdigest()[:8]}",
        "labels": list(RELATIONS),
        "max_tokens": MAX_TOKENS,
        "max_batch": MAX_BATCH,
        "input": "text",
        "calibration": calibration,
        "sha256": hashes,
        "fidelity_to_fp32": measured,
    }


def export(checkpoint: Path, folder: Path, calibration: Path | None = None, check: int = 500) -> dict[str, Any]:
    """Write the folder and return its card. ``check`` is how many dev pairs are compared.

    Raises:
        DriftError: int8 is further from fp32 than allowed; nothing was written.
    """
    state, chosen = state_of(checkpoint), read_calibration(calibration)
    small = build_graph(state).SerializeToString(deterministic=True)
    exact = build_graph(state, exact=True).SerializeToString()
    dev = pairs.pairs_of(pairs.of_part("dev"))
    measured = fidelity(exact, small, dev[:: max(1, len(dev) // check)], Calibration.of(chosen))
    if measured["conflict_difference_mean"] > MAX_DRIFT:
        raise DriftError(f"int8 is too far from fp32: {json.dumps(measured)}, allowed is a mean of {MAX_DRIFT}")
    files = {"pair_model.onnx": small, "vocab.txt": (DEFAULT_TARGET / "vocab.txt").read_bytes()}
    facts = card(files, chosen, measured)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "pair_model.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return facts


def main(argv: list[str] | None = None) -> None:
    """Read the arguments of ``python -m training export``, export, print the card."""
    parser = argparse.ArgumentParser(prog="python -m training export", description="Turn a checkpoint into a folder.")
    parser.add_argument("checkpoint", type=Path, help="final.pt of a run, or any other checkpoint")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--calibration", type=Path, help="JSON with temperature and conflict_map; without: none")
    parser.add_argument("--check", type=int, default=500, help="dev pairs that int8 is compared with fp32 on")
    given = parser.parse_args(argv)
    try:
        facts = export(given.checkpoint, given.out, given.calibration, given.check)
    except DriftError as error:
        raise SystemExit(str(error)) from error
    print(json.dumps(facts, indent=2))
