"""What does a field of a foreign record hold, and is it what it should be?

Answers: one reader a type, each raising InvalidInputError that names the field. None always means: not given.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import Instant, instant

if TYPE_CHECKING:
    from collections.abc import Mapping

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLIS_FROM: Final = 1e11
"""Seconds reach this in the year 5138, milliseconds did in 1973: larger figures are milliseconds."""
_COMPACT_DATE: Final = 8
"""Digits of 20250301."""


def text(record: Mapping[str, Any], key: str) -> str | None:
    """A string that is not blank. Raises InvalidInputError for another type."""
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInputError(f"{key!r} should be a string, not {value!r:.60}")
    return value if value.strip() else None


def needed_text(record: Mapping[str, Any], key: str) -> str:
    """A string that must be there. Raises InvalidInputError."""
    value = text(record, key)
    if value is None:
        raise InvalidInputError(f"{key!r} is missing or empty")
    return value


def share(record: Mapping[str, Any], key: str) -> float | None:
    """A number from 0 to 1. Raises InvalidInputError."""
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInputError(f"{key!r} should be a number from 0 to 1, not {value!r:.60}")
    return float(value)


def moment(record: Mapping[str, Any], *keys: str) -> Instant | None:
    """The time under the first of `keys` that is given. Raises InvalidInputError."""
    for key in keys:
        if record.get(key) not in (None, ""):
            return read_moment(record[key], key)
    return None


def read_moment(value: object, name: str = "time") -> Instant:
    """An ISO date or time (UTC where no zone is given), or seconds or milliseconds since 1970.

    >>> read_moment("2025-03-01").isoformat(), read_moment(1740787200).isoformat()
    ('2025-03-01T00:00:00+00:00', '2025-03-01T00:00:00+00:00')
    """
    try:
        if isinstance(value, str):
            words = value.strip()
            if not words.isdecimal() or len(words) == _COMPACT_DATE:
                found = datetime.fromisoformat(words)
                return instant(found if found.tzinfo else found.replace(tzinfo=UTC))
            value = int(words)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _EPOCH + timedelta(seconds=value / 1000 if abs(value) >= _MILLIS_FROM else value)
    except (ValueError, OverflowError):
        pass
    raise InvalidInputError(f"{name!r} is no time: {value!r:.60}; give one like 2025-03-01T09:00:00Z")


def texts(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of strings, or a single one. Raises InvalidInputError."""
    value = record.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InvalidInputError(f"{key!r} should be a list of strings, not {value!r:.60}")
    return tuple(items)


def qualifiers(record: Mapping[str, Any], key: str = "qualifiers") -> dict[str, str]:
    """An object of names and values. Raises InvalidInputError."""
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise InvalidInputError(f"{key!r} should be an object of strings such as {{'environment': 'staging'}}")
    return dict(value)
