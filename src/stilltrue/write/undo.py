"""How is a decision taken back exactly (F4)? Its changes are applied backwards, newest first, as a new decision.

A batch (an import, a sweep, one remembered text) is taken back as one. What a later decision built upon cannot be
pulled out from under it: the error names the decision to undo first. Nothing is deleted: an undone fact is believed
no more, its row and its history stay, and undoing the undo brings it back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from stilltrue.errors import StaleJudgementError, StateError
from stilltrue.model.change import (
    BeliefChanged,
    Change,
    ChangeSet,
    ConflictChanged,
    FactAdded,
    LinkChanged,
    SourceChanged,
    StandingChanged,
    TierChanged,
    TombstoneChanged,
)
from stilltrue.model.codec import decode
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Tier
from stilltrue.model.ids import BatchId, DecisionId, FactId, SpaceId, short
from stilltrue.write.apply import CONFLICT, PROPOSAL, RECHECK, TIER, apply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import HistoryRow
    from stilltrue.ports import Reader


def undo(engine: Engine, space: SpaceId, identifier: str, batch_id: BatchId) -> Decision:
    """Take back a decision or a whole batch, named by its id. Returns the UNDO decision.

    Raises NotFoundError for an unknown id; StateError if it changed nothing, was undone already, cannot be undone
    (erasing), or if a later decision rests on it.
    """
    with engine.store.read() as reader:
        decisions = _named(reader, space, identifier)
        rows = [row for item in decisions for row in reader.history(space, decision_id=item.id)]
        revision = reader.revision(space)
        rows = _left(reader, space, decisions, [row for row in rows if row.kind != PROPOSAL])
        _check(reader, space, identifier, decisions, rows)
        inverse = [_inverse(change_of(row)) for row in sorted(rows, key=_seq, reverse=True)]
        texts = _bare(reader, space, inverse)
    inverse = _embedded(engine, inverse, texts)
    now = engine.clock.now()
    reason = f"took back {', '.join(sorted({item.action.value for item in decisions}))} {short(identifier)}"
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.UNDO,
        text=decisions[-1].text,
        decided_at=now,
        fact_id=decisions[-1].fact_id if len(decisions) == 1 else None,
        targets=tuple(dict.fromkeys(row.fact_id for row in rows if row.fact_id is not None)),
        receipt=Receipt(rule=f"undo {decisions[0].batch_id if len(decisions) > 1 else decisions[0].id}", reason=reason),
    )
    watched = tuple(FactId(fact_id) for fact_id in decision.targets)
    change_set = ChangeSet(
        space_id=space, decision=decision, changes=tuple(inverse), revision=revision, watched=watched
    )
    try:
        return apply(engine.store, change_set)
    except StaleJudgementError:
        name = short(identifier)
        message = f"{name} cannot be undone: something it changed was changed again; undo the later decision first"
        raise StateError(message) from None


def _left(
    reader: Reader, space: SpaceId, decisions: Sequence[Decision], rows: Sequence[HistoryRow]
) -> list[HistoryRow]:
    """The rows without what is about facts that were erased since: of these there is nothing left to take back.

    A question about one of them does not come back either; one that was opened by these rows goes.
    """
    name = short(decisions[0].batch_id if len(decisions) > 1 else decisions[0].id)
    if any(item.action is Action.ERASE for item in decisions):
        message = f"{name} erased text; what is erased cannot come back"
        raise StateError(message)
    about = {row.seq: _about(row) for row in rows}
    facts = reader.facts(space, list(dict.fromkeys(one for ids in about.values() for one in ids)))
    erased = {fact.id for fact in facts if not fact.statement.text.strip()}
    opened = {row.conflict_id for row in rows if row.kind == CONFLICT and row.payload.get("before") is None}
    left = [row for row in rows if not erased & about[row.seq] or (row.kind == CONFLICT and row.conflict_id in opened)]
    if rows and not left:
        message = f"what {name} changed was erased since; there is nothing left to undo"
        raise StateError(message)
    return left


def _about(row: HistoryRow) -> set[FactId]:
    if row.fact_id is not None:
        return {row.fact_id}
    change = change_of(row)
    conflict = change.before or change.after if isinstance(change, ConflictChanged) else None
    return set(conflict.fact_ids) if conflict is not None else set()


def _bare(reader: Reader, space: SpaceId, inverse: Sequence[Change]) -> dict[FactId, str]:
    """The texts of stubs that an undo brings back: they have no vector."""
    ids = [item.fact_id for item in inverse if isinstance(item, TierChanged) and item.before is Tier.STUB]
    return {fact.id: fact.statement.text for fact in reader.facts(space, ids)}


def _embedded(engine: Engine, inverse: list[Change], texts: dict[FactId, str]) -> list[Change]:
    if not texts:
        return inverse
    vectors = dict(zip(texts, engine.embedder.embed(list(texts.values())), strict=True))
    return [
        replace(item, vector=vectors[item.fact_id].tobytes())
        if isinstance(item, TierChanged) and item.before is Tier.STUB and item.fact_id in vectors
        else item
        for item in inverse
    ]


def _seq(row: HistoryRow) -> int:
    return row.seq


def _named(reader: Reader, space: SpaceId, identifier: str) -> list[Decision]:
    table, found = reader.find_any(space, ("decisions", "batches"), identifier)
    if table == "decisions":
        return [reader.decision(space, DecisionId(found))]
    return reader.decisions(space, batch_id=BatchId(found))


def _check(
    reader: Reader, space: SpaceId, identifier: str, decisions: Sequence[Decision], rows: Sequence[HistoryRow]
) -> None:
    name = short(identifier)
    if not rows:
        message = f"{name} changed nothing, so there is nothing to undo"
        raise StateError(message)
    later = _standing(_later(reader, space, rows, _marks(decisions)))
    if not later:
        return
    last = later[-1]
    if last.action is Action.UNDO and _names(last) & _marks(decisions):
        message = f"{name} was undone already by {short(last.id)}"
        raise StateError(message)
    message = (
        f"{name} cannot be undone before the later {last.action.value} {short(last.id)} that rests on it; "
        f"undo {short(last.id)} first"
    )
    raise StateError(message)


def _later(reader: Reader, space: SpaceId, rows: Sequence[HistoryRow], marks: set[str]) -> list[Decision]:
    """Decisions that changed the same of the same facts, or the same questions, after these rows, oldest first.

    A tier moves by itself: a pass of maintenance stands in the way of no undo but that of an earlier pass. A mark that
    a fact needs a look stands in the way of none; there only an undoing of these very decisions counts.
    """
    own, last = {row.decision_id for row in rows}, max(row.seq for row in rows)
    found: dict[int, DecisionId] = {}
    asides: set[DecisionId] = set()
    for fact_id, aspect in dict.fromkeys((row.fact_id, _aspect(row)) for row in rows if row.fact_id is not None):
        for row in reader.history(space, fact_id=fact_id):
            if row.seq > last and row.decision_id not in own and row.kind != PROPOSAL and _aspect(row) == aspect:
                found[row.seq] = row.decision_id
                if aspect == RECHECK:
                    asides.add(row.decision_id)
    asked = {row.conflict_id for row in rows if row.conflict_id is not None}
    for row in reader.history(space, kind=CONFLICT) if asked else []:
        if row.seq > last and row.decision_id not in own and row.conflict_id in asked:
            found[row.seq] = row.decision_id
    ids = dict.fromkeys(found[seq] for seq in sorted(found))
    later = [reader.decision(space, decision_id) for decision_id in ids]
    return [item for item in later if item.id not in asides or _names(item) & marks]


def _aspect(row: HistoryRow) -> str:
    """What of a fact a row changed: its tier, whether it needs a look, or all else."""
    return row.kind if row.kind in (TIER, RECHECK) else ""


def _standing(later: Sequence[Decision]) -> list[Decision]:
    """Those that still stand: a decision and its undoing cancel each other out."""
    alive: list[Decision] = []
    undone: set[str] = set()
    for decision in reversed(later):  # the newest first: only an undoing that stands itself takes anything back
        if undone & _marks([decision]):
            continue
        named = _names(decision) if decision.action is Action.UNDO else set()
        undone |= named
        if not named & _marks(later):
            alive.append(decision)
    return alive[::-1]


def in_force(decisions: Sequence[Decision]) -> list[Decision]:
    """Of decisions, oldest first, those that are not taken back; an undoing that was undone takes nothing back."""
    taken_back: set[str] = set()
    left: list[Decision] = []
    for decision in reversed(decisions):
        if taken_back & _marks([decision]):
            continue
        if decision.action is Action.UNDO:
            taken_back |= _names(decision)
        left.append(decision)
    return left[::-1]


def _names(undoing: Decision) -> set[str]:
    return {undoing.receipt.rule.removeprefix("undo ")}


def _marks(decisions: Sequence[Decision]) -> set[str]:
    return {item.id for item in decisions} | {item.batch_id for item in decisions}


_NOUNS: dict[str, type[Change]] = {
    "fact_added": FactAdded,
    "belief_changed": BeliefChanged,
    "standing_changed": StandingChanged,
    TIER: TierChanged,
    "source_changed": SourceChanged,
    "link_changed": LinkChanged,
    RECHECK: LinkChanged,
    CONFLICT: ConflictChanged,
    "tombstone_changed": TombstoneChanged,
}


def change_of(row: HistoryRow) -> Change:
    """The change that a history row wrote (a proposal carries the change it proposes)."""
    name = str(row.payload.get("is", ""))
    kinds = {kind.__name__: kind for kind in _NOUNS.values()}
    return decode(kinds.get(name) or _NOUNS[row.kind], row.payload)


def _inverse(change: Change) -> Change:
    match change:
        case FactAdded(fact=fact):
            return BeliefChanged(fact.id, fact.belief, None)
        case BeliefChanged(fact_id=fact_id, before=before, after=after):
            return BeliefChanged(fact_id, after, before)
        case StandingChanged(fact_id=fact_id, before=before, after=after):
            return StandingChanged(fact_id, after, before)
        case TierChanged(fact_id=fact_id, before=before, after=after):
            return TierChanged(fact_id, after, before)
        case SourceChanged(source=source, present=present):
            return SourceChanged(source, present=not present)
        case LinkChanged(link=link, present=present):
            return LinkChanged(link, present=not present)
        case ConflictChanged(before=before, after=after):
            return ConflictChanged(after, before)
        case TombstoneChanged(tombstone=tombstone, present=present):
            return TombstoneChanged(tombstone, present=not present)
        case _:
            assert_never(change)
