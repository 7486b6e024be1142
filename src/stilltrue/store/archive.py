"""How does a space leave one store and come to lie in another exactly as it was? Record by record, table by table.

Answer: `ArchiveReader.archived` walks every table in an order of its own (numbers, then ids) and never holds more than
a batch; `restore` writes one record with the stamps and numbers it brings along. What can be made again is not told:
hashes, the index of words and the facts of decisions are derived here from what is.

Left to others: vectors, which the importer makes and hands over; references, which SQLite checks at commit.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final, assert_never

from stilltrue.model.archive import KeptDecision, KeptEpisode, KeptFact, KeptHistory, KeptSpace, KeptUsage
from stilltrue.model.change import JudgedPair, Link, Tombstone
from stilltrue.model.conflict import Conflict
from stilltrue.model.episode import Source
from stilltrue.model.job import Job, Pass
from stilltrue.model.story import StoryRun
from stilltrue.model.timeline import from_micros, to_micros
from stilltrue.rules.text import exact_hash, normal_hash
from stilltrue.store import queries, records, rows
from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stilltrue.model.archive import Archived
    from stilltrue.model.fact import Belief
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.store.rows import Row
    from stilltrue.store.session import Found, Session

_BATCH: Final = 500

_FACTS: Final = f"""
    SELECT {queries.FACT_COLUMNS}, u.recalls, u.days, u.last_recalled_at,
        EXISTS (SELECT 1 FROM vectors v WHERE v.space_id = f.space_id AND v.fact_id = f.fact_id) AS embedded
    FROM facts f
    LEFT JOIN beliefs b ON b.space_id = f.space_id AND b.fact_id = f.fact_id AND b.known_until IS NULL
    LEFT JOIN usage u ON u.space_id = f.space_id AND u.fact_id = f.fact_id
    WHERE f.space_id = ? ORDER BY f.doc
"""


class ArchiveReader:
    """The part of a reader that tells a space whole."""

    _session: Session

    def archived(self, space: SpaceId) -> Iterator[Archived]:
        row = self._session.row("SELECT * FROM spaces WHERE space_id = ?", (space,))
        if row is None:
            return
        yield self._itself(space, row)
        yield from self._each("SELECT * FROM episodes WHERE space_id = ? ORDER BY rowid", space, _episode)
        for batch in self._session.batches(_FACTS, (space,), _BATCH):
            yield from self._facts(space, batch)
        for sql, made in _TABLES:
            yield from self._each(sql, space, made)

    def _each(self, sql: str, space: SpaceId, made: Callable[[Found], Archived]) -> Iterator[Archived]:
        for batch in self._session.batches(sql, (space,), _BATCH):
            yield from map(made, batch)

    def _itself(self, space: SpaceId, row: Found) -> KeptSpace:
        members = self._session.rows("SELECT member FROM members WHERE space_id = ? ORDER BY position", (space,))
        return KeptSpace(
            settings=json.loads(row["settings"]),
            members=tuple(member["member"] for member in members),
            revision=row["revision"],
            written_at=from_micros(row["last_stamp"]),
        )

    def _facts(self, space: SpaceId, batch: Sequence[Found]) -> Iterator[KeptFact]:
        ids = [row["fact_id"] for row in batch]
        sql = f"SELECT * FROM beliefs WHERE space_id = ? AND fact_id IN ({queries.marks(ids)}) ORDER BY known_from"
        beliefs: dict[FactId, list[Belief]] = {fact_id: [] for fact_id in ids}
        for row in self._session.rows(sql, (space, *ids)):
            beliefs[row["fact_id"]].append(rows.belief_from(row))
        for row, fact in zip(batch, rows.facts_from(batch), strict=True):
            yield KeptFact(
                fact=replace(fact, belief=None, supersedes=()),
                beliefs=tuple(beliefs[fact.id]),
                added=row["added_revision"],
                changed=row["changed_revision"],
                moved_at=rows.moment(row["moved_at"]),
                recalls=row["recalls"] or 0,
                days=row["days"] or 0,
                recalled_at=rows.moment(row["last_recalled_at"]),
                embedded=bool(row["embedded"]),
                erased=bool(row["erased"]),
            )


def _episode(row: Found) -> KeptEpisode:
    return KeptEpisode(episode=rows.episode_from(row), erased=bool(row["erased"]))


def _decision_or_history(row: Found) -> KeptDecision | KeptHistory:
    """Both are in one query, so that they come in the order in which they were numbered."""
    if row["payload"] is None:
        return KeptDecision(seq=row["seq"], decision=records.decision_from(row))
    return KeptHistory(row=records.history_from(row), erased=bool(row["erased"]))


def _usage(row: Found) -> KeptUsage:
    return KeptUsage(day=row["day"], calls=row["calls"], tokens=row["tokens"], cache_hits=row["cache_hits"])


_DECIDED: Final = """
    SELECT space_id, seq, decision_id, batch_id, action, text, decided_at, fact_id, targets, conflict_id, episode_id,
        author, receipt, proposal, NULL AS at, NULL AS kind, NULL AS reason, NULL AS payload, 0 AS erased
    FROM decisions WHERE space_id = ?1
    UNION ALL
    SELECT space_id, seq, decision_id, batch_id, NULL, NULL, NULL, fact_id, NULL, conflict_id, NULL, NULL, NULL, NULL,
        at, kind, reason, payload, erased
    FROM history WHERE space_id = ?1 ORDER BY seq
"""

_TABLES: Final[tuple[tuple[str, Callable[[Found], Archived]], ...]] = (
    ("SELECT * FROM sources WHERE space_id = ? ORDER BY rowid", rows.source_from),
    ("SELECT * FROM fact_links WHERE space_id = ? ORDER BY from_id, kind, position, to_id", records.link_from),
    ("SELECT * FROM judgements WHERE space_id = ? ORDER BY low_id, high_id", records.judged_from),
    ("SELECT * FROM conflicts WHERE space_id = ? ORDER BY opened_at, conflict_id", records.conflict_from),
    (_DECIDED, _decision_or_history),
    ("SELECT * FROM tombstones WHERE space_id = ? ORDER BY at, tombstone_key", records.tombstone_from),
    ("SELECT * FROM jobs WHERE space_id = ? ORDER BY due_at, job_id", records.job_from),
    ("SELECT * FROM passes WHERE space_id = ? ORDER BY at, batch_id", records.pass_from),
    ("SELECT * FROM story_runs WHERE space_id = ? ORDER BY rowid", records.story_run_from),
    ("SELECT * FROM llm_usage WHERE space_id = ? ORDER BY day", _usage),
)


class Restorer:
    """Writes records into one space, inside the transaction that made the space."""

    def __init__(self, session: Session, space: SpaceId) -> None:
        self._session = session
        self._space = space

    def restore(self, record: Archived) -> None:
        match record:
            case KeptSpace():
                self._spaces(record)
            case KeptEpisode(episode=episode, erased=erased):
                self._insert("episodes", {**rows.episode_row(episode), "erased": int(erased)})
            case KeptFact():
                self._fact(record)
            case KeptDecision(seq=seq, decision=decision):
                self._insert("decisions", {**records.decision_row(decision), "seq": seq})
                self._insert_all("decision_facts", records.decision_fact_rows(decision))
                self._reach(seq)
            case KeptHistory(row=row, erased=erased):
                self._insert("history", {**records.history_row(row), "seq": row.seq, "erased": int(erased)})
                self._reach(row.seq)
            case _:
                self._plainly(record)

    def _plainly(
        self, record: Source | Link | JudgedPair | Conflict | Tombstone | Job | Pass | StoryRun | KeptUsage
    ) -> None:
        """Records that are one row each, or little more."""
        match record:
            case Source():
                self._insert("sources", rows.source_row(self._space, record))
            case Link():
                self._link(record)
            case JudgedPair():
                self._insert("judgements", records.judged_row(self._space, record))
            case Conflict():
                self._insert("conflicts", records.conflict_row(record))
                self._insert_all("conflict_facts", records.conflict_fact_rows(record))
            case Tombstone():
                self._insert("tombstones", records.tombstone_row(self._space, record))
            case Job():
                self._insert("jobs", records.job_row(record))
            case Pass():
                self._insert("passes", records.pass_row(self._space, record))
            case StoryRun():
                self._insert("story_runs", records.story_run_row(record))
            case KeptUsage(day=day, calls=calls, tokens=tokens, cache_hits=hits):
                spent: Row = {"day": day, "calls": calls, "tokens": tokens, "cache_hits": hits}
                self._insert("llm_usage", {"space_id": self._space, **spent})
            case _:
                assert_never(record)

    def _spaces(self, kept: KeptSpace) -> None:
        self._session.put(
            "UPDATE spaces SET settings = ?, revision = ?, last_stamp = ? WHERE space_id = ?",
            (to_json(dict(kept.settings)), kept.revision, to_micros(kept.written_at), self._space),
        )
        members = enumerate(dict.fromkeys(kept.members))
        self._insert_all(
            "members", [{"space_id": self._space, "member": name, "position": place} for place, name in members]
        )

    def _fact(self, kept: KeptFact) -> None:
        fact, text = kept.fact, kept.fact.statement.text
        doc = self._session.number(queries.TAKE_DOC, (self._space,))
        row: Row = {
            **rows.fact_row(fact),
            "exact_hash": "" if kept.erased else exact_hash(text),
            "normal_hash": "" if kept.erased else normal_hash(text),
            "doc": doc,
            "words": len(rows.words_of(text)),
            "added_revision": kept.added,
            "changed_revision": kept.changed,
            "moved_at": rows.micros(kept.moved_at),
            "erased": int(kept.erased),
        }
        self._insert("facts", row)
        if not kept.erased:
            self._session.words.add(self._session, self._space, doc, text)
        self._insert_all("beliefs", [rows.known_belief_row(self._space, fact.id, one) for one in kept.beliefs])
        if kept.recalls:
            last = rows.micros(kept.recalled_at)
            used: Row = {"recalls": kept.recalls, "days": kept.days, "last_recalled_at": last}
            self._insert("usage", {"space_id": self._space, "fact_id": fact.id, **used})

    def _link(self, link: Link) -> None:
        self._session.put(
            "INSERT INTO fact_links (space_id, from_id, kind, to_id, position) VALUES (:space, :from, :kind, :to, "
            "(SELECT coalesce(max(position) + 1, 0) FROM fact_links WHERE space_id = :space AND from_id = :from "
            "AND kind = :kind))",
            {"space": self._space, "from": link.from_id, "kind": link.kind.value, "to": link.to_id},
        )

    def _reach(self, seq: int) -> None:
        """The next number is behind every number that was given."""
        self._session.put("UPDATE spaces SET next_seq = max(next_seq, ?) WHERE space_id = ?", (seq + 1, self._space))

    def _insert(self, table: str, row: Row) -> None:
        self._session.put(rows.insert(table, row), row)

    def _insert_all(self, table: str, made: Sequence[Row]) -> None:
        if made:
            self._session.run_many(rows.insert(table, made[0]), made)
