"""What does the store say? `SqlReader` answers every question of `ports.Reader` from one consistent snapshot.

Each query is told its space and filters by it; an id of another space is as unknown as one that never was. Rows become
nouns in `store.rows`, the filter is `store.queries.admitted`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.expert import Usage
from stilltrue.model.timeline import to_micros
from stilltrue.ports import Filter, Hit
from stilltrue.store import ids, queries, records, rows
from stilltrue.store.archive import ArchiveReader
from stilltrue.store.upkeep import UpkeepReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from stilltrue.model.change import HistoryRow, Link, Tombstone
    from stilltrue.model.conflict import Conflict, ConflictStatus, Settled
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.fact import Belief, Fact, Glimpse
    from stilltrue.model.ids import BatchId, ConflictId, DecisionId, EpisodeId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Vectors
    from stilltrue.store.indexes import IndexCache
    from stilltrue.store.session import Found, Session
    from stilltrue.store.vectors import SpaceIndex
    from stilltrue.store.view import Mask, View


class SqlReader(UpkeepReader, ArchiveReader):
    """One snapshot of the store."""

    def __init__(self, session: Session, cache: IndexCache, clock: Clock) -> None:
        self._session = session
        self._cache = cache
        self._clock = clock
        self._shown: tuple[View, Filter, Mask] | None = None
        self._seen: dict[SpaceId, tuple[SpaceIndex, View]] = {}

    # What changed

    def revision(self, space: SpaceId) -> int:
        return self._session.number("SELECT revision FROM spaces WHERE space_id = ?", (space,))

    def changed_since(self, space: SpaceId, revision: int, subject: str | None, fact_ids: Sequence[FactId]) -> bool:
        if subject is not None and self._session.number(
            # Added is changed too. Plus: by the few that changed, not by all there is of the subject.
            "SELECT EXISTS (SELECT 1 FROM facts WHERE space_id = ? AND changed_revision > ? AND +subject = ? "
            "AND added_revision > ?)",
            (space, revision, subject, revision),
        ):
            return True
        return any(
            self._session.number(
                "SELECT EXISTS (SELECT 1 FROM facts WHERE space_id = ? AND changed_revision > ? "
                f"AND fact_id IN ({queries.marks(chunk)}))",
                (space, revision, *chunk),
            )
            for chunk in rows.chunks(fact_ids)
        )

    # Facts

    def fact(self, space: SpaceId, fact_id: FactId) -> Fact:
        found = self.facts(space, (fact_id,))
        if not found:
            raise ids.not_found("fact", fact_id)
        return found[0]

    def facts(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Fact]:
        found: dict[str, Fact] = {}
        for chunk in rows.chunks(fact_ids):
            sql = f"{queries.FACTS_BELIEVED_OR_NOT} WHERE f.space_id = ? AND f.fact_id IN ({queries.marks(chunk)})"
            found.update((fact.id, fact) for fact in rows.facts_from(self._session.rows(sql, (space, *chunk))))
        return [found[fact_id] for fact_id in fact_ids if fact_id in found]

    def glimpses(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Glimpse]:
        found: dict[str, Glimpse] = {}
        for chunk in rows.chunks(fact_ids):
            sql = f"{queries.GLIMPSES} WHERE space_id = ? AND fact_id IN ({queries.marks(chunk)})"
            found.update((row[0], rows.glimpse_from(row)) for row in self._session.rows(sql, (space, *chunk)))
        return [found[fact_id] for fact_id in fact_ids if fact_id in found]

    def find_id(self, space: SpaceId, table: str, fragment: str) -> str:
        return self.find_any(space, (table,), fragment)[1]

    def find_any(self, space: SpaceId, tables: Sequence[str], fragment: str) -> tuple[str, str]:
        return ids.find(self._session, space, tables, fragment)

    def in_slot(self, space: SpaceId, subject: str, attribute: str | None) -> list[Fact]:
        found = self._session.rows(
            f"{queries.FACTS_BELIEVED} WHERE {queries.in_slot(attribute)} "
            "ORDER BY b.valid_from NULLS FIRST, f.recorded_at, f.doc",
            {"space": space, "subject": subject, "attribute": attribute},
        )
        return rows.facts_from(found)

    def lookup(self, space: SpaceId, subject: str, attribute: str | None, where: Filter) -> list[Fact]:
        """Each fact carries the belief that was admitted: with `known_at`, what was believed then."""
        return rows.facts_from(self._slot_rows(queries.FACTS_WITH_ANY_BELIEF, (space, subject, attribute), where, -1))

    def ids_in_slot(
        self, space: SpaceId, subject: str, attribute: str | None, limit: int, where: Filter
    ) -> list[FactId]:
        return [row[0] for row in self._slot_rows(queries.IDS_IN_SLOTS, (space, subject, attribute), where, limit)]

    def _slot_rows(
        self, selection: str, slot: tuple[SpaceId, str, str | None], where: Filter, limit: int
    ) -> Sequence[Found]:
        """What `where` admits of a slot, newest valid time first; `limit` -1: all."""
        condition, parameters = queries.admitted(where)
        space, subject, attribute = slot
        if where.awaiting is not None:
            condition = f"{condition} AND {queries.AWAITING}"
        named = {"space": space, "subject": subject, "attribute": attribute, "awaiting": where.awaiting}
        return self._session.rows(
            f"{selection} WHERE {queries.in_slot(attribute)} AND {condition} "
            "ORDER BY b.valid_from DESC NULLS LAST, f.recorded_at DESC, f.doc DESC LIMIT :limit",
            {**named, "limit": limit, **parameters},
        )

    def with_hash(self, space: SpaceId, *, exact: str | None = None, normal: str | None = None) -> list[Fact]:
        asked = {"exact_hash": exact, "normal_hash": normal}
        conditions = [f"f.{column} = :{column}" for column, value in asked.items() if value]
        if not conditions:
            return []
        found = self._session.rows(
            f"{queries.FACTS_BELIEVED} WHERE f.space_id = :space AND f.erased = 0 AND ({' OR '.join(conditions)}) "
            "ORDER BY +f.doc",  # plus: by the index of the hash, not by that of the order
            {"space": space, **asked},
        )
        return rows.facts_from(found)

    # Search

    def near(self, space: SpaceId, vector: Vectors, limit: int, where: Filter) -> list[Hit]:
        revision = self.revision(space)
        index, view = self._indexed(space, revision)
        mask = self._mask(space, revision, index, view, where)
        found = index.nearest(self._session, revision, view, vector, mask, limit)
        return [Hit(fact_id, score) for fact_id, score in found]

    def mentioning(self, space: SpaceId, words: Sequence[str], limit: int, where: Filter) -> list[Hit]:
        """Words in very many facts of a large space count only where no rarer one was found."""
        from stilltrue.store.words import Look

        revision = self.revision(space)
        index, view = self._indexed(space, revision)
        mask = self._mask(space, revision, index, view, where)
        last_doc = self._session.number("SELECT max(doc) FROM facts WHERE space_id = ?", (space,))
        asked = [word for text in words for word in rows.words_of(text)]
        found = index.postings.best(Look(self._session, space, view, last_doc), asked, mask, limit)
        return [Hit(fact_id, score) for fact_id, score in found]

    def _indexed(self, space: SpaceId, revision: int) -> tuple[SpaceIndex, View]:
        """The view of the snapshot, held on to: writers go on, and the index keeps only the latest ones."""
        seen = self._seen.get(space)
        if seen is None or seen[1].revision != revision:
            index = self._cache.of(space)
            seen = self._seen[space] = (index, index.view(self._session, revision))
        return seen

    def _mask(self, space: SpaceId, revision: int, index: SpaceIndex, view: View, where: Filter) -> Mask:
        """What the filter admits."""
        if where.awaiting is None:
            return self._admitted(space, revision, index, view, where)
        mask = self._admitted(space, revision, index, view, replace(where, awaiting=None)).copy()
        mask &= index.awaits(self._session, revision, view, where.awaiting)
        return mask

    def _admitted(self, space: SpaceId, revision: int, index: SpaceIndex, view: View, where: Filter) -> Mask:
        """The past of the recorded clock, and a snapshot older than the view, ask SQL."""
        if where.known_at is None and view.revision == revision:
            if self._shown is None or self._shown[0] is not view or self._shown[1] != where:
                self._shown = (view, where, view.admits(where))
            return self._shown[2]
        condition, parameters = queries.admitted(where)
        sql = f"{queries.IDS_WITH_ANY_BELIEF} WHERE b.space_id = :space AND {condition}"
        return index.having(view, [row[0] for row in self._session.rows(sql, {"space": space, **parameters})])

    def without_vector(self, space: SpaceId, fact_ids: Sequence[FactId]) -> set[FactId]:
        found: set[FactId] = set()
        for chunk in rows.chunks(fact_ids):
            sql = (
                f"SELECT fact_id FROM facts f WHERE space_id = ? AND fact_id IN ({queries.marks(chunk)}) "
                "AND erased = 0 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space_id = f.space_id "
                "AND v.fact_id = f.fact_id AND v.model_version = ?)"
            )
            found.update(row[0] for row in self._session.rows(sql, (space, *chunk, self._cache.model_version)))
        return found

    # Around a fact

    def sources(self, space: SpaceId, fact_id: FactId) -> tuple[Source, ...]:
        found = self._session.rows(
            "SELECT * FROM sources WHERE space_id = ? AND fact_id = ? ORDER BY said_at, rowid", (space, fact_id)
        )
        return tuple(rows.source_from(row) for row in found)

    def sources_of(self, space: SpaceId, fact_ids: Sequence[FactId]) -> dict[FactId, tuple[Source, ...]]:
        found: dict[FactId, list[Source]] = {fact_id: [] for fact_id in fact_ids}
        for chunk in rows.chunks(list(found)):
            sql = (
                f"SELECT * FROM sources WHERE space_id = ? AND fact_id IN ({queries.marks(chunk)}) "
                "ORDER BY said_at, rowid"
            )
            for row in self._session.rows(sql, (space, *chunk)):
                found[row["fact_id"]].append(rows.source_from(row))
        return {fact_id: tuple(sources) for fact_id, sources in found.items()}

    def links(self, space: SpaceId, fact_id: FactId) -> tuple[Link, ...]:
        found = self._session.rows(queries.LINKS, {"space": space, "fact": fact_id})
        return tuple(records.link_from(row) for row in found)

    def beliefs(self, space: SpaceId, fact_id: FactId) -> tuple[Belief, ...]:
        found = self._session.rows(
            "SELECT * FROM beliefs WHERE space_id = ? AND fact_id = ? ORDER BY known_from", (space, fact_id)
        )
        return tuple(rows.belief_from(row) for row in found)

    # Episodes, decisions, history

    def episode(self, space: SpaceId, episode_id: EpisodeId) -> Episode:
        sql = "SELECT * FROM episodes WHERE space_id = ? AND episode_id = ?"
        return rows.episode_from(self._one(sql, space, episode_id, "episode"))

    def facts_of_episode(self, space: SpaceId, episode_id: EpisodeId) -> list[FactId]:
        self.episode(space, episode_id)
        sql = "SELECT fact_id FROM sources WHERE space_id = ? AND episode_id = ? ORDER BY span_start, rowid"
        return list(dict.fromkeys(row["fact_id"] for row in self._session.rows(sql, (space, episode_id))))

    def facts_of_episodes(self, space: SpaceId, episode_ids: Sequence[EpisodeId]) -> dict[EpisodeId, list[FactId]]:
        found: dict[EpisodeId, dict[FactId, None]] = {episode_id: {} for episode_id in episode_ids}
        for chunk in rows.chunks(list(found)):
            sql = (
                "SELECT episode_id, fact_id FROM sources WHERE space_id = ? "
                f"AND episode_id IN ({queries.marks(chunk)}) ORDER BY span_start, rowid"
            )
            for row in self._session.rows(sql, (space, *chunk)):
                found[row["episode_id"]][row["fact_id"]] = None
        return {episode_id: list(facts) for episode_id, facts in found.items()}

    def episode_of_origin(self, space: SpaceId, origin: str) -> Episode | None:
        sql = "SELECT * FROM episodes WHERE space_id = ? AND origin = ? ORDER BY recorded_at, rowid"
        row = self._session.row(sql, (space, origin))
        return None if row is None else rows.episode_from(row)

    def episodes_from(self, space: SpaceId, prefix: str) -> list[Episode]:
        sql = "SELECT * FROM episodes WHERE space_id = ? AND origin >= ? AND origin < ? ORDER BY recorded_at, rowid"
        found = self._session.rows(sql, (space, prefix, f"{prefix}{chr(sys.maxunicode)}"))
        return [rows.episode_from(row) for row in found]

    def history(
        self,
        space: SpaceId,
        *,
        fact_id: FactId | None = None,
        decision_id: DecisionId | None = None,
        batch_id: BatchId | None = None,
        kind: str | None = None,
    ) -> list[HistoryRow]:
        asked = {"fact_id": fact_id, "decision_id": decision_id, "batch_id": batch_id, "kind": kind}
        given = {column: value for column, value in asked.items() if value is not None}
        conditions = "".join(f" AND {column} = :{column}" for column in given)
        # Plus: by the index of what is asked for; left to itself SQLite walks the whole history in its order.
        sql = f"SELECT * FROM history WHERE space_id = :space{conditions} ORDER BY {'+' if conditions else ''}seq"
        return [records.history_from(row) for row in self._session.rows(sql, {"space": space, **given})]

    def decision(self, space: SpaceId, decision_id: DecisionId) -> Decision:
        sql = "SELECT * FROM decisions WHERE space_id = ? AND decision_id = ?"
        return records.decision_from(self._one(sql, space, decision_id, "decision"))

    def decisions(
        self,
        space: SpaceId,
        *,
        fact_id: FactId | None = None,
        batch_id: BatchId | None = None,
        episode_id: EpisodeId | None = None,
        since: Instant | None = None,
    ) -> list[Decision]:
        conditions, order = "" if since is None else " AND decided_at >= :since", "seq"
        if fact_id is not None:
            conditions += (
                " AND decision_id IN (SELECT d.decision_id FROM decision_facts d WHERE d.space_id = :space "
                "AND d.fact_id = :fact AND d.role <> 'considered')"
            )
            order = "+seq"  # as in `history`
        if batch_id is not None:
            conditions += " AND batch_id = :batch"
            order = "+seq"
        if episode_id is not None:
            conditions += " AND episode_id = :episode"
            order = "+seq"
        sql = f"SELECT * FROM decisions WHERE space_id = :space{conditions} ORDER BY {order}"
        from_then = None if since is None else to_micros(since)
        asked = {"space": space, "fact": fact_id, "batch": batch_id, "episode": episode_id, "since": from_then}
        found = self._session.rows(sql, asked)
        return [records.decision_from(row) for row in found]

    # Conflicts, judgements, tombstones

    def conflict(self, space: SpaceId, conflict_id: ConflictId) -> Conflict:
        sql = "SELECT * FROM conflicts WHERE space_id = ? AND conflict_id = ?"
        return records.conflict_from(self._one(sql, space, conflict_id, "conflict"))

    def conflicts(self, space: SpaceId, status: ConflictStatus | None) -> list[Conflict]:
        sql = (
            "SELECT * FROM conflicts WHERE space_id = :space AND (CAST(:status AS text) IS NULL OR status = :status) "
            "ORDER BY opened_at, conflict_id"
        )
        found = self._session.rows(sql, {"space": space, "status": status and status.value})
        return [records.conflict_from(row) for row in found]

    def conflicts_with(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Conflict]:
        found: dict[str, Conflict] = {}
        for chunk in rows.chunks(list(dict.fromkeys(fact_ids))):
            sql = (
                "SELECT * FROM conflicts WHERE space_id = ? AND conflict_id IN (SELECT conflict_id FROM conflict_facts "
                f"WHERE space_id = ? AND fact_id IN ({queries.marks(chunk)}))"
            )
            told = [records.conflict_from(row) for row in self._session.rows(sql, (space, space, *chunk))]
            found.update((conflict.id, conflict) for conflict in told)
        return sorted(found.values(), key=lambda conflict: (conflict.opened_at, conflict.id))

    def conflict_about(self, space: SpaceId, fact_ids: Sequence[FactId]) -> Conflict | None:
        sql = "SELECT * FROM conflicts WHERE space_id = ? AND fact_set = ?"
        row = self._session.row(sql, (space, records.fact_set(tuple(fact_ids))))
        return None if row is None else records.conflict_from(row)

    def answers(self, space: SpaceId, fact_ids: Sequence[FactId]) -> list[Settled]:
        found: dict[tuple[str, str], Settled] = {}
        for chunk in rows.chunks(fact_ids):
            for row in self._session.rows(queries.answers(chunk), (space, *chunk, space, *chunk)):
                found[row["low_id"], row["high_id"]] = records.settled_from(row)
        return list(found.values())

    def tombstones(self, space: SpaceId, subject: str, text_hash: str) -> list[Tombstone]:
        sql = (
            "SELECT * FROM tombstones WHERE space_id = :space AND subject = :subject UNION "
            "SELECT * FROM tombstones WHERE space_id = :space AND text_hash = :hash ORDER BY at, tombstone_key"
        )
        found = self._session.rows(sql, {"space": space, "subject": subject, "hash": text_hash})
        return [records.tombstone_from(row) for row in found]

    # The space

    def counts(self, space: SpaceId) -> Mapping[str, int]:
        """Keys: episodes, facts, current, retired_<word>, tier_<word>, conflicts_<status>, undecided,
        decisions_<action>; and those of upkeep: see `store.upkeep`.
        """
        now = self._clock.now()
        condition, parameters = queries.admitted(Filter(valid_at=now))
        number = self._session.number
        found = {
            "episodes": number("SELECT count(*) FROM episodes WHERE space_id = ?", (space,)),
            "facts": number("SELECT count(*) FROM facts WHERE space_id = ?", (space,)),
            "current": number(
                f"SELECT count(*) FROM beliefs b WHERE b.space_id = :space AND {condition}",
                {"space": space, **parameters},
            ),
            "undecided": number("SELECT count(*) FROM judgements WHERE space_id = ? AND relation IS NULL", (space,)),
            **self._upkeep_counts(space, now),
        }
        for prefix, sql in _COUNTED.items():
            for row in self._session.rows(sql, (space,)):
                found[f"{prefix}_{row[0].lower()}"] = row[1]
        return found

    def space_settings(self, space: SpaceId) -> Mapping[str, object]:
        row = self._session.row("SELECT settings FROM spaces WHERE space_id = ?", (space,))
        settings: dict[str, object] = {} if row is None else json.loads(row["settings"])
        return settings

    def reply(self, space: SpaceId, key: str) -> str | None:
        row = self._session.row("SELECT reply FROM llm_cache WHERE space_id = ? AND cache_key = ?", (space, key))
        return None if row is None else row["reply"]

    def usage(self, space: SpaceId, day: date | None = None) -> Usage:
        row = self._session.row(
            "SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0), coalesce(sum(cache_hits), 0) FROM llm_usage "
            "WHERE space_id = :space AND (CAST(:day AS text) IS NULL OR day = :day)",
            {"space": space, "day": day and day.isoformat()},
        )
        return Usage(*row) if row is not None else Usage()

    def members(self, space: SpaceId) -> tuple[str, ...]:
        sql = "SELECT member FROM members WHERE space_id = ? ORDER BY position"
        return tuple(row["member"] for row in self._session.rows(sql, (space,)))

    def spaces(self) -> list[SpaceId]:
        return [row["space_id"] for row in self._session.rows("SELECT space_id FROM spaces ORDER BY number")]

    def _one(self, sql: str, space: SpaceId, identifier: str, noun: str) -> Found:
        row = self._session.row(sql, (space, identifier))
        if row is None:
            raise ids.not_found(noun, identifier)
        return row


_COUNTED: Final = {
    "retired": (
        "SELECT retirement, count(*) FROM beliefs WHERE space_id = ? AND known_until IS NULL "
        "AND retirement IS NOT NULL GROUP BY retirement"
    ),
    "tier": (
        "SELECT f.tier, count(*) FROM facts f JOIN beliefs b ON b.space_id = f.space_id AND b.fact_id = f.fact_id "
        "WHERE f.space_id = ? AND b.known_until IS NULL GROUP BY f.tier"
    ),
    "conflicts": "SELECT status, count(*) FROM conflicts WHERE space_id = ? GROUP BY status",
    "decisions": "SELECT action, count(*) FROM decisions WHERE space_id = ? GROUP BY action",
}
