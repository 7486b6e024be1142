"""Which stretches of time does a sentence name, and how do they bind?

Answer: `find_dates`. What a date does to a fact's valid time is the extractor's business; a moment given by itself is
read by `rules.as_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.episode import Span
    from stilltrue.model.timeline import Instant, Interval


class DateRole(StrEnum):
    """How a date binds the statement it stands in.

    at: it holds or happened then. from: [start, open). until: [open, end). between: [start, end). for: a duration
    that reaches up to now ("for two years"): [said_at - duration, open). by: a deadline, [open, end).
    """

    AT = "at"
    FROM = "from"
    UNTIL = "until"
    BETWEEN = "between"
    FOR = "for"
    BY = "by"


@dataclass(frozen=True, slots=True)
class DateMention:
    """`span` covers the date with its preposition ("since Monday"); `interval` is half-open UTC from local days."""

    span: Span
    interval: Interval
    role: DateRole


def find_dates(
    text: str, said_at: Instant, zone: str = "UTC", *, day_first: bool | None = None
) -> list[DateMention]:
    """The dates in `text`, left to right, as said at `said_at` by someone in `zone`."""
    del text, said_at, zone, day_first
    return []
