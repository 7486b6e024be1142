"""What was out of date when it was told: where do it and the news that outdoes it stand in time?

`rules.reaching_back` says which news lies before what was told earlier. Answer: `outdone_by` and `outdoing` find the
two sides among the judged, `closing` ends what is outdone where the news says, and `place_outdone` places a statement
that arrives after the news that outdoes it, so that both orders of arrival lead to one story. From when it held nobody
said: its start is open, unless something else is known to have held before the news.

Left to others: everything else about time (`rules.timelines`), the changes themselves (`write.draft`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.timeline import Interval
from stilltrue.rules.reaching_back import seen_since
from stilltrue.rules.timelines import Close, Placement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.timeline import Instant
    from stilltrue.rules.timelines import Run
    from stilltrue.write.case import Case
    from stilltrue.write.judged import Judged


def outdone_by(case: Case, applied: Sequence[Judged]) -> list[Judged]:
    """The facts that the statement ends before they were told."""
    start = case.statement.valid.start
    return [item for item in applied if not item.late and _after(item.run().start, start)]


def outdoing(case: Case, applied: Sequence[Judged]) -> Judged | None:
    """The news known already that was told after the statement, and lies before it."""
    start = case.statement.valid.start
    found = [item for item in applied if item.late and _after(start, item.run().start)]
    return min(found, key=lambda item: (item.run().start, item.fact.id), default=None)


def _after(one: Instant | None, other: Instant | None) -> bool:
    return one is not None and other is not None and one > other


def run_of(case: Case, item: Judged) -> Run:
    """A fact's run, without the mentions that the statement outdoes."""
    run = item.run()
    return replace(run, seen=seen_since(run.seen, item.neighbour.sources, case.statement))


def closing(case: Case, outdone: Sequence[Judged]) -> tuple[Close, ...]:
    """The ends of what is outdone, at the time that the news names."""
    at = case.statement.valid.start
    if at is None:
        return ()
    since = None if len(outdone) == 1 and not _known_before(case, at, outdone) else at
    return tuple(Close(item.run(), at, within=Interval(since, at)) for item in outdone)


def place_outdone(case: Case, news: Judged, same: Sequence[Run]) -> Placement:
    """A statement that the news outdoes: a mention of what held until then, or a past of its own."""
    following = news.run()
    at = following.start
    if at is None:
        message = f"fact {news.fact.id} has no start, so it outdoes nothing"
        raise AssertionError(message)
    held = next((run for run in same if run.valid.end is not None and run.valid.end <= at), None)
    if held is not None:
        return Placement(valid=case.statement.valid, same=held)
    since = at if _known_before(case, at, [news]) else None
    return Placement(valid=Interval(since, at), next_run=following)


def _known_before(case: Case, at: Instant, but: Sequence[Judged]) -> bool:
    """Whether something else is known to have held in this place before the news."""
    others = [item.run() for item in case.judged if item.conflicts and item not in but]
    return any(run.start is None or run.start < at for run in others)
