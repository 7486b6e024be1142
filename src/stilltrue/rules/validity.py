"""From when until when does a statement say it holds?

Binds the dates of a sentence to its claim by their roles. A past state is closed, an event has no end; where nothing is
said, a claim holds from when it was said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality
from stilltrue.model.timeline import Instant, Interval
from stilltrue.rules.dates import DateMention, DateRole

if TYPE_CHECKING:
    from collections.abc import Sequence


def validity(
    dates: Sequence[DateMention], said_at: Instant, modality: Modality, cardinality: Cardinality
) -> tuple[Interval, bool]:
    """The interval stated, and whether a date gave its start."""
    start: Instant | None = None
    end: Instant | None = None
    for date in dates:
        first, last = date.interval.start, date.interval.end
        if date.role in {DateRole.FROM, DateRole.FOR}:
            start = start or first
        elif date.role is DateRole.UNTIL:
            end = end or last
        elif date.role is DateRole.BETWEEN:
            start, end = start or first, end or last
        elif date.role is DateRole.AT and start is None:
            start = first
            if modality is Modality.PAST and cardinality is not Cardinality.EVENT:
                end = end or last
    return _closed(start, end, said_at, modality, cardinality)


def _closed(
    start: Instant | None, end: Instant | None, said_at: Instant, modality: Modality, cardinality: Cardinality
) -> tuple[Interval, bool]:
    """A past state without an end was over when it was said; an end before the start is dropped as misread."""
    past_state = modality is Modality.PAST and cardinality is not Cardinality.EVENT
    if past_state and end is None:
        end = said_at
    if start is not None and end is not None and end < start:
        end = None
    if start is not None:
        return Interval(start, end), True
    if end is not None and end <= said_at:
        return Interval(None, end), False
    return Interval(None if past_state else said_at, end), False
