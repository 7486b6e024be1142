"""Which instant is a time on someone's wall clock?

Answer: `zone_of`, a time zone by its name, and `to_instant`. What a wall clock's words mean is `rules.dates`' business.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant


def zone_of(name: str) -> tzinfo:
    """The zone with this IANA name. Raises InvalidInputError for a name that there is none of.

    >>> zone_of("UTC").utcoffset(None)
    datetime.timedelta(0)
    """
    if name.upper() in ("UTC", "Z", "GMT"):  # needs no time zone data, which some systems lack
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        message = f"there is no time zone {name!r}; give an IANA name such as Europe/Stockholm, or UTC"
        raise InvalidInputError(message) from None


def to_instant(local: datetime, zone: tzinfo) -> Instant:
    """The instant at which a clock in `zone` shows `local`; the first, where it does so twice. Raises OverflowError.

    >>> to_instant(datetime(2025, 6, 1), zone_of("Europe/Berlin")).isoformat()
    '2025-05-31T22:00:00+00:00'
    """
    return local.replace(tzinfo=zone).astimezone(UTC)
