"""Where in a paragraph does one statement end and another begin, where punctuation does not tell?

People open entries with a stressed name or date ("**Nordlab.** Elin retired"), which is what the entry is about and
says nothing by itself. They also begin a new line for a new statement and leave out the full stop: a line that was
broken although the next word would have fitted was broken on purpose. Left to others: sentences within a line
(`rules.sentences`), dates (`audit.dating`), headings (`audit.structure`).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_STRESS: Final = {"strong_open": "strong_close", "em_open": "em_close"}
_LONGEST: Final = 4  # words of an opener
_NAME: Final = re.compile(r"(?:[A-Z]|\d|[a-z]{1,4}\.? \d)")
_PART: Final = re.compile(r"(?:[A-Z0-9][\w./:-]*|\d+|of|and|&)[.,:]*", re.ASCII)
_TERM: Final = re.compile(r"[ \t]*+:[ \t]++(?=\S)")
_LINE: Final = re.compile(r"^[^\n]*+", re.MULTILINE)
WIDEST: Final = 120
"""Characters from which a line is taken to be one that nobody wraps."""
_SPARE: Final = 8  # characters that must be left over beside the next word
_OPENS: Final = re.compile(r"[A-Z0-9`\"“(]")
_GOES_ON: Final = re.compile(
    r"(?:[,;(/–—-]|\b(?:an?|the|and|or|but|of|to|in|on|for|with|by|is|are|was|were|from|at|as|than|that|which|not|per))$",
    re.IGNORECASE,
)


def opener_of(inline: Token) -> tuple[str, int]:
    """The stressed name or date that opens a paragraph ("" without), and the first child that stands after it.

    It ends in a full stop, or its line does with it. "**Owner**: Ada" is none: that names what the value is of.
    """
    children = inline.children or []
    first = next((place for place, child in enumerate(children) if child.type != "text" or child.content.strip()), None)
    if first is None or children[first].type not in _STRESS:
        return "", 0
    closing = _STRESS[children[first].type]
    last = next((place for place in range(first, len(children)) if children[place].type == closing), None)
    after = children[last + 1 :] if last is not None else []
    rest = [child for child in after if child.type != "text" or child.content]
    words = " ".join("".join(child.content or " " for child in children[first:last]).split())
    if not rest or not words or not _is_name(words):
        return "", 0
    if words.endswith(".") or rest[0].type in ("softbreak", "hardbreak"):
        return words.rstrip(".:"), (last or 0) + 1
    return "", 0


def _is_name(words: str) -> bool:
    """Whether it is a name, a number or a date rather than a sentence: "Kauno Pienas", "wk 3", "17.06."."""
    parts = words.split()
    if len(parts) > _LONGEST or _NAME.match(words) is None:
        return False
    rest = parts[1:] if parts[0].rstrip(".").isalpha() else parts
    return all(_PART.fullmatch(part) for part in rest)


def width_of(paragraphs: Sequence[Sequence[str]]) -> int:
    """Where a file's lines are wrapped: the second longest line that another follows, for one may be a long address."""
    lengths = sorted(min(WIDEST, len(line.rstrip())) for lines in paragraphs for line in lines[:-1])
    return lengths[-2] if len(lengths) > 1 else 0


def breaks(text: str, width: int) -> tuple[int, ...]:
    r"""The places in a paragraph where a line was begun for a statement of its own.

    >>> breaks("Top speed: 0.8 m/s\nPlover may do 2.5 m/s", 80), breaks("It runs on\nPostgres", 80)
    ((18,), ())
    >>> breaks("A line that is as long as lines get here\nPostgres", 42)
    ()
    """
    found, place = [], 0
    for line, following in pairwise(text.split("\n")):
        place += len(line)
        fits = len(line.rstrip()) + 1 + len(following.split(" ", 1)[0]) + _SPARE <= width
        if fits and line.strip() and _OPENS.match(following) and not _GOES_ON.search(line.rstrip()):
            found.append(place)
        place += 1
    return tuple(found)


def definitions(said: str) -> Iterator[tuple[int, int, str]]:
    r"""The parts of a paragraph: (start, end, term) of what a definition list defines, "" for prose around it.

    >>> said = "Origin\n: three nodes\n  in Oslo\n: keeps 7 days"
    >>> [(said[start:end], term) for start, end, term in definitions(said)]
    [('three nodes\n  in Oslo', 'Origin'), ('keeps 7 days', 'Origin')]
    >>> list(definitions("Plain\nprose"))
    [(0, 11, '')]
    """
    lines = list(_LINE.finditer(said))
    openings = [_TERM.match(said, line.start(), line.end()) for line in lines]
    parts: list[tuple[int, int, str]] = []
    term = ""
    for line, opening, following in zip(lines, openings, [*openings[1:], None], strict=True):
        if opening is not None and term:
            parts.append((opening.end(), line.end(), term))
        elif following is not None and opening is None and (not term or _OPENS.match(line.group())):
            term = line.group().strip()
        elif parts and parts[-1][1] == line.start() - 1:
            parts[-1] = (parts[-1][0], line.end(), parts[-1][2])
        else:
            parts.append((line.start(), line.end(), ""))
    yield from parts
