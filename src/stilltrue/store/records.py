"""How does what was judged, decided, asked and put off become a row and come back equal? Both directions, side by side.

Conventions are those of `store.rows`, which has the facts themselves; receipts are `store.receipts`' business.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from stilltrue.model.change import HistoryRow, JudgedPair, Link, LinkKind, Tombstone, TombstoneKind
from stilltrue.model.conflict import Answer, Conflict, ConflictKind, ConflictStatus, Settled
from stilltrue.model.decision import Action, Decision
from stilltrue.model.job import Job, Pass
from stilltrue.model.story import StoryRun
from stilltrue.model.timeline import from_micros, to_micros
from stilltrue.model.verdict import Undecided
from stilltrue.store.receipts import judgement_from, judgement_values, receipt_from, receipt_values, to_json
from stilltrue.store.rows import Row, micros, moment

if TYPE_CHECKING:
    from stilltrue.model.ids import BatchId, FactId
    from stilltrue.store.session import Found

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


def judged_from(row: Found) -> JudgedPair:
    existing: FactId = row["existing_id"]
    new: FactId = row["high_id"] if existing == row["low_id"] else row["low_id"]
    return JudgedPair(existing, new, judgement_from(json.loads(row["judgement"])), row["judge_version"])


def settled_from(row: Found) -> Settled:
    """A person's judgement with when it was given, out of `queries.answers`."""
    pair = judged_from(row)
    relation = None if isinstance(pair.judgement, Undecided) else pair.judgement.relation
    return Settled(pair.existing_id, pair.new_id, relation, from_micros(row["answered_at"]))


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


def conflict_fact_rows(conflict: Conflict) -> list[Row]:
    """The facts it is about, a row each."""
    named = {"space_id": conflict.space_id, "conflict_id": conflict.id}
    return [{**named, "fact_id": fact_id} for fact_id in dict.fromkeys(conflict.fact_ids)]


def fact_set(fact_ids: tuple[FactId, ...]) -> str:
    """One text for an unordered set of facts."""
    return to_json(sorted(set(fact_ids)))


def conflict_from(row: Found) -> Conflict:
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


def decision_fact_rows(decision: Decision) -> list[Row]:
    """The facts it made, changed or weighed, a row each."""
    roles = [(fact_id, "changed") for fact_id in decision.targets]
    roles += [(item.fact_id, "considered") for item in decision.receipt.considered]
    roles += [(decision.fact_id, "made")] if decision.fact_id is not None else []
    named = {"space_id": decision.space_id, "decision_id": decision.id}
    return [{**named, "fact_id": fact_id, "role": role} for fact_id, role in dict.fromkeys(roles)]


def decision_from(row: Found) -> Decision:
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


def history_from(row: Found) -> HistoryRow:
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


def link_from(row: Found) -> Link:
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


def tombstone_from(row: Found) -> Tombstone:
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
        "failure": job.failure,
        "failed": int(job.failed),
    }


def job_from(row: Found) -> Job:
    return Job(
        id=row["job_id"],
        space_id=row["space_id"],
        kind=row["kind"],
        payload=json.loads(row["payload"]),
        due_at=from_micros(row["due_at"]),
        attempts=row["attempts"],
        failure=row["failure"],
        failed=bool(row["failed"]),
    )


def pass_row(space: str, made: Pass) -> Row:
    return {
        "space_id": space,
        "batch_id": made.batch_id,
        "at": to_micros(made.at),
        "reached": made.reached,
        "done": int(made.done),
    }


def pass_from(row: Found) -> Pass:
    return Pass(batch_id=row["batch_id"], at=from_micros(row["at"]), reached=row["reached"], done=bool(row["done"]))


def story_run_row(run: StoryRun) -> Row:
    row = {name: getattr(run, name) for name in _STORY_RUN}
    return {"run_id": run.id, **row, "at": to_micros(run.at)}


def story_run_from(row: Found) -> StoryRun:
    told = {name: row[name] for name in _STORY_RUN}
    return StoryRun(**{**told, "id": row["run_id"], "at": from_micros(row["at"])})


_STORY_RUN: Final = tuple(item.name for item in fields(StoryRun) if item.name != "id")
