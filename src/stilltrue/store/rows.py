"""How does a noun become a row and come back equal to what it was? Both directions stand side by side here.

Times are whole microseconds since 1970 UTC, enums their words, lists JSON. Receipts are `store.receipts`' business,
which rows to read `store.queries`'.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import StoreError
from stilltrue.model.change import HistoryRow, JudgedPair, Link, LinkKind, Tombstone, TombstoneKind
from stilltrue.model.conflict import Answer, Conflict, ConflictKind, ConflictStatus
from stilltrue.model.decision import Action, Decision
from stilltrue.model.episode import Episode, Source, Span
from stilltrue.model.fact import (
    Belief,
    Category,
    Fact,
    Kind,
    Modality,
    Retirement,
    Standing,
    Statement,
    Tier,
)
from stilltrue.model.slot import Bound, Cardinality, Slot, Value, ValueType
from stilltrue.model.timeline import Interval, from_micros, to_micros
from stilltrue.model.verdict import Undecided
from stilltrue.ports import Job
from stilltrue.store.receipts import judgement_from, judgement_values, receipt_from, receipt_values, to_json

if TYPE_CHECKING:
    import sqlite3

    from stilltrue.model.ids import BatchId, FactId
    from stilltrue.model.timeline import Instant

Row = dict[str, Any]

_WORD: Final = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text as the full-text index cuts them: runs of letters and digits, lower case.

    >>> words_of('Uses C++ "daily"; NEAR(x)')
    ['uses', 'c', 'daily', 'near', 'x']
    """
    return _WORD.findall(text.lower())


def micros(moment: Instant | None) -> int | None:
    """`to_micros`, with None for an open end."""
    return None if moment is None else to_micros(moment)


def moment(value: int | None) -> Instant | None:
    """`from_micros`, with None for an open end."""
    return None if value is None else from_micros(value)


def insert(table: str, row: Row) -> str:
    """The INSERT statement for a row given by name; table and columns are our own words."""
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})"


# Episodes and sources


def episode_row(episode: Episode) -> Row:
    return {
        "space_id": episode.space_id,
        "episode_id": episode.id,
        "text": episode.text,
        "said_at": to_micros(episode.said_at),
        "recorded_at": to_micros(episode.recorded_at),
        "author": episode.author,
        "topic": episode.topic,
        "role": episode.role,
        "origin": episode.origin,
    }


def episode_from(row: sqlite3.Row) -> Episode:
    return Episode(
        id=row["episode_id"],
        space_id=row["space_id"],
        text=row["text"],
        said_at=from_micros(row["said_at"]),
        recorded_at=from_micros(row["recorded_at"]),
        author=row["author"],
        topic=row["topic"],
        role=row["role"],
        origin=row["origin"],
    )


def source_row(space: str, source: Source) -> Row:
    return {
        "space_id": space,
        "fact_id": source.fact_id,
        "episode_id": source.episode_id,
        "span_start": source.span.start,
        "span_end": source.span.end,
        "quote": source.quote,
        "said_at": to_micros(source.said_at),
        "held_from": micros(source.held_from),
        "author": source.author,
        "independent": int(source.independent),
    }


def source_from(row: sqlite3.Row) -> Source:
    return Source(
        fact_id=row["fact_id"],
        episode_id=row["episode_id"],
        span=Span(row["span_start"], row["span_end"]),
        quote=row["quote"],
        said_at=from_micros(row["said_at"]),
        held_from=moment(row["held_from"]),
        author=row["author"],
        independent=bool(row["independent"]),
    )


# Facts: statement, belief, standing


def statement_row(statement: Statement) -> Row:
    value = statement.value
    return {
        "text": statement.text,
        "subject": statement.slot.subject,
        "attribute": statement.slot.attribute,
        "qualifiers": to_json(statement.slot.qualifiers),
        "value_text": value and value.text,
        "value_type": value and value.type.value,
        "value_key": value and value.key,
        "value_number": value and value.number,
        "value_unit": value and value.unit,
        "value_bound": value and value.bound.value,
        "cardinality": statement.cardinality.value,
        "modality": statement.modality.value,
        "negated": int(statement.negated),
        "kind": statement.kind.value,
        "valid_from": micros(statement.valid.start),
        "valid_until": micros(statement.valid.end),
        "said_at": to_micros(statement.said_at),
        "dated": int(statement.dated),
        "author": statement.author,
        "topic": statement.topic,
        "leaves": to_json(statement.leaves),
    }


def statement_from(row: sqlite3.Row) -> Statement:
    qualifiers = tuple((name, value) for name, value in json.loads(row["qualifiers"]))
    return Statement(
        text=row["text"],
        slot=Slot(row["subject"], row["attribute"], qualifiers),
        value=_value_from(row),
        cardinality=Cardinality(row["cardinality"]),
        modality=Modality(row["modality"]),
        negated=bool(row["negated"]),
        kind=Kind(row["kind"]),
        valid=Interval(moment(row["valid_from"]), moment(row["valid_until"])),
        said_at=from_micros(row["said_at"]),
        dated=bool(row["dated"]),
        author=row["author"],
        topic=row["topic"],
        leaves=tuple(json.loads(row["leaves"])),
    )


def _value_from(row: sqlite3.Row) -> Value | None:
    if row["value_type"] is None:
        return None
    return Value(
        text=row["value_text"],
        type=ValueType(row["value_type"]),
        key=row["value_key"],
        number=row["value_number"],
        unit=row["value_unit"],
        bound=Bound(row["value_bound"]),
    )


def standing_row(standing: Standing) -> Row:
    return {
        "importance": standing.importance,
        "confidence": standing.confidence,
        "trust": standing.trust,
        "category": standing.category.value,
        "stability": standing.stability,
        "last_seen_at": to_micros(standing.last_seen_at),
        "seen_count": standing.seen_count,
        "tier": standing.tier.value,
    }


def standing_from(row: sqlite3.Row) -> Standing:
    return Standing(
        importance=row["importance"],
        confidence=row["confidence"],
        trust=row["trust"],
        category=Category(row["category"]),
        stability=row["stability"],
        last_seen_at=from_micros(row["last_seen_at"]),
        seen_count=row["seen_count"],
        tier=Tier(row["tier"]),
    )


def belief_row(belief: Belief) -> Row:
    """What a belief says; when it is known is the store's to stamp."""
    return {
        "valid_from": micros(belief.valid.start),
        "valid_until": micros(belief.valid.end),
        "retirement": belief.retirement and belief.retirement.value,
        "superseded_by": belief.superseded_by,
        "contradicted_by": belief.contradicted_by,
    }


def belief_from(row: sqlite3.Row, start: str = "valid_from", end: str = "valid_until", known: str = "") -> Belief:
    """A belief from a row; the names differ where it is joined with its fact."""
    retirement = row["retirement"]
    return Belief(
        valid=Interval(moment(row[start]), moment(row[end])),
        known=Interval(moment(row[f"{known}known_from"]), moment(row[f"{known}known_until"])),
        retirement=None if retirement is None else Retirement(retirement),
        superseded_by=row["superseded_by"],
        contradicted_by=row["contradicted_by"],
    )


def fact_row(fact: Fact) -> Row:
    """All of a fact but its belief and its bookkeeping."""
    return {
        "space_id": fact.space_id,
        "fact_id": fact.id,
        "recorded_at": to_micros(fact.recorded_at),
        "episode_id": fact.episode_id,
        **statement_row(fact.statement),
        **standing_row(fact.standing),
    }


def fact_from(row: sqlite3.Row) -> Fact:
    """A fact from a row of `queries.FACT_COLUMNS`. Raises StoreError for a row that no version of ours wrote."""
    try:
        believed = row["held_known_from"] is not None
        return Fact(
            id=row["fact_id"],
            space_id=row["space_id"],
            statement=statement_from(row),
            belief=belief_from(row, "held_from", "held_until", "held_") if believed else None,
            standing=standing_from(row),
            recorded_at=from_micros(row["recorded_at"]),
            episode_id=row["episode_id"],
            supersedes=tuple(json.loads(row["replaces"])),
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreError(f"fact {row['fact_id']} cannot be read ({error}); restore a backup") from error


# Judgements, conflicts, decisions, history


def judged_row(space: str, pair: JudgedPair) -> Row:
    low, high = sorted((pair.existing_id, pair.new_id))
    judgement = pair.judgement
    decided = None if isinstance(judgement, Undecided) else judgement
    return {
        "space_id": space,
        "low_id": low,
        "high_id": high,
        "existing_id": pair.existing_id,
        "relation": decided and decided.relation.value,
        "confidence": decided and decided.confidence,
        "conflict": judgement.conflict,
        "judgement": to_json(judgement_values(judgement)),
        "judge_version": pair.judge_version,
    }


def judged_from(row: sqlite3.Row) -> JudgedPair:
    existing: FactId = row["existing_id"]
    new: FactId = row["high_id"] if existing == row["low_id"] else row["low_id"]
    return JudgedPair(existing, new, judgement_from(json.loads(row["judgement"])), row["judge_version"])


def conflict_row(conflict: Conflict) -> Row:
    return {
        "space_id": conflict.space_id,
        "conflict_id": conflict.id,
        "fact_set": fact_set(conflict.fact_ids),
        "kind": conflict.kind.value,
        "question": conflict.question,
        "opened_at": to_micros(conflict.opened_at),
        "status": conflict.status.value,
        "closed_at": micros(conflict.closed_at),
        "answer": conflict.answer and conflict.answer.value,
        "kept": conflict.kept,
        "reason": conflict.reason,
    }


def fact_set(fact_ids: tuple[FactId, ...]) -> str:
    """One text for an unordered set of facts."""
    return to_json(sorted(set(fact_ids)))


def conflict_from(row: sqlite3.Row) -> Conflict:
    return Conflict(
        id=row["conflict_id"],
        space_id=row["space_id"],
        kind=ConflictKind(row["kind"]),
        fact_ids=tuple(json.loads(row["fact_set"])),
        question=row["question"],
        opened_at=from_micros(row["opened_at"]),
        status=ConflictStatus(row["status"]),
        closed_at=moment(row["closed_at"]),
        answer=None if row["answer"] is None else Answer(row["answer"]),
        kept=row["kept"],
        reason=row["reason"],
    )


def decision_row(decision: Decision) -> Row:
    return {
        "space_id": decision.space_id,
        "decision_id": decision.id,
        "batch_id": decision.batch_id,
        "action": decision.action.value,
        "text": decision.text,
        "decided_at": to_micros(decision.decided_at),
        "fact_id": decision.fact_id,
        "targets": to_json(decision.targets),
        "conflict_id": decision.conflict_id,
        "episode_id": decision.episode_id,
        "author": decision.author,
        "receipt": to_json(receipt_values(decision.receipt)),
        "proposal": int(decision.proposal),
    }


def decision_from(row: sqlite3.Row) -> Decision:
    return Decision(
        id=row["decision_id"],
        space_id=row["space_id"],
        batch_id=row["batch_id"],
        action=Action(row["action"]),
        text=row["text"],
        decided_at=from_micros(row["decided_at"]),
        fact_id=row["fact_id"],
        targets=tuple(json.loads(row["targets"])),
        conflict_id=row["conflict_id"],
        episode_id=row["episode_id"],
        author=row["author"],
        receipt=receipt_from(json.loads(row["receipt"])),
        proposal=bool(row["proposal"]),
    )


def history_row(row: HistoryRow) -> Row:
    return {
        "space_id": row.space_id,
        "decision_id": row.decision_id,
        "batch_id": row.batch_id,
        "at": to_micros(row.at),
        "kind": row.kind,
        "fact_id": row.fact_id,
        "conflict_id": row.conflict_id,
        "reason": row.reason,
        "payload": to_json(dict(row.payload)),
    }


def history_from(row: sqlite3.Row) -> HistoryRow:
    batch: BatchId = row["batch_id"]
    return HistoryRow(
        seq=row["seq"],
        space_id=row["space_id"],
        decision_id=row["decision_id"],
        batch_id=batch,
        at=from_micros(row["at"]),
        kind=row["kind"],
        fact_id=row["fact_id"],
        conflict_id=row["conflict_id"],
        reason=row["reason"],
        payload=json.loads(row["payload"]),
    )


# Links, tombstones, jobs


def link_from(row: sqlite3.Row) -> Link:
    return Link(LinkKind(row["kind"]), row["from_id"], row["to_id"])


def tombstone_row(space: str, tombstone: Tombstone) -> Row:
    values: Row = {
        "kind": tombstone.kind.value,
        "subject": tombstone.subject,
        "attribute": tombstone.attribute,
        "value_key": tombstone.value_key,
        "text_hash": tombstone.text_hash,
        "at": to_micros(tombstone.at),
    }
    digest = hashlib.blake2b(to_json(list(values.values())).encode(), digest_size=16).hexdigest()
    return {"space_id": space, "tombstone_key": digest, **values}


def tombstone_from(row: sqlite3.Row) -> Tombstone:
    return Tombstone(
        kind=TombstoneKind(row["kind"]),
        subject=row["subject"],
        attribute=row["attribute"],
        value_key=row["value_key"],
        text_hash=row["text_hash"],
        at=from_micros(row["at"]),
    )


def job_row(job: Job) -> Row:
    return {
        "space_id": job.space_id,
        "job_id": job.id,
        "kind": job.kind,
        "payload": to_json(dict(job.payload)),
        "due_at": to_micros(job.due_at),
        "attempts": job.attempts,
    }


def job_from(row: sqlite3.Row) -> Job:
    return Job(
        id=row["job_id"],
        space_id=row["space_id"],
        kind=row["kind"],
        payload=json.loads(row["payload"]),
        due_at=from_micros(row["due_at"]),
        attempts=row["attempts"],
    )
