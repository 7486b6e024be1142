"""When does something hold, and when was it known?

An instant is an aware `datetime` in UTC. An interval is half-open, [start, end): it holds at its start and no longer
at its end. Two clocks run through the whole program: valid time (the world) and recorded time (the store); `AsOf`
names a point on both. What ends an interval, and why, is `rules.timelines`' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from stilltrue.errors import InvalidInputError

Instant: TypeAlias = datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def instant(moment: datetime) -> Instant:
    """The same moment in UTC. Raises InvalidInputError for a naive datetime: a time without a zone is no instant.

    >>> instant(datetime.fromisoformat("2025-03-01T01:00:00+01:00")).isoformat()
    '2025-03-01T00:00:00+00:00'
    """
    if moment.tzinfo is None:
        message = f"time {moment.isoformat()} has no zone; add one, for example {moment.isoformat()}+00:00"
        raise InvalidInputError(message)
    return moment.astimezone(UTC)


def to_micros(moment: Instant) -> int:
    """Whole microseconds since 1970-01-01 UTC: how stores keep instants (exact and sortable)."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> Instant:
    """The inverse of `to_micros`."""
    return _EPOCH + timedelta(microseconds=micros)


def iso(moment: Instant) -> str:
    """ISO 8601 with a trailing Z, microseconds only where there are any.

    >>> iso(datetime(2025, 3, 1, tzinfo=UTC))
    '2025-03-01T00:00:00Z'
    """
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Interval:
    """[start, end) on one clock. `None` is open: unknown or unbounded. start == end is empty: it holds never.

    >>> year = Interval(datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC))
    >>> datetime(2019, 1, 1, tzinfo=UTC) in year, datetime(2020, 1, 1, tzinfo=UTC) in year
    (True, False)
    """

    start: Instant | None = None
    end: Instant | None = None

    def __post_init__(self) -> None:
        """Both ends must be UTC instants in order. Raises InvalidInputError."""
        for moment in (self.start, self.end):
            if moment is not None and moment.utcoffset() != timedelta(0):
                message = f"interval end {moment.isoformat()} is not in UTC; pass it through instant() first"
                raise InvalidInputError(message)
        if self.start is not None and self.end is not None and self.end < self.start:
            message = f"interval ends {iso(self.end)} before it starts {iso(self.start)}; swap them"
            raise InvalidInputError(message)

    def __contains__(self, moment: Instant) -> bool:
        """Whether it holds at `moment`."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    @property
    def empty(self) -> bool:
        """Whether it holds at no instant at all."""
        return self.start is not None and self.start == self.end

    def overlaps(self, other: Interval) -> bool:
        """Whether some instant lies in both.

        >>> a = Interval(None, datetime(2020, 1, 1, tzinfo=UTC))
        >>> a.overlaps(Interval(datetime(2020, 1, 1, tzinfo=UTC), None))
        False
        """
        if self.empty or other.empty:
            return False
        starts_before_other_ends = self.start is None or other.end is None or self.start < other.end
        return starts_before_other_ends and (other.start is None or self.end is None or other.start < self.end)

    def until(self, end: Instant | None) -> Interval:
        """The part before `end`; never longer than it was, and empty rather than backwards."""
        if end is None:
            return self
        if self.start is not None and end < self.start:
            end = self.start
        return Interval(self.start, end if self.end is None else min(end, self.end))


@dataclass(frozen=True, slots=True)
class AsOf:
    """A point on both clocks: what was true at `valid`, as the store believed it at `known`."""

    valid: Instant
    known: Instant
