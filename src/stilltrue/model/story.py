"""What does the detective read, and what does it bring back? Lines of a story, confusions in it, and how a run went.

A story is a space's facts in the order in which they were said; a chapter is as much of it as one request takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.conflict import ConflictKind
    from stilltrue.model.expert import Usage
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What sampling a story needs of a fact that may be told: cheap enough to be read for every fact of a space."""

    id: FactId
    subject: str
    attribute: str | None
    said_at: Instant
    last_said_at: Instant
    recorded_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLine:
    """One fact as the story tells it. `over`: since when it no longer holds; `begins`: when it will, if not yet.

    `again`: when it was last repeated, if ever; a story that turns back may be told by no other sign.
    `recorded_at` is when memory learned it: what is newer than a question may re-open it.
    """

    fact_id: FactId
    text: str
    said_at: Instant
    recorded_at: Instant
    author: str | None = None
    topic: str | None = None
    again: Instant | None = None
    over: Instant | None = None
    begins: Instant | None = None

    @property
    def last_said_at(self) -> Instant:
        """When it was said last."""
        return self.again or self.said_at

    @property
    def current(self) -> bool:
        """Whether it holds now."""
        return self.over is None and self.begins is None


Chapter: TypeAlias = "Sequence[StoryLine]"


@dataclass(frozen=True, slots=True)
class Confusion:
    """Facts (two at least, sorted) that leave a newcomer not knowing what to do, and what a person is to be asked."""

    fact_ids: tuple[FactId, ...]
    kind: ConflictKind
    question: str


@dataclass(frozen=True, slots=True)
class Confusions:
    """What was found in all chapters together; `failures` says of those without a clean answer why there was none."""

    found: tuple[Confusion, ...]
    usage: Usage
    failures: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRun:
    """How one reading of a story went. With the same `seed` at the same instant the same facts are read.

    `facts`: how many the space had; `told`: how many of them were read, in so many `chapters`. Of the `found`
    confusions so many were `opened` as questions, were `known` already, or were `dropped` because they broke a rule.
    `failure` says what went wrong (empty: nothing did).
    """

    id: str
    space_id: SpaceId
    at: Instant
    seed: str
    facts: int = 0
    told: int = 0
    chapters: int = 0
    found: int = 0
    opened: int = 0
    known: int = 0
    dropped: int = 0
    failure: str = ""
