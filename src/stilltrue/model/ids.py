"""What is this thing called? Ids are UUID version 7, made by the application from a time and randomness it is given.

Whole ids travel in JSON and the store. People see the last eight characters: they are random, while the first eight
only tell the minute and would be alike for everything remembered within it.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant

SpaceId = NewType("SpaceId", str)
EpisodeId = NewType("EpisodeId", str)
FactId = NewType("FactId", str)
DecisionId = NewType("DecisionId", str)
ConflictId = NewType("ConflictId", str)
BatchId = NewType("BatchId", str)

SHORT_LENGTH = 8


def uuid7(at: Instant, entropy: bytes) -> str:
    """A version 7 UUID (RFC 9562) of the millisecond of `at` and ten bytes of `entropy`.

    >>> from datetime import UTC, datetime
    >>> uuid7(datetime(2025, 1, 1, tzinfo=UTC), bytes(10))
    '01941f29-7c00-7000-8000-000000000000'
    """
    millis = max(0, int(at.timestamp() * 1000)) & ((1 << 48) - 1)
    randomness = int.from_bytes(entropy[:10], "big")
    value = millis << 80 | 0x7 << 76 | (randomness >> 68 & 0xFFF) << 64 | 0b10 << 62 | (randomness & ((1 << 62) - 1))
    return str(uuid.UUID(int=value))


def short(identifier: str) -> str:
    """How an id is shown to people: its last eight characters.

    >>> short("01941f29-7c00-7000-8000-0000deadbeef")
    'deadbeef'
    """
    return identifier[-SHORT_LENGTH:]
