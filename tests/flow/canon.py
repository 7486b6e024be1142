"""What does a space hold, in a form that two stores, or two moments of one, can be compared by?

`snapshot` keeps ids and tells whether a store is exactly as it was; `content` drops ids and recorded times and tells
whether two stores came to hold the same.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from stilltrue.model.timeline import Interval

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact
    from stilltrue.ports import Reader


def believed(memory: Memory) -> list[Fact]:
    """All facts of the space that are believed, whatever their retirement."""
    with memory.engine.store.read() as reader:
        ids = dict.fromkeys(row.fact_id for row in reader.history(memory.space) if row.fact_id is not None)
        return [fact for fact in reader.facts(memory.space, list(ids)) if fact.belief is not None]


def snapshot(memory: Memory) -> dict[str, Any]:
    """Facts with the contents of their beliefs, standing, sources and links, conflicts and tombstones, by id."""
    facts = believed(memory)
    alive = {fact.id for fact in facts}
    with memory.engine.store.read() as reader:
        held = {fact.id: _one(reader, memory, fact, alive) for fact in facts}
        asked = {item.id: asdict(item) for item in reader.conflicts(memory.space, None)}
    return {"facts": held, "conflicts": asked, "tombstones": tombstones(memory, facts)}


def timeless(state: dict[str, Any]) -> dict[str, Any]:
    """A snapshot without when conflicts were recorded: what is done again is recorded when it is done again."""
    asked = {key: {**item, "opened_at": None, "closed_at": None} for key, item in state["conflicts"].items()}
    return {**state, "conflicts": asked}


def _one(reader: Reader, memory: Memory, fact: Fact, alive: set[str]) -> dict[str, Any]:
    assert fact.belief is not None
    links = {
        (link.kind, link.from_id, link.to_id)
        for link in reader.links(memory.space, fact.id)
        if {link.from_id, link.to_id} <= alive
    }
    return {
        "statement": asdict(fact.statement),
        "belief": asdict(replace(fact.belief, known=Interval())),
        "standing": asdict(fact.standing),
        "sources": sorted(repr(source) for source in reader.sources(memory.space, fact.id)),
        "links": links,
    }


def tombstones(memory: Memory, facts: list[Fact]) -> set[str]:
    """The marks on the subjects of these facts, and on the user."""
    subjects = {fact.statement.slot.subject for fact in facts} | {"user"}
    with memory.engine.store.read() as reader:
        return {repr(mark) for subject in subjects for mark in reader.tombstones(memory.space, subject, "")}


def content(memory: Memory) -> dict[str, Any]:
    """What the space holds without ids and recorded times; marks included, conflicts by their facts' texts."""
    facts = believed(memory)
    names = {fact.id: fact.statement.text for fact in facts}
    with memory.engine.store.read() as reader:
        held = []
        for fact in facts:
            assert fact.belief is not None
            held.append(
                repr(
                    (
                        asdict(fact.statement),
                        fact.belief.valid,
                        fact.belief.retirement,
                        names.get(fact.belief.superseded_by or ""),
                        names.get(fact.belief.contradicted_by or ""),
                        asdict(fact.standing),
                        sorted(names.get(old, old) for old in fact.supersedes),
                        sorted(
                            (item.quote, item.span, item.said_at, item.held_from, item.independent)
                            for item in reader.sources(memory.space, fact.id)
                        ),
                    )
                )
            )
        asked = [
            (item.kind, item.status, item.question, sorted(names.get(one, one) for one in item.fact_ids))
            for item in reader.conflicts(memory.space, None)
        ]
    return {"facts": sorted(held), "conflicts": sorted(asked), "tombstones": tombstones(memory, facts)}
