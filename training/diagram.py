"""What does a reliability diagram look like? ``reliability`` draws one as SVG text, a panel for each kind of pairs.

Each bar is the share of conflicts among the pairs of one bin of said probability, with its 95% interval; the short line
across it is the mean that was said. Where the two meet, a probability means what it says. Under each bar stands the
number of pairs. Colours follow the reader's light or dark scheme. Pure: figures in, text out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

Bins = Sequence[dict[str, Any]]

SIDE: Final = 220
LEFT, TOP, BELOW, GAP = 44, 34, 64, 26
STYLE: Final = """
svg { --paper: #ffffff; --ink: #1f2328; --faint: #d0d7de; --bar: #7aa7d9; --mark: #b3261e; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #e6edf3; --faint: #3d444d; --bar: #3f6ea3; --mark: #ffa198; }
}
text { fill: var(--ink); font: 11px sans-serif; }
.title { font-size: 13px; font-weight: bold; }
.small { font-size: 9px; }
.paper { fill: var(--paper); }
.grid { stroke: var(--faint); stroke-width: 1; fill: none; }
.bar { fill: var(--bar); }
.spread { stroke: var(--ink); stroke-width: 1; }
.said { stroke: var(--mark); stroke-width: 3; }
.even { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 4 3; }
"""


def reliability(panels: Sequence[tuple[str, Bins]]) -> str:
    """The diagram of (title, bins) panels side by side; bins as ``training.figures.bins`` makes them."""
    width = LEFT + len(panels) * (SIDE + GAP)
    height = TOP + SIDE + BELOW
    names = ", ".join(title for title, _ in panels)
    label = escape(f"Reliability of the probability of conflict: {names}")
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]
    for number, (title, bins) in enumerate(panels):
        lines += _panel(LEFT + number * (SIDE + GAP), title, bins, first=number == 0)
    middle = LEFT + (width - LEFT - GAP) / 2
    lines.append(_text(middle, height - 8, "probability of conflict that was said; under each bar, pairs in it"))
    turned = f'transform="rotate(-90 12 {TOP + SIDE / 2:g})"'
    lines.append(_text(12, TOP + SIDE / 2, "share that was a conflict", extra=turned))
    return "\n".join([*lines, "</svg>", ""])


def _panel(left: float, title: str, bins: Bins, *, first: bool) -> Iterator[str]:
    pairs = sum(one["seen"]["of"] for one in bins)
    yield _text(left + SIDE / 2, TOP - 12, f"{title}, {pairs:,} pairs", name="title")
    for fifth in range(6):
        height = _height(fifth / 5)
        yield _line("grid", left, height, left + SIDE, height)
        if first:
            yield _text(left - 6, height + 4, f"{fifth / 5:.1f}", anchor="end")
        yield _text(left + SIDE * fifth / 5, TOP + SIDE + 28, f"{fifth / 5:.1f}")
    yield _line("even", left, _height(0), left + SIDE, _height(1))
    for one in bins:
        yield from _bar(left, one)


def _bar(left: float, one: dict[str, Any]) -> Iterator[str]:
    start, end = left + SIDE * one["low"] + 2, left + SIDE * one["high"] - 2
    middle, seen = (start + end) / 2, one["seen"]
    yield _text(middle, TOP + SIDE + 13, f"{seen['of']}", name="small")
    if not seen["of"]:
        return
    top = _height(seen["share"])
    words = f"{seen['hits']} of {seen['of']} were conflicts, said {one['said']:.2f}"
    yield (
        f'<rect class="bar" x="{start:.1f}" y="{top:.1f}" width="{end - start:.1f}" height="{_height(0) - top:.1f}">'
        f"<title>{escape(words)}</title></rect>"
    )
    yield _line("spread", middle, _height(seen["low"]), middle, _height(seen["high"]))
    yield _line("said", start, _height(one["said"]), end, _height(one["said"]))


def _height(share: float) -> float:
    return TOP + SIDE * (1 - share)


def _line(name: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, *, name: str = "", anchor: str = "middle", extra: str = "") -> str:
    attributes = " ".join(part for part in (f'class="{name}"' if name else "", extra) if part)
    gap = " " if attributes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{gap}{attributes}>{escape(words)}</text>'
