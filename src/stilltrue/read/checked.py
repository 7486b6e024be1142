"""What does a check give back? The stale presuppositions of a text, each with what memory says instead.

The same for a memory and for files: there a citation's `fact_id` is the place, FILE:LINE.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.fact import Status
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Relation
    from stilltrue.read.results import Cited


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A fact that a stale presupposition is told by, with the words it was taken from (D8)."""

    fact_id: str
    text: str
    status: Status
    valid_from: Instant | None
    valid_until: Instant | None
    sources: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """Characters [start, end) of the text (`words`) take for granted that `assumes`; memory says `instead`.

    `since`: when what it says instead began, None where nobody told. `relation` and `confidence` (0..1) are the
    judge's of (assumed, instead). The first citation is what memory says instead; then what it replaced.
    """

    words: str
    start: int
    end: int
    assumes: str
    instead: str
    since: Instant | None
    relation: Relation
    confidence: float
    citations: tuple[Ground, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The outcome for a text: what is stale in it, and how many presuppositions were looked up."""

    stale: tuple[Stale, ...]
    presuppositions: int
