"""Which pairs of a fact that was decided on are worth another look, and which are settled?

Answer: only pairs of facts that are both current. Open are those in one slot that nobody judged, those left undecided
where there is a judge now that was not heard, those that an older pair model settled, and conflicts that were seen and
not acted upon (found in shadow mode, or with supersession switched off). In a slot of more than `SLOT_LIMIT` facts a
fact is judged with so many of those before it at most, the latest first, so the pairs grow with the facts. Settled is
what a person answered, what a conflict is open about, what an LLM voted on, and what a rule decided without a model.

Left to others: judging and deciding (`write.second_look`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action
from stilltrue.model.verdict import EvidenceSource, Undecided, Verdict
from stilltrue.ports import Filter
from stilltrue.write.judge import judge_version
from stilltrue.write.recall import SLOT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.engine import Engine
    from stilltrue.model.change import JudgedPair
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import Reader

PERSONS: Final = frozenset({Action.UNDO, Action.RESOLVE, Action.FORGET})
"""What only people do: no sweep acts against it."""

UNJUDGED: Final = "never judged"
OLDER: Final = "judged by an older version"
UNHEARD: Final = "undecided"
KEPT: Final = "a conflict that was not acted upon"


@dataclass(frozen=True, slots=True)
class Opened:
    """Why a pair is open; `judgement` where the one that is kept still counts."""

    why: str
    nominated_by: str = "slot"
    judgement: Judgement | None = None


def open_pairs(
    engine: Engine, reader: Reader, fact: Fact, passes_over: Callable[[FactId], bool]
) -> dict[FactId, Opened]:
    """The other fact of each open pair."""
    space, now = fact.space_id, engine.clock.now()
    if fact.belief is None or not fact.belief.serves(now):
        return {}
    judged = {_other(pair, fact.id): pair for pair in reader.judged_with(space, fact.id)}
    found = {other: one for other, pair in judged.items() if (one := _reopened(engine, pair)) is not None}
    attribute = fact.statement.slot.attribute
    if attribute is not None:
        where = Filter(valid_at=now)
        near = reader.ids_in_slot(space, fact.statement.slot.subject, attribute, SLOT_LIMIT + 1, where)
        room = len(near)
        if len(near) > SLOT_LIMIT and (room := SLOT_LIMIT - len(judged)) > 0:
            near = reader.ids_in_slot(space, fact.statement.slot.subject, attribute, -1, where)
        unjudged = [one for one in near if one not in judged and one != fact.id and not passes_over(one)]
        found.update((other, Opened(UNJUDGED)) for other in unjudged[: max(0, room)])
    found = {other: one for other, one in found.items() if not passes_over(other)}
    serving = {one.id for one in reader.facts(space, list(found)) if one.belief is not None and one.belief.serves(now)}
    settled = _in_conflict(reader, fact, found) if found else set()
    return {other: one for other, one in found.items() if other in serving and other not in settled}


def _other(pair: JudgedPair, fact_id: FactId) -> FactId:
    return pair.new_id if pair.existing_id == fact_id else pair.existing_id


def _reopened(engine: Engine, pair: JudgedPair) -> Opened | None:
    """Why a judged pair is open, or None."""
    judgement, version = pair.judgement, judge_version(engine)
    older = pair.judge_version != version and not pair.judge_version.startswith(f"{version}+")
    heard = {entry.source for entry in judgement.evidence if entry.relation is not None}
    if isinstance(judgement, Undecided):
        asks = engine.expert is not None and EvidenceSource.LLM not in heard
        return Opened(UNHEARD, "judged") if older or asks else None
    if heard & {EvidenceSource.PERSON, EvidenceSource.LLM}:
        return None if EvidenceSource.PERSON in heard else _kept(judgement)
    if older and EvidenceSource.PAIR_MODEL in heard:
        return Opened(OLDER, "judged")
    return _kept(judgement)


def _kept(verdict: Verdict) -> Opened | None:
    return Opened(KEPT, "judged", verdict) if verdict.relation.is_conflict else None


def _in_conflict(reader: Reader, fact: Fact, found: dict[FactId, Opened]) -> set[FactId]:
    """Facts with which a conflict was answered, or is open and no judge has anything new to say."""
    told: set[FactId] = set()
    for conflict in reader.conflicts_with(fact.space_id, [fact.id]):
        others = {other for other in conflict.fact_ids if other in found}
        if conflict.status is ConflictStatus.OPEN:
            others = {other for other in others if found[other].why == KEPT}
        told |= others
    return told
