"""Which files are meant when somebody names a folder? Those that agents read as memory, by their names.

Answer: `find_files`. A file that is named is taken whatever it is called. In a folder the known names count; where it
holds none of them, all markdown does. What git ignores, what others wrote (`VENDORED`) and links out of the repository
are passed over, and a file that several names lead to is taken once. Left to others: what a file says
(`audit.reading`).
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from stilltrue.audit.git import ask, repository_of
from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

VENDORED: Final = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "bower_components", "jspm_packages",
        "vendor", "vendored", "third_party", "third-party", "site-packages", "__pycache__", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".next", ".nuxt", ".gradle", ".terraform", "Pods", "dist", "build", "target"
    }
)  # fmt: skip
"""Folders that hold what a project did not write itself."""
NAMES: Final = frozenset(
    {
        "claude.md", "claude.local.md", "agents.md", "agent.md", "gemini.md", "memory.md", "memories.md",
        "conventions.md", "decisions.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints"
    }
)  # fmt: skip
"""In lower case; case does not count."""
PATTERNS: Final = (
    "**/.cursor/rules/**/*.mdc",
    "**/.cursor/rules/**/*.md",
    "**/.windsurf/rules/**/*.md",
    "**/.clinerules/**/*.md",
    "**/.claude/rules/**/*.md",
    "**/.github/copilot-instructions.md",
    "**/.github/instructions/**/*.md",
    "**/memory/**/*.md",
    "**/memories/**/*.md",
    "**/memory-bank/**/*.md",
    "**/decisions/**/*.md",
)
MARKDOWN: Final = frozenset({".md", ".mdc", ".markdown"})
_TOKEN: Final = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_STARS: Final = frozenset({"**/", "**", "*"})
MOST_STARS: Final = 3


def find_files(paths: Sequence[Path], *, excluded: Callable[[Path], bool] = lambda _: False) -> list[Path]:
    """The files that the paths mean, in the order given and sorted within a folder. Raises InvalidInputError.

    `excluded` says which of those that were not named themselves are left out.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            for file in _inside(path, excluded):
                found.setdefault(file.resolve(), file)
        elif path.is_file():
            found.setdefault(path.resolve(), path)
        else:
            message = f"{path}: there is no such file or folder; name one that exists"
            raise InvalidInputError(message)
    return list(found.values())


def known(name: str) -> bool:
    """Whether a path, relative to the folder that was named, is that of a file agents read as memory.

    >>> known("api/CLAUDE.md"), known(".cursor/rules/style.mdc"), known("docs/decisions/0001-queue.md")
    (True, True, True)
    >>> known("README.md"), known("memory.py"), known("src/memory/cache.py")
    (False, False, False)
    """
    low = name.lower()
    return low.rpartition("/")[2] in NAMES or any(pattern.match(low) for pattern in _PATTERNS)


@lru_cache(maxsize=256)
def matcher(pattern: str) -> re.Pattern[str] | PathPattern:
    """A pattern of paths: `*` within a name, `**/` over any folders; the name of a folder stands for all inside.

    Patterns come from strangers' files. A regular expression is quick and, with a few stars, quick on any path; with
    many in a row it would be busy for hours, so those are compared sign by sign.

    >>> bool(matcher("docs/**/*.md").match("docs/a/b.md")), bool(matcher("docs/*.md").match("docs/a/b.md"))
    (True, False)
    >>> bool(matcher("old/").match("old/a.md")), bool(matcher("**/draft*").match("draft-1.md"))
    (True, True)
    >>> matcher("**/" * 30 + "x").match("a/" * 200), matcher("**/" * 30 + "x").match("a/" * 200 + "x")
    (False, True)
    """
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = tuple(_TOKEN.findall(pattern.removeprefix("./").rstrip("/")))
    if sum(part in _STARS for part in parts) > MOST_STARS:
        return PathPattern(parts)
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts) + r"(?:/.*)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A pattern, cut into its parts: every sign of a path is looked at once for each part."""

    parts: tuple[str, ...]

    def match(self, path: str) -> bool:
        """Whether the path, or a folder on the way to it, is meant."""
        places = self._skipping({0})
        for sign in path:
            if sign == "/" and len(self.parts) in places:
                return True
            places = self._skipping({goal for place in places for goal in self._after(place, sign)})
        return len(self.parts) in places

    def _after(self, place: int, sign: str) -> Iterator[int]:
        """Where one can be after a sign. Within the folders of a `**/` a place is told as its complement."""
        part = self.parts[place if place >= 0 else ~place] if place < len(self.parts) else ""
        if part == "**/":
            yield place if place < 0 else ~place
            if sign == "/":
                yield (place if place >= 0 else ~place) + 1
        elif part == "**" or (part == "*" and sign != "/"):
            yield place
        elif part == sign or (part == "?" and sign != "/"):
            yield place + 1

    def _skipping(self, places: set[int]) -> set[int]:
        """Those places, and those reached where a star stands for nothing."""
        found = set(places)
        for place in places:
            ahead = place
            while 0 <= ahead < len(self.parts) and self.parts[ahead] in _STARS:
                ahead += 1
                found.add(ahead)
        return found


_PATTERNS: Final = tuple(matcher(pattern) for pattern in PATTERNS)


def _inside(folder: Path, excluded: Callable[[Path], bool]) -> list[Path]:
    home = (repository_of(folder.absolute()) or folder).resolve()
    everything = [file for file in _walk(folder) if not excluded(file) and _is_own(file, home)]
    named = [file for file in everything if _known_in(folder, file)]
    return _unignored(folder, named or [file for file in everything if file.suffix.lower() in MARKDOWN])


def _is_own(file: Path, home: Path) -> bool:
    """A plain file within the repository. A link of a stranger's could show, and --fix change, any file of the asker's;
    a pipe would never be read to its end. Whoever means such a file names it.
    """
    return file.is_file() and (not file.is_symlink() or file.resolve().is_relative_to(home))


def _known_in(folder: Path, file: Path) -> bool:
    """Also where the folder that was named is itself the `memory` or `.cursor/rules` of a pattern."""
    inner = file.relative_to(folder)
    if (folder / ".git").exists():
        return known(inner.as_posix())
    outer = folder.resolve().parts[-2:]
    lead = outer if outer[0].startswith(".") else outer[-1:]
    return known(inner.as_posix()) or known(Path(*lead, inner).as_posix())


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in VENDORED)
        yield from (Path(place, name) for name in sorted(files))


def _unignored(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Those that git does not ignore. A folder that was named although git ignores it is meant as it is."""
    repositories: dict[Path, list[Path]] = defaultdict(list)
    for file in files:
        home = repository_of(file.absolute().parent)
        if home is not None:
            repositories[home].append(file)
    ignored: set[Path] = set()
    for home, inside in repositories.items():
        if not folder.absolute().is_relative_to(home) or not _ignored(home, [folder]):
            ignored |= _ignored(home, inside)
    return [file for file in files if file not in ignored]


def _ignored(home: Path, files: Iterable[Path]) -> set[Path]:
    inside = {file: os.fsencode(file.absolute().relative_to(home)) for file in files}
    by_name = {b"./" + name: file for file, name in inside.items() if name != b"."}  # no name is read as a pattern
    if not by_name:
        return set()
    told = ask(home, "check-ignore", "-z", "--stdin", given=b"\0".join(by_name) + b"\0", fine=frozenset({0, 1}))
    return {by_name[name] for name in (told or b"").split(b"\0") if name in by_name}
