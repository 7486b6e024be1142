"""When a dated statement arrives, early, late or in order: what becomes true from when to when?

One pure fold of a new mention into the runs it is tied to. A run is one fact's stay on the valid-time axis; runs tied
by SAME say what the mention says, runs tied by REPLACED hold another value of the same thing. The outcome depends on
the dates alone, never on the order of arrival: what is folded in late splits, shortens or prolongs runs exactly as if
it had come first. Whether a tie is trusted enough to be acted upon is `policy`'s question, not this module's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.timeline import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stilltrue.model.fact import Retirement
    from stilltrue.model.ids import FactId
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A fact on the timeline: when it holds, how it ended, and when it was mentioned again (`seen`, sorted)."""

    fact_id: FactId
    valid: Interval
    retirement: Retirement | None = None
    superseded_by: FactId | None = None
    seen: tuple[Instant, ...] = ()

    @property
    def start(self) -> Instant | None:
        """Its first instant; None is open to the past."""
        return self.valid.start


@dataclass(frozen=True, slots=True)
class Close:
    """A run ends at `at`, by the new mention unless `by` names another fact.

    `within`: where it held instead, for one that was over before it was told (`rules.reaching_back`).
    """

    run: Run
    at: Instant
    by: FactId | None = None
    within: Interval | None = None


@dataclass(frozen=True, slots=True)
class Reopen:
    """The later part of a closed run that was mentioned again: it starts anew at `valid.start` as a fact of its own."""

    run: Run
    valid: Interval
    seen: tuple[Instant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What folding a mention in does. Exactly one of: it lands in `same` (no new fact), or it is new over `valid`.

    `same_valid`: the interval of `same` afterwards, where the mention prolongs it. `next_run`: what ended `valid`,
    where something later did. `clashes`: runs with the very same start, which no date can put in order.
    """

    valid: Interval
    same: Run | None = None
    same_valid: Interval | None = None
    next_run: Run | Reopen | None = None
    closes: tuple[Close, ...] = ()
    reopen: Reopen | None = None
    clashes: tuple[Run, ...] = ()


def place(stated: Interval, same: Sequence[Run], replaced: Sequence[Run]) -> Placement:
    """Fold a mention that claims `stated` into the runs it is tied to.

    A mention without a start claims no place in the order ("used to live in Paris"): it lands in a run that says the
    same, or stands by itself and moves nothing.

    >>> from datetime import UTC, datetime
    >>> def t(month): return datetime(2025, month, 1, tzinfo=UTC)
    >>> jan = Run(fact_id="a", valid=Interval(t(1), None))
    >>> placed = place(Interval(t(3), None), [], [jan])
    >>> [(close.run.fact_id, close.at.month) for close in placed.closes]
    [('a', 3)]
    >>> place(Interval(t(1), None), [], [Run(fact_id="b", valid=Interval(t(3), None))]).valid.end.month
    3
    """
    start = stated.start
    if start is None:
        return _without_start(stated, same)
    closes = [run for run in replaced if start in run.valid and run.start != start]
    for run in same:
        if run.valid.empty and run.start == start:
            return Placement(valid=stated, same=run)
        if start in run.valid:
            rivals = tuple(Close(rival, start, run.fact_id) for rival in closes)
            return Placement(valid=stated, same=run, closes=rivals)
    ending = _next_start(start, replaced)
    reopen = resumption(start, closes)
    later = _same_before(start, same, ending, reopen)
    clashes = tuple(run for run in replaced if run.start == start and not run.valid.empty)
    if later is not None:
        moved = tuple(Close(run, start, later.fact_id) for run in closes)
        prolonged = Interval(start, later.valid.end)
        return Placement(valid=stated, same=later, same_valid=prolonged, closes=moved, clashes=clashes)
    following: Run | Reopen | None = ending
    if reopen is not None and (ending is None or _starts_before(reopen, ending)):
        following = reopen
    else:
        reopen = None
    end = following.valid.start if following is not None else None
    if stated.end is not None and (end is None or stated.end <= end):
        following, end = None, stated.end
    return Placement(
        valid=stated.until(end),
        next_run=following,
        closes=tuple(Close(run, start) for run in closes),
        reopen=reopen if following is reopen else None,
        clashes=clashes,
    )


def _without_start(stated: Interval, same: Sequence[Run]) -> Placement:
    """It lands in what says the same at that time; a run open to the past like itself reaches as far as both."""
    run = next((run for run in same if run.valid.overlaps(stated)), None)
    if run is None:
        return Placement(valid=stated)
    ends = (run.valid.end, stated.end)
    if run.start is not None or run.retirement is not None or None in ends:
        return Placement(valid=stated, same=run)
    return Placement(valid=stated, same=run, same_valid=Interval(None, max(end for end in ends if end is not None)))


def _next_start(start: Instant, runs: Iterable[Run]) -> Run | None:
    later = [run for run in runs if run.start is not None and run.start > start and not run.valid.empty]
    return min(later, key=lambda run: (run.start, run.fact_id), default=None)


def _same_before(start: Instant, same: Iterable[Run], ending: Run | None, reopen: Reopen | None) -> Run | None:
    """The next run that says the same, if nothing else was said in between: one run with the mention, then."""
    following = _next_start(start, same)
    if following is None or following.start is None:
        return None
    between = [ending.start] if ending is not None else []
    between += [reopen.seen[0]] if reopen is not None else []
    return None if any(moment is not None and moment < following.start for moment in between) else following


def resumption(start: Instant, closes: Sequence[Run]) -> Reopen | None:
    """The first run that is mentioned again after `start`: that mention is news, so the run resumes there."""
    parts = []
    for run in closes:
        seen = tuple(moment for moment in run.seen if moment > start and moment in run.valid)
        if seen:
            parts.append(Reopen(run, Interval(seen[0], run.valid.end), seen))
    return min(parts, key=lambda part: (part.seen[0], part.run.fact_id), default=None)


def _starts_before(reopen: Reopen, ending: Run) -> bool:
    return ending.start is not None and reopen.seen[0] < ending.start


def end_at(moment: Instant, runs: Sequence[Run]) -> tuple[tuple[Close, ...], Reopen | None]:
    """Fold a retraction in: runs that hold at `moment` end there; one that was mentioned again later resumes."""
    closes = [run for run in runs if moment in run.valid]
    return tuple(Close(run, moment) for run in closes), resumption(moment, closes)
