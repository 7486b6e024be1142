"""Is a number the value itself, or does it only limit it?

Answer: `bounds_before` and `bound_after`, the words around a number ("over 900", "about 30", "5 or more", "3.12+").
What a bound means for a comparison is `rules.comparison`'s business.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stilltrue.model.slot import Bound

_BEFORE = {
    Bound.AT_MOST: (
        r"at (?:the )?most|up to|(?:no|not) (?:more|greater|longer|later|higher|older) than|not over"
        r"|(?:less|fewer|shorter|lower|younger) than|under|below|max(?:imum)?\.?(?: of)?|a maximum of|capped at"
    ),
    Bound.AT_LEAST: (
        r"at (?:the )?(?:very )?least|(?:no|not) (?:less|fewer|lower|younger|shorter) than|not under"
        r"|(?:more|greater|longer|higher|older) than|over|above|min(?:imum)?\.?(?: of)?|a minimum of|upwards of"
        r"|north of|exceed(?:s|ing)?"
    ),
    Bound.ABOUT: (
        r"about|around|roughly|approximately|approx\.?|circa|ca\.?|c\.|nearly|almost|close to|somewhere around"
    ),
}
_AFTER = {
    Bound.AT_MOST: r"or (?:less|fewer|under|below|lower|younger|earlier)|at most|max(?:imum)?|tops",
    Bound.AT_LEAST: (
        r"or (?:more|over|above|higher|later|newer|older|greater|longer|up)|at least|min(?:imum)?|and (?:up|above)"
    ),
    Bound.ABOUT: r"or so|give or take|ish|-ish",
}
_SIGNS = {"<=": Bound.AT_MOST, "≤": Bound.AT_MOST, "<": Bound.AT_MOST, ">=": Bound.AT_LEAST, "≥": Bound.AT_LEAST}
_SIGNS |= {">": Bound.AT_LEAST, "~": Bound.ABOUT, "≈": Bound.ABOUT}
_LED = re.compile(
    r"(?:(?<!\w)(?:"
    + "|".join(f"(?P<{bound.name}>{words})" for bound, words in _BEFORE.items())
    + r")\s{1,2}|(?P<sign>[<>]=?|[≤≥~≈])\s{0,2})(?=[-+]?[\d.$€£¥₹a-zA-Z])",
    re.IGNORECASE,
)
_TRAILED = re.compile(
    r"\+(?!\w)|[ \u00a0]?(?:" + "|".join(f"(?P<{bound.name}>{words})" for bound, words in _AFTER.items()) + r")(?!\w)",
    re.IGNORECASE,
)


class BoundWords(NamedTuple):
    bound: Bound
    start: int


def bounds_before(text: str) -> dict[int, BoundWords]:
    """Every place of a folded text that bounding words lead up to, with the bound and where its words begin.

    >>> bounds_before("handles over 900 req/s")[13]
    BoundWords(bound=<Bound.AT_LEAST: 'at_least'>, start=8)
    >>> bounds_before("moved the overflow 900 ms")  # "over" is part of a word
    {}
    """
    return {m.end(): BoundWords(_bound_of(m), m.start()) for m in _LED.finditer(text)}


def _bound_of(led: re.Match[str]) -> Bound:
    return _SIGNS[led["sign"]] if led["sign"] else Bound[led.lastgroup or ""]


def bound_after(text: str, end: int) -> tuple[Bound, int] | None:
    """The bound that the words behind a number set, and where they end.

    >>> bound_after("30 s or less", 4), bound_after("3.12+", 4)
    ((<Bound.AT_MOST: 'at_most'>, 12), (<Bound.AT_LEAST: 'at_least'>, 5))
    >>> bound_after("30 s or 40 s", 4) is None
    True
    """
    found = _TRAILED.match(text, end)
    if not found:
        return None
    return Bound[found.lastgroup] if found.lastgroup else Bound.AT_LEAST, found.end()
