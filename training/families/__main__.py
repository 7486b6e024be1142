"""Writes the pairs: ``python -m training.families --seed 7 --count 12000 --out pairs.jsonl``."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from training.families.build import Row, generate


def as_line(row: Row) -> str:
    fields = {"anchor": row.anchor, "family": row.family, "old": row.existing, "new": row.new}
    return json.dumps(fields | {"label": row.label, "trap": row.trap, "pool": row.pool}, ensure_ascii=False)


def main() -> None:
    """Read the arguments, write the file, print the counts."""
    parser = argparse.ArgumentParser(prog="python -m training.families", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = list(generate(given.seed, given.count))
    given.out.write_text("".join(f"{as_line(row)}\n" for row in rows), encoding="utf-8")
    for name, counts in (("labels", Counter(r.label for r in rows)), ("families", Counter(r.family for r in rows))):
        print(name, dict(counts.most_common()))


if __name__ == "__main__":
    main()
