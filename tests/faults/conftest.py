"""What do the tests of faults share? A place for files, a process that forks quickly, and a figure at the end of each.

Whether a process that dies takes data along does not depend on the disk, so files lie in memory where that can be had.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.faults.nursery import Nursery
from tests.faults.proof import Proof, told

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def place(tmp_path):
    """A folder, in memory where the system has a place for that."""
    if not os.access(SHARED_MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="stilltrue-faults-", dir=SHARED_MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def nursery():
    with Nursery() as one:
        yield one


@pytest.fixture
def proven(record_property):
    """Note how often something was tried and what went wrong; anything that went wrong fails the test."""

    def note(what, unit, trials, wrong, also=""):
        assert trials > 0
        record_property(*told(Proof(what, unit, trials, len(wrong), also)))
        assert not wrong, (len(wrong), wrong[:3])

    return note
