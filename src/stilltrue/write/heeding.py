"""What has a person decided already about a statement and the facts around it?

Answer: `heed` rewrites the judgements that a person has overruled, before anything is planned. A pair that was
answered "both" or dismissed stays apart; what lost against a fact does not come back against it by being said again:
said before the answer it is history, said after it without word of a change it is asked about, never acted upon. Word
of a change that was said after the answer is news, and is judged like any other.

Left to others: keeping answers (`write.resolve`), reading them (`ports.Reader.answers`), what is asked then
(`write.decide`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Verdict
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.conflict import Settled
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import FactId
    from stilltrue.write.case import Case
    from stilltrue.write.judged import Judged


def heed(case: Case) -> Case:
    """The case with the judgements that people's answers allow."""
    if not case.answers or not any(item.conflicts for item in case.judged):
        return case
    own = _own(case)
    answered = {
        frozenset({answer.existing_id, answer.new_id}): answer
        for answer in sorted(case.answers, key=lambda answer: answer.at)
    }
    return replace(case, judged=tuple(_heeded(case, item, own, answered) for item in case.judged))


def _own(case: Case) -> frozenset[FactId]:
    """The facts as which the statement was known when a person answered: itself, and those that say the same."""
    alike = [
        item.fact.id
        for item in case.judged
        if item.same(case.policy.reinforce_threshold) or says_same(case.statement, item)
    ]
    return frozenset([*alike, *([case.stored.id] if case.stored is not None else [])])


def says_same(statement: Statement, item: Judged) -> bool:
    """Whether it gives the same value to the very same slot."""
    old = item.fact.statement
    values = old.value is not None and statement.value is not None and old.value.key == statement.value.key
    return values and old.slot == statement.slot and old.negated == statement.negated


def _heeded(case: Case, item: Judged, own: frozenset[FactId], answered: Mapping[frozenset[FactId], Settled]) -> Judged:
    pairs: Sequence[Settled] = [
        answered[pair]
        for fact_id in sorted(own - {item.fact.id})
        if (pair := frozenset({fact_id, item.fact.id})) in answered
    ]
    if not pairs or not item.conflicts:
        return item
    answer = max(pairs, key=lambda one: one.at)
    said = case.statement.said_at
    if said > answer.at and wording(case.statement.text).announces:
        return item
    if said > answer.at and answer.relation is not None and answer.relation.is_conflict:
        return replace(item, held=True)
    return replace(item, judgement=_apart(answer))


def _apart(answer: Settled) -> Verdict:
    note = f"a person answered this on {answer.at.date().isoformat()}, and nothing was said since"
    evidence = Evidence(EvidenceSource.PERSON, "answer", Relation.OVERLAP, 1.0, note)
    return Verdict(Relation.OVERLAP, 1.0, 0.0, (evidence,), "answer")
