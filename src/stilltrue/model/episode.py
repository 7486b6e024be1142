"""What was said, by whom, and where exactly? Episodes are raw input and never change; facts point into them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from stilltrue.model.ids import EpisodeId, FactId, SpaceId
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of an episode's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Raises InvalidInputError unless 0 <= start <= end."""
        if not 0 <= self.start <= self.end:
            message = f"span [{self.start}, {self.end}) is not inside a text; give 0 <= start <= end"
            raise InvalidInputError(message)

    def of(self, text: str) -> str:
        """The characters it names."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Raw input as it came. `said_at` is when it was said, `recorded_at` when the store learnt it.

    `author` is who said it (None: the space's own user); `role` is the chat role, where there was one; `origin` names
    where it came from (a file, a session) so that an import can be repeated without harm.
    """

    id: EpisodeId
    space_id: SpaceId
    text: str
    said_at: Instant
    recorded_at: Instant
    author: str | None = None
    topic: str | None = None
    role: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One mention of a fact: the exact span of an episode, and when it was said to hold from (`held_from`)."""

    fact_id: FactId
    episode_id: EpisodeId
    span: Span
    quote: str
    said_at: Instant
    held_from: Instant | None
    author: str | None = None
    independent: bool = True
