"""Does the page of a long run hold what every process of it has found, once, and in the order of the files?"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.faults.companion import ROOT, environment

RUN = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_something(number, proven):
    proven(f"thing {number}", "times", 10, [])
"""


def test_the_page_is_written_once_with_the_figures_of_all_processes(tmp_path):
    """What the workers of a run found is told by the process that gathers, and by no other."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n"
                                          "from tests.faults.conftest import proven\n")  # fmt: skip
    (tmp_path / "test_run.py").write_text(RUN)
    page = tmp_path / "page.md"
    asked = {**environment(), "STILLTRUE_SOAK": "1", "STILLTRUE_SOAK_PAGE": str(page)}
    options = ("--rootdir", tmp_path, "-c", os.devnull, "-p", "no:cacheprovider", "--import-mode=importlib")
    command = [sys.executable, "-m", "pytest", "-q", *options, "--numprocesses", "2", tmp_path]
    done = subprocess.run(command, cwd=ROOT, env=asked, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stderr.count(page.name) == 1
    assert re.findall(r"thing (\d)", page.read_text()) == list("012345")
