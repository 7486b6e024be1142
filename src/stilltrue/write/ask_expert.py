"""Which pairs of a new fact does the LLM decide with us, and what changes when it has voted?

Answer: `wanted` names the neighbours whose pair the router lets through and for which some vote would have another
effect: every one of the six relations is tried on the pure decision first, so no request is spent on an answer that
could change nothing. `Hearing` asks about them, all in one request and never in a transaction; `with_votes` puts the
votes into the case, under the same guards as before. `later` is the job that leaves them to `write.classify`.

Left to others: the request itself, its cache and its budget (`ports.Expert`), what a vote weighs (`rules.voting`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.decision import Action
from stilltrue.model.expert import Usage, Vote
from stilltrue.model.job import Job
from stilltrue.model.verdict import Relation
from stilltrue.rules.routing import Routing, wants_expert
from stilltrue.rules.voting import voted
from stilltrue.write.bystanders import left_alone
from stilltrue.write.judge import ordered
from stilltrue.write.plan import effect
from stilltrue.write.retrying import again

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import ChangeSet
    from stilltrue.model.episode import Episode
    from stilltrue.model.ids import FactId
    from stilltrue.model.verdict import Undecided
    from stilltrue.settings import Settings
    from stilltrue.write.case import Case
    from stilltrue.write.judged import Judged

    Said = Mapping[FactId, Vote | Undecided]

JOB_KIND: Final = "classify"
_STORED: Final = frozenset({Action.ACCEPT, Action.SUPERSEDE, Action.ASK})
"""What leaves a fact of its own. A repeat or a refusal adds nothing to judge: its neighbours were judged before."""
_SETTLED: Final = frozenset({"caller", "goes on", "exact"})
"""Neighbours whose tie to the statement is no matter of opinion."""


def wanted(engine: Engine, settings: Settings, case: Case, episode: Episode, decided: ChangeSet) -> tuple[Judged, ...]:
    """The neighbours that an LLM could still say something about, after the local judges decided; none without one."""
    if engine.expert is None or case.resolves or decided.decision.action not in _STORED:
        return ()
    return worth_asking(engine, settings, case, episode)


def worth_asking(engine: Engine, settings: Settings, case: Case, episode: Episode) -> tuple[Judged, ...]:
    """The neighbours whose pair the router lets through, and for which some vote has another effect than none."""
    numbers = routing_of(settings)
    return tuple(
        item
        for item in case.judged
        if item.neighbour.nominated_by not in _SETTLED
        and wants_expert(item.judgement, ordered(case.statement, item), _weight(case, item), numbers)
        and _could_change(engine, settings, case, episode, item)
    )


def routing_of(settings: Settings) -> Routing:
    """The router's numbers, out of the settings in force."""
    return Routing(
        low=settings.llm_low,
        sure=max(settings.contradiction_threshold, settings.supersession_min_confidence),
        min_importance=settings.min_importance,
        fallback=settings.semantic_contradiction_enabled and settings.supersession_semantic_fallback,
    )


def _weight(case: Case, item: Judged) -> float:
    return max(case.standing.importance, item.fact.standing.importance)


def _could_change(engine: Engine, settings: Settings, case: Case, episode: Episode, item: Judged) -> bool:
    now = effect(case, item)
    votes = ({item.fact.id: Vote(relation, "")} for relation in Relation)
    return any(effect(case, heard(engine, settings, case, episode, item, vote)) != now for vote in votes)


def heard(engine: Engine, settings: Settings, case: Case, episode: Episode, item: Judged, said: Said) -> Judged:
    """One neighbour after the vote on it, if there is one; what is said of bystanders holds for votes too."""
    vote = said.get(item.fact.id)
    if vote is None or engine.expert is None:
        return item
    pair = ordered(case.statement, item)
    judgement = voted(item.judgement, vote, engine.expert.model_version, settings.llm_certainty, pair)
    told = replace(item, judgement=judgement)
    return left_alone([told], case.statement, episode, settings.contradiction_threshold)[0]


def with_votes(engine: Engine, settings: Settings, case: Case, episode: Episode, said: Said) -> Case:
    """The case after the votes."""
    judged = tuple(heard(engine, settings, case, episode, item, said) for item in case.judged)
    return replace(case, judged=judged)


@dataclass(slots=True)
class Hearing:
    """The votes on the pairs of one statement so far, and what they cost; nobody is asked twice while it is decided."""

    said: dict[FactId, Vote | Undecided] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def ask(self, engine: Engine, settings: Settings, case: Case, items: Sequence[Judged]) -> None:
        """Ask about those not asked yet, in one call."""
        fresh = [item for item in items if item.fact.id not in self.said]
        if engine.expert is None or not fresh:
            return
        pairs = [ordered(case.statement, item) for item in fresh]
        told = engine.expert.classify(case.space_id, pairs, settings.allowance())
        self.said.update(zip([item.fact.id for item in fresh], told.votes, strict=True))
        self.usage += told.usage


def later(
    engine: Engine, case: Case, decided: ChangeSet, items: Sequence[Judged], hearing: Hearing | None = None
) -> Job | None:
    """The job that asks about these neighbours of the fact just decided on; None where there are none.

    With a `hearing` they were asked about just now: the job is for those where a failure may pass, and not due yet.
    """
    fact_id = decided.decision.fact_id
    if not items or fact_id is None:
        return None
    near = [[item.fact.id, item.neighbour.nominated_by, item.neighbour.similarity] for item in items]
    payload = {"fact": fact_id, "batch": case.batch_id, "near": near}
    job = Job(id=engine.new_id(case.stamp), space_id=case.space_id, kind=JOB_KIND, payload=payload, due_at=case.stamp)
    return job if hearing is None else again(job, hearing.said, case.stamp)
