"""Which files does a repository hold, and what is in them? Looked at once, with limits, and never through a link.

A repository may be hostile: links are names and never followed, big files and endless trees are cut short, and
whoever asks can tell a file that is not there from one that was not looked at (`may_hold`).
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

MOST_FILES: Final = 50_000
"""Beyond it absence proves nothing any more; a large monorepo's own files fit."""
MOST_BYTES: Final = 1_000_000
"""A manifest is a few kilobytes; only lockfiles are larger, and of those the name is enough."""
DEEPEST: Final = 24
FOREIGN: Final = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".hg", ".svn", "vendor", "target"})
"""Folders that hold others' files, or what was built."""


class Tree:
    """The files under a root, by their names with slashes; read on demand and kept."""

    def __init__(self, root: Path) -> None:
        """Look at `root`; what cannot be listed counts as not looked at."""
        self.root = root
        self.files: dict[str, None] = {}
        self.folders: set[str] = set()
        self.unseen: set[str] = set()
        self.whole = True
        self.skipped: dict[str, str] = {}
        self._texts: dict[str, str | None] = {}
        self._data: dict[str, object] = {}
        self._walk()

    def _walk(self) -> None:
        left = [""]
        while left:
            folder = left.pop()
            try:
                with os.scandir(self.root / folder) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                self.unseen.add(folder)
                self.whole = self.whole and folder != ""
                continue
            if not found:
                self.unseen.add(folder)
            for entry in found:
                self._note(entry, f"{folder}/{entry.name}".lstrip("/"), left)
                if len(self.files) > MOST_FILES:
                    self.whole = False
                    return

    def _note(self, entry: os.DirEntry[str], name: str, left: list[str]) -> None:
        if entry.is_symlink():
            self.unseen.add(name)
        elif entry.is_dir(follow_symlinks=False):
            self.folders.add(name)
            if entry.name in FOREIGN or name.count("/") >= DEEPEST:
                self.unseen.add(name)
            else:
                left.append(name)
        elif entry.is_file(follow_symlinks=False):
            self.files[name] = None
        else:
            self.unseen.add(name)

    def may_hold(self, name: str) -> bool:
        """Whether what lies at `name` was not looked at: behind a link, in an empty folder, beyond a limit."""
        parts = PurePosixPath(name).parts
        return not self.whole or any("/".join(parts[:end]) in self.unseen for end in range(1, len(parts) + 1))

    def holds(self, name: str) -> bool:
        """Whether a file or folder of this name is there."""
        return name in self.files or name in self.folders

    def named(self, *names: str) -> list[str]:
        """Files with one of these last names, the outermost first; a name may be a pattern."""
        found = [file for file in self.files if any(fnmatchcase(file.rpartition("/")[2], name) for name in names)]
        return sorted(found, key=lambda file: (file.count("/"), file))

    @cached_property
    def tails(self) -> frozenset[str]:
        """Every ending of every path, cut at slashes: a package's own `src/index.ts` is found under its folder."""
        found: set[str] = set()
        for name in (*self.files, *self.folders):
            parts = name.split("/")
            found.update("/".join(parts[start:]) for start in range(len(parts)))
        return frozenset(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The tails without their suffixes: `src/lib/db` is what imports call `src/lib/db.ts`."""
        return frozenset(tail.rpartition(".")[0] for tail in self.tails)

    def text(self, name: str) -> str | None:
        """What is in a file; None, and a note in `skipped`, where that cannot be told."""
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name]

    def _read(self, name: str) -> str | None:
        try:
            with os.fdopen(os.open(self.root / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    self.skipped[name] = "it is no plain file"
                    return None
                raw = file.read(MOST_BYTES + 1)
            if len(raw) > MOST_BYTES:
                self.skipped[name] = f"it is larger than {MOST_BYTES} bytes"
                return None
            return raw.decode("utf-8-sig")
        except (OSError, UnicodeError) as error:
            self.skipped[name] = f"it cannot be read: {type(error).__name__}"
            return None

    def table(self, name: str) -> dict[str, object]:
        """A JSON or TOML file as an object; empty, and a note in `skipped`, where it is none."""
        if name not in self._data:
            self._data[name] = self._parsed(name)
        held = self._data[name]
        return held if isinstance(held, dict) else {}

    def _parsed(self, name: str) -> object:
        text = self.text(name)
        if text is None:
            return None
        try:
            held: object = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            self.skipped[name] = (
                f"it is malformed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
            )
            return None
        if not isinstance(held, dict):
            self.skipped[name] = "it holds no object"
        return held

    def line_of(self, name: str, *marks: str) -> int:
        """The 1-based line on which the marks have followed one another; 0 where they do not."""
        text, at = self.text(name) or "", 0
        for mark in marks:
            at = text.find(mark, at)
            if at < 0:
                return 0
        return text.count("\n", 0, at) + 1


def nearest_first(folder: str) -> list[str]:
    """A folder and those it lies in, up to the root.

    >>> nearest_first("a/b")
    ['a/b', 'a', '']
    """
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:end]) for end in range(len(parts), -1, -1)]


def folder_of(name: str) -> str:
    """The folder that a file lies in, "" at the root."""
    return name.rpartition("/")[0]


def part(held: object, *keys: str) -> object:
    """What lies under keys in nested objects; None where anything on the way is missing or none."""
    for key in keys:
        if not isinstance(held, dict):
            return None
        held = held.get(key)
    return held
