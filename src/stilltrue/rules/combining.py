"""What becomes of a pair when the trained model has looked at it too?

Answer: `combined`, the one place where the rules' judgement and the model's probabilities meet. The model reads words
that no rule knows; the rules know what stands in no word (whose fact it is, when it held, in which slot the caller put
it) and see a few things surely. So:

* where a rule is *binding* its verdict stands: the same text again, a condition put on the whole statement, and
  whatever the rules conclude from more than the two texts;
* everywhere else the settling rule's worth and the model's probability are weighed together (`Combination`, fitted
  beside the model), and the likeliest relation of the side that wins is the verdict.

A model without fitted weights (somebody's own NLI model) speaks only where no rule settled. Left to others: running the
model (`write.ask_model`), what a verdict may do (`policy`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.combination import LEAST, Combination
from stilltrue.model.verdict import CONFLICTS, Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules import cascade
from stilltrue.rules.cascade import SETTLES
from stilltrue.rules.slots import read_statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement

BINDING: Final = frozenset(
    {
        "exact_text",
        "normal_hash",
        "near_identical",
        "same text",
        "same text, another claim",
        "same slot, same figure",
        "narrowed",
        "resolved",
    }
)
"""Rules that settle a pair whatever a model says: they see the same words, have reckoned that 60 s is a minute (a small
model cannot), or know more than the words."""


def settling(rules: Judgement) -> tuple[EvidenceSource, float] | None:
    """The kind of rule that settled a pair, and the probability of a conflict that it is worth; None where none did.

    >>> told = Evidence(EvidenceSource.WORDING, "ended", Relation.RETRACTION, 0.9, SETTLES)
    >>> settling(Verdict(Relation.RETRACTION, 0.9, 0.9, (told,), "ended"))
    (<EvidenceSource.WORDING: 'wording'>, 0.9)
    """
    if isinstance(rules, Undecided):
        return None
    source = next((entry.source for entry in rules.evidence if entry.note.startswith(SETTLES)), EvidenceSource.TYPED)
    return source, rules.conflict


def wants_model(rules: Judgement, combination: Combination | None) -> bool:
    """Whether the model is to be asked about a pair that the rules judged so."""
    if isinstance(rules, Undecided):
        return True
    return combination is not None and rules.settled_by not in BINDING


def combined(
    rules: Judgement,
    model: Mapping[Relation, float],
    model_version: str,
    pair: tuple[Statement, Statement],
    combination: Combination | None = None,
) -> Verdict:
    """The verdict on a pair that `wants_model`; `model` gives each relation's calibrated probability, summing to 1."""
    fitted = combination or Combination()
    conflict = fitted.conflict(_mass(model), settling(rules))
    if isinstance(rules, Verdict) and _turned(rules, conflict) and knows_more(rules, pair):
        return _bound(rules, model, model_version)
    return _weighed(rules, model, model_version, fitted, conflict)


def knows_more(rules: Verdict, pair: tuple[Statement, Statement]) -> bool:
    """Whether the rules' verdict rests on more than the two texts: on a slot, an author or a time that they were given.

    Asked by judging the bare texts as well; only for the few pairs that rules and model see differently.
    """
    existing, new = (read_statement(one.text, said_at=one.said_at) for one in pair)
    if _sides(cascade.judge(existing, new), rules):
        return False
    by_clauses = cascade.judge_texts(existing.text, new.text, existing.said_at, new.said_at)
    return not _sides(by_clauses, rules)


def _sides(judgement: Judgement, rules: Verdict) -> bool:
    return isinstance(judgement, Verdict) and judgement.relation.is_conflict is rules.relation.is_conflict


def _mass(model: Mapping[Relation, float]) -> float:
    return sum(model.get(name, 0.0) for name in CONFLICTS)


def _turned(rules: Verdict, conflict: float) -> bool:
    return (conflict >= cascade.EVEN) is not rules.relation.is_conflict


def _bound(rules: Verdict, model: Mapping[Relation, float], model_version: str) -> Verdict:
    """The rules' verdict, with what the model said of the words alone."""
    likeliest = max(model, key=lambda name: model[name])
    note = f"by the words alone a conflict with {_mass(model):.2f}; the rules rest on more than the words"
    heard = Evidence(EvidenceSource.PAIR_MODEL, model_version, likeliest, model[likeliest], note)
    return replace(rules, evidence=(*rules.evidence, heard))


def _weighed(
    rules: Judgement, model: Mapping[Relation, float], model_version: str, fitted: Combination, conflict: float
) -> Verdict:
    told = rules.relation if isinstance(rules, Verdict) else None
    hot = conflict >= cascade.EVEN
    side = {name: share for name, share in model.items() if name.is_conflict is hot}
    stretch = math.exp(fitted.same_relation)
    relation = max(side, key=lambda name: side[name] * (stretch if name is told else 1.0))
    confidence = conflict if hot else 1 - conflict
    if relation is Relation.DUPLICATE:
        confidence *= side[relation] / max(sum(side.values()), LEAST)
    note = f"{SETTLES}probability of conflict {conflict:.2f}, {_mass(model):.2f} by the model alone"
    evidence = Evidence(EvidenceSource.PAIR_MODEL, model_version, relation, confidence, note)
    agreed = rules if isinstance(rules, Verdict) and hot else None
    return Verdict(
        relation,
        confidence,
        conflict,
        (*map(_heard, rules.evidence), evidence),
        model_version,
        corrects=agreed is not None and agreed.corrects,
        narrows=agreed is not None and agreed.narrows,
    )


def _heard(entry: Evidence) -> Evidence:
    """A rule's evidence that was weighed with others instead of settling the pair."""
    for mark in (cascade.CORRECTS, cascade.NARROWS, SETTLES):
        if entry.note.startswith(mark):
            return replace(entry, note=entry.note.removeprefix(mark))
    return entry
