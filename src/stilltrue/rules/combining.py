"""What becomes of a pair when the trained model has looked at it too?

Answer: `combined`, the one place where the rules' judgement and the model's probabilities meet, and `wants_model`,
which says whether it is asked at all. Today the model speaks only where no rule settled the pair; its likeliest
relation then is the verdict, and what the rules had seen stays in the evidence.

Left to others: running the model (`write.ask_model`), what a verdict may do (`policy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.verdict import CONFLICTS, Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules.cascade import SETTLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.verdict import Judgement


def wants_model(rules: Judgement) -> bool:
    """Whether the model is to be asked about a pair that the rules judged so."""
    return isinstance(rules, Undecided)


def combined(rules: Judgement, model: Mapping[Relation, float], model_version: str) -> Judgement:
    """The judgement of a pair that `wants_model`; `model` gives each relation's calibrated probability, summing to 1.

    >>> told = combined(Undecided("no rule"), {Relation.UPDATE: 0.6, Relation.CONTRADICTION: 0.2}, "m-1")
    >>> told.relation.value, told.confidence, round(told.conflict, 3), told.settled_by
    ('UPDATE', 0.6, 0.8, 'm-1')
    """
    relation = max(model, key=lambda name: model[name])
    conflict = sum(model.get(name, 0.0) for name in CONFLICTS)
    confidence = model[relation]
    note = f"{SETTLES}probability of conflict {conflict:.2f}"
    evidence = Evidence(EvidenceSource.PAIR_MODEL, model_version, relation, confidence, note)
    return Verdict(relation, confidence, conflict, (*rules.evidence, evidence), model_version)
