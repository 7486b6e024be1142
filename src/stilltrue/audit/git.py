"""What does git say of a folder? One way to ask it, safe on repositories of strangers.

Git is asked, never told: nothing is written, no hook, pager, filter or monitor that a repository names is started, and
no object that is missing is fetched. Where there is no git or no repository the answer is None. Left to others: what
to ask (`audit.places`, `audit.changed`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")
_OF_A_CALLER: Final = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"})
"""What git sets for a hook; relative paths in there would mislead from another folder."""
_SECONDS: Final = 120
_OF_A_STRANGER: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # for a git that does not know the line above: fetching may start a named program
    "GIT_TERMINAL_PROMPT": "0",
}
_FILTER: Final = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))


def ask(folder: Path, *words: str, given: bytes = b"", fine: frozenset[int] = frozenset({0})) -> bytes | None:
    """What git prints in a folder; None where it is missing, or ends with a status that is not `fine`."""
    program = shutil.which("git")
    if program is None:
        return None
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_CALLER}
    try:
        ended = subprocess.run(  # noqa: S603 - a list of words, no shell; the folder is the caller's
            [program, *_QUIET, *words],
            cwd=folder,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env=environment | _OF_A_STRANGER,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode in fine else None


def without_filters(folder: Path) -> tuple[str, ...] | None:
    """Options that keep git from starting the filters which this repository's own configuration names, as comparing
    with the working tree would. None where git cannot tell them, or a name would not stay one option.
    """
    told = ask(folder, "config", "--name-only", "-z", "--get-regexp", r"^filter\.", fine=frozenset({0, 1}))
    if told is None:
        return None
    drivers = {os.fsdecode(name).partition(".")[2].rpartition(".")[0] for name in told.split(b"\0") if name}
    if any("=" in driver or "\n" in driver for driver in drivers):
        return None
    return tuple(
        word
        for driver in sorted(drivers)
        for part, value in _FILTER
        for word in ("-c", f"filter.{driver}.{part}={value}")
    )


def repository_of(place: Path) -> Path | None:
    """The nearest folder at or above a place that holds a repository; git itself need not be there."""
    return next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), None)
