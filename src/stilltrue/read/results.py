"""What does a reader get back? Frozen values with plain fields, the same from every verb and for every door.

Times are instants (UTC); the doors print them as ISO 8601. No rule lives here: who is served, and in which order, is
`read.search`'s and its siblings' business; how it is printed is `faces`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.change import HistoryRow
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.decision import Action, Cost
    from stilltrue.model.expert import Usage
    from stilltrue.model.fact import Belief, Category, Kind, Modality, Retirement, Status, Tier
    from stilltrue.model.ids import BatchId, ConflictId, DecisionId, EpisodeId, FactId
    from stilltrue.model.slot import Cardinality, Qualifiers
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Evidence, Relation
    from stilltrue.rules.settling import Weight


BY_MEMORY: Final = "memory"
"""Who answered where no language model did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The exact words of an episode that a fact rests on (D8): characters [start, end) of its text."""

    episode: EpisodeId
    quote: str
    start: int
    end: int
    said_at: Instant
    author: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A fact as it stood at the instant asked for, by what the store believed then.

    `score` and `similarity` (cosine, None where it was found by words or slot alone) belong to the question, and are
    1.0 and None where there was none. `modality` marks what is planned, supposed or hearsay, `negated` what denies
    its value. `superseded_by` and `supersedes` are the chain's next links. `needs_recheck`: it rests on a fact that
    does not hold at that instant, so somebody should look (F9); never told of what was believed at another time.
    """

    id: FactId
    text: str
    score: float
    subject: str
    attribute: str | None
    value: str | None
    qualifiers: Qualifiers
    cardinality: Cardinality
    valid_from: Instant | None
    valid_until: Instant | None
    status: Status
    retirement: Retirement | None
    sources: tuple[Cited, ...]
    author: str | None
    topic: str | None
    category: Category
    importance: float
    confidence: float
    trust: float
    kind: Kind
    modality: Modality
    negated: bool
    tier: Tier
    seen_count: int
    superseded_by: FactId | None
    contradicted_by: FactId | None
    supersedes: tuple[FactId, ...]
    said_at: Instant
    recorded_at: Instant
    similarity: float | None = None
    needs_recheck: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer to a search, best first.

    `as_of` and `known_at`: the instants that statuses are told for (None: now). `historical`: superseded facts are
    among them, because the caller or the question asked; `reason` says so in words ("" for a plain search).
    """

    results: tuple[Result, ...]
    historical: bool = False
    as_of: Instant | None = None
    known_at: Instant | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A fact that an answer rests on: how it stands at the instant asked for, and the words it was taken from (D8).

    `needs_recheck` as in `Result`.
    """

    fact_id: FactId
    text: str
    status: Status
    modality: Modality
    valid_from: Instant | None
    valid_until: Instant | None
    sources: tuple[Cited, ...]
    needs_recheck: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a question in words, with what it rests on (D12).

    `refused`: memory does not hold an answer, and `text` says what is missing; nothing is cited then. `historical`: the
    question asked about the past, or the answer rests on what is over. `by`: "memory", or the model that wrote it.
    `reason`: why the past was looked at, and why a configured model did not write the answer. `conflicts`: open
    questions about the facts cited; `text` names them. `usage`: what asking the model cost.
    """

    text: str
    citations: tuple[Citation, ...]
    refused: bool
    historical: bool
    by: str
    reason: str
    conflicts: tuple[ConflictId, ...]
    usage: Usage
    as_of: Instant | None = None
    known_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHistory:
    """All about one fact. `beliefs`: everything ever believed of it, oldest first. `chain`: it, what it replaced and
    what replaced it, however far, in valid-time order (D3). `rows`: the changes as written.
    """

    fact: Result
    beliefs: tuple[Belief, ...]
    chain: tuple[Result, ...]
    rows: tuple[HistoryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A fact's stay on a slot's timeline: [start, end) and in one word how it stands at the instant asked for.

    `word`: "current", "future", "superseded", "expired", "retracted", "narrowed", or "corrected" (it held never).
    """

    fact: Result
    start: Instant | None
    end: Instant | None
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What a slot held, when: past and current stretches in valid-time order, then those still to come."""

    subject: str
    attribute: str | None
    at: Instant
    stretches: tuple[Stretch, ...]

    def of(self, word: str) -> tuple[Stretch, ...]:
        """Those of one word."""
        return tuple(stretch for stretch in self.stretches if stretch.word == word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One candidate that a decision considered. `relation` None: undecided, `undecided` says why.

    `changed`: whether the decision changed this fact; `outcome` tells in words what became of it and why.
    `replays`: the stored evidence still yields the stored judgement.
    """

    fact_id: FactId
    text: str
    nominated_by: str
    similarity: float | None
    relation: Relation | None
    confidence: float | None
    conflict: float
    settled_by: str | None
    undecided: str | None
    evidence: tuple[Evidence, ...]
    changed: bool
    outcome: str
    replays: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One decision: what was heard, what was done, by which rule, who was considered, what it wrote and cost."""

    id: DecisionId
    batch_id: BatchId
    action: Action
    text: str
    decided_at: Instant
    author: str | None
    fact_id: FactId | None
    targets: tuple[FactId, ...]
    conflict_id: ConflictId | None
    episode_id: EpisodeId | None
    rule: str
    reason: str
    proposal: bool
    considered: tuple[Weighed, ...]
    changes: tuple[HistoryRow, ...]
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a fact is what it is (`fact` given: all decisions that made or changed it), or why one decision fell.

    `rechecks`: what the fact rests on that holds no longer; it needs a look while there is any (F9).
    """

    fact: Result | None
    decisions: tuple[Explained, ...]
    rechecks: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConflict:
    """A question to settle, with the facts it is about as they stand now.

    `weight`: what an answer would settle, for open questions of a list; `together`: other open questions about facts
    that this one leaves in doubt.
    """

    conflict: Conflict
    facts: tuple[Result, ...]
    weight: Weight | None = None
    together: tuple[ConflictId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """A fact that needs a look, because what it rests on (`bases`) holds no longer (F9)."""

    fact: Result
    bases: tuple[Result, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The state of a space. `judges`: which optional judges are configured, each "off: ..." where it is not (B8).

    `counts` are the store's own; `llm_calls`, `llm_tokens` and `cache_hits` are what asking an LLM has cost the space
    (A6), `llm_calls_left` and `llm_tokens_left` what its budget still allows today (UTC); None without an LLM.
    """

    counts: Mapping[str, int]
    pairs_judged: int
    undecided: int
    llm_calls: int
    llm_tokens: int
    cache_hits: int
    llm_calls_left: int | None
    llm_tokens_left: int | None
    actions: Mapping[str, int]
    judges: Mapping[str, str]
    models: Mapping[str, str | None]
    changed_settings: Mapping[str, object]
