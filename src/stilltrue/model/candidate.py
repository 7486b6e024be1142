"""What did the caller say about the text, and what did extraction make of it, before anything is stored?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.episode import Span
    from stilltrue.model.fact import Category, Kind, Statement
    from stilltrue.model.ids import FactId
    from stilltrue.model.slot import Cardinality, Qualifiers
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the caller states about a text; everything given wins over inference, None means: infer it.

    `importance`, `confidence`, `trust`: 0..1. `supersedes`: facts the caller says this one replaces (C9);
    `vouched`: whether a door says that the caller may so retire a constraint (None: no door was there).
    `depends_on`: facts it rests on. `whole`: take the text as one fact, do not cut it into sentences (this is so
    whenever a subject, an attribute or a value is given).
    """

    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    qualifiers: Qualifiers = ()
    cardinality: Cardinality | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    kind: Kind | None = None
    category: Category | None = None
    importance: float | None = None
    confidence: float | None = None
    trust: float | None = None
    supersedes: tuple[FactId, ...] = ()
    vouched: bool | None = None
    depends_on: tuple[FactId, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that extraction found at `span` of the episode, and how sure it is that it was claimed (0..1).

    `resolves_topic`: it says that the problem under discussion is solved ("That fixed it.") without naming it.
    `formal`: it is said by its form (a command, a setting, a line of a status list) and speaks of its own slot alone.
    """

    statement: Statement
    span: Span
    confidence: float
    resolves_topic: bool = False
    formal: bool = False
