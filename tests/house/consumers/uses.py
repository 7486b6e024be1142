"""A program of somebody else's, as a type checker reads it: every verb of `Memory`, and what comes back from it.

`test_public_api` has mypy read this file beside the installed wheel; it is never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import assert_type

from stilltrue import AsyncMemory, Memory, Settings, StilltrueError, __version__
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action, Decision
from stilltrue.model.verdict import Relation
from stilltrue.read.results import Found, Result
from stilltrue.testing import FrozenClock, ScriptedPairModel, memory


def told(path: str) -> list[str]:
    settings = Settings(shadow_mode=False, author_trust={"ann": 0.9})
    with Memory.open(path, settings=settings, worker=True) as opened:
        opened.start_worker()
        with opened.batch(ask_later=True) as batch:
            decisions = opened.remember("User lives in Oslo.", author="ann", said_at=datetime.now(UTC), wait=True)
        assert_type(decisions, list[Decision])
        acted: list[str] = [one.text for one in decisions if one.action is Action.SUPERSEDE]
        opened.undo(batch)
        return acted + looked_up(opened) + cared_for(opened) + settled(opened)


def looked_up(opened: Memory) -> list[str]:
    found = opened.search("Where does the user live?", limit=3, as_of="2025-01-01")
    assert_type(found, Found)
    results: Sequence[Result] = found.results
    slot = opened.lookup("user", "residence", include_superseded=True)
    assert_type(slot, tuple[Result, ...])
    said = opened.search("Where does the user live?", author="ann").results
    slot += opened.lookup("user", "residence", author="ann")
    answer = opened.ask("Where does the user live?", author="ann")
    held = opened.history(subject="user", attribute="residence")
    why = opened.explain(slot[0].id)
    knobs: Settings = opened.settings
    counts: int = opened.stats().counts["facts"]
    stale = opened.check("Ada still lives in Oslo.")
    texts: list[str] = [one.text for one in (*results, *said, *slot)]
    return [*texts, str(answer), str(held), str(why), knobs.timezone, str(counts), str(stale)]


def cared_for(opened: Memory) -> list[str]:
    done: list[Decision] = opened.drain(asks=False)
    swept = opened.sweep(plan=True)
    tried = opened.backtest({"ask_threshold": 0.6})
    turned: int = len(tried.flips)
    calls: int = opened.estimate().requests
    read = opened.read_story(whole=False, seed="1")
    seen = opened.detect(plan=True)
    faded = opened.maintain(plan=True)
    reviewed = opened.review()
    rows = [row.kind for row in opened.proposals()]
    marked = [opened.confirm(one.fact.id, reason="asked") for one in opened.rechecks()]
    recent: list[Decision] = opened.changes("2025-01-01")
    problems: list[str] = opened.check_invariants()
    kept = [one.text for one in (*done, *marked, *recent)]
    return [*kept, *problems, *rows, str((swept, turned, calls, read, seen, faded, reviewed))]


def settled(opened: Memory) -> list[str]:
    asked = [one.conflict for one in opened.conflicts() if one.conflict.status is ConflictStatus.OPEN]
    for one in asked:
        answer: Decision = opened.resolve(one.id, "keep", keep=one.fact_ids[0], reason="a person said so")
        opened.forget(one.fact_ids[1], never_true=True)
        opened.erase(one.fact_ids[1], reason=answer.text)
    names: tuple[str, ...] = opened.set_members(["ann", "ben"])
    opened.configure(search_limit=3)
    other = opened.in_space("other", member="ann")
    assert_type(other, Memory)
    other.close()
    return [*names, *opened.members(), *opened.spaces(), __version__]


async def awaited(path: str) -> str:
    opened = await AsyncMemory.open(path)
    async with opened:
        decisions = await opened.remember("User lives in Oslo.")
        found = await opened.search("Where does the user live?")
        assert_type(found, Found)
        return decisions[0].text + found.results[0].text


def doubled(at: datetime) -> int:
    judge = ScriptedPairModel(lambda existing, new: Relation.NONE if existing == new else Relation.UPDATE)
    try:
        with memory(FrozenClock(at), pair_model=judge) as opened:
            return len(opened.remember("User lives in Oslo."))
    except StilltrueError as error:
        return len(str(error))
