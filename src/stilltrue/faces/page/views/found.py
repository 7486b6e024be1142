"""What does the search page show? The facts found, the time they are told for, and a slider over the time there is.

The slider's ends and marks are the dates of the facts that the words find at any time. Days are counted from 1970 in
the reader's zone, because a slider counts; the dates beside it are what is sent.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from stilltrue.faces.page.views.words import Line, line, moment
from stilltrue.faces.text import Lens
from stilltrue.model.timeline import Instant
from stilltrue.read.results import Found, Result

_EPOCH: Final = date(1970, 1, 1)
_MARGIN: Final = 30
"""Days that the slider goes beyond the first and last date."""

_MARKS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """Days since 1970. `held` is the day asked for; `marks` are days on which something began or ended."""

    first: int
    last: int
    held: int
    marks: tuple[int, ...]
    first_shown: str
    last_shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """The answer. `mode` says why the past is among the results; `then` which time they are told for."""

    query: str
    lines: tuple[Line, ...]
    historical: bool
    mode: str
    then: tuple[str, ...]
    valid: Slider
    known: Slider


def found_page(
    query: str, answer: Found, ever: Sequence[Result], now: Instant, lens: Lens, rechecks: Collection[str] = ()
) -> FoundPage:
    """`ever`: what the words find when time does not matter."""
    then = answer.as_of is not None or answer.known_at is not None
    said = []
    if answer.as_of is not None:
        said.append(f"true on {moment(answer.as_of, lens).shown}")
    if answer.known_at is not None:
        said.append(f"as memory believed on {moment(answer.known_at, lens).shown}")
    dates = [at for fact in ever for at in (fact.valid_from, fact.valid_until) if at is not None]
    return FoundPage(
        query=query,
        lines=tuple(line(fact, lens, then=then, rechecks=rechecks) for fact in answer.results),
        historical=answer.historical,
        mode=answer.reason,
        then=tuple(said),
        valid=_slider(dates, answer.as_of, now, lens),
        known=_slider([fact.recorded_at for fact in ever], answer.known_at, now, lens, ahead=False),
    )


def _slider(dates: Sequence[Instant], held: Instant | None, now: Instant, lens: Lens, *, ahead: bool = True) -> Slider:
    today, chosen = _days(now, lens), _days(held or now, lens)
    marks = sorted({_days(at, lens) for at in dates})
    first = min([today, chosen, *marks]) - _MARGIN
    last = max([chosen, today, *marks]) + (_MARGIN if ahead else 0)
    return Slider(
        first=first,
        last=last,
        held=chosen,
        marks=tuple(marks[-_MARKS:]),
        first_shown=lens.day(_date(first)),
        last_shown=lens.day(_date(last)),
    )


def _days(at: Instant, lens: Lens) -> int:
    return (at.astimezone(lens.zone).date() - _EPOCH).days


def _date(days: int) -> datetime:
    """Noon of the day, which is the same day in every zone but the outermost."""
    return datetime(1970, 1, 1, 12, tzinfo=UTC) + timedelta(days=days)
