"""How does memory let go? Forgetting retracts and keeps the history; erasing removes the text everywhere (D10).

Both are decisions with a reason. Forgetting can be undone; erasing cannot, and leaves a tombstone without content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import StateError
from stilltrue.model.change import (
    BeliefChanged,
    ChangeSet,
    HistoryRow,
    LinkChanged,
    Tombstone,
    TombstoneKind,
)
from stilltrue.model.decision import Action, Decision, Receipt
from stilltrue.model.fact import Retirement
from stilltrue.model.ids import BatchId, DecisionId, EpisodeId, FactId, SpaceId, short
from stilltrue.model.verdict import Undecided
from stilltrue.rules.text import exact_hash
from stilltrue.write.apply import apply, kind_of, row_of
from stilltrue.write.dependents import rechecks
from stilltrue.write.draft import Draft
from stilltrue.write.judged import Judged, Neighbour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.episode import Span
    from stilltrue.model.fact import Fact
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader, Transaction


def forget(
    engine: Engine, space: SpaceId, fragment: str, batch_id: BatchId, *, reason: str = "", never_true: bool = False
) -> Decision:
    """Retract a fact by hand: it stops being true now, or with `never_true` it never was (and does not come back).

    Raises NotFoundError for an unknown id, StateError if the fact is not believed any more.
    """
    now = engine.clock.now()
    draft = Draft(now, lambda: engine.new_id(now))
    with engine.store.read() as reader:
        fact = reader.fact(space, FactId(reader.find_id(space, "facts", fragment)))
        revision = reader.revision(space)
    if fact.belief is None or (fact.belief.retirement is not None and not never_true):
        message = f"fact {short(fact.id)} is {fact.status(now).value} already; there is nothing to forget"
        raise StateError(message)
    item = Judged(Neighbour(fact=fact, nominated_by="caller"), Undecided("asked for by a person"))
    if never_true:
        draft.correct(item, None)
        draft.bury(TombstoneKind.NEVER_TRUE, fact.statement, now)
    else:
        draft.close(item, now, None, Retirement.RETRACTED)
        draft.bury(TombstoneKind.RETRACTED, fact.statement, now)
    said = reason or ("marked as never true" if never_true else "forgotten on request")
    decision = Decision(
        id=DecisionId(engine.new_id(now)),
        space_id=space,
        batch_id=batch_id,
        action=Action.FORGET,
        text=fact.statement.text,
        decided_at=now,
        fact_id=None,
        targets=(fact.id,),
        receipt=Receipt(rule="a person asked", reason=said),
    )
    changes = tuple(draft.changes)
    return apply(
        engine.store,
        ChangeSet(space_id=space, decision=decision, changes=changes, revision=revision, watched=(fact.id,)),
    )


def erase(engine: Engine, space: SpaceId, fragment: str, batch_id: BatchId, *, reason: str = "") -> Decision:
    """Remove a fact's text everywhere, or with an episode's id that text and every fact from it. Cannot be undone.

    What rests on an erased fact is marked for a look. Raises NotFoundError for an unknown id.
    """
    with engine.store.write(space) as transaction:
        fact_ids, episode_ids = _doomed(transaction, space, fragment)
        now = transaction.now
        decision = Decision(
            id=DecisionId(engine.new_id(now)),
            space_id=space,
            batch_id=batch_id,
            action=Action.ERASE,
            text="",
            decided_at=now,
            targets=tuple(fact_ids),
            receipt=Receipt(rule="a person asked", reason=reason or "erased on request"),
        )
        marks = _marks(transaction, decision)
        for fact in transaction.facts(space, fact_ids):
            if fact.belief is not None:
                transaction.set_belief(space, fact.id, fact.belief, None)
        transaction.erase(space, fact_ids, episode_ids)
        transaction.set_tombstone(space, _mark(now), present=True)
        transaction.add_decision(decision)
        for fact_id in fact_ids:
            transaction.add_history(_row(decision, fact_id))
        for mark in marks:
            transaction.set_link(space, mark.link, present=True)
            transaction.add_history(row_of(decision, mark, kind_of(mark)))
        return decision


def _marks(transaction: Transaction, decision: Decision) -> list[LinkChanged]:
    """The marks of what rests on the facts that a decision takes away, and is not taken away with them."""
    space = decision.space_id
    facts = transaction.facts(space, decision.targets)
    gone = tuple(BeliefChanged(fact.id, fact.belief, None) for fact in facts if fact.belief is not None)
    changes = rechecks(transaction, ChangeSet(space_id=space, decision=decision, changes=gone, revision=0))
    marks = [change for change in changes if isinstance(change, LinkChanged)]
    return [
        mark
        for mark in marks
        if mark.link.from_id not in decision.targets and mark.link not in transaction.links(space, mark.link.to_id)
    ]


def _row(decision: Decision, fact_id: FactId) -> HistoryRow:
    return HistoryRow(
        seq=0,
        space_id=decision.space_id,
        decision_id=decision.id,
        batch_id=decision.batch_id,
        at=decision.decided_at,
        kind="erased",
        fact_id=fact_id,
        conflict_id=None,
        reason=decision.receipt.reason,
    )


def _mark(now: Instant) -> Tombstone:
    return Tombstone(kind=TombstoneKind.ERASED, subject=None, attribute=None, value_key=None, text_hash=None, at=now)


def _doomed(reader: Reader, space: SpaceId, fragment: str) -> tuple[list[FactId], list[EpisodeId]]:
    """A fact goes with those that hold the same words (they are blanked inside its episodes); an episode goes with all
    facts from it.
    """
    table, found = reader.find_any(space, ("facts", "episodes"), fragment)
    if table == "facts":
        return _with_same_words(reader, space, [FactId(found)]), []
    episode_id = EpisodeId(found)
    return _with_same_words(reader, space, reader.facts_of_episode(space, episode_id)), [episode_id]


def _with_same_words(reader: Reader, space: SpaceId, fact_ids: Sequence[FactId]) -> list[FactId]:
    """The facts, those that say the very same, and those from the same words with more or less of the same text.

    One sentence may make several claims, a condition added to a fact repeats it, and what was kept at once and then
    known for a repeat still has its words. What was heard for a mention of a fact says the fact in other words.
    """
    doomed = list(fact_ids)
    for one in doomed:  # grows on the way
        text, heard = reader.fact(space, one).statement.text, reader.sources(space, one)
        spans = {(source.episode_id, source.span) for source in heard}
        near = {other: None for episode, _ in sorted(spans) for other in reader.facts_of_episode(space, episode)}
        wordings = {text, *(source.quote for source in heard)} - {""}
        same = [twin for words in sorted(wordings) for twin in reader.with_hash(space, exact=exact_hash(words))]
        others = {fact.id: fact for fact in (*same, *reader.facts(space, list(near))) if fact.id not in doomed}
        doomed += [
            other.id
            for other in others.values()
            if other.statement.text in wordings or _holds_words(reader, space, other, text, spans)
        ]
    return doomed


def _holds_words(reader: Reader, space: SpaceId, fact: Fact, text: str, spans: set[tuple[EpisodeId, Span]]) -> bool:
    words = fact.statement.text
    if not text or not words or words == text:
        return words == text != ""
    from_there = any((source.episode_id, source.span) in spans for source in reader.sources(space, fact.id))
    return from_there and (fact.belief is None or text in words or words in text)
