"""How often was it tried, how often did it fail, and what may be claimed from that? A figure for every test here.

The everyday sizes run with all tests; `STILLTRUE_SOAK=1` takes the long ones, and a share (0.01) so much of them. A
figure is a property of its test, so it reaches the process that gathers the run from whichever process ran the test:
there alone `tests/conftest.py` has it printed and, with `STILLTRUE_SOAK_PAGE`, written to a page.
"""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

SHARE = float(os.environ.get("STILLTRUE_SOAK", "0") or 0)
PROPERTY = "proof"
_NORMAL = 1.959964  # two-sided 95%


BEYOND = """Out of reach of these tests: a disk that says it has synced and has not; bytes that rot on it; the memory
that processes map and share, once it is mapped; the system's own clock (the one that a memory is given is moved
instead); the power of a real machine (what a cut leaves is made from what SQLite wrote and synced); Windows."""


def many(everyday: int, soak: int) -> int:
    """How often something is tried in this run."""
    return max(1, round(soak * SHARE)) if SHARE else everyday


def bound(trials: int, failures: int) -> float:
    """The 95% upper bound of the rate: the rule of three where nothing failed, Wilson's interval otherwise.

    >>> bound(1000, 0), round(bound(100, 1), 4)
    (0.003, 0.0545)
    """
    if failures == 0:
        return min(1.0, 3 / trials)
    rate, square = failures / trials, _NORMAL**2
    spread = _NORMAL * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials**2))
    return (rate + square / (2 * trials) + spread) / (1 + square / trials)


@dataclass(frozen=True)
class Proof:
    """One line of the page: what was tried, N of which unit, how many failed, and what else was measured."""

    what: str
    unit: str
    trials: int
    failures: int
    note: str = ""

    def cells(self):
        most = f"{bound(self.trials, self.failures):.2g}"
        return self.what, f"{self.trials:,} {self.unit}", f"{self.failures:,}", most, self.note


def told(item):
    """The property of a test that carries a figure."""
    return PROPERTY, json.dumps(asdict(item))


def gathered(reports):
    """The figures that the tests of a run have left, in the order of the files, whichever process was done first."""
    reports = sorted((one for one in reports if hasattr(one, "user_properties")), key=lambda one: one.location)
    found = (value for report in reports for name, value in report.user_properties if name == PROPERTY)
    return [Proof(**json.loads(value)) for value in dict.fromkeys(found)]


def lines(proofs):
    """For the end of a run."""
    for one in proofs:
        what, tried, failed, most, note = one.cells()
        yield f"{what}: {tried}, {failed} failed; 95% bound {most}{f'; {note}' if note else ''}"


def page(proofs, seconds, failed):
    """The page of a long run."""
    share = "" if SHARE == 1 else f" This was a rehearsal with {SHARE:g} of the sizes."
    rows = ["| what | N | failed | 95% bound of the rate | also measured |", "| --- | --- | --- | --- | --- |"]
    rows += [f"| {' | '.join(one.cells())} |" for one in proofs]
    from bench import machine

    about = [f"- {name}: {words}" for name, words in machine.described().items()]
    said = (
        f"Written by `make soak` in {seconds / 60:.0f} minutes; {failed} tests failed.{share} The bound is 3/N where "
        "nothing failed, Wilson's upper bound otherwise."
    )
    return "\n".join(["# What withstood a long run", "", said, "", *about, "", *rows, "", BEYOND, ""])


def at_the_end(terminal, seconds):
    """Print the figures of a run; write the page that is asked for."""
    reports = [report for kind in ("passed", "failed", "error") for report in terminal.stats.get(kind, ())]
    proofs = gathered(reports)
    if not proofs:
        return
    terminal.section("faults")
    for line in lines(proofs):
        terminal.write_line(line)
    if where := os.environ.get("STILLTRUE_SOAK_PAGE"):
        failed = len(terminal.stats.get("failed", ())) + len(terminal.stats.get("error", ()))
        Path(where).write_text(page(proofs, seconds, failed), encoding="utf-8")
        print(where, file=sys.stderr)  # noqa: T201
