"""Which files load together, and whose word counts where two of them differ?

An agent that works in a folder reads the memory files of that folder and of those above it; what is nearer outranks
what is farther. Files of two projects never meet, nor do rules for two kinds of files (`globs` of their front matter).
Left to others: which files there are (`faces`), what they say.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.audit.claims import Claim

_JOKER: Final = re.compile(r"[*?\[{]")


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


def globs_apart(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether rules for these paths and rules for those are never before an agent for one file. Without any: for all.

    >>> globs_apart(("web/**",), ("api/**",)), globs_apart(("**/*.py",), ("src/**/*.ts",)), globs_apart(("web/**",), ())
    (True, True, False)
    >>> globs_apart(("src/**",), ("src/api/*.py",))
    False
    """
    return bool(ours) and bool(theirs) and all(_apart(one, other) for one in ours for other in theirs)


def _apart(one: str, other: str) -> bool:
    """By what stands before the first joker, and by the endings after the last: what these leave open may meet."""
    (head, tail), (other_head, other_tail) = _ends(one), _ends(other)
    heads = zip(head, other_head, strict=False)
    return any(part != rest for part, rest in heads) or bool(tail and other_tail and tail != other_tail)


def _ends(glob: str) -> tuple[tuple[str, ...], str]:
    parts = PurePath(glob.strip().removeprefix("./")).parts
    fixed = next((place for place, part in enumerate(parts) if _JOKER.search(part)), len(parts))
    suffix = PurePath(parts[-1]).suffix if parts else ""
    return parts[:fixed], "" if _JOKER.search(suffix) else suffix


def _folder(path: PurePath) -> tuple[str, ...]:
    """The folder that a file speaks for: rules in hidden folders and in `memory/` speak for the one above."""
    parts = path.parts[:-1]
    for place, part in enumerate(parts):
        if part in (".cursor", ".claude", ".github", "memory", ".windsurf", ".agents", "decisions", "docs"):
            return parts[:place]
    return parts
