"""How is one atomic write made? `SqlTransaction` writes in one space, under its lock, stamped with one instant.

Everything it reads includes what it has written so far; nobody else sees any of it before the commit, which is
`store.sqlite`'s. What to write, and why, was decided before: no rule lives here but compare-and-set.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError, StaleJudgementError, StateError
from stilltrue.model.archive import KeptFact, KeptSpace
from stilltrue.model.change import PERSON, LinkKind
from stilltrue.model.fact import Tier
from stilltrue.model.ids import short
from stilltrue.model.timeline import Interval, from_micros, to_micros
from stilltrue.store import jobs, queries, records, rows
from stilltrue.store.archive import Restorer
from stilltrue.store.erase import Eraser
from stilltrue.store.ids import not_found
from stilltrue.store.reader import SqlReader
from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from stilltrue.model.archive import Archived
    from stilltrue.model.change import HistoryRow, JudgedPair, Link, Tombstone
    from stilltrue.model.conflict import Conflict
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.expert import Usage
    from stilltrue.model.fact import Belief, Fact, Standing
    from stilltrue.model.ids import ConflictId, EpisodeId, FactId, SpaceId
    from stilltrue.model.job import Claim, Job, Lease, Pass
    from stilltrue.model.story import StoryRun
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock
    from stilltrue.store.indexes import IndexCache
    from stilltrue.store.session import Found, Session
    from stilltrue.store.vectors import SpaceIndex
    from stilltrue.store.view import View


_DAY: Final = 86_400_000_000  # microseconds


class SqlTransaction(SqlReader):
    """One write in one space."""

    def __init__(
        self, session: Session, cache: IndexCache, clock: Clock, space: SpaceId, last_stamp: int | None = None
    ) -> None:
        """`last_stamp`: the space's, where it is known already."""
        super().__init__(session, cache, clock)
        self._space = space
        if last_stamp is None:
            last_stamp = session.number("SELECT last_stamp FROM spaces WHERE space_id = ?", (space,))
        self._now = max(to_micros(clock.now()), last_stamp + 1)
        self._revision: int | None = None
        self._next_doc = self._next_seq = 0
        self._added: set[FactId] = set()
        self.erased = False

    @property
    def now(self) -> Instant:
        return from_micros(self._now)

    # Episodes and facts

    def add_episode(self, episode: Episode) -> None:
        self._begin(episode.space_id)
        row = rows.episode_row(episode)
        self._session.put(rows.insert("episodes", row), row)

    def add_fact(self, fact: Fact, vector: bytes | None, exact_hash: str, normal_hash: str) -> None:
        revision = self._begin(fact.space_id)
        doc = self._take_doc()
        row = {
            **rows.fact_row(fact),
            "exact_hash": exact_hash,
            "normal_hash": normal_hash,
            "doc": doc,
            "words": len(rows.words_of(fact.statement.text)),
            "added_revision": revision,
            "changed_revision": revision,
        }
        self._session.put(rows.insert("facts", row), row)
        self._added.add(fact.id)
        self._session.words.add(self._session, self._space, doc, fact.statement.text)
        if fact.belief is not None:
            self._open_belief(fact.id, fact.belief)
        for position, replaced in enumerate(fact.supersedes):
            self._add_link((fact.id, LinkKind.SUPERSEDES.value, replaced), position)
        if vector is not None:
            self._put_vector(fact.id, vector)

    def set_vector(self, space: SpaceId, fact_id: FactId, vector: bytes) -> None:
        self._begin(space)
        row = self._known(fact_id)
        if not row["erased"]:  # an embedding that was under way when its text was erased
            self._put_vector(fact_id, vector)
            self._changed(fact_id)

    def set_belief(self, space: SpaceId, fact_id: FactId, before: Belief | None, after: Belief | None) -> None:
        self._begin(space)
        row = self._one(queries.FACT_AND_BELIEF, space, fact_id, "fact")
        believed = row["known_from"] is not None
        held = rows.belief_from(row) if believed else None
        if _says(held) != _says(before):
            raise StaleJudgementError(
                f"what is believed of fact {short(fact_id)} has changed meanwhile; judge it again"
            )
        if _says(held) == _says(after):
            return
        if row["known_from"] == self._now:
            # Opened by this very transaction: it was never believed at any instant, so it leaves no trace.
            self._session.put(
                "DELETE FROM beliefs WHERE space_id = ? AND fact_id = ? AND known_from = ?", (space, fact_id, self._now)
            )
        elif believed:
            self._session.put(
                "UPDATE beliefs SET known_until = ? WHERE space_id = ? AND fact_id = ? AND known_until IS NULL",
                (self._now, space, fact_id),
            )
        if after is not None:
            self._open_belief(fact_id, after)
        self._changed(fact_id)

    def set_standing(self, space: SpaceId, fact_id: FactId, before: Standing, after: Standing) -> None:
        self._begin(space)
        held = rows.standing_row(self.fact(space, fact_id).standing)
        if held != rows.standing_row(before):
            raise StaleJudgementError(f"the standing of fact {short(fact_id)} has changed meanwhile; judge it again")
        row = rows.standing_row(after)
        assignments = ", ".join(f"{column} = :{column}" for column in row)
        self._session.put(
            f"UPDATE facts SET {assignments} WHERE space_id = :space AND fact_id = :fact",
            {**row, "space": space, "fact": fact_id},
        )
        self._changed(fact_id)

    def set_tier(self, space: SpaceId, fact_id: FactId, before: Tier, after: Tier, vector: bytes | None) -> None:
        revision = self._begin(space)
        self._known(fact_id)
        moved = self._session.run(
            # The index learns by changed_revision whose vector is gone.
            "UPDATE facts SET tier = :after, moved_at = :now, changed_revision = CASE "
            "WHEN 'stub' IN (:before, :after) THEN :revision ELSE changed_revision END "
            "WHERE space_id = :space AND fact_id = :fact AND tier = :before AND erased = 0",
            {"space": space, "fact": fact_id, "before": before.value, "after": after.value,
             "now": self._now, "revision": revision},
        )  # fmt: skip
        if not moved:
            raise StaleJudgementError(f"fact {short(fact_id)} was moved out of tier {before.value} meanwhile")
        if after is Tier.STUB:
            self._session.put("DELETE FROM vectors WHERE space_id = ? AND fact_id = ?", (space, fact_id))
        elif vector is not None:
            self._put_vector(fact_id, vector)

    def set_source(self, space: SpaceId, source: Source, *, present: bool) -> None:
        self._begin(space)
        row = rows.source_row(space, source)
        self._session.put(
            "DELETE FROM sources WHERE space_id = :space_id AND fact_id = :fact_id AND episode_id = :episode_id "
            "AND span_start = :span_start AND span_end = :span_end",
            row,
        )
        if present:
            self._session.put(rows.insert("sources", row), row)
        self._changed(source.fact_id)

    def set_link(self, space: SpaceId, link: Link, *, present: bool) -> None:
        self._begin(space)
        ends = (link.from_id, link.kind.value, link.to_id)
        if not present:
            self._session.put(
                "DELETE FROM fact_links WHERE space_id = ? AND from_id = ? AND kind = ? AND to_id = ?", (space, *ends)
            )
            return
        position = self._session.number(
            "SELECT max(position) + 1 FROM fact_links WHERE space_id = ? AND from_id = ? AND kind = ?",
            (space, *ends[:2]),
        )
        self._add_link(ends, position)

    # Conflicts, judgements, tombstones

    def put_conflict(self, conflict: Conflict) -> None:
        space = conflict.space_id
        self._begin(space)
        row = records.conflict_row(conflict)
        updates = ", ".join(
            f"{column} = excluded.{column}" for column in row if column not in ("space_id", "conflict_id")
        )
        self._session.put(
            f"{rows.insert('conflicts', row)} ON CONFLICT (space_id, conflict_id) DO UPDATE SET {updates}", row
        )
        self._session.put("DELETE FROM conflict_facts WHERE space_id = ? AND conflict_id = ?", (space, conflict.id))
        if about := records.conflict_fact_rows(conflict):
            self._session.run_many(rows.insert("conflict_facts", about[0]), about)

    def drop_conflict(self, space: SpaceId, conflict_id: ConflictId) -> None:
        self._begin(space)
        sql = "DELETE FROM conflicts WHERE space_id = ? AND conflict_id = ?"
        if not self._session.run(sql, (space, conflict_id)):
            raise not_found("conflict", conflict_id)

    def put_judged(self, space: SpaceId, pair: JudgedPair) -> None:
        self._begin(space)
        row = records.judged_row(space, pair)
        keys = ("space_id", "low_id", "high_id")
        updates = ", ".join(f"{column} = excluded.{column}" for column in row if column not in keys)
        if pair.judge_version != PERSON and self._session.number(queries.ANSWER_STANDS, row):
            return
        self._session.put(
            f"{rows.insert('judgements', row)} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {updates}", row
        )

    def set_tombstone(self, space: SpaceId, tombstone: Tombstone, *, present: bool) -> None:
        self._begin(space)
        row = records.tombstone_row(space, tombstone)
        if present:
            self._session.put(f"{rows.insert('tombstones', row)} ON CONFLICT DO NOTHING", row)
        else:
            sql = "DELETE FROM tombstones WHERE space_id = :space_id AND tombstone_key = :tombstone_key"
            self._session.put(sql, row)

    # Decisions and history

    def add_decision(self, decision: Decision) -> None:
        space = decision.space_id
        self._begin(space)
        row = {**records.decision_row(decision), "seq": self._take_seq()}
        self._session.put(rows.insert("decisions", row), row)
        if about := records.decision_fact_rows(decision):
            self._session.run_many(rows.insert("decision_facts", about[0]), about)

    def add_history(self, row: HistoryRow) -> None:
        self._begin(row.space_id)
        values = {**records.history_row(row), "seq": self._take_seq()}
        self._session.put(rows.insert("history", values), values)

    # Jobs, the space, usage

    def add_job(self, job: Job, lease: Lease | None = None) -> None:
        self._begin(job.space_id)
        row = records.job_row(job)
        if lease is not None:
            row = {**row, "lease_owner": lease.owner, "lease_until": to_micros(lease.until)}
        self._session.put(rows.insert("jobs", row), row)

    def claim_jobs(self, space: SpaceId, claim: Claim) -> list[Job]:
        self._begin(space)
        return jobs.claim(self._session, space, claim)

    def let_go(self, space: SpaceId, job_id: str) -> None:
        self._begin(space)
        sql = "UPDATE jobs SET lease_owner = NULL, lease_until = NULL WHERE space_id = ? AND job_id = ?"
        self._session.put(sql, (space, job_id))

    def put_off(self, space: SpaceId, job: Job) -> None:
        self._begin(space)
        jobs.put_off(self._session, space, job)

    def keep_on(self, space: SpaceId, job: Job, lease: Lease) -> bool:
        self._begin(space)
        return jobs.keep_on(self._session, space, job, lease)

    def wake_job(self, job: Job) -> None:
        self._begin(job.space_id)
        row = records.job_row(job)
        self._session.put(f"{rows.insert('jobs', row)} ON CONFLICT DO NOTHING", row)

    def add_story_run(self, run: StoryRun) -> None:
        self._begin(run.space_id)
        row = records.story_run_row(run)
        self._session.put(rows.insert("story_runs", row), row)

    def finish_job(self, space: SpaceId, job_id: str) -> None:
        self._begin(space)
        self._session.put("DELETE FROM jobs WHERE space_id = ? AND job_id = ?", (space, job_id))

    def put_space_settings(self, space: SpaceId, settings: Mapping[str, object]) -> None:
        self._begin(space)
        self._session.put("UPDATE spaces SET settings = ? WHERE space_id = ?", (to_json(dict(settings)), space))

    def put_members(self, space: SpaceId, members: Sequence[str]) -> None:
        self._begin(space)
        self._session.put("DELETE FROM members WHERE space_id = ?", (space,))
        self._session.run_many(
            "INSERT INTO members (space_id, member, position) VALUES (?, ?, ?)",
            [(space, member, position) for position, member in enumerate(dict.fromkeys(members))],
        )

    def erase(self, space: SpaceId, fact_ids: Sequence[FactId], episode_ids: Sequence[EpisodeId]) -> None:
        """Also ends the belief in the facts: nothing is left to believe. A text kept by other ids stays theirs."""
        revision = self._begin(space)
        for fact_id in fact_ids:
            self._known(fact_id)
        for episode_id in episode_ids:
            self.episode(space, episode_id)
        Eraser(self._session, space, self._now, revision).erase(fact_ids, episode_ids)
        rows.forget()
        self.erased = True

    def put_reply(self, space: SpaceId, key: str, reply: str) -> None:
        self._begin(space)
        row = {"space_id": space, "cache_key": key, "reply": reply, "stored_at": self._now}
        self._session.put(
            f"{rows.insert('llm_cache', row)} ON CONFLICT (space_id, cache_key) DO UPDATE SET reply = excluded.reply",
            row,
        )

    def add_usage(self, space: SpaceId, day: date, usage: Usage) -> None:
        self._begin(space)
        row = {"space_id": space, "day": day.isoformat(), **asdict(usage)}
        self._session.put(
            f"{rows.insert('llm_usage', row)} ON CONFLICT (space_id, day) DO UPDATE SET "
            "calls = llm_usage.calls + excluded.calls, tokens = llm_usage.tokens + excluded.tokens, "
            "cache_hits = llm_usage.cache_hits + excluded.cache_hits",
            row,
        )

    def record_recalls(
        self, space: SpaceId, fact_ids: Sequence[FactId], at: Instant | None = None, times: int = 1
    ) -> None:
        self._begin(space)
        last = self._now if at is None else to_micros(at)
        self._session.run_many(
            "INSERT INTO usage (space_id, fact_id, recalls, last_recalled_at, days) "
            "SELECT space_id, fact_id, ?, ?, 1 FROM facts WHERE space_id = ? AND fact_id = ? "
            "ON CONFLICT (space_id, fact_id) DO UPDATE SET recalls = usage.recalls + excluded.recalls, "
            f"days = usage.days + CASE WHEN excluded.last_recalled_at / {_DAY} > usage.last_recalled_at / {_DAY} "
            "THEN 1 ELSE 0 END, last_recalled_at = max(usage.last_recalled_at, excluded.last_recalled_at)",
            [(times, last, space, fact_id) for fact_id in dict.fromkeys(fact_ids)],
        )

    def put_pass(self, space: SpaceId, made: Pass) -> None:
        self._begin(space)
        row = records.pass_row(space, made)
        self._session.put(
            f"{rows.insert('passes', row)} ON CONFLICT (space_id, batch_id) DO UPDATE "
            "SET reached = excluded.reached, done = excluded.done",
            row,
        )

    def restore(self, space: SpaceId, record: Archived, vector: bytes | None = None) -> None:
        if isinstance(record, KeptSpace) and self.revision(space):
            raise StateError(f"space {space!r} has been written already; restore into a new one")
        self._begin(space)
        Restorer(self._session, space).restore(record)
        self._next_doc, self._next_seq = self._session.rows(queries.NEXT, (space,))[0]
        if isinstance(record, KeptFact) and vector is not None:
            self._put_vector(record.fact.id, vector)

    # Inside

    def _begin(self, space: SpaceId) -> int:
        """Before each write: the right space; once per transaction, its next revision and its stamp."""
        if space != self._space:
            raise InvalidInputError(f"this transaction writes in space {self._space!r}, not in {space!r}")
        if self._revision is None:
            self._revision, *following = self._session.rows(
                "INSERT INTO spaces (space_id, number, revision, last_stamp, next_doc, next_seq) "
                "VALUES (:space, (SELECT coalesce(max(number), 0) + 1 FROM spaces), 1, :now, 1, 1) "
                "ON CONFLICT (space_id) DO UPDATE SET revision = spaces.revision + 1, last_stamp = :now "
                f"RETURNING revision, {queries.NEXT_DOC}, next_seq",
                {"space": space, "now": self._now},
            )[0]
            self._next_doc, self._next_seq = following
        return self._revision

    def _take_doc(self) -> int:
        """A row number of the full-text index that was never used."""
        self._session.put("UPDATE spaces SET next_doc = next_doc + 1 WHERE space_id = ?", (self._space,))
        self._next_doc += 1
        return self._next_doc - 1

    def _take_seq(self) -> int:
        self._session.put("UPDATE spaces SET next_seq = next_seq + 1 WHERE space_id = ?", (self._space,))
        self._next_seq += 1
        return self._next_seq - 1

    def _known(self, fact_id: FactId) -> Found:
        sql = "SELECT erased FROM facts WHERE space_id = ? AND fact_id = ?"
        return self._one(sql, self._space, fact_id, "fact")

    def _changed(self, fact_id: FactId) -> None:
        """Whoever judges a fact meanwhile sees that there is something new about it; of a new one they know it."""
        if fact_id in self._added:
            return
        self._session.put(
            "UPDATE facts SET changed_revision = ? WHERE space_id = ? AND fact_id = ?",
            (self._revision, self._space, fact_id),
        )

    def _open_belief(self, fact_id: FactId, belief: Belief) -> None:
        row = rows.known_belief_row(self._space, fact_id, replace(belief, known=Interval(self.now, None)))
        self._session.put(rows.insert("beliefs", row), row)

    def _add_link(self, ends: tuple[str, str, str], position: int) -> None:
        self._session.put(
            "INSERT INTO fact_links (space_id, from_id, kind, to_id, position) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (self._space, *ends, position),
        )

    def _put_vector(self, fact_id: FactId, vector: bytes) -> None:
        size = self._cache.vector_bytes
        if len(vector) != size:
            raise InvalidInputError(f"a vector of {len(vector)} bytes was given; this store keeps float32 in {size}")
        self._session.put(
            "INSERT INTO vectors (space_id, fact_id, model_version, revision, vector) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (space_id, fact_id) DO UPDATE SET model_version = excluded.model_version, "
            "revision = excluded.revision, vector = excluded.vector",
            (self._space, fact_id, self._cache.model_version, self._revision, vector),
        )

    def _indexed(self, space: SpaceId, revision: int) -> tuple[SpaceIndex, View]:
        """Once something is written, an index of its own: what is not committed must not reach other readers."""
        if self._revision is None or space != self._space:
            return super()._indexed(space, revision)
        index = self._cache.fresh(space)
        return index, index.view(self._session, revision)


def _says(belief: Belief | None) -> tuple[object, ...] | None:
    """What compare-and-set compares: all but when it was known."""
    if belief is None:
        return None
    return belief.valid, belief.retirement, belief.superseded_by, belief.contradicted_by
