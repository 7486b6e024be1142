"""How do a server and a file grow beside each other? One drawing: milliseconds by facts, both by powers of ten.

Written as SVG by hand, a panel for each verb. Lines of one side have one colour; those over many spaces are dashed.
Left to others: what is measured (`bench.postgres`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Protocol
from xml.sax.saxutils import escape

GREY: Final = "#7d8590"
COLOURS: Final = {"file": "#3d8bd4", "server": "#d0553f"}
_PANEL: Final = 250
_GAP: Final = 60
_TOP: Final = 60
_HEIGHT: Final = 230


class Grown(Protocol):
    """One verb at one size, on both sides."""

    @property
    def verb(self) -> str:
        """What was done."""

    @property
    def facts(self) -> int:
        """How many there were."""

    @property
    def spaces(self) -> int:
        """Over so many spaces."""

    @property
    def file_p50(self) -> float:
        """Milliseconds in a file."""

    @property
    def server_p50(self) -> float:
        """Milliseconds on a server."""


def drawn(rows: Sequence[Grown]) -> str:
    """All verbs beside each other, on one scale."""
    verbs = list(dict.fromkeys(row.verb for row in rows))
    wide = _GAP + len(verbs) * (_PANEL + _GAP)
    lows = _decades(row.facts for row in rows), _decades(value for row in rows for value in _values(row).values())
    parts = [_legend(sorted({row.spaces for row in rows}))]
    for number, verb in enumerate(verbs):
        left = _GAP + number * (_PANEL + _GAP)
        parts += _axes(left, verb, *lows)
        parts += _lines(left, [row for row in rows if row.verb == verb], *lows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {_TOP + _HEIGHT + 50}" font-family="sans-serif" '
        f'font-size="11" fill="{GREY}" role="img"><title>Milliseconds by facts, file and server</title>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _values(row: Grown) -> dict[str, float]:
    return {"file": row.file_p50, "server": row.server_p50}


def _decades(values: Iterable[float]) -> tuple[int, int]:
    """Powers of ten around the values, at least one apart."""
    found = [math.log10(value) for value in values]
    low = math.floor(min(found))
    return low, max(low + 1, math.ceil(max(found)))


def _at(value: float, ends: tuple[int, int]) -> float:
    """How far along the axis, 0 to 1."""
    return (math.log10(value) - ends[0]) / (ends[1] - ends[0])


def _axes(left: float, verb: str, across: tuple[int, int], up: tuple[int, int]) -> Iterable[str]:
    bottom = _TOP + _HEIGHT
    yield f'<text x="{left}" y="{_TOP - 12}" font-weight="bold">{escape(verb)}</text>'
    yield f'<path d="M{left} {_TOP}V{bottom}H{left + _PANEL}" fill="none" stroke="{GREY}"/>'
    for power in range(across[0], across[1] + 1):
        x = left + _PANEL * _at(10**power, across)
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10**power:,}</text>'
    for power in range(up[0], up[1] + 1):
        y = bottom - _HEIGHT * _at(10.0**power, up)
        yield f'<path d="M{left} {y:.1f}h{_PANEL}" stroke="{GREY}" stroke-width="0.3"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>'
    yield f'<text x="{left + _PANEL / 2}" y="{bottom + 34}" text-anchor="middle">facts</text>'


def _lines(left: float, rows: Sequence[Grown], across: tuple[int, int], up: tuple[int, int]) -> Iterable[str]:
    most = max((row.spaces for row in rows), default=1)
    for spaces in sorted({row.spaces for row in rows}):
        own = sorted((row for row in rows if row.spaces == spaces), key=lambda row: row.facts)
        for side, colour in COLOURS.items():
            spots = [
                (
                    left + _PANEL * _at(row.facts, across),
                    _TOP + _HEIGHT - _HEIGHT * _at(_values(row)[side], up),
                    f"{side}, {row.facts:,} facts, {row.spaces:,} spaces: {_values(row)[side]:,.1f} ms",
                )
                for row in own
            ]
            way = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
            yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"{_dashed(spaces, most)}/>'
            for x, y, words in spots:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{words}</title></circle>'


def _dashed(spaces: int, most: int) -> str:
    return ' stroke-dasharray="5 3"' if spaces == most and most > 1 else ""


def _legend(spaces: Sequence[int]) -> str:
    parts, left = [], float(_GAP)
    for side, colour in COLOURS.items():
        for count in spaces:
            words = f"{side}, {count:,} space{'s' if count > 1 else ''}"
            parts.append(
                f'<path d="M{left} 16h24" stroke="{colour}" stroke-width="2"{_dashed(count, spaces[-1])}/>'
                f'<text x="{left + 30}" y="20">{words}</text>'
            )
            left += 60 + 6.5 * len(words)
    return "".join(parts) + f'<text x="{left}" y="20">milliseconds, medians; both axes by powers of ten</text>'
