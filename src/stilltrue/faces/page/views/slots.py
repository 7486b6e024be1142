"""How does a slot's life look on the axis of valid time? A chart with a row for each value, and the same as a table.

Each value keeps its row, so that a value that comes back is seen: two bars in one row, tied by a line. Bars differ by
pattern and carry their word, never colour alone. Places along the axis are percentages, so that the drawing fits any
screen while its words keep their size; `templates/slot.html` draws it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta
from itertools import pairwise
from typing import Final

from stilltrue.faces.page.views.words import Line, line
from stilltrue.faces.text import Lens, plain, shorten
from stilltrue.model.timeline import Instant
from stilltrue.read.results import Stretch, Timeline

TOP: Final = 26
ROW: Final = 66
FOOT: Final = 22
"""Pixels: the dates, a row (its value, its bars, their words), and today's word; the template fills a row."""

_LEAST: Final = 0.8
"""Per cent: a bar that holds for a moment, or never, still shows."""

_LETTER: Final = 1.95
"""Per cent of a phone's width that a letter of 12 pixels takes."""

_ALL: Final = 100.0

_LONGEST_WORDS: Final = 50
_NEVER: Final = "corrected"
_SIDE: Final = 3.0
_LABEL: Final = 46
_TICKS: Final = 5
_YEAR_MONTHS: Final = 12
_STEPS: Final = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24000)
_LEAST_AXIS: Final = timedelta(days=1)
_AHEAD: Final = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One stretch. `again`: its value had held before; `open`: no end is known."""

    number: int
    fact: Line
    word: str
    x: float
    width: float
    again: bool
    open: bool

    @property
    def told(self) -> str:
        """The bar in a sentence, for those who do not see it."""
        again = ", again" if self.again else ""
        return f"{self.number}. {self.fact.text} ({self.word}{again}, {self.fact.when})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One value. `words` name its bars; `ties` join those of a value that came back: from and to, in per cent."""

    label: str
    y: int
    bars: tuple[Bar, ...]
    words: str
    words_x: float
    anchor: str
    ties: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A date on the axis."""

    x: float
    label: str
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One attribute of the subject."""

    id: str
    attribute: str
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    today: float
    today_anchor: str
    height: int

    @property
    def bars(self) -> tuple[Bar, ...]:
        """All bars as numbered, for the table."""
        return tuple(sorted((bar for row in self.rows for bar in row.bars), key=lambda bar: bar.number))

    @property
    def told(self) -> str:
        """The chart in words."""
        return "; ".join(bar.told for bar in self.bars)


@dataclass(frozen=True, slots=True)
class _Axis:
    """From the first date to the last, with a margin; what is open runs to the edges."""

    first: Instant
    last: Instant

    def x(self, at: Instant | None, otherwise: float) -> float:
        if at is None:
            return otherwise
        share = (at - self.first) / (self.last - self.first)
        return round(_SIDE + share * (100 - 2 * _SIDE), 2)


def charts(told: Timeline, lens: Lens, rechecks: Collection[str] = ()) -> tuple[Chart, ...]:
    """A chart an attribute, all on one axis."""
    axis = _axis(told)
    groups: dict[str, list[Stretch]] = {}
    for stretch in told.stretches:
        groups.setdefault(stretch.fact.attribute or "", []).append(stretch)
    ticks = tuple(_ticks(axis, lens))
    return tuple(
        _chart(f"chart-{place}", name, group, axis, ticks, told.at, lens, rechecks)
        for place, (name, group) in enumerate(groups.items(), start=1)
    )


def _chart(
    name: str,
    attribute: str,
    group: Sequence[Stretch],
    axis: _Axis,
    ticks: tuple[Tick, ...],
    now: Instant,
    lens: Lens,
    rechecks: Collection[str],
) -> Chart:
    by_value: dict[str, list[tuple[int, Stretch]]] = {}
    for number, stretch in enumerate(group, start=1):
        by_value.setdefault(_value(stretch), []).append((number, stretch))
    rows = tuple(_row(place, label, held, axis, lens, rechecks) for place, (label, held) in enumerate(by_value.items()))
    today = axis.x(now, 0)
    return Chart(
        id=name,
        attribute=plain(attribute),
        rows=rows,
        ticks=ticks,
        today=today,
        today_anchor=_anchor(today),
        height=TOP + ROW * len(rows) + FOOT,
    )


def _row(
    place: int, label: str, held: Sequence[tuple[int, Stretch]], axis: _Axis, lens: Lens, rechecks: Collection[str]
) -> Row:
    bars = tuple(_bar(number, stretch, axis, lens, rechecks, again=number != held[0][0]) for number, stretch in held)
    gaps = [(round(one.x + one.width, 2), other.x) for one, other in pairwise(bars)]
    words, x, anchor = _words(bars)
    return Row(
        label=shorten(label, _LABEL),
        y=TOP + ROW * place,
        bars=bars,
        words=words,
        words_x=x,
        anchor=anchor,
        ties=tuple((start, end) for start, end in gaps if end > start),
    )


def _bar(number: int, stretch: Stretch, axis: _Axis, lens: Lens, rechecks: Collection[str], *, again: bool) -> Bar:
    start, end = axis.x(stretch.start, 0.0), axis.x(stretch.end, _ALL)
    return Bar(
        number=number,
        fact=line(stretch.fact, lens, rechecks=rechecks),
        word=stretch.word,
        x=start,
        width=round(max(_LEAST, end - start), 2),
        again=again and stretch.word != _NEVER,
        open=stretch.end is None and stretch.word != _NEVER,
    )


def _words(bars: Sequence[Bar]) -> tuple[str, float, str]:
    """What stands under the bars of a row, from where, and to which side; what does not fit is in the table."""
    words = shorten(" · ".join(f"{bar.number}{' ↩' if bar.again else ''} {bar.word}" for bar in bars), _LONGEST_WORDS)
    needs = len(words) * _LETTER
    if bars[0].x + needs <= _ALL:
        return words, bars[0].x, "start"
    return words, round(min(_ALL, max(needs, bars[-1].x + bars[-1].width)), 2), "end"


def _value(stretch: Stretch) -> str:
    """What the row is called: the value, with what it is limited to and whether it is denied; else the words."""
    fact = stretch.fact
    if not fact.value:
        return fact.text
    limits = ", ".join(held for _, held in fact.qualifiers)
    named = f"not {fact.value}" if fact.negated else fact.value
    return f"{named} ({limits})" if limits else named


def _axis(told: Timeline) -> _Axis:
    marks = [told.at, *(at for item in told.stretches for at in (item.start, item.end) if at is not None)]
    first, last = min(marks), max(marks)
    if last - first < _LEAST_AXIS:
        return _Axis(_moved(first, -_LEAST_AXIS), _moved(last, _LEAST_AXIS))
    return _Axis(first, _moved(last, (last - first) * _AHEAD))


def _moved(at: Instant, by: timedelta) -> Instant:
    """Earlier or later, as far as the calendar goes."""
    try:
        return at + by
    except OverflowError:
        return at


def _ticks(axis: _Axis, lens: Lens) -> Iterable[Tick]:
    """Round dates, as many as have room on a phone."""
    first, last = axis.first.astimezone(lens.zone), axis.last.astimezone(lens.zone)
    months = (last.year - first.year) * _YEAR_MONTHS + last.month - first.month
    if months < 1:
        yield from (Tick(axis.x(at, 0), lens.day(at), anchor) for at, anchor in ((first, "start"), (last, "end")))
        return
    step = next((size for size in _STEPS if months // size <= _TICKS), _STEPS[-1])
    count = first.year * _YEAR_MONTHS + first.month  # the month after the first, counted from year 0
    count += -count % step
    while (at := _month(count, first)) is not None and at <= last:
        label = str(at.year) if step % _YEAR_MONTHS == 0 else f"{at:%b} {at.year}"
        x = axis.x(at, 0)
        yield Tick(x, label, _anchor(x))
        count += step


def _month(count: int, like: datetime) -> datetime | None:
    year, month = divmod(count, _YEAR_MONTHS)
    return datetime(year, month + 1, 1, tzinfo=like.tzinfo) if 1 <= year <= MAXYEAR else None


def _anchor(x: float) -> str:
    """Where a word stands at a mark: not beyond the edge."""
    if x < _SIDE * 3:
        return "start"
    return "end" if x > 100 - _SIDE * 3 else "middle"
