"""How do the report's numbers look? Three drawings, written as SVG by hand: bars with intervals, bars against a limit,
and lines that grow.

Colours are middling, so that they are seen on white and on black. Every bar has its number beside it in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

GREY: Final = "#7d8590"
OURS: Final = "#3d8bd4"
OTHERS: Final = "#a3a3a3"
GOOD: Final = "#3f9c5a"
BAD: Final = "#d0553f"
INTERVAL: Final = "#e3a008"
ROOM: Final = 130
"""Behind the bars, for the numbers."""
WORDS: Final = 620
"""Before the bars, where each has a sentence of its own."""
LINE: Final = 24
LEFT: Final = 330
BAR: Final = 300
FARTHEST: Final = 16.0
"""Times the limit at which a bar of `against_limits` ends."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar from 0 to 1: its words, how far it goes, its interval, and whether it is ours."""

    words: str
    share: float
    interval: tuple[float, float] | None = None
    ours: bool = True


def shares(title: str, groups: Mapping[str, Sequence[Bar]]) -> str:
    """Groups of bars from 0 to 1, with 95% intervals where there are any."""
    parts, top = [], LINE * 2
    for name, bars in groups.items():
        parts.append(_text(10, top, name, weight="bold"))
        for bar in bars:
            top += LINE
            parts += _bar(bar, top)
        top += LINE * 1.5
    return _drawing(title, parts, top)


def _bar(bar: Bar, top: float) -> Iterable[str]:
    yield _text(LEFT - 10, top, bar.words, anchor="end")
    yield _rect(LEFT, top - 12, BAR * bar.share, OURS if bar.ours else OTHERS)
    if bar.interval is not None:
        low, high = (LEFT + BAR * end for end in bar.interval)
        middle = top - 5
        yield f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="{INTERVAL}" stroke-width="3"/>'
    yield _text(LEFT + BAR + 12, top, f"{bar.share:.2f}")


def against_limits(title: str, rows: Sequence[tuple[str, float, bool]]) -> str:
    """(words, times the limit, met) as bars on a scale of doublings, the limit in the middle: left of it is met."""
    parts, top = [], LINE * 2
    middle, half = WORDS + BAR / 2, math.log2(FARTHEST)
    for words, times, met in rows:
        reach = max(-half, min(half, math.log2(times) if times > 0 else -half)) / half * BAR / 2
        parts.append(_text(WORDS - 10, top, words, anchor="end"))
        parts.append(_rect(min(middle, middle + reach), top - 12, abs(reach), GOOD if met else BAD))
        parts.append(_text(WORDS + BAR + 12, top, f"{times:.2f} × the limit"))
        top += LINE
    line = f'<path d="M{middle} {LINE}V{top - LINE / 2}" stroke="{GREY}" stroke-dasharray="3"/>'
    return _drawing(title, [*parts, line], top, WORDS)


def growth(title: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """What a unit of work takes at each size, as a share of what it takes at the smallest: level is linear growth."""
    parts, top = [], LINE * 2
    for name, points in lines.items():
        parts.append(_text(10, top, name, weight="bold"))
        least = points[0][1] / points[0][0]
        for size, taken in points:
            top += LINE
            times = taken / size / least
            parts.append(_text(LEFT - 10, top, f"{size:,.0f}", anchor="end"))
            parts.append(_rect(LEFT, top - 12, min(BAR, BAR * times / 3), OURS))
            parts.append(_text(LEFT + BAR + 12, top, f"{times:.2f} × the first"))
        top += LINE * 1.5
    return _drawing(title, parts, top)


def _text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'


def _rect(x: float, y: float, width: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(1.0, width):.1f}" height="14" rx="2" fill="{colour}"/>'


def _drawing(title: str, parts: Iterable[str], height: float, left: float = LEFT) -> str:
    """The whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + BAR + ROOM:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="12" fill="{GREY}" role="img"><title>{escape(title)}</title>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
