"""How much of a fact does memory still hold at an instant? The retention curve of SPEC A7, and nothing but it.

Answer: `retention`, R = max(floor, exp(-dt / (S * B * beta))). What R does to the order of results is `rules.ranking`'s
business; when a fact changes its tier is upkeep's. Retention never decides whether a fact is true.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Category

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.fact import Standing
    from stilltrue.model.timeline import Instant

BETA_DAYS: Final[Mapping[Category, float]] = MappingProxyType(
    {Category.EPISODIC: 45.0, Category.SEMANTIC: 120.0, Category.CORE: 120.0, Category.PROCEDURAL: math.inf}
)
"""Days after which 1/e is left of a fact with S = B = 1; procedures never fade (A7)."""

CORE_FLOOR: Final = 0.60
FLOOR: Final = 0.02
LEAST_STABILITY: Final = 0.01
MOST_BOOST: Final = 3.0

_DAY_SECONDS: Final = 86_400.0


def floor(category: Category) -> float:
    """The least retention of a category, 0..1 (A7)."""
    return CORE_FLOOR if category is Category.CORE else FLOOR


def retention(standing: Standing, at: Instant, last_seen: Instant | None = None) -> float:
    """R of a fact at `at`, 0..1. `last_seen`: when it was last said or recalled (default: the standing's own).

    A fact seen at or after `at` is fresh: 1.

    >>> from datetime import UTC, datetime, timedelta
    >>> from stilltrue.model.fact import Standing
    >>> seen = datetime(2025, 1, 1, tzinfo=UTC)
    >>> plain = Standing(importance=0.5, last_seen_at=seen)
    >>> round(retention(plain, seen + timedelta(days=240)), 3)  # S = 1, B = 2, beta = 120 days
    0.368
    >>> retention(Standing(last_seen_at=seen, category=Category.PROCEDURAL), seen + timedelta(days=9999))
    1.0
    """
    seen = standing.last_seen_at if last_seen is None else last_seen
    days = max(0.0, (at - seen).total_seconds() / _DAY_SECONDS)
    stability = max(standing.stability, LEAST_STABILITY)
    boost = min(MOST_BOOST, 1 + 2 * standing.importance)
    return max(floor(standing.category), math.exp(-days / (stability * boost * BETA_DAYS[standing.category])))
