"""How many findings on real memory files are right? `python -m bench.audit_real_files FOLDER` writes its page.

FOLDER holds a folder for each file with its revisions. Every revision is audited alone: two revisions are two times of
one file, and no contradiction. Labels are a person's, made by reading both lines in their files
(bench/results/audit_real_files.json): `labels` for findings, `read` for clashes that reading found, reported or not.
"""

from __future__ import annotations

import argparse
import json
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from bench import machine
from bench.audit_stores import model_version
from stilltrue.audit.run import audit_files
from stilltrue.inference.pair_model import bundled_for_lines
from stilltrue.settings import Settings
from stilltrue.wiring import embedder_of, line_judge_of

if TYPE_CHECKING:
    from stilltrue.audit.findings import Finding

RESULTS = Path(__file__).parent / "results"
Z = 1.96
HEAD = """# What an audit finds in real memory files

By `python -m bench.audit_real_files FOLDER` on the first and the last revision of memory files of public repositories,
each revision alone. Labels were made by reading both lines where they stand (`audit_real_files.json`).

{about}
"""


def wilson(right: int, total: int) -> str:
    """The 95% interval of a share, in words."""
    if total == 0:
        return "no finding, so no share"
    share, spread = right / total, Z * sqrt(right * (total - right) / total + Z * Z / 4) / (total + Z * Z)
    middle = (right + Z * Z / 2) / (total + Z * Z)
    return f"{share:.2f} ({max(0.0, middle - spread):.2f} to {min(1.0, middle + spread):.2f})"


def row(name: str, finding: Finding, labels: dict[tuple[str, int, int], bool]) -> tuple[str, bool | None]:
    """A finding as a row, and its label; None where nobody has read it."""
    label = labels.get((name, *sorted((finding.here.line, finding.there.line))))
    word = {None: "not read", True: "right", False: "wrong"}[label]
    said = f"{finding.here.text} / {finding.there.text}".replace("|", "\\|")
    lines = f"{finding.here.line}, {finding.there.line}"
    return f"| {name} | {lines} | {finding.kind} | {finding.confidence:.2f} | {word} | {said} |\n", label


def main() -> None:
    """Audit every file, count the labels, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    known = json.loads((given.results / "audit_real_files.json").read_text(encoding="utf-8"))
    labels = {(one["file"], *sorted(one["lines"])): one["right"] for one in known["labels"] + known["read"]}
    settings = Settings()
    judge, embedder = line_judge_of(settings), embedder_of(settings)
    rows, told, statements, pairs, files = "", [], 0, 0, sorted(given.folder.glob("*/*.md"))
    for path in files:
        report = audit_files([path], settings=settings, pair_model=judge, embedder=embedder, root=path.parent)
        statements, pairs = statements + report.statements, pairs + report.pairs_judged
        for finding in report.findings:
            line, label = row(f"{path.parent.name}/{path.name}", finding, labels)
            rows, told = rows + line, [*told, label]
    read = [label for label in told if label is not None]
    counted = f"{len(files)} files, {statements:,} statements, {pairs:,} pairs, {len(told)} findings; "
    counted += f"precision {wilson(sum(read), len(read))}, {len(told) - len(read)} not read.\n\n"
    true = sum(one["right"] for one in known["read"])
    counted += f"Clashes that reading found, reported or not: {true}. {known['how_read']}\n\n"
    table = "| file | lines | kind | confidence | label | said |\n| --- | --- | --- | ---: | --- | --- |\n"
    told_about = machine.described() | {
        "pair model": model_version(),
        "judge of lines": bundled_for_lines().model_version,
    }
    about = "".join(f"- {name}: {words}\n" for name, words in told_about.items())
    (given.results / "audit_real_files.md").write_text(
        HEAD.format(about=about) + counted + (table + rows if rows else ""), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
