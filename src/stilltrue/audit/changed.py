"""Which files are not as a commit has them? Those that git's diff names, and those that it does not track yet.

Left to others: what of an audit's findings touches them (`audit.inquiry`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from stilltrue.audit.git import ask, repository_of, without_filters
from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

HEAD: Final = "HEAD"


def changed_files(folder: Path, reference: str = HEAD) -> frozenset[Path]:
    """The files, resolved, that differ from a commit or are new. Raises InvalidInputError without a repository."""
    home = repository_of(folder.resolve())
    if home is None or ask(home, "rev-parse", "--git-dir") is None:
        message = f"--changed asks git, and {folder} is in no repository that git reads; leave --changed away"
        raise InvalidInputError(message)
    listed = ask(home, "ls-files", "-z", "--others", "--exclude-standard")
    differing = _differing(home, reference)
    names = {name for told in (differing, listed) for name in (told or b"").split(b"\0") if name}
    return frozenset((home / os.fsdecode(name)).resolve() for name in names)


def _differing(home: Path, reference: str) -> bytes:
    commit = ask(home, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    if commit is None and reference == HEAD:
        return ask(home, "ls-files", "-z") or b""  # before the first commit all is new
    quiet = without_filters(home)
    if quiet is None:
        message = (
            f"--changed: the repository {home.name} names filters that cannot be switched off; leave --changed away"
        )
        raise InvalidInputError(message)
    told = commit and ask(
        home,
        *quiet,
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",  # to look into one, git would start a second git that heeds its configuration
        commit.decode().strip(),
        "--",
    )
    if told is None:
        message = f"--changed {reference}: the repository {home.name} knows no such commit; name one that it knows"
        raise InvalidInputError(message)
    return told
