"""Which lines of one memory file clash, and which only look as if they did?

Answer, from ``corpus/files``: markdown files as projects and people keep them, each set in a folder with an
``expected.jsonl`` that names every clash of two lines, and pairs that look like one. All other pairs are compatible.
In most folders the clashes are said in quite other words, so that they are hard to see; in those of `PLAIN` as people
say them, by hands that were asked for files that grew and not for hard ones (the last, `nm`, for long technical files
that hold almost none).
The pair judge is not trained on them: a leg that was (decision 0023) taught it little. The judge of an audit learns
from some of them (``training.lines``); what an audit makes of its word is fitted on the others (``training.odds``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from training.pairs import CONFLICTS, CORPUS

FOLDER: Final = CORPUS / "files"
PLAIN: Final = frozenset(f"n{letter}" for letter in "abcdefghijklm")
"""Folders of files whose clashes are said as people say them."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A file with what is said of pairs of its lines (1-based, the earlier first)."""

    name: str
    text: str
    labels: dict[tuple[int, int], str]

    @property
    def clashes(self) -> set[tuple[int, int]]:
        """The pairs of lines that are a conflict."""
        return {lines for lines, label in self.labels.items() if label in CONFLICTS}


def plain(file: Labelled) -> bool:
    """Whether its clashes are said as people say them."""
    return file.name.partition("/")[0] in PLAIN


def read(folder: Path) -> Iterator[Labelled]:
    """The labelled files of one folder, by name."""
    told: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)
    for row in map(json.loads, (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()):
        one, other = sorted((row["line_a"], row["line_b"]))
        told[row["file"]][one, other] = row["label"]
    for name, labels in sorted(told.items()):
        yield Labelled(f"{folder.name}/{name}", (folder / name).read_text(encoding="utf-8"), labels)


@cache
def files() -> tuple[Labelled, ...]:
    """Every file of the corpus, by folder and name."""
    return tuple(file for folder in sorted(FOLDER.iterdir()) if folder.is_dir() for file in read(folder))
