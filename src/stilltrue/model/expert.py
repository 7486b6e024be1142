"""What passes between the engine and an LLM? Votes, claims and written answers, each checked, and what they cost.

An LLM is an optional expert: whatever it says has become one of these values, or it has said nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.verdict import Undecided

if TYPE_CHECKING:
    from stilltrue.model.episode import Span
    from stilltrue.model.fact import Modality, Statement
    from stilltrue.model.ids import FactId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Relation


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost: requests sent, tokens in and out together, and answers found in the cache."""

    calls: int = 0
    tokens: int = 0
    cache_hits: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The two together."""
        return Usage(self.calls + other.calls, self.tokens + other.tokens, self.cache_hits + other.cache_hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a space may spend on asking in one day (UTC), and how much one request may ask."""

    calls_per_day: int
    tokens_per_day: int
    pairs_per_request: int


@dataclass(frozen=True, slots=True)
class Vote:
    """What the LLM says of one pair: one of the six relations, and why in a few of its own words."""

    relation: Relation
    reason: str


@dataclass(frozen=True, slots=True)
class Unheard(Undecided):
    """No vote for a reason that passes, so that asking again later may bring one: no server, or no budget today.

    `tomorrow`: not before the next day (UTC). A model that did answer, but nothing of use, is plainly `Undecided`.
    """

    tomorrow: bool = False


@dataclass(frozen=True, slots=True)
class Votes:
    """A vote for each pair asked about, in order; `Undecided` (with the reason) where there is no clean one."""

    votes: tuple[Vote | Undecided, ...]
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One fact that the LLM read in an episode: what is claimed in its own words, and where it stands there.

    `span` covers words that are in the episode letter for letter. `text` is a statement that can be read alone.
    """

    text: str
    span: Span
    subject: str
    attribute: str
    value: str | None
    modality: Modality
    negated: bool = False
    valid_from: Instant | None = None
    valid_until: Instant | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """What was read in one episode; `reason` says why nothing was, where the LLM gave no clean answer (else empty)."""

    claims: tuple[Claim, ...]
    usage: Usage
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One retrieved fact as a writer of answers sees it: its statement, how it stands, and since or until when."""

    fact_id: FactId
    statement: Statement
    status: str
    valid_from: Instant | None
    valid_until: Instant | None


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in words with the facts it cites, all of them among the exhibits; `text` empty: it refused.

    `reason` says why there is no answer, where the LLM gave no clean one (else empty).
    """

    text: str
    cited: tuple[FactId, ...]
    usage: Usage
    reason: str = ""
