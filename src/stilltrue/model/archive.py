"""What does a space consist of, so that another store can hold the very same? Records, each with all that is kept.

Answer: the nouns themselves where they say everything, and a `Kept…` around those whose store knows more than the noun:
what was believed when, in which order they came, whether they were erased. Everything that can be made again from these
(vectors, the index of words, hashes, what an LLM was seen to answer) is no record.

Left to others: how records become lines (`connect.archive`), how they lie in tables (`store.archive`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from stilltrue.model.change import HistoryRow, JudgedPair, Link, Tombstone
from stilltrue.model.conflict import Conflict
from stilltrue.model.decision import Decision  # noqa: TC001 - the codec reads the types of fields at run time
from stilltrue.model.episode import Episode, Source
from stilltrue.model.fact import Belief, Fact  # noqa: TC001 - as above
from stilltrue.model.job import Job, Pass
from stilltrue.model.story import StoryRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSpace:
    """The space itself: its own settings, its members, how often it was written, and when last."""

    settings: Mapping[str, object]
    members: tuple[str, ...]
    revision: int
    written_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEpisode:
    """An episode, and whether words of it were erased."""

    episode: Episode
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFact:
    """A fact with all that was ever believed of it; `fact` itself carries no belief and no tie, which stand elsewhere.

    `added`, `changed`: the space's revisions then. `recalls`: how often it was served, on so many `days`, last when.
    `embedded`: whether it had a vector.
    """

    fact: Fact
    beliefs: tuple[Belief, ...]
    added: int
    changed: int
    moved_at: Instant | None = None
    recalls: int = 0
    days: int = 0
    recalled_at: Instant | None = None
    embedded: bool = False
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDecision:
    """A decision and its place among decisions and history, which are numbered together."""

    seq: int
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHistory:
    """A row of history, and whether its words were erased."""

    row: HistoryRow
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUsage:
    """What asking an LLM cost on a day (UTC, as ISO 8601)."""

    day: str
    calls: int
    tokens: int
    cache_hits: int


ARCHIVED = (
    KeptSpace,
    KeptEpisode,
    KeptFact,
    Source,
    Link,
    JudgedPair,
    Conflict,
    KeptDecision,
    KeptHistory,
    Tombstone,
    Job,
    Pass,
    StoryRun,
    KeptUsage,
)
"""The kinds of records, in the order in which a space is told."""

Archived: TypeAlias = (
    KeptSpace
    | KeptEpisode
    | KeptFact
    | Source
    | Link
    | JudgedPair
    | Conflict
    | KeptDecision
    | KeptHistory
    | Tombstone
    | Job
    | Pass
    | StoryRun
    | KeptUsage
)
