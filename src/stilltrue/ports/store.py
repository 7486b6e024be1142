"""What does the engine need of a store? Readers with a snapshot each, and transactions that write all or nothing.

`store/` fills these protocols, and every store passes the same tests. What else comes from outside is `ports.models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from stilltrue.model.archive import Archived
    from stilltrue.model.change import HistoryRow, JudgedPair, Link, Tombstone
    from stilltrue.model.conflict import Conflict, ConflictStatus, Settled
    from stilltrue.model.decision import Action, Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.expert import Usage
    from stilltrue.model.fact import Belief, Fact, Glimpse, Kept, Standing, Tier
    from stilltrue.model.ids import BatchId, ConflictId, DecisionId, EpisodeId, FactId, SpaceId
    from stilltrue.model.job import Claim, Job, Lease, Pass
    from stilltrue.model.story import Outline, StoryRun
    from stilltrue.model.timeline import Instant

    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which facts a reader is shown. The one definition of *current*, used by every index.

    `valid_at`: facts that hold then. `known_at`: as the store believed it then (None: now). `include_superseded`:
    also facts that are over, future, superseded or retracted, but never corrected or withdrawn ones. `awaiting`: of
    what was stored after this fact, only what has a vector: a fact kept early gets its own when it is judged.
    `author`: only facts that they said, the name as it was given (None: of all). Raises InvalidInputError for a blank
    one, which would pass for "of all".
    """

    valid_at: Instant
    known_at: Instant | None = None
    include_superseded: bool = False
    awaiting: FactId | None = None
    author: str | None = None

    def __post_init__(self) -> None:
        if self.author is not None and not self.author.strip():
            raise InvalidInputError("the author is empty; name who said it, or leave it out to hear all")


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact and its score: cosine in [-1, 1] for vectors, a positive BM25 strength (more is better) for words."""

    fact_id: FactId
    score: float


class Reader(Protocol):
    """A consistent look at the store. Every method is told the space and sees nothing outside it."""

    def revision(self, space: SpaceId) -> int:
        """A number that grows with every write in the space; 0 for a space never written."""

    def changed_since(self, space: SpaceId, revision: int, subject: str | None, fact_ids: Sequence[FactId]) -> bool:
        """Whether, after `revision`, a fact of `subject` was added or one of `fact_ids` changed: what is believed of
        it, a mention, or its vector, which a fact that was kept early is given when its turn to be judged has come.
        """

    def fact(self, space: SpaceId, fact_id: FactId) -> Fact:
        """The fact with its present belief. Raises NotFoundError."""

    def facts(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Fact]:
        """Those that exist, in the order asked."""

    def glimpses(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Glimpse]:
        """Those that exist, in the order asked."""

    def find_id(self, space: SpaceId, table: str, fragment: str) -> str:
        """The whole id of a fact, episode, decision, batch or conflict from its first or last >= 6 characters.

        `table`: "facts", "episodes", "decisions", "batches" or "conflicts". Raises NotFoundError, or
        InvalidInputError where the fragment is too short or fits several.
        """

    def find_any(self, space: SpaceId, tables: Sequence[str], fragment: str) -> tuple[str, str]:
        """As `find_id`, among several tables at once: the table and the id."""

    def in_slot(self, space: SpaceId, subject: str, attribute: str | None) -> list[Fact]:
        """Believed facts of a subject (and attribute, unless None), oldest valid time first; withdrawn ones not."""

    def lookup(self, space: SpaceId, subject: str, attribute: str | None, where: Filter) -> list[Fact]:
        """Facts of a subject (and attribute) that `where` admits, newest valid time first."""

    def ids_in_slot(
        self, space: SpaceId, subject: str, attribute: str | None, limit: int, where: Filter
    ) -> list[FactId]:
        """The first `limit` of `lookup`, without reading the facts."""

    def with_hash(self, space: SpaceId, *, exact: str | None = None, normal: str | None = None) -> list[Fact]:
        """Believed facts whose exact or normalised text hash is this."""

    def near(self, space: SpaceId, vector: Vectors, limit: int, where: Filter) -> list[Hit]:
        """The `limit` nearest facts that `where` admits, best first (exact, or two-stage in large spaces)."""

    def mentioning(self, space: SpaceId, words: Sequence[str], limit: int, where: Filter) -> list[Hit]:
        """Facts that `where` admits whose text holds any of the words (stemmed), best first by BM25."""

    def sources(self, space: SpaceId, fact_id: FactId) -> tuple[Source, ...]:
        """Its mentions, oldest said first."""

    def sources_of(self, space: SpaceId, fact_ids: Sequence[FactId]) -> Mapping[FactId, tuple[Source, ...]]:
        """`sources` of several facts, at the price of one."""

    def links(self, space: SpaceId, fact_id: FactId) -> tuple[Link, ...]:
        """Ties from or to it."""

    def beliefs(self, space: SpaceId, fact_id: FactId) -> tuple[Belief, ...]:
        """All that was ever believed of it, oldest first; the last is the present one if its `known.end` is None."""

    def episode(self, space: SpaceId, episode_id: EpisodeId) -> Episode:
        """Raises NotFoundError."""

    def facts_of_episode(self, space: SpaceId, episode_id: EpisodeId) -> list[FactId]:
        """Facts with a mention in this episode. Raises NotFoundError for an unknown episode."""

    def facts_of_episodes(self, space: SpaceId, episode_ids: Sequence[EpisodeId]) -> Mapping[EpisodeId, list[FactId]]:
        """As `facts_of_episode`, of many at once; an episode that is not there has none."""

    def episode_of_origin(self, space: SpaceId, origin: str) -> Episode | None:
        """The episode that an import kept under this origin, if any."""

    def episodes_from(self, space: SpaceId, prefix: str) -> list[Episode]:
        """Those whose origin begins with `prefix`, oldest recorded first."""

    def history(
        self,
        space: SpaceId,
        *,
        fact_id: FactId | None = None,
        decision_id: DecisionId | None = None,
        batch_id: BatchId | None = None,
        kind: str | None = None,
    ) -> list[HistoryRow]:
        """History rows in the order written; filters combine."""

    def decision(self, space: SpaceId, decision_id: DecisionId) -> Decision:
        """Raises NotFoundError."""

    def decisions(
        self,
        space: SpaceId,
        *,
        fact_id: FactId | None = None,
        batch_id: BatchId | None = None,
        episode_id: EpisodeId | None = None,
        since: Instant | None = None,
    ) -> list[Decision]:
        """Decisions that made or changed a fact, of a batch, about an episode, made at an instant or later; oldest
        first.
        """

    def conflict(self, space: SpaceId, conflict_id: ConflictId) -> Conflict:
        """Raises NotFoundError."""

    def conflicts(self, space: SpaceId, status: ConflictStatus | None) -> list[Conflict]:
        """Conflicts of a status (None: all), oldest first."""

    def conflicts_with(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Conflict]:
        """Conflicts that any of these facts is part of, whatever their status, oldest first."""

    def conflict_about(self, space: SpaceId, fact_ids: Sequence[FactId]) -> Conflict | None:
        """The conflict over exactly this unordered set of facts, whatever its status."""

    def answers(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Settled]:
        """What people have answered about pairs with one of these facts, as far as the answer was not undone."""

    def recalls(self, space: SpaceId, fact_ids: Sequence[FactId]) -> Mapping[FactId, int]:
        """How often each fact was served to readers; facts never served are left out."""

    def open_pairs(self, space: SpaceId, fact_ids: Sequence[FactId]) -> Mapping[FactId, int]:
        """How many undecided pairs each fact is one of; facts without are left out."""

    def stored_order(
        self, space: SpaceId, after: int, limit: int, where: Filter | None = None
    ) -> list[tuple[int, FactId]]:
        """Believed facts in the order in which they were stored, each with its place, from behind `after` on; with
        `where` only those it admits.
        """

    def judged(self, space: SpaceId, *, undecided_only: bool = False) -> list[JudgedPair]:
        """Judged pairs; with `undecided_only` the sweep's work list."""

    def judged_beside(self, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
        """Facts that were judged together with one of these."""

    def added_since(self, space: SpaceId, revision: int) -> bool:
        """Whether any fact was added after `revision`."""

    def outlines(self, space: SpaceId) -> list[Outline]:
        """Facts that a story may tell (believed, never corrected, no mere questions), oldest said first."""

    def story_runs(self, space: SpaceId, limit: int) -> list[StoryRun]:
        """The last readings of the space's story, newest first."""

    def tombstones(self, space: SpaceId, subject: str, text_hash: str) -> list[Tombstone]:
        """Tombstones of a subject's slots, and of this text."""

    def counts(self, space: SpaceId) -> Mapping[str, int]:
        """episodes, facts, current, retired per word, conflicts per status, undecided, decisions per action, jobs; of
        the story: how often it was read, how often that failed, confusions dropped, whether a job waits.
        """

    def space_settings(self, space: SpaceId) -> Mapping[str, object]:
        """The space's own settings, laid over the defaults."""

    def reply(self, space: SpaceId, key: str) -> str | None:
        """What an LLM answered to this request before; None where it was not asked."""

    def usage(self, space: SpaceId, day: date | None = None) -> Usage:
        """What asking an LLM has cost the space on a day (UTC); without one, on all days together."""

    def members(self, space: SpaceId) -> tuple[str, ...]:
        """Members of a group space; empty for a private one."""

    def spaces(self) -> list[SpaceId]:
        """All spaces that exist."""

    def jobs(self, space: SpaceId, due_at: Instant, limit: int, *, failed: bool = False) -> list[Job]:
        """Jobs due, oldest first; `failed`: those that are not tried any more, instead."""

    def leases(self, space: SpaceId) -> tuple[str, ...]:
        """Owners of leases on jobs, expired ones included."""

    def held(self, space: SpaceId, job_id: str, owner: str) -> bool:
        """Whether a job is still to be done, and in nobody else's hand."""

    def ripe(self, space: SpaceId, claim: Claim) -> list[Job]:
        """The jobs that a claim would get now; nothing is taken."""

    def jobs_named(self, space: SpaceId, job_ids: Sequence[str]) -> list[Job]:
        """Those of some jobs that are still to be done."""

    def jobs_of_kind(self, space: SpaceId, kind: str) -> list[Job]:
        """All jobs of a kind, due or not, oldest first."""

    def without_vector(self, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
        """Those of some facts that have no vector of the present embedder, though they have words."""

    def judged_with(self, space: SpaceId, fact_id: FactId) -> list[JudgedPair]:
        """The judged pairs of one fact."""

    def decided(
        self, space: SpaceId, fact_ids: Sequence[FactId], rule: str, by_hand: Collection[Action]
    ) -> set[FactId]:
        """Those of these facts about which something was decided, not only proposed, by another rule than `rule`: on
        the word of their own episode (a restatement decides nothing about what it restates) or, where its action is
        one of `by_hand`, as any that it changed. What a decision made beside the fact it is about (a stay that goes
        on) was decided on with it.
        """

    def kept(self, space: SpaceId, after: str, limit: int) -> list[Kept]:
        """What retention sees of the believed facts whose ids come after `after` ("": the first), in their order."""

    def passes(self, space: SpaceId) -> list[Pass]:
        """Maintenance passes, oldest first."""

    def marks(self, space: SpaceId, at: Instant) -> list[Link]:
        """Ties of facts that stand at `at` (they hold, or will) to those they rest on and that do not, by fact."""

    def marked(self, space: SpaceId, fact_ids: Sequence[FactId], at: Instant) -> frozenset[FactId]:
        """Those of these facts that have such a tie."""

    def archived(self, space: SpaceId) -> Iterator[Archived]:
        """All that is kept of the space, in an order that depends on nothing else; never all in memory."""


class Transaction(Reader, Protocol):
    """One atomic write in one space, under its write lock. `now` is UTC and later than any earlier stamp there."""

    @property
    def now(self) -> Instant:
        """The recorded time of everything this transaction writes."""

    def add_episode(self, episode: Episode) -> None:
        """Keep raw input as it came."""

    def add_fact(self, fact: Fact, vector: bytes | None, exact_hash: str, normal_hash: str) -> None:
        """Keep the statement, its standing, its first belief (known from `now`), its full text and its vector."""

    def set_vector(self, space: SpaceId, fact_id: FactId, vector: bytes) -> None:
        """Give a fact its embedding later (deferred writes)."""

    def set_belief(self, space: SpaceId, fact_id: FactId, before: Belief | None, after: Belief | None) -> None:
        """Close the open belief at `now` and open `after` (None: withdrawn).

        Raises StaleJudgementError unless the open belief says what `before` says (its `known` aside).
        """

    def set_standing(self, space: SpaceId, fact_id: FactId, before: Standing, after: Standing) -> None:
        """Importance, confidence and the like; the tier stays (`set_tier`).

        Raises StaleJudgementError unless they are what `before` says (its tier aside).
        """

    def set_tier(self, space: SpaceId, fact_id: FactId, before: Tier, after: Tier, vector: bytes | None) -> None:
        """Move a fact between tiers: a stub loses its vector, what leaves that tier is given `vector`.

        Raises StaleJudgementError unless it lies in `before`.
        """

    def set_source(self, space: SpaceId, source: Source, *, present: bool) -> None:
        """Add or take away a mention."""

    def set_link(self, space: SpaceId, link: Link, *, present: bool) -> None:
        """Make or undo a tie (making it twice is no error)."""

    def put_conflict(self, conflict: Conflict) -> None:
        """Insert or replace by id."""

    def drop_conflict(self, space: SpaceId, conflict_id: ConflictId) -> None:
        """Take back a conflict that an undone decision had opened."""

    def put_judged(self, space: SpaceId, pair: JudgedPair) -> None:
        """Keep or replace the judgement of an unordered pair."""

    def set_tombstone(self, space: SpaceId, tombstone: Tombstone, *, present: bool) -> None:
        """Set or lift a mark."""

    def add_decision(self, decision: Decision) -> None:
        """Keep the decision with its receipt."""

    def add_history(self, row: HistoryRow) -> None:
        """Append one row (`seq` is given by the store)."""

    def add_job(self, job: Job, lease: Lease | None = None) -> None:
        """Leave work for later; it is there if and only if this transaction commits. `lease`: somebody is at it."""

    def claim_jobs(self, space: SpaceId, claim: Claim) -> list[Job]:
        """Take jobs in hand, oldest first: until the lease ends no other claim gets them."""

    def let_go(self, space: SpaceId, job_id: str) -> None:
        """Nobody has the job in hand any more."""

    def put_off(self, space: SpaceId, job: Job) -> None:
        """Let go of a job: `due_at`, `attempts`, `failure` and `failed` become the job's; its payload stays."""

    def keep_on(self, space: SpaceId, job: Job, lease: Lease) -> bool:
        """Note how far a long job is (its payload) and hold on to it; False where it is another owner's, or done."""

    def wake_job(self, job: Job) -> None:
        """As `add_job`, unless a job of this id waits already: then that one does for both."""

    def add_story_run(self, run: StoryRun) -> None:
        """Keep how a reading of the story went."""

    def finish_job(self, space: SpaceId, job_id: str) -> None:
        """The job is done."""

    def put_space_settings(self, space: SpaceId, settings: Mapping[str, object]) -> None:
        """Replace the space's own settings."""

    def put_members(self, space: SpaceId, members: Sequence[str]) -> None:
        """Make it a group space of these members (empty: private again)."""

    def erase(self, space: SpaceId, fact_ids: Sequence[FactId], episode_ids: Sequence[EpisodeId]) -> None:
        """Remove the texts everywhere (rows, full text, vectors, sources, receipts, history); ids and dates stay.

        `episode_ids` lose their whole text; in other episodes the facts' own spans are blanked, so spans stay valid.
        """

    def put_reply(self, space: SpaceId, key: str, reply: str) -> None:
        """Keep what an LLM answered to a request (its key holds model, prompt version and texts, hashed)."""

    def add_usage(self, space: SpaceId, day: date, usage: Usage) -> None:
        """Add to what asking an LLM has cost the space on a day (UTC)."""

    def record_recalls(
        self, space: SpaceId, fact_ids: Sequence[FactId], at: Instant | None = None, times: int = 1
    ) -> None:
        """Count that these facts were served to readers, so many times on one day, last `at` (default: `now`); A7.

        Facts that are not in the space are passed over.
        """

    def put_pass(self, space: SpaceId, made: Pass) -> None:
        """Insert or replace by batch."""

    def restore(self, space: SpaceId, record: Archived, vector: bytes | None = None) -> None:
        """Keep it as another store did, stamps and numbers too: the `KeptSpace` first, nothing else beside them."""


class Store(Protocol):
    """Where memory lives. Both context managers may raise StoreError, naming file or server and remedy."""

    def read(self) -> AbstractContextManager[Reader]:
        """A consistent snapshot."""

    def write(self, space: SpaceId) -> AbstractContextManager[Transaction]:
        """A transaction under the space's write lock: all of it is durable on leaving, or nothing on an exception."""

    def copy_to(self, path: Path) -> None:
        """Write all of it, as it is now, to a new file of the embedded store. Raises StoreError."""

    def check_invariants(self) -> list[str]:
        """What is wrong with the store, a sentence each; empty when it is sound."""

    def close(self) -> None:
        """Let go of files and connections."""
