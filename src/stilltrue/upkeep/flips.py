"""What would be another decision, and why? The values that a backtest finds, and how two decisions are compared.

Answer: two decisions come to the same if they are the same action on the same facts and ask about the same facts; the
rule that led there may be another. A `Flip` names the facts that are treated differently, with what the judges said of
each, then and now.

Left to others: making a decision once more (`upkeep.backtest`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from stilltrue.model.change import ConflictChanged
from stilltrue.model.decision import Action
from stilltrue.model.verdict import Undecided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.change import Change
    from stilltrue.model.decision import Considered, Decision
    from stilltrue.model.ids import DecisionId, FactId, SpaceId
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a decision comes to: its action, the facts it changed, those it asked about, and the rule that decided.

    `proposal`: the changes were only written down.
    """

    action: Action
    changed: tuple[FactId, ...]
    asked: tuple[FactId, ...]
    proposal: bool
    rule: str

    def same(self, other: Outcome) -> bool:
        """Whether both come to the same, by whatever rule."""
        return replace(self, rule="") == replace(other, rule="")


@dataclass(frozen=True, slots=True)
class Turn:
    """A fact that the two outcomes treat differently, and what the judges said of it: then, and now."""

    fact_id: FactId
    text: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A decision that would be another one. `by_change`: the terms as they are decide as it was decided."""

    decision_id: DecisionId
    fact_id: FactId | None
    text: str
    decided_at: Instant
    old: Outcome
    new: Outcome
    turns: tuple[Turn, ...]
    by_change: bool


@dataclass(slots=True)
class Backtest:
    """What was found so far. `complete` once all `decisions` were looked at; `reached` tells how far it came."""

    space: SpaceId
    changes: Mapping[str, object]
    judge: str
    decisions: int = 0
    done: int = 0
    replayed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    flips: list[Flip] = field(default_factory=list)
    reached: Instant | None = None

    @property
    def complete(self) -> bool:
        return self.done == self.decisions

    @property
    def turned(self) -> Mapping[str, int]:
        """How many flips there are of each kind, most first, such as "SUPERSEDE -> ASK"."""
        kinds = Counter(f"{one.old.action.value} -> {one.new.action.value}" for one in self.flips)
        return dict(kinds.most_common())


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision that was made once more and not written."""

    outcome: Outcome
    considered: tuple[Considered, ...]


def outcome_of(decision: Decision, changes: Sequence[Change]) -> Outcome:
    """A fact's own id is left out, since it is another one each time; what was said again is another fact's."""
    opened = [one.after for one in changes if isinstance(one, ConflictChanged) and one.before is None]
    asked = {fact_id for one in opened if one is not None for fact_id in one.fact_ids}
    own, changed = decision.fact_id, set(decision.targets)
    if decision.action is not Action.REINFORCE:
        asked, changed = asked - {own}, changed - {own}
    rule = decision.receipt.rule
    return Outcome(decision.action, tuple(sorted(changed)), tuple(sorted(asked)), decision.proposal, rule)


def flip_of(decision: Decision, old: Outcome, new: Decided, *, by_change: bool) -> Flip:
    turned = {*old.changed, *old.asked} ^ {*new.outcome.changed, *new.outcome.asked}
    turned |= {*old.changed} ^ {*new.outcome.changed}
    then = {item.fact_id: item for item in decision.receipt.considered}
    now = {item.fact_id: item for item in new.considered}
    turns = [
        Turn(fact_id, (now.get(fact_id) or then[fact_id]).text, _said(then.get(fact_id)), _said(now.get(fact_id)))
        for fact_id in sorted(turned)
        if fact_id in then or fact_id in now
    ]
    return Flip(
        decision_id=decision.id,
        fact_id=decision.fact_id,
        text=decision.text,
        decided_at=decision.decided_at,
        old=old,
        new=new.outcome,
        turns=tuple(turns),
        by_change=by_change,
    )


def _said(item: Considered | None) -> str:
    """What the judges said of a fact, in a few words."""
    if item is None:
        return "not considered"
    judgement = item.judgement
    if isinstance(judgement, Undecided):
        return f"undecided ({judgement.reason})"
    return f"{judgement.relation.value} by {judgement.settled_by}, confidence {judgement.confidence:.2f}"
