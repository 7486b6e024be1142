"""How do judgements and receipts become JSON text and come back as they were?

Only our own writing is read here; what does not fit is damage, and is reported as such by the caller's KeyError or
ValueError. Facts, episodes and the other rows are `store.rows`' business.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stilltrue.model.decision import Considered, Cost, Receipt
from stilltrue.model.ids import FactId
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict

if TYPE_CHECKING:
    from stilltrue.model.verdict import Judgement


def to_json(value: object) -> str:
    """Compact JSON, readable as UTF-8. Raises TypeError for what JSON cannot say."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def judgement_values(judgement: Judgement) -> dict[str, Any]:
    """A verdict or an open "undecided" as JSON-ready values; the two differ by the key `relation`."""
    evidence = [
        [item.source.value, item.signal, item.relation and item.relation.value, item.weight, item.note]
        for item in judgement.evidence
    ]
    if isinstance(judgement, Undecided):
        return {"undecided": judgement.reason, "conflict": judgement.conflict, "evidence": evidence}
    return {
        "relation": judgement.relation.value,
        "confidence": judgement.confidence,
        "conflict": judgement.conflict,
        "evidence": evidence,
        "settled_by": judgement.settled_by,
        "corrects": judgement.corrects,
        "narrows": judgement.narrows,
    }


def judgement_from(values: dict[str, Any]) -> Judgement:
    """The inverse of `judgement_values`."""
    evidence = tuple(
        Evidence(EvidenceSource(source), signal, None if relation is None else Relation(relation), weight, note)
        for source, signal, relation, weight, note in values["evidence"]
    )
    if "relation" not in values:
        return Undecided(values["undecided"], evidence, values["conflict"])
    return Verdict(
        relation=Relation(values["relation"]),
        confidence=values["confidence"],
        conflict=values["conflict"],
        evidence=evidence,
        settled_by=values["settled_by"],
        corrects=values["corrects"],
        narrows=values["narrows"],
    )


def receipt_values(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON-ready values."""
    cost = receipt.cost
    return {
        "considered": [
            {
                "fact_id": item.fact_id,
                "text": item.text,
                "nominated_by": item.nominated_by,
                "similarity": item.similarity,
                "judgement": judgement_values(item.judgement),
            }
            for item in receipt.considered
        ],
        "rule": receipt.rule,
        "reason": receipt.reason,
        "cost": [cost.pairs, cost.llm_calls, cost.llm_tokens, cost.cache_hits, cost.seconds],
    }


def receipt_from(values: dict[str, Any]) -> Receipt:
    """The inverse of `receipt_values`."""
    considered = tuple(
        Considered(
            fact_id=FactId(item["fact_id"]),
            text=item["text"],
            nominated_by=item["nominated_by"],
            similarity=item["similarity"],
            judgement=judgement_from(item["judgement"]),
        )
        for item in values["considered"]
    )
    return Receipt(considered, values["rule"], values["reason"], Cost(*values["cost"]))
