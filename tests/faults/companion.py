"""How does a test speak with a process beside it? In lines of JSON: one is asked, one is answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import stilltrue

ROOT = Path(__file__).parents[2]


def environment():
    """For children that are to import what this process imports."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(stilltrue.__file__).parents[1])])}


class Companion:
    """A module run as a program, for the length of a block."""

    module = ""

    def __enter__(self):
        command = [sys.executable, "-m", self.module]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)

    def ask(self, what):
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
