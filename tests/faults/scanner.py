"""Which files hold a word? Read by a process of its own, which knows nothing of the store: bytes, in five encodings.

`traces` looks through a folder; the module run as a program does so for every line of JSON it is given.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.faults.nursery import ROOT, environment

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


def traces(folder, words):
    """Files under a folder that hold one of the words, in any case they may have been folded to."""
    forms = {form for word in words for form in (word, word.lower(), word.upper(), word.capitalize(), word.title())}
    needles = {form.encode(name) for form in forms for name in ENCODINGS}
    needles |= {json.dumps(form).strip('"').encode() for form in forms}
    found = []
    for file in sorted(Path(folder).rglob("*")):
        content = file.read_bytes() if file.is_file() else b""
        found += [file.name] if any(needle in content for needle in needles) else []
    return found


class Scanner:
    """The other process, for the length of a test."""

    def __enter__(self):
        command = [sys.executable, "-m", "tests.faults.scanner"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)

    def traces(self, folder, words):
        self._process.stdin.write(json.dumps([str(folder), list(words)]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(traces(*json.loads(line))), flush=True)  # noqa: T201
