"""What becomes of the changes that shadow mode only wrote down: are they right, and which are carried out?

Answer: a proposal is a decision whose changes lie in history. A person grades it right or wrong; grades are decisions
without changes, the last one counts, and `grades` says what share was right, with a 95% Wilson interval. Carried out
are those named, or all that nobody graded wrong: exactly as they were written, as one batch that can be undone. One
whose facts have changed since is refused, with the reason, and proposed anew by the next sweep in shadow.

Left to others: proposing (`write.decide`, `write.second_look`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError, StateError
from stilltrue.model.change import ChangeSet
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.ids import BatchId, ConflictId, DecisionId, short
from stilltrue.write.apply import PROPOSAL, apply
from stilltrue.write.remember import embedded
from stilltrue.write.undo import change_of, in_force

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.change import HistoryRow
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Reader

Z: Final = 1.959963984540054
"""The normal quantile of a two-sided 95% interval."""
_DONE: Final = "proposal carried out: "
_GRADED: Final = "proposal graded "


class Grade(StrEnum):
    """What a person says of a proposal."""

    RIGHT = "right"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Precision:
    """Graded proposals, by the last word on each, and how many were not graded."""

    right: int
    wrong: int
    ungraded: int

    @property
    def share(self) -> float | None:
        """The share that is right; None where nothing was graded."""
        total = self.right + self.wrong
        return self.right / total if total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval at 95%."""
        return wilson(self.right, self.right + self.wrong)


@dataclass(slots=True)
class Applied:
    """What was carried out, and what was refused: (proposal, reason)."""

    batch_id: BatchId
    decisions: list[Decision] = field(default_factory=list)
    refused: list[tuple[DecisionId, str]] = field(default_factory=list)


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95% Wilson score interval of a share.

    >>> [round(end, 3) for end in wilson(9, 10)], wilson(0, 0)
    ([0.596, 0.982], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, square = right / total, Z * Z
    middle = share + square / (2 * total)
    spread = Z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    scale = 1 + square / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def proposed(engine: Engine, space: SpaceId) -> list[HistoryRow]:
    """The changes of the proposals that are not carried out, in the order written."""
    with engine.store.read() as reader:
        rows = reader.history(space, kind=PROPOSAL)
        done = _carried_out(reader, space)
    return [row for row in rows if row.decision_id not in done]


@dataclass(frozen=True, slots=True)
class Review:
    """The proposals of a space in somebody's hands; what is carried out together is one batch."""

    engine: Engine
    space: SpaceId
    batch_id: BatchId
    author: str | None = None

    def grade(self, proposal: str, *, right: bool) -> Decision:
        """Keep what a person says of a proposal, named by its decision. Raises NotFoundError, StateError."""
        with self.engine.store.read() as reader:
            found = _proposal(reader, self.space, proposal)
            revision = reader.revision(self.space)
        rule = f"{_GRADED}{Grade.RIGHT if right else Grade.WRONG}: {found.id}"
        told = replace(_about(self.engine, found, Action.RESOLVE, rule, self.batch_id), author=self.author)
        return apply(self.engine.store, ChangeSet(space_id=self.space, decision=told, revision=revision))

    def open(self) -> list[Decision]:
        """Proposals that were neither graded nor carried out, oldest first."""
        with self.engine.store.read() as reader:
            done, last = _carried_out(reader, self.space), _last_grades(reader, self.space)
            return [one for one in _all(reader, self.space) if one.id not in done and one.id not in last]

    def precision(self) -> Precision:
        """How many of the graded proposals are right, with a 95% Wilson interval."""
        with self.engine.store.read() as reader:
            last = _last_grades(reader, self.space)
            ids = {one.id for one in _all(reader, self.space)}
        right = sum(grade is Grade.RIGHT for grade in last.values())
        return Precision(right, len(last) - right, len(ids - set(last)))

    def apply(self, *proposals: str) -> Applied:
        """Carry out those named, or all that are left and nobody graded wrong; what is stale is refused.

        Raises NotFoundError, StateError for a name that is no proposal's.
        """
        with self.engine.store.read() as reader:
            done, last = _carried_out(reader, self.space), _last_grades(reader, self.space)
            if proposals:
                chosen = [_proposal(reader, self.space, one) for one in proposals]
            else:
                left = [one for one in _all(reader, self.space) if one.id not in done]
                chosen = [one for one in left if last.get(one.id) != Grade.WRONG]
        told = Applied(self.batch_id)
        for proposal in chosen:
            if proposal.id in done:
                told.refused.append((proposal.id, "it was carried out already"))
                continue
            try:
                told.decisions.append(_carry_out(self.engine, proposal, self.batch_id))
            except StaleJudgementError as error:
                told.refused.append((proposal.id, str(error)))
        return told


def _all(reader: Reader, space: SpaceId) -> list[Decision]:
    ids = dict.fromkeys(row.decision_id for row in reader.history(space, kind=PROPOSAL))
    return [reader.decision(space, one) for one in ids]


def _carry_out(engine: Engine, proposal: Decision, batch_id: BatchId) -> Decision:
    with engine.store.read() as reader:
        rows = reader.history(proposal.space_id, decision_id=proposal.id, kind=PROPOSAL)
        revision = reader.revision(proposal.space_id)
    asks = not proposal.targets and any(row.conflict_id for row in rows)
    action = Action.ASK if asks else Action.SUPERSEDE
    decision = replace(
        _about(engine, proposal, action, f"{_DONE}{proposal.id}", batch_id),
        targets=proposal.targets,
        conflict_id=next((ConflictId(row.conflict_id) for row in rows if row.conflict_id), None),
    )
    changes = tuple(change_of(row) for row in rows)
    change_set = ChangeSet(
        space_id=proposal.space_id, decision=decision, changes=changes, revision=revision, watched=proposal.targets
    )
    return apply(engine.store, embedded(engine, change_set))


def _about(engine: Engine, proposal: Decision, action: Action, rule: str, batch_id: BatchId) -> Decision:
    now = engine.clock.now()
    return Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=proposal.space_id,
        batch_id=batch_id,
        action=action,
        text=proposal.text,
        decided_at=now,
        fact_id=proposal.fact_id,
        episode_id=proposal.episode_id,
        author=proposal.author,
        receipt=Receipt(rule=rule, reason=rule),
    )


def _proposal(reader: Reader, space: SpaceId, identifier: str) -> Decision:
    found = reader.decision(space, DecisionId(reader.find_id(space, "decisions", identifier)))
    if not found.proposal:
        message = f"{short(found.id)} is no proposal but a decision that was made; `proposals` lists what is proposed"
        raise StateError(message)
    return found


def _carried_out(reader: Reader, space: SpaceId) -> set[str]:
    """Proposals that were carried out and not undone since."""
    rules = [one.receipt.rule for one in in_force(reader.decisions(space))]
    return {rule.removeprefix(_DONE) for rule in rules if rule.startswith(_DONE)}


def _last_grades(reader: Reader, space: SpaceId) -> dict[str, Grade]:
    last: dict[str, Grade] = {}
    for one in reader.decisions(space):
        if one.receipt.rule.startswith(_GRADED):
            word, _, name = one.receipt.rule.removeprefix(_GRADED).partition(": ")
            last[name] = Grade(word)
    return last
