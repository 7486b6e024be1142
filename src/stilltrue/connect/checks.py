"""Is what a story demands true of its memory? The kinds of check of `replay` (a contract), through the public API.

Answers: `failure_of`, which is None for a check that holds. Text matches as a case-insensitive substring of a fact's
text or of the words of an episode that it was taken from.

A *slot* check looks a slot up instead of searching; it and the `query` or `subject` of an open conflict are this
project's own, beside the contract.

What two of them mean where people might differ: a fact is *superseded* by another if its retirement (superseded,
corrected or narrowed) leads there, over however many links, even if it takes effect at a date to come. A fact is *not
superseded* while it is held: active, still to come, or over only because its own stated end has passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import as_object
from stilltrue.model.decision import Action
from stilltrue.model.fact import Retirement, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId
    from stilltrue.read.results import Found, Result

    Wrong: TypeAlias = tuple[str, tuple[str, ...]]

REPLACED: Final = frozenset({Retirement.SUPERSEDED, Retirement.CORRECTED, Retirement.NARROWED})
"""Retirements in which another fact took the place of this one."""

HELD: Final = frozenset({Status.ACTIVE, Status.FUTURE, Status.EXPIRED})

_LIMIT: Final = 10


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that does not hold: what is wrong, and what was there instead."""

    check: object
    wrong: str
    got: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = self.check.get("kind", "?") if isinstance(self.check, dict) else "?"
        found = ", ".join(f'"{text}"' for text in self.got) or "nothing"
        return f"{kind}: {self.wrong}; got {found}"

    def as_json(self) -> dict[str, object]:
        return {"check": self.check, "wrong": self.wrong, "got": list(self.got)}


@dataclass(frozen=True, slots=True)
class Kept:
    """A fact with its quotes, whatever became of it."""

    fact: Fact
    quotes: tuple[str, ...]
    status: Status

    def contains(self, text: str) -> bool:
        return _within(text, self.fact.statement.text, self.quotes)

    def __str__(self) -> str:
        return f"{self.fact.statement.text} ({self.status.value})"


@dataclass
class World:
    """A memory at the end of its story. What it holds is read once: checks change nothing."""

    memory: Memory

    @cached_property
    def decisions(self) -> list[Decision]:
        with self.memory.engine.store.read() as reader:
            return reader.decisions(self.memory.space)

    @cached_property
    def facts(self) -> dict[FactId, Kept]:
        """Every fact that a decision made, retired ones too."""
        now = self.memory.engine.clock.now()
        ids = list(dict.fromkeys(decision.fact_id for decision in self.decisions if decision.fact_id is not None))
        with self.memory.engine.store.read() as reader:
            space = self.memory.space
            return {
                fact.id: Kept(fact, tuple(s.quote for s in reader.sources(space, fact.id)), fact.status(now))
                for fact in reader.facts(space, ids)
            }

    def containing(self, text: str) -> list[Kept]:
        return [kept for kept in self.facts.values() if kept.contains(text)]

    def successors(self, kept: Kept) -> list[Kept]:
        """What took its place, and what took the place of that, and so on."""
        chain: dict[FactId, Kept] = {}
        step: Kept | None = kept
        while step is not None and step.fact.belief is not None and step.fact.belief.retirement in REPLACED:
            following = step.fact.belief.superseded_by
            if following is None or following in chain:
                break
            step = self.facts.get(following)
            if step is not None:
                chain[following] = step
        return list(chain.values())


def failure_of(world: World, check: object) -> Failure | None:
    """What is wrong with a check, or None. A check that cannot be read does not hold."""
    try:
        asked = as_object(check)
        found = _kind(asked)(world, asked)
    except InvalidInputError as error:
        return Failure(check, str(error))
    return None if found is None else Failure(check, *found)


def _kind(check: dict[str, Any]) -> Callable[[World, dict[str, Any]], Wrong | None]:
    kind = fields.needed_text(check, "kind")
    if kind not in KINDS:
        raise InvalidInputError(f"there is no kind of check {kind!r}; it is one of {', '.join(KINDS)}")
    return KINDS[kind]


def _active(world: World, check: dict[str, Any]) -> Wrong | None:
    return _served(world.memory.search(fields.needed_text(check, "query"), limit=_LIMIT), check)


def _as_of(world: World, check: dict[str, Any]) -> Wrong | None:
    query, at = fields.needed_text(check, "query"), fields.needed_text(check, "at")
    return _served(world.memory.search(query, limit=_LIMIT, as_of=at), check)


def _historical(world: World, check: dict[str, Any]) -> Wrong | None:
    query = fields.needed_text(check, "query")
    return _served(world.memory.search(query, limit=_LIMIT, include_superseded=True), check)


def _slot(world: World, check: dict[str, Any]) -> Wrong | None:
    return _as_demanded(_in_slot(world, check), check)


def _in_slot(world: World, check: dict[str, Any]) -> Sequence[Result]:
    subject, at = fields.needed_text(check, "subject"), fields.text(check, "at")
    return world.memory.lookup(subject, fields.text(check, "attribute"), as_of=at)


def _served(found: Found, check: dict[str, Any]) -> Wrong | None:
    return _as_demanded(found.results, check)


def _as_demanded(results: Sequence[Result], check: dict[str, Any]) -> Wrong | None:
    served = [(result.text, tuple(source.quote for source in result.sources)) for result in results]
    missing = [text for text in fields.texts(check, "must_include") if not any(_within(text, *one) for one in served)]
    extra = [text for text in fields.texts(check, "must_exclude") if any(_within(text, *one) for one in served)]
    wrong = [f'"{text}" is missing' for text in missing] + [f'"{text}" is served' for text in extra]
    return (", ".join(wrong), tuple(text for text, _ in served)) if wrong else None


def _superseded(world: World, check: dict[str, Any]) -> Wrong | None:
    old, new = fields.needed_text(check, "old"), fields.needed_text(check, "new")
    olds = world.containing(old)
    if any(successor.contains(new) for kept in olds for successor in world.successors(kept)):
        return None
    return f'"{old}" does not lead to "{new}"', _shown([*olds, *world.containing(new)])


def _not_superseded(world: World, check: dict[str, Any]) -> Wrong | None:
    text = fields.needed_text(check, "text")
    found = world.containing(text)
    if found and all(kept.status in HELD for kept in found):
        return None
    return (f'"{text}" is retired' if found else f'no fact contains "{text}"'), _shown(found or world.facts.values())


def _reinforced(world: World, check: dict[str, Any]) -> Wrong | None:
    text, times = fields.needed_text(check, "text"), check.get("times", 1)
    if isinstance(times, bool) or not isinstance(times, int):
        raise InvalidInputError("'times' should be a whole number")
    ids = {kept.fact.id for kept in world.containing(text)}
    count = sum(d.action is Action.REINFORCE and not ids.isdisjoint(d.targets) for d in world.decisions)
    if count >= times:
        return None
    done = tuple(f"{decision.action.value}: {decision.text}" for decision in world.decisions)
    return f'"{text}" was reinforced {count} times, not {times}', done


def _conflict_open(world: World, check: dict[str, Any]) -> Wrong | None:
    involved, kind = fields.texts(check, "involving"), fields.text(check, "conflict_kind")
    about = _about(world, check)
    questions = []
    for opened in world.memory.conflicts():
        facts = [world.facts[fact_id] for fact_id in opened.conflict.fact_ids if fact_id in world.facts]
        fits = kind in (None, opened.conflict.kind.value)
        fits &= about is None or not about.isdisjoint(opened.conflict.fact_ids)
        if fits and all(any(kept.contains(text) for kept in facts) for text in involved):
            return None
        questions.append(f"{opened.conflict.kind.value}: {opened.conflict.question}")
    wanted = f"no open {kind or 'conflict'} involves {', '.join(map(repr, involved)) or 'anything'}"
    return wanted, tuple(questions)


def _about(world: World, check: dict[str, Any]) -> set[FactId] | None:
    """The facts that a conflict is to be about, by a query or a slot; None where neither is given."""
    if "query" in check:
        found = world.memory.search(fields.needed_text(check, "query"), limit=_LIMIT).results
    elif "subject" in check:
        found = tuple(_in_slot(world, check))
    else:
        return None
    return {result.id for result in found}


def _no_conflict_open(world: World, check: dict[str, Any]) -> Wrong | None:
    del check
    opened = world.memory.conflicts()
    questions = tuple(f"{item.conflict.kind.value}: {item.conflict.question}" for item in opened)
    return ("a conflict is open", questions) if opened else None


def _within(text: str, words: str, quotes: Iterable[str]) -> bool:
    sought = text.casefold()
    return sought in words.casefold() or any(sought in quote.casefold() for quote in quotes)


def _shown(found: Iterable[Kept]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(kept) for kept in found))


KINDS: Final[Mapping[str, Callable[[World, dict[str, Any]], Wrong | None]]] = {
    "active": _active,
    "as_of": _as_of,
    "slot": _slot,
    "historical": _historical,
    "superseded": _superseded,
    "not_superseded": _not_superseded,
    "conflict_open": _conflict_open,
    "no_conflict_open": _no_conflict_open,
    "reinforced": _reinforced,
}
