"""What do the headings and lead-ins over a line make of it: a ban, a plan, history, an example, a narrower scope?

"Do NOT" over "use npm" is a ban of npm; under "Ideas" stands what is not so yet; "Staging" restricts what stands below.
Words and reasons are in `rules/lexicon/memory_files.toml`. Left to others: which headings stand over a line
(`audit.structure`), what the line says (`audit.reading`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.scopes import find_scopes
from stilltrue.rules.text import content_stems, normalise, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LEXICON: Final = "memory_files"
_SCOPES: Final = frozenset({"environment", "platform", "audience", "situation", "season", "time_of_day", "weekday"})
_EDGES: Final = re.compile(r"^[\W\d_]+|[\W_]+$")
_LONGEST: Final = 5  # words of a heading that is nothing but a signal; "How we plan the future of X" is a topic
_NEGATED: Final = re.compile(
    r"^(?:never|no|not|don['’]?t|do not|avoid|must not|cannot|can['’]?t|without|nothing|nobody)\b", re.IGNORECASE
)
_LEAD_BAN: Final = re.compile(
    r"\b(?:do not|don['’]?t|never|must not|may not|should not|avoid|not allowed to|forbidden to)\s*+(?:ever\s*+)?:?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands over a line. `voice` is None where it leaves the line its own; `qualifiers` are its scopes."""

    banned: bool = False
    voice: Modality | None = None
    example: bool = False
    qualifiers: tuple[tuple[str, str], ...] = ()


def frame_over(headings: Sequence[str], leads: Sequence[str]) -> Frame:
    """The frame of a line under some headings and lead-ins, outermost first.

    >>> frame_over(("Guide", "Do NOT"), ()).banned, frame_over(("Ideas",), ()).voice.value
    (True, 'plan')
    >>> frame_over(("Deploy", "Staging"), ()).qualifiers, frame_over(("Staging area of git",), ()).banned
    ((('environment', 'staging'),), False)
    """
    over = (*headings, *leads)
    nearest = over[-1:]
    voice = Modality.PLAN if _any(over, "plans") else Modality.PAST if _any(over, "past") else None
    return Frame(
        banned=_any(nearest, "prohibits") or any(_LEAD_BAN.search(lead) for lead in leads[-1:]),
        voice=voice,
        example=_any(over, "examples"),
        qualifiers=scopes_of(over),
    )


def is_plain(title: str) -> bool:
    """Whether a heading names no thing of its own.

    >>> is_plain("2. Getting started"), is_plain("Payments service")
    (True, False)
    """
    return _any((title,), "plain")


def is_bare(label: str) -> bool:
    """Whether a label names an attribute and not whose it is.

    >>> is_bare("Port"), is_bare("Entry point"), is_bare("Redis port")
    (True, True, False)
    """
    found = content_stems(label)
    return bool(found) and found <= _stems("bare", "words")


def forbidden(text: str) -> str:
    """A line under a ban, with its negation; one that bears a negation of its own stays.

    >>> forbidden("Use npm or yarn"), forbidden("Never push to main")
    ('Do not use npm or yarn', 'Never push to main')
    """
    if _NEGATED.match(text):
        return text
    first = text.split(" ", 1)[0]
    lowered = text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
    return f"Do not {lowered}"


def scopes_of(titles: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The restrictions that headings name, the innermost of a kind."""
    found: dict[str, str] = {}
    for title in titles:
        if len(title.split()) <= _LONGEST + 1:
            found |= {scope.name: scope.value for scope in find_scopes(title) if scope.name in _SCOPES}
            if _flat(title) in _SIDES:
                found["platform"] = _flat(title)
    return tuple(sorted(found.items()))


_SIDES: Final = frozenset(
    {"ios", "android", "web", "desktop", "mobile", "frontend", "front end", "backend", "back end", "windows", "macos",
     "linux", "python", "typescript", "javascript", "rust", "go", "java", "kotlin", "swift", "c#", "c++", "ruby"}
)  # fmt: skip


def _any(titles: Iterable[str], table: str) -> bool:
    return any(_flat(title) in _phrases(table, "phrases") for title in titles if len(title.split()) <= _LONGEST)


def _flat(title: str) -> str:
    return " ".join(normalise(_EDGES.sub("", title)).replace("’", "'").split())


@cache
def _phrases(table: str, key: str) -> frozenset[str]:
    return frozenset(lexicon(_LEXICON)[table][key])


@cache
def _stems(table: str, key: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _phrases(table, key))
