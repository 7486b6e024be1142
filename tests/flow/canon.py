"""What does a space hold, in a form that two stores, or two moments of one, can be compared by?

`snapshot` keeps ids and tells whether a store is exactly as it was; `content` drops ids and recorded times and tells
whether two stores came to hold the same; `everything` tells whether a copy holds all that was ever known.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stilltrue.model.codec import encode
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


def everything(memory: Memory) -> dict[str, Any]:
    """All that the public reader knows of the space, both clocks and all history included, by the ids in it."""
    space = memory.space
    with memory.engine.store.read() as reader:
        rows = reader.history(space)
        ids = sorted({row.fact_id for row in rows if row.fact_id is not None})
        decisions = reader.decisions(space)
        episodes = sorted(
            {one.episode_id for one in decisions if one.episode_id is not None}
            | {source.episode_id for fact_id in ids for source in reader.sources(space, fact_id)}
        )
        held = {
            "facts": reader.facts(space, ids),
            "stored": reader.stored_order(space, 0, 1_000_000),
            "beliefs": [reader.beliefs(space, fact_id) for fact_id in ids],
            "links": [reader.links(space, fact_id) for fact_id in ids],
            "sources": [reader.sources(space, fact_id) for fact_id in ids],
            "recalls": reader.recalls(space, ids),
            "kept": reader.kept(space, "", 1_000_000),
            "episodes": [reader.episode(space, episode_id) for episode_id in episodes],
            "told": [reader.facts_of_episode(space, episode_id) for episode_id in episodes],
            "decisions": decisions,
            "of facts": [[one.id for one in reader.decisions(space, fact_id=fact_id)] for fact_id in ids],
            "history": rows,
            "judged": reader.judged(space),
            "answers": sorted(map(repr, reader.answers(space, ids))),
            "conflicts": reader.conflicts(space, None),
            "jobs": reader.jobs(space, LAST, 1_000_000) + reader.jobs(space, LAST, 1_000_000, failed=True),
            "passes": reader.passes(space),
            "runs": reader.story_runs(space, 1_000_000),
            "usage": reader.usage(space),
            "settings": reader.space_settings(space),
            "members": reader.members(space),
            "counts": dict(reader.counts(space)),
        }
    held["tombstones"] = tombstones(memory, believed(memory))
    return {name: _nameless(encode(_plain(part)), space) for name, part in held.items()}


LAST = datetime(9999, 1, 1, tzinfo=UTC)


def _plain(value: Any) -> Any:
    """Nouns and sets as what the codec takes."""
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _nameless(value: Any, space: str) -> Any:
    """Without the name of the space, which a copy need not share."""
    if isinstance(value, dict):
        return {name: _nameless(item, space) for name, item in value.items() if name != "space_id"}
    if isinstance(value, list):
        return [_nameless(item, space) for item in value]
    return value
