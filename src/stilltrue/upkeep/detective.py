"""Where does a space's story leave open what is true, without asking an LLM? (SPEC B10)

Answer: `notice` looks at what a write has touched: the facts it replaced and those before them, the other tellings of
its slot, the claims it may have overtaken. `detect` reads the whole space once. What `rules.narrative` finds there is
opened as a conflict unless it was asked before (B6); a question that the story has settled since is closed.

Neither runs inside a write's transaction. Left to others: what is confusing (`rules.narrative`), opening and closing
(`upkeep.opening`), reading the story with an LLM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.slot import ValueType
from stilltrue.ports import Filter
from stilltrue.rules.narrative import LONGEST_WALK, confusions
from stilltrue.rules.outdated import words_to_find
from stilltrue.rules.subjects import US
from stilltrue.upkeep.opening import close_settled, known_already, open_conflict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import BatchId, FactId, SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.rules.narrative import Confusion

AT_ONCE: Final = 500
"""Facts read in one query by `detect`."""

MENTIONS: Final = 32
"""Facts that name the same thing and are looked at beside a new one: claims older than that many mentions wait for
`detect`."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A run over a whole space: what is confusing and new, what was asked already, the decisions that were made.

    `opened` and `closed` are empty for a plan, which changes nothing.
    """

    facts: int
    found: tuple[Confusion, ...]
    known: int
    opened: tuple[Decision, ...] = ()
    closed: tuple[Decision, ...] = ()


def notice(engine: Engine, space: SpaceId, decisions: Sequence[Decision]) -> list[Decision]:
    """Look at what these decisions have touched; the questions that were opened or closed. Reads a bounded number of
    facts for each decision.
    """
    made: list[Decision] = []
    for decision in decisions:
        touched = [*([decision.fact_id] if decision.fact_id is not None else []), *decision.targets]
        if touched:
            made += close_settled(engine, space, touched, decision.batch_id)
        if decision.fact_id is None or decision.proposal:
            continue
        now = engine.clock.now()
        with engine.store.read() as reader:
            near = _around(reader, space, decision.fact_id, now)
        found = [item for item in confusions(near, now) if decision.fact_id in item.fact_ids]
        made += _open_all(engine, space, found, decision.batch_id)
    return made


def noticed(engine: Engine, space: SpaceId, decisions: list[Decision]) -> list[Decision]:
    """The decisions themselves, after `notice` has looked at what they touched."""
    notice(engine, space, decisions)
    return decisions


def detect(engine: Engine, space: SpaceId, batch_id: BatchId, *, plan: bool = False) -> Detected:
    """Read the whole space; one `undo` of the batch takes back all that was opened or closed. Linear in its facts."""
    with engine.store.read() as reader:
        facts = list(_story(reader, space))
        asked = [item.fact_ids for item in reader.conflicts(space, ConflictStatus.OPEN)]
        found = confusions(facts, engine.clock.now())
        fresh = [item for item in found if not known_already(reader, space, item)]
    known = len(found) - len(fresh)
    if plan:
        return Detected(len(facts), tuple(fresh), known)
    touched = sorted({fact_id for ids in asked for fact_id in ids})
    closed = close_settled(engine, space, touched, batch_id) if touched else []
    opened = _open_all(engine, space, fresh, batch_id)
    return Detected(len(facts), tuple(fresh), known, tuple(opened), tuple(closed))


def _open_all(engine: Engine, space: SpaceId, found: Sequence[Confusion], batch_id: BatchId) -> list[Decision]:
    opened = (open_conflict(engine, space, item, batch_id) for item in found)
    return [decision for decision in opened if decision is not None]


def _story(reader: Reader, space: SpaceId) -> Iterator[Fact]:
    """All that is believed or was, in the order in which it was stored."""
    reached = 0
    while places := reader.stored_order(space, reached, AT_ONCE):
        reached = places[-1][0]
        yield from reader.facts(space, [fact_id for _, fact_id in places])


def _around(reader: Reader, space: SpaceId, fact_id: FactId, now: Instant) -> list[Fact]:
    """The fact with those that it may leave in doubt."""
    facts = {fact.id: fact for fact in reader.facts(space, [fact_id])}
    fact = facts.get(fact_id)
    if fact is None or fact.belief is None:
        return []
    for near in (_replaced(reader, space, fact), _tellings(reader, space, fact, now), _named(reader, space, fact, now)):
        facts.update((item.id, item) for item in near)
    return list(facts.values())


def _replaced(reader: Reader, space: SpaceId, fact: Fact) -> list[Fact]:
    """What it took the place of, and what that had taken the place of."""
    found: dict[FactId, Fact] = {}
    wanted = fact.supersedes
    for _ in range(LONGEST_WALK):
        step = [item for item in reader.facts(space, wanted[:LONGEST_WALK]) if item.id not in found]
        found.update((item.id, item) for item in step)
        wanted = tuple(fact_id for item in step for fact_id in item.supersedes)
        if not wanted:
            break
    return list(found.values())


def _tellings(reader: Reader, space: SpaceId, fact: Fact, now: Instant) -> list[Fact]:
    """Others that speak of the same slot; "ours" under a topic and the topic's own are one (the seed's rate limits)."""
    slot, topic, value = fact.statement.slot, fact.statement.topic, fact.statement.value
    if slot.attribute is None or value is None:
        return []
    subjects = {slot.subject}
    if value.type not in (ValueType.NAME, ValueType.TEXT):
        subjects |= {topic.casefold()} if slot.subject == US and topic else {US}
    where = Filter(valid_at=now, include_superseded=True)
    ids = [
        found
        for subject in sorted(subjects)
        for found in reader.ids_in_slot(space, subject, slot.attribute, LONGEST_WALK, where)
    ]
    return reader.facts(space, ids)


def _named(reader: Reader, space: SpaceId, fact: Fact, now: Instant) -> list[Fact]:
    """Others that name what it names with a version, or what it says is gone."""
    words = words_to_find(fact.statement)
    if not words:
        return []
    hits = reader.mentioning(space, words, MENTIONS, Filter(valid_at=now))
    return reader.facts(space, [hit.fact_id for hit in hits])
