"""Which instant does a caller mean by "2025-03-01", "yesterday" or "1740787200"?

Answer: `parse_moment`, for `--as-of`, `valid_from` and their like. Dates inside sentences are `rules.dates`' business.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import Instant, instant

if TYPE_CHECKING:
    pass


def parse_moment(text: str, now: Instant, zone: str, *, end_of_day: bool) -> Instant:
    """The instant that `text` names, read at `now` in `zone`. Raises InvalidInputError with a remedy."""
    del now, end_of_day
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInputError(f"{text!r} is no date; give one like 2025-03-01") from None
    return instant(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))
