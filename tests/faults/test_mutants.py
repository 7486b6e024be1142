"""Would the tests notice? Each planted fault, alone in a copy of the package, must fail the tests named for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stilltrue
from tests.faults.companion import ROOT
from tests.faults.mutants import EVERYDAY, MUTANTS
from tests.faults.proof import SHARE

PACKAGE = Path(stilltrue.__file__).parent
PLANTED = MUTANTS if SHARE else [one for one in MUTANTS if one.name in EVERYDAY]
TESTS_FAILED = 1  # pytest's status; a test that cannot run at all ends with another


def copied(folder):
    """The package, but for what is large and never edited, which is linked."""
    copy = folder / "src" / "stilltrue"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "weights"))
    if (PACKAGE / "weights").exists():
        (copy / "weights").symlink_to(PACKAGE / "weights")
    return copy


def run(folder, tests):
    """How the tests named end with the package in this folder; what they print."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("STILLTRUE_SOAK", None)
    quick = ("-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:playwright", "-p", "no:doctest")
    command = [sys.executable, "-m", "pytest", "-q", "-x", *quick, "-o", "addopts=--import-mode=importlib", *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout[-2000:]


def test_twenty_five_faults_are_named_and_each_has_a_place():
    assert len(MUTANTS) == len({one.name for one in MUTANTS}) == 25
    for one in MUTANTS:
        text = (PACKAGE / one.file).read_text(encoding="utf-8")
        assert text.count(one.old) == 1, one.name
        assert one.old != one.new


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", PLANTED, ids=str)
def test_a_planted_fault_is_caught(tmp_path, proven, mutant):
    copy = copied(tmp_path)
    file = copy / mutant.file
    file.write_text(file.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
    status, said = run(tmp_path, mutant.tests)
    proven(f"planted: {mutant.name}", "fault", 1, [] if status == TESTS_FAILED else [(mutant.name, status, said)])


@pytest.mark.timeout(900)
@pytest.mark.skipif(not SHARE, reason="the tests named are run as they are with all tests; here only in the long run")
def test_without_a_fault_the_same_tests_pass(tmp_path):
    copied(tmp_path)
    status, said = run(tmp_path, sorted({test for one in MUTANTS for test in one.tests}))
    assert status == 0, said
