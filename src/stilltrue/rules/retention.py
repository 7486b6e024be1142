"""How much of a fact does memory still hold at an instant, and in which tier does it belong? SPEC A7 and A8.

Answer: `retention`, R = max(floor, exp(-dt / (S * B * beta))); `next_tier`, where a maintenance pass puts a fact. What
R does to the order of results is `rules.ranking`'s business, carrying a move out is upkeep's. Neither ever decides
whether a fact is true.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Category, Recalls, Retirement, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.fact import Belief, Kept, Standing
    from stilltrue.model.timeline import Instant

BETA_DAYS: Final[Mapping[Category, float]] = MappingProxyType(
    {Category.EPISODIC: 45.0, Category.SEMANTIC: 120.0, Category.CORE: 120.0, Category.PROCEDURAL: math.inf}
)
"""Days after which 1/e is left of a fact with S = B = 1; procedures never fade (A7)."""

CORE_FLOOR: Final = 0.60
FLOOR: Final = 0.02
LEAST_STABILITY: Final = 0.01
MOST_BOOST: Final = 3.0

RECALLED_STABILITY: Final = 0.1
"""The share of S that each day with a recall adds: being looked up says less than being said again, which adds a
quarter (`write.draft`). Days count, not searches, so that one busy hour does not keep a fact for years."""

MOST_RECALLED: Final = 3.0
"""Recalls at most triple S, as importance does: what is served often is served more often for it, and that must end."""

PASSES_AT_FLOOR: Final = 7
"""Maintenance passes that a fact spends at its floor before it is archived (A8)."""

COLD_DAYS: Final = 180
"""Days in the archive before a fact becomes a stub (A8)."""

STUB_LENGTH: Final = 80
"""Characters of a stub that readers are shown; the episode keeps the whole."""

_DAY_SECONDS: Final = 86_400.0
_NEVER: Final = Recalls()


def floor(category: Category) -> float:
    """The least retention of a category, 0..1 (A7)."""
    return CORE_FLOOR if category is Category.CORE else FLOOR


def retention(standing: Standing, at: Instant, last_seen: Instant | None = None, recalls: Recalls = _NEVER) -> float:
    """R of a fact at `at`, 0..1. `last_seen`: when it was last said (default: the standing's own).

    A fact seen at or after `at` is fresh: 1. Recalls after `at` are unknown to it and change nothing.

    >>> from datetime import UTC, datetime, timedelta
    >>> from stilltrue.model.fact import Standing
    >>> seen = datetime(2025, 1, 1, tzinfo=UTC)
    >>> plain = Standing(importance=0.5, last_seen_at=seen)
    >>> round(retention(plain, seen + timedelta(days=240)), 3)  # S = 1, B = 2, beta = 120 days
    0.368
    >>> retention(Standing(last_seen_at=seen, category=Category.PROCEDURAL), seen + timedelta(days=9999))
    1.0
    """
    known = recalls if recalls.last_at is not None and recalls.last_at <= at else _NEVER
    seen = _seen(standing.last_seen_at if last_seen is None else last_seen, known)
    days = max(0.0, (at - seen).total_seconds() / _DAY_SECONDS)
    return max(floor(standing.category), math.exp(-days / _lasting(standing, known)))


def at_floor_from(standing: Standing, recalls: Recalls = _NEVER) -> Instant | None:
    """When retention reaches its floor; None where it never does.

    >>> from datetime import UTC
    >>> from stilltrue.model.fact import Standing
    >>> seen = datetime(2025, 1, 1, tzinfo=UTC)
    >>> at_floor_from(Standing(importance=0.5, last_seen_at=seen)).date().isoformat()  # 240 days * ln 50
    '2027-07-28'
    >>> at_floor_from(Standing(category=Category.PROCEDURAL, last_seen_at=seen)) is None
    True
    """
    days = _lasting(standing, recalls) * -math.log(floor(standing.category))
    seen = _seen(standing.last_seen_at, recalls)
    if days >= (datetime.max.replace(tzinfo=seen.tzinfo) - seen).days:
        return None
    return seen + timedelta(days=days)


def next_tier(kept: Kept, passes: Sequence[Instant], now: Instant) -> Tier:
    """Where a pass at `now` puts a fact. `passes`: those before and this one, oldest first.

    What is core stays hot. What is over goes cold, and so does what has lain at its floor for seven passes; what was
    said or asked for again comes back, and what lay in the archive for 180 days becomes a stub.
    """
    tier, moved = kept.standing.tier, kept.moved_at
    if kept.standing.category is Category.CORE:
        return Tier.HOT
    if tier is Tier.HOT:
        return Tier.COLD if _cools(kept, passes, now) else Tier.HOT
    if _warms(kept, now):
        return Tier.HOT
    if tier is Tier.COLD and moved is not None and now - moved >= timedelta(days=COLD_DAYS):
        return Tier.STUB
    return tier


def is_over(belief: Belief, now: Instant) -> bool:
    """Whether a fact holds no longer, for whatever reason: the calendar alone can end one."""
    if belief.retirement is Retirement.CORRECTED:
        return True
    return belief.valid.end is not None and belief.valid.end <= now


def shortened(text: str) -> str:
    """What is shown of a stub.

    >>> shortened("The staging server stands in Frankfurt, in the second rack of the hall behind the customs office.")
    'The staging server stands in Frankfurt, in the second rack of the hall behind…'
    >>> shortened("I like tea.")
    'I like tea.'
    """
    if len(text) <= STUB_LENGTH:
        return text
    whole_words, _, _ = text[:STUB_LENGTH].rpartition(" ")
    return f"{whole_words or text[: STUB_LENGTH - 1]}…"


def _cools(kept: Kept, passes: Sequence[Instant], now: Instant) -> bool:
    """A fact that is over goes at once, unless it was asked for, or brought back, since it fell: then as the others."""
    wanted = max((moment for moment in (kept.recalls.last_at, kept.moved_at) if moment is not None), default=None)
    known_since = kept.belief.known.start
    if is_over(kept.belief, now):
        fresh = wanted is not None and known_since is not None and wanted > known_since
        since = wanted if fresh else None
        return since is None or _passes_since(passes, since) >= PASSES_AT_FLOOR
    reached = at_floor_from(kept.standing, kept.recalls)
    if reached is None:
        return False
    return _passes_since(passes, reached if kept.moved_at is None else max(reached, kept.moved_at)) >= PASSES_AT_FLOOR


def _warms(kept: Kept, now: Instant) -> bool:
    """Out of the archive: what is over when somebody asked for it there, all else when it is above its floor."""
    if is_over(kept.belief, now):
        asked = kept.recalls.last_at
        return asked is not None and kept.moved_at is not None and asked > kept.moved_at
    reached = at_floor_from(kept.standing, kept.recalls)
    return reached is None or now < reached


def _passes_since(passes: Sequence[Instant], moment: Instant) -> int:
    return len(passes) - bisect_left(passes, moment)


def _seen(last_seen: Instant, recalls: Recalls) -> Instant:
    return last_seen if recalls.last_at is None else max(last_seen, recalls.last_at)


def _lasting(standing: Standing, recalls: Recalls) -> float:
    """Days after which 1/e is left: S * B * beta."""
    stability = max(standing.stability, LEAST_STABILITY)
    stability *= min(MOST_RECALLED, 1 + RECALLED_STABILITY * recalls.days)
    boost = min(MOST_BOOST, 1 + 2 * standing.importance)
    return stability * boost * BETA_DAYS[standing.category]
