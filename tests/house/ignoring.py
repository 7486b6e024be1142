"""Does a test see that a knob does something? Run it with the knob ignored, and it has to fail.

`python -m tests.house.ignoring [knob ...]` takes the tests of `knobs.KNOBS` one after the other in one process and
prints a line of JSON for each, after one for all of them with no knob ignored. A knob is ignored by the program, not by
the test: whatever code of the package reads it gets the default, while the settings as such keep, show and store what
was set. So a test that only reads a setting back passes here, and passing is what must not be.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import stilltrue
from stilltrue import settings
from stilltrue.settings import Settings
from tests.house.knobs import KNOBS

PACKAGE = str(Path(stilltrue.__file__).parent)
AS_SUCH = frozenset({"__post_init__", "replace", "_check", "from_environment"})
"""The functions of the settings' own module that keep a value, and do nothing by it."""
QUICK = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:playwright", "-p", "no:doctest")
QUIET = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # the package is loaded before pytest


class Ignored:
    """Stands in the place of a field: the package reads the default, everybody else what was set."""

    def __init__(self, slot, default):
        self.slot, self.default = slot, default

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        kept = self.slot.__get__(instance, owner)
        code = sys._getframe(1).f_code
        keeps = code.co_filename == settings.__file__ and code.co_name in AS_SUCH
        return kept if keeps or not code.co_filename.startswith(PACKAGE) else self.default

    def __set__(self, instance, value):
        self.slot.__set__(instance, value)


@contextmanager
def ignored(knob):
    """While this lasts, the program does not know what was set."""
    slot = vars(Settings)[knob]
    setattr(Settings, knob, Ignored(slot, getattr(Settings(), knob)))
    try:
        yield
    finally:
        setattr(Settings, knob, slot)


class Counted:
    """What came of the tests: a failure of the test itself, and not of its preparation, is what is looked for."""

    def __init__(self):
        self.failed, self.passed, self.others = [], [], []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            called = {"failed": self.failed, "passed": self.passed}.get(report.outcome, self.others)
            kept = called if report.when == "call" else self.others
            kept.append(f"{report.nodeid}: {report.outcome} in {report.when}")

    def pytest_collectreport(self, report):
        if report.failed:
            self.others.append(f"{report.nodeid}: {report.longreprtext[-300:]}: failed in collecting")


def seen(tests):
    """What comes of these tests, in this process."""
    counted = Counted()
    pytest.main([*QUICK, *QUIET, "-o", "addopts=--import-mode=importlib", *tests], plugins=[counted])
    return counted


def missed(knob):
    """Whether the test of this knob fails without it, and if not, what it did."""
    with ignored(knob):
        came = seen([KNOBS[knob]])
    return {"knob": knob, "failed": bool(came.failed), "said": came.passed + came.others}


def control(knobs):
    """With no knob ignored all of these tests pass here, so that a failure is of the knob."""
    came = seen(sorted({KNOBS[knob] for knob in knobs}))
    return {"control": bool(came.passed), "said": came.failed + came.others}


if __name__ == "__main__":
    names = sys.argv[1:] or [field.name for field in dataclasses.fields(Settings)]
    for told in itertools.chain([control(names)], map(missed, names)):
        print(json.dumps(told), flush=True)  # noqa: T201 - what `test_knobs` reads
