"""Which known fact does a statement go on about that names it in other words, or not at all?

Four kinds of statements are tied to what is known before they are judged (D1): a state of work, whose item another
list calls by another name ("Stripe payments" / "checkout with Stripe payments"), the command of a task, a command that
is named as left, and a new figure of what the talk was about ("Down to 45 ms."). A tie gives the statement that fact's
slot, and the judge treats the two as one timeline. Where several slots fit, the statement stays as it was read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Verdict
from stilltrue.ports import Filter
from stilltrue.rules import cascade
from stilltrue.rules.boards import DONE, STATES, STATUS, item_key, same_item, tells_state
from stilltrue.rules.commands import command
from stilltrue.rules.ellipsis import comparable, move
from stilltrue.rules.subjects import US
from stilltrue.rules.text import normalise, tokens
from stilltrue.rules.troubles import hindrance
from stilltrue.write.recall import TALK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.candidate import Candidate
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader, Vectors
    from stilltrue.rules.ellipsis import Move
    from stilltrue.write.judged import Judged

_READ: Final = 200  # facts looked at for what is meant
TIED: Final = 0.9
"""All ties of the coding sessions are right; a list that splits an item in two would be the exception."""


@dataclass(frozen=True, slots=True)
class Tie:
    """The statement, in the slot of what it goes on about, and the facts that it follows (none: it stands alone)."""

    statement: Statement
    facts: frozenset[FactId] = frozenset()


def tie(reader: Reader, space: SpaceId, candidate: Candidate, vector: Vectors, now: Instant) -> Tie:
    """The candidate's statement, tied to what it goes on about."""
    statement = candidate.statement
    if statement.modality not in {Modality.ASSERTION, Modality.RULE}:
        return Tie(statement)
    value = statement.value
    work = statement.slot.attribute == STATUS and value is not None and value.key in STATES
    if work and (candidate.formal or tells_state(statement.text)):
        return _work(reader, space, statement, now)
    if candidate.formal and command(statement.text) is not None and statement.cardinality is Cardinality.ONE:
        return _task(reader, space, statement)
    moved = move(statement.text)
    if moved is not None:
        return _figure(reader, space, statement, moved, vector, now)
    return _named(reader, space, statement, now) if statement.leaves else Tie(statement)


def settle_tied(judged: Sequence[Judged], statement: Statement, tied: frozenset[FactId]) -> list[Judged]:
    """The judgements, with those on tied facts: one thing has one state at a time, so another value follows the old."""
    return [_on_tied(item, statement) if item.fact.id in tied else item for item in judged]


def _on_tied(item: Judged, statement: Statement) -> Judged:
    old, new = item.fact.statement.value, statement.value
    if new is None:
        return item
    relation = Relation.DUPLICATE if old is not None and old.key == new.key else Relation.UPDATE
    conflict = TIED if relation.is_conflict else 1 - TIED
    before = old.text if old is not None else item.fact.statement.text
    note = f"{cascade.SETTLES}{statement.slot.attribute} of {statement.slot.subject}: {before} / {new.text}"
    evidence = Evidence(EvidenceSource.TYPED, "goes on", relation, TIED, note)
    return replace(item, judgement=Verdict(relation, TIED, conflict, (evidence,), "goes on"))


def _task(reader: Reader, space: SpaceId, statement: Statement) -> Tie:
    """The command that was told for the same task before."""
    known = reader.in_slot(space, statement.slot.subject, statement.slot.attribute)
    facts = [
        fact.id
        for fact in known
        if fact.statement.slot == statement.slot
        and fact.statement.said_at != statement.said_at
        and command(fact.statement.text) is not None
    ]
    return Tie(statement, frozenset(facts))


def _named(reader: Reader, space: SpaceId, statement: Statement, now: Instant) -> Tie:
    """Commands that are left: named word for word ("(was `c d e`)"), or run by a program that all of us leave."""
    whole = {normalise(name) for name in statement.leaves if len(tokens(name)) > 1}
    programs = {normalise(name) for name in statement.leaves} - whole if statement.slot.subject == US else set()
    words = [word for name in statement.leaves for word in tokens(name)]
    hits = reader.mentioning(space, words, _READ, Filter(valid_at=now))
    facts: set[FactId] = set()
    for fact in reader.facts(space, [hit.fact_id for hit in hits]):
        told = normalise(command(fact.statement.text) or "")
        left = told in whole or (" " in told and told.split(" ", 1)[0] in programs)
        if left and _same_project(fact.statement, statement) and fact.statement.said_at != statement.said_at:
            facts.add(fact.id)
    return Tie(statement, frozenset(facts))


def _work(reader: Reader, space: SpaceId, statement: Statement, now: Instant) -> Tie:
    """The work item that has a state already, under this name or a fuller or shorter one."""
    name = statement.slot.subject
    words = sorted(item_key(name))
    hits = reader.mentioning(space, [*tokens(name), *words], _READ, Filter(valid_at=now, include_superseded=True))
    known = [
        fact
        for fact in reader.facts(space, [hit.fact_id for hit in hits])
        if fact.belief is not None and _is_work(fact) and _same_project(fact.statement, statement)
    ]
    fitting = [fact for fact in known if same_item(fact.statement.slot.subject, name) and _follows(fact, statement)]
    exact = [fact for fact in fitting if item_key(fact.statement.slot.subject) == item_key(name)]
    found = _tied(statement, exact or fitting)
    if statement.value is None or statement.value.key != DONE:
        return found
    hindered = [
        fact.id for fact in reader.facts(space, [hit.fact_id for hit in hits]) if _hinders(fact, statement, now)
    ]
    return replace(found, facts=found.facts.union(hindered))


def _hinders(fact: Fact, statement: Statement, now: Instant) -> bool:
    """Whether a fact says that this very work stands in the way of something: it does not, once it is done."""
    old = fact.statement
    before = hindrance(old.text)
    return (
        fact.belief is not None
        and fact.belief.serves(now)
        and old.topic == statement.topic
        and old.modality is Modality.ASSERTION
        and before is not None
        and item_key(before) == item_key(statement.slot.subject)
    )


def _is_work(fact: Fact) -> bool:
    value = fact.statement.value
    return fact.statement.slot.attribute == STATUS and value is not None and value.key in STATES


def _follows(fact: Fact, statement: Statement) -> bool:
    """The items of one message are different ones, and under another name work goes on, never back."""
    old, new = fact.statement, statement
    if old.said_at == new.said_at:
        return False
    earlier, later = (old, new) if old.said_at < new.said_at else (new, old)
    was, is_now = (one.value.key if one.value is not None else None for one in (earlier, later))
    return item_key(old.slot.subject) == item_key(new.slot.subject) or was != DONE or is_now == DONE


def _same_project(old: Statement, new: Statement) -> bool:
    there, here = old.slot.qualifier("project"), new.slot.qualifier("project")
    return there is None or here is None or there == here


def _tied(statement: Statement, facts: Sequence[Fact]) -> Tie:
    slots = {(fact.statement.slot.subject, fact.statement.slot.attribute) for fact in facts}
    if len(slots) != 1:
        return Tie(statement)
    return Tie(replace(statement, slot=facts[-1].statement.slot), frozenset(fact.id for fact in facts))


def _figure(reader: Reader, space: SpaceId, statement: Statement, moved: Move, vector: Vectors, now: Instant) -> Tie:
    """The figure that the talk gave before: the one named as left, else the latest of the same kind."""
    words = [word for word in tokens(moved.left.text if moved.left else "") if word[:1].isdigit()]
    where = Filter(valid_at=now, include_superseded=True)
    hits = [*reader.mentioning(space, words, _READ, where), *reader.near(space, vector, _READ, where)]
    near = reader.facts(space, list(dict.fromkeys(hit.fact_id for hit in hits)))
    facts = [fact for fact in near if _measured_before(fact, statement, moved)]
    latest = max((fact.statement.said_at for fact in facts), default=None)
    told = [fact for fact in facts if fact.statement.said_at == latest]
    slots = {fact.statement.slot for fact in told}
    if len(slots) != 1:
        return Tie(statement)
    slot = told[0].statement.slot
    whose = "" if slot.subject == US else slot.subject
    named = f"{whose} {slot.attribute or ''}".replace("_", " ").strip()
    ids = frozenset(fact.id for fact in near if fact.statement.slot == slot)
    return Tie(replace(statement, text=f"{named}: {statement.text}", slot=slot, value=moved.now, leaves=()), ids)


def _measured_before(fact: Fact, statement: Statement, moved: Move) -> bool:
    old, value = fact.statement, fact.statement.value
    if (
        value is None
        or old.slot.attribute is None
        or old.topic != statement.topic
        or old.modality is not Modality.ASSERTION
    ):
        return False
    if not timedelta(0) < statement.said_at - old.said_at <= TALK or not comparable(value, moved.now):
        return False
    return value.key == moved.left.key if moved.left is not None else value.key != moved.now.key
