"""Which files hold a word? Read by a process of its own, which knows nothing of the store: bytes, in five encodings.

`traces` looks through a folder; the module run as a program does so for every line of JSON it is given.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.faults.companion import Companion

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


class Scanner(Companion):
    """The other process, for the length of a test."""

    module = "tests.faults.scanner"

    def traces(self, folder, words):
        return self.ask([str(folder), list(words)])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(traces(*json.loads(line))), flush=True)  # noqa: T201
