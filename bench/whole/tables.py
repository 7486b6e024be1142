"""How is a table read that a bench wrote as Markdown? By its headings, a dict a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SPLIT: Final = re.compile(r"(?<!\\)\|")
_ABOUT: Final = re.compile(r"^- (machine|load|date|commit|pair model): (.+)$", re.MULTILINE)
_SHARE: Final = re.compile(r"(\d+)/(\d+) = ([\d.]+) \(([\d.]+)–([\d.]+)\)")


def rows(text: str) -> Iterator[dict[str, str]]:
    r"""Every row of every table, by its headings.

    >>> list(rows("| a | b |\n| --- | ---: |\n| **1** | 2 |\n"))
    [{'a': '1', 'b': '2'}]
    """
    headings: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            headings = []
            continue
        cells = [cell.strip().strip("*") for cell in _SPLIT.split(line)[1:-1]]
        if not headings:
            headings = cells
        elif not all(set(cell) <= set("-:") for cell in cells):
            yield dict(zip(headings, cells, strict=True))


def about(text: str) -> dict[str, str]:
    """Machine, date, commit and model, as far as the page says."""
    return dict(_ABOUT.findall(text))


def share(cell: str) -> tuple[int, int, float, float] | None:
    """`11/12 = 0.92 (0.65–0.99)` as hits, all, and the interval; None for a dash.

    >>> share("11/12 = 0.92 (0.65–0.99)"), share("–")
    ((11, 12, 0.65, 0.99), None)
    """
    found = _SHARE.fullmatch(cell)
    return (int(found[1]), int(found[2]), float(found[4]), float(found[5])) if found else None


def number(cell: str) -> float:
    """A figure as a page has it.

    >>> number("1,215"), number("58.2")
    (1215.0, 58.2)
    """
    return float(cell.replace(",", ""))
