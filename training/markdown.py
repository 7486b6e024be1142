"""How do numbers and quoted words become Markdown? Small pure pieces that every page of figures is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

NOTHING: Final = "–"
"""What stands where there was nothing to count."""

_SIGNS: Final = {ord(sign): f"&#{ord(sign)};" for sign in "|`*_[]~\\#$"} | str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


def quoted(text: str) -> str:
    """Somebody's words, so that no sign in them means anything to Markdown or HTML.

    >>> quoted("a | <b> & [x](y)")
    'a &#124; &lt;b&gt; &amp; &#91;x&#93;(y)'
    """
    return " ".join(text.split()).translate(_SIGNS)


def number(value: float | None, places: int = 2) -> str:
    """A share with two places, or a dash."""
    return NOTHING if value is None else f"{value:.{places}f}"


def share(found: dict[str, Any], places: int = 2) -> str:
    """A share with its interval: ``0.86 (0.84–0.88)``."""
    if found["share"] is None:
        return NOTHING
    return f"{number(found['share'], places)} ({number(found['low'], places)}–{number(found['high'], places)})"


def counted(found: dict[str, Any]) -> str:
    """A share with its counts: ``0.86 (12 of 14)``."""
    return f"{number(found['share'])} ({found['hits']:,} of {found['of']:,})" if found["of"] else NOTHING


def percent(value: float | None) -> str:
    """A share as per cent with one place, or a dash."""
    return NOTHING if value is None else f"{100 * value:.1f}%"


def signed(value: float, places: int = 3) -> str:
    """A difference with its sign; what rounds to nothing has none."""
    text = f"{value:+.{places}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, numbers at the right: every column but the first."""
    rule = ["---", *("--:" for _ in headings[1:])]
    return [_row(headings), _row(rule), *(_row(row) for row in rows), ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
