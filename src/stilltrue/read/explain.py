"""Why did the engine do that, and why did it leave the rest alone? The stored receipts, laid open (F5).

Nothing is judged anew: evidence, rule and cost are those written with the decision. `replays` tells whether stored
evidence still leads to the stored judgement. Turning it into text is the doors' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.decision import Action
from stilltrue.model.ids import DecisionId, FactId, short
from stilltrue.model.verdict import Undecided, Verdict
from stilltrue.read.present import present
from stilltrue.read.rechecks import fallen_bases
from stilltrue.read.results import Explained, Explanation, Weighed
from stilltrue.rules.cascade import SETTLES, replay

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.decision import Considered, Decision
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Reader


def explain(engine: Engine, space: SpaceId, id_fragment: str) -> Explanation:
    """The decisions behind a fact, or one decision, by the first or last characters of its id (at least 6).

    Raises NotFoundError, InvalidInputError for a fragment that is too short or fits several, StoreError.
    """
    with engine.store.read() as reader:
        table, found = reader.find_any(space, ("facts", "decisions"), id_fragment)
        if table == "decisions":
            return Explanation(fact=None, decisions=(_explained(reader, reader.decision(space, DecisionId(found))),))
        fact = reader.fact(space, FactId(found))
        now = engine.clock.now()
        return Explanation(
            fact=present(reader, space, fact, at=now),
            decisions=tuple(_explained(reader, made) for made in reader.decisions(space, fact_id=fact.id)),
            rechecks=fallen_bases(reader, space, fact, now),
        )


def replays(considered: Considered) -> bool:
    """Whether the stored evidence still yields the stored judgement: its relation, by the signal it names, or none.

    Repeats and models settle without the cascade; then the cascade's own evidence must have settled nothing else.
    """
    judgement = considered.judgement
    relation = replay(judgement.evidence)
    if isinstance(judgement, Undecided):
        return relation is None
    named = any(
        entry.signal == judgement.settled_by and entry.relation is judgement.relation for entry in judgement.evidence
    )
    return named and relation in (None, judgement.relation)


def _explained(reader: Reader, decision: Decision) -> Explained:
    receipt = decision.receipt
    return Explained(
        id=decision.id,
        batch_id=decision.batch_id,
        action=decision.action,
        text=decision.text,
        decided_at=decision.decided_at,
        author=decision.author,
        fact_id=decision.fact_id,
        targets=decision.targets,
        conflict_id=decision.conflict_id,
        episode_id=decision.episode_id,
        rule=receipt.rule,
        reason=receipt.reason,
        proposal=decision.proposal,
        considered=tuple(_weighed(reader, decision, item) for item in receipt.considered),
        changes=tuple(reader.history(decision.space_id, decision_id=decision.id)),
        cost=receipt.cost,
    )


def _weighed(reader: Reader, decision: Decision, item: Considered) -> Weighed:
    judgement = item.judgement
    verdict = judgement if isinstance(judgement, Verdict) else None
    changed = item.fact_id in decision.targets and not decision.proposal
    return Weighed(
        fact_id=item.fact_id,
        text=item.text,
        nominated_by=item.nominated_by,
        similarity=item.similarity,
        relation=verdict.relation if verdict else None,
        confidence=verdict.confidence if verdict else None,
        conflict=judgement.conflict,
        settled_by=verdict.settled_by if verdict else None,
        undecided=None if isinstance(judgement, Verdict) else judgement.reason,
        evidence=judgement.evidence,
        changed=changed,
        outcome=_outcome(decision, item, changed=changed, over=not changed and _over(reader, decision, item)),
        replays=replays(item),
    )


def _over(reader: Reader, decision: Decision, item: Considered) -> bool:
    """Whether the candidate had ended already, by what was believed when the decision fell."""
    at = decision.decided_at
    then = [belief for belief in reader.beliefs(decision.space_id, item.fact_id) if at in belief.known]
    return any(belief.valid.end is not None and belief.valid.end <= at for belief in then)


def _outcome(decision: Decision, item: Considered, *, changed: bool, over: bool) -> str:
    """What became of a candidate, and why."""
    judgement = item.judgement
    if changed:
        done = "reinforced" if decision.action is Action.REINFORCE else "retired"
        return f"{done}: {_judged(judgement)}" if isinstance(judgement, Verdict) else f"{done}: {decision.receipt.rule}"
    if isinstance(judgement, Undecided):
        return f"not superseded: undecided, {judgement.reason}"
    if not judgement.relation.is_conflict:
        return f"not superseded: {_judged(judgement)}"
    if over:
        return f"over already, so nothing to end: {_judged(judgement)}"
    if decision.conflict_id is not None:
        asked = f"conflict {short(decision.conflict_id)} asks"
        return f"not superseded, {asked}: {_judged(judgement)}; {decision.receipt.rule}"
    return f"not superseded although {_judged(judgement)}: {decision.receipt.rule}"


def _judged(verdict: Verdict) -> str:
    notes = [entry.note for entry in verdict.evidence if entry.signal == verdict.settled_by]
    note = notes[0].removeprefix(SETTLES) if notes else ""
    said = f"{verdict.relation.value} by {verdict.settled_by} (conflict {verdict.conflict:.2f})"
    return f"{said}, {note}" if note else said
