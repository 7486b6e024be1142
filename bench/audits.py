"""How long does an audit take, and how does its work grow with the file? `python -m bench.audits` writes its page.

Files of 250 to 2,000 lines are made from the planted memory files of the tests, lines with a number of their own, so
that words repeat as they do in real files. Each is audited once in a process that has its models loaded.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench import machine
from bench.audit_stores import model_version
from stilltrue.audit.run import audit_files
from stilltrue.inference.pair_model import bundled_for_lines
from stilltrue.settings import Settings
from stilltrue.wiring import embedder_of, line_judge_of

RESULTS = Path(__file__).parent / "results"
PLANTED = Path(__file__).parent.parent / "tests" / "audit" / "planted" / "dev"
SIZES = (250, 500, 1_000, 2_000)
LIMIT = 60.0
"""Seconds that a file of 1,000 lines may take on two cores."""
HEAD = """# How long an audit takes

By `python -m bench.audits`. Files are made of the lines of `tests/audit/planted/dev`, each repetition with names of its
own. Pairs are those that were nominated; the judge of lines reads those that structure does not part, in both orders.

{about}
| lines | statements | pairs | pairs a statement | findings | seconds | milliseconds a line |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def made(lines: int) -> str:
    """A memory file of that many lines: the planted ones one after another, renamed at every round."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(PLANTED.glob("*.md"))]
    found: list[str] = []
    turn = 0
    while len(found) < lines:
        text = texts[turn % len(texts)]
        mark = "" if turn < len(texts) else f"{turn // len(texts)}"
        found += [f"# Part {turn + 1}", "", *(_renamed(line, mark) for line in text.split("\n"))]
        turn += 1
    return "\n".join(found[:lines]) + "\n"


def _renamed(line: str, mark: str) -> str:
    """Words with a capital inside a line are names: those of a later round are others."""
    if not mark:
        return line
    return " ".join(word + mark if word[:1].isupper() and word.isalpha() else word for word in line.split(" "))


def measured(lines: int) -> str:
    """One row of the page."""
    settings = Settings()
    judge, embedder = line_judge_of(settings), embedder_of(settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "CLAUDE.md"
        path.write_text(made(lines), encoding="utf-8")
        started = time.perf_counter()
        report = audit_files([path], settings=settings, pair_model=judge, embedder=embedder, root=Path(folder))
        seconds = time.perf_counter() - started
    share = report.pairs_judged / max(report.statements, 1)
    return (
        f"| {lines:,} | {report.statements:,} | {report.pairs_judged:,} | {share:.1f} | {len(report.findings)} "
        f"| {seconds:.1f} | {1000 * seconds / lines:.0f} |\n"
    )


def main() -> None:
    """Measure all sizes and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    measured(50)  # loads the models
    rows = [measured(lines) for lines in SIZES]
    told = machine.described() | {"pair model": model_version(), "judge of lines": bundled_for_lines().model_version}
    about = "".join(f"- {name}: {words}\n" for name, words in told.items())
    limit = f"\nDemanded: at most {LIMIT:.0f} seconds for 1,000 lines on two cores.\n"
    page = HEAD.format(about=about) + "".join(rows) + limit
    (given.results / "audits.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
