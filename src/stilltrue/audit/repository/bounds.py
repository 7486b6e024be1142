"""Can a version that is named be the one that a file asks for? Versions compare as far as both are told.

>>> allows(">=18 <21", (20,)), allows("^18.2.0", (19,)), allows("3.11", (3, 11, 4)), allows("what", (1,))
(True, False, True, None)
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

Version: TypeAlias = tuple[int, ...]

_PART: Final = re.compile(r"(\^|~=|~>|~|>=|<=|>|<|===?|!=)?\s*v?(\d{1,6}(?:\.\d{1,6}){0,3})(?:\.[x*])?(?:[-+][\w.]+)?")
_AFTER_SIGN: Final = re.compile(r"([\^~<>=!])\s+")
_LONGEST: Final = 100


def parsed(text: str) -> Version:
    """A version's numbers."""
    return tuple(int(one) for one in text.split("."))


def allows(constraint: str, version: Version) -> bool | None:
    """Whether some version that begins with `version` meets the constraint; None where that cannot be read."""
    if len(constraint) > _LONGEST:
        return None
    ways = [way.strip() for way in constraint.split("||")]
    if not all(map(_is_plain, ways)):
        return None
    return any(all(_meets(part[1] or "", parsed(part[2]), version) for part in _PART.finditer(way)) for way in ways)


def least(constraint: str) -> Version | None:
    """The lower bound that a constraint names, None without one or with several ways.

    >>> least(">=3.11,<4"), least("==3.11"), least("<4")
    ((3, 11), None, None)
    """
    if len(constraint) > _LONGEST or "||" in constraint:
        return None
    bounds = [parsed(part[2]) for part in _PART.finditer(constraint) if part[1] in (">=", "^", "~", "~=")]
    return bounds[0] if len(bounds) == 1 and _is_plain(constraint) else None


def _is_plain(way: str) -> bool:
    """Whether it is nothing but comparisons with versions."""
    parts = _AFTER_SIGN.sub(r"\1", way).replace(",", " ").split()
    return bool(parts) and all(map(_PART.fullmatch, parts))


def begins(one: Version, other: Version) -> bool:
    """Whether two versions are the same as far as both are told."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _meets(sign: str, bound: Version, version: Version) -> bool:
    shared = min(len(bound), len(version))
    mine, theirs = version[:shared], bound[:shared]
    match sign:
        case ">=":
            return mine >= theirs
        case ">":
            return mine > theirs or (mine == theirs and len(version) <= len(bound))
        case "<=":
            return mine <= theirs
        case "<":
            return mine < theirs or (mine == theirs and len(version) < len(bound) and any(bound[shared:]))
        case "^":
            fixed = 1 if bound[0] else min(2, len(bound))
            return mine >= theirs and begins(version[:fixed], bound[:fixed])
        case "~" | "~>" | "~=":
            fixed = max(1, min(2, len(bound) - (1 if sign == "~=" else 0)))
            return mine >= theirs and begins(version[:fixed], bound[:fixed])
        case "!=":
            return mine != theirs or len(version) < len(bound)
        case _:
            return mine == theirs
