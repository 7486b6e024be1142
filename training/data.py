"""What does the training data look like as files?

Answer: ``write`` puts the pairs of each part into ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl``, the programmatic
families into ``families.jsonl``, and ``parts.json`` beside them, which says for each set in which part it is and counts
what there is. Training itself reads none of these files: they are for reading and for other people's models.

Left to others: the parts (``training.pairs``), the families (``training.families``).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

from training import pairs
from training.families import generate
from training.families.__main__ import as_line
from training.pairs import Pair

PARTS: Final = ("train", "dev", "test")


def as_row(pair: Pair) -> dict[str, Any]:
    """A pair as JSON; ``trap`` names what makes it hard, if anything."""
    return {"anchor": pair.anchor, "old": pair.old, "new": pair.new, "label": pair.label, "trap": pair.trap}


def write(folder: Path) -> dict[str, dict[str, Any]]:
    """Write the files and return the counts by part."""
    folder.mkdir(parents=True, exist_ok=True)
    counts: dict[str, dict[str, Any]] = {}
    for name in PARTS:
        sets = pairs.of_part(name)
        rows = pairs.pairs_of(sets)
        _lines(folder / f"{name}.jsonl", [json.dumps(as_row(row), ensure_ascii=False) for row in rows])
        labels = Counter(row.label for row in rows)
        counts[name] = {"sets": len(sets), "pairs": len(rows), "labels": {r: labels[r] for r in pairs.RELATIONS}}
    families = list(generate(pairs.FAMILY_SEED, pairs.FAMILY_COUNT))
    _lines(folder / "families.jsonl", [as_line(row) for row in families])
    counts["families"] = dict(Counter(row.pool for row in families))
    told = json.dumps({"counts": counts, "parts": pairs.parts()}, indent=1)
    (folder / "parts.json").write_text(told + "\n", encoding="utf-8")
    return counts


def _lines(file: Path, lines: list[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main(argv: list[str] | None = None) -> None:
    """Read the arguments of ``python -m training data``, write, print the counts."""
    parser = argparse.ArgumentParser(prog="python -m training data", description="Write the parts as files.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    for name, count in write(parser.parse_args(argv).out).items():
        print(name, json.dumps(count))
