"""Which files load together, and whose word counts where two of them differ?

An agent that works in a folder reads the memory files of that folder and of those above it; what is nearer outranks
what is farther. Files of two projects never meet. Left to others: which files there are (`faces`), what they say.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.claims import Claim


def standing(old: Claim, new: Claim) -> Iterator[str]:
    """How two files stand to each other, in words; nothing for one file."""
    if old.file == new.file:
        return
    ours, theirs = PurePath(old.file), PurePath(new.file)
    near, far = (ours, theirs) if len(_folder(ours)) >= len(_folder(theirs)) else (theirs, ours)
    if _folder(near) == _folder(far):
        yield f"{ours.name} and {theirs.name} load together and neither outranks the other."
    elif _folder(near)[: len(_folder(far))] == _folder(far):
        yield f"{near} outranks {far} for work in {'/'.join(_folder(near))}."
    else:
        yield f"{ours} and {theirs} load together."


def load_together(one: str, other: str) -> bool:
    """Whether an agent can have both files before it: one's folder holds the other's, or both are rules of one root.

    >>> load_together("CLAUDE.md", "api/CLAUDE.md"), load_together("web/CLAUDE.md", "api/CLAUDE.md")
    (True, False)
    >>> load_together("AGENTS.md", ".cursor/rules/style.mdc")
    True
    """
    ours, theirs = _folder(PurePath(one)), _folder(PurePath(other))
    shorter, longer = sorted((ours, theirs), key=len)
    return longer[: len(shorter)] == shorter


def _folder(path: PurePath) -> tuple[str, ...]:
    """The folder that a file speaks for: rules in hidden folders and in `memory/` speak for the one above."""
    parts = path.parts[:-1]
    for place, part in enumerate(parts):
        if part in (".cursor", ".claude", ".github", "memory", ".windsurf", ".agents", "decisions", "docs"):
            return parts[:place]
    return parts
