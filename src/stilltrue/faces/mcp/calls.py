"""What does a tool do? One call of `Memory`, answered as `faces.wire`'s JSON and as lines for people.

The lines are also for models that are shown only text: every fact stands beside its dates, and remembered words stand
in quotation marks. How a tool is described to an agent is `tools`' business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from stilltrue.errors import InvalidInputError
from stilltrue.faces import checks, render, waterfall, wire
from stilltrue.faces.mcp import arguments as given
from stilltrue.faces.text import Lens, plain
from stilltrue.model.conflict import ConflictStatus
from stilltrue.read.results import Result, Timeline

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision

Answer = tuple[wire.Json, Iterable[str]]


def _passed(arguments: given.Arguments, *left_out: str) -> dict[str, Any]:
    """The arguments as keywords of a verb; what was not given is left to its defaults."""
    return {name: value for name, value in arguments if name not in left_out and value is not None}


# Reading


def search(memory: Memory, arguments: given.SearchMemories, lens: Lens) -> Answer:
    answer = memory.search(arguments.query, **_passed(arguments, "query"))
    return wire.found(answer), render.found(answer, lens)


def ask(memory: Memory, arguments: given.AskMemory, lens: Lens) -> Answer:
    answer = memory.ask(arguments.question, **_passed(arguments, "question"))
    return wire.answered(answer), render.answered(answer, lens)


def check(memory: Memory, arguments: given.CheckText, lens: Lens) -> Answer:
    told = memory.check(arguments.text)
    return wire.checked(told), checks.checked(told, lens)


def get(memory: Memory, arguments: given.GetMemory, lens: Lens) -> Answer:
    fact = fact_of(memory, arguments.memory_id)
    return {"fact": wire.value(fact)}, fact_lines([fact], lens)


def lookup(memory: Memory, arguments: given.GetMemories, lens: Lens) -> Answer:
    facts = memory.lookup(arguments.subject, arguments.attribute, **_passed(arguments, "subject", "attribute"))
    then = arguments.as_of is not None or arguments.known_at is not None
    return wire.results(facts, historical=arguments.include_superseded), render.results(facts, lens, then=then)


def history(memory: Memory, arguments: given.MemoryHistory, lens: Lens) -> Answer:
    told = memory.history(arguments.memory_id, subject=arguments.subject, attribute=arguments.attribute)
    return wire.history(told), render.history(told, lens)


def explain(memory: Memory, arguments: given.ExplainMemory, lens: Lens) -> Answer:
    told = memory.explain(arguments.memory_id)
    return wire.explanation(told), waterfall.explanation(told, lens)


def conflicts(memory: Memory, arguments: given.ListConflicts, lens: Lens) -> Answer:
    cards = memory.conflicts(arguments.status)
    lines = [line for card in cards for line in render.conflict_card(card, lens)]
    if any(card.conflict.status is ConflictStatus.OPEN for card in cards):
        lines.append("Settle one with resolve_conflict, if you know the answer; else ask the user its question.")
    return wire.conflicts(cards), lines or render.conflicts((), lens)


# Writing


def add(memory: Memory, arguments: given.AddMemory, lens: Lens) -> Answer:
    return _decided(memory, memory.remember(arguments.text, **_passed(arguments, "text")), lens)


def update(memory: Memory, arguments: given.UpdateMemory, lens: Lens) -> Answer:
    options = _passed(arguments, "memory_id", "text")
    made = memory.remember(arguments.text, supersedes=arguments.memory_id, **options)
    if not made:
        raise InvalidInputError("the new text states nothing, so nothing was replaced; write one plain statement")
    return _decided(memory, made, lens)


def forget(memory: Memory, arguments: given.DeleteMemory, lens: Lens) -> Answer:
    made = memory.forget(arguments.memory_id, reason=arguments.reason, never_true=arguments.never_true)
    return _decided(memory, [made], lens)


def resolve(memory: Memory, arguments: given.ResolveConflict, lens: Lens) -> Answer:
    made = memory.resolve(arguments.conflict_id, arguments.answer, **_passed(arguments, "conflict_id", "answer"))
    return _decided(memory, [made], lens)


def undo(memory: Memory, arguments: given.UndoDecision, lens: Lens) -> Answer:
    return _decided(memory, [memory.undo(arguments.decision_id)], lens)


def _decided(memory: Memory, made: Sequence[Decision], lens: Lens) -> Answer:
    """What was decided, the questions it opened, and how the facts it touched stand now."""
    asking = any(decision.conflict_id for decision in made)
    questions = {card.conflict.id: card.conflict.question for card in memory.conflicts()} if asking else {}
    lines = list(render.decisions(made, lens, questions))
    touched = [name for decision in made for name in (decision.fact_id, *decision.targets) if name is not None]
    facts = [fact_of(memory, name) for name in dict.fromkeys(touched)]
    if facts:
        lines += ["how these facts stand now:", *fact_lines(facts, lens)]
    lines += [f"decided {lens.moment(one.decided_at)}; to take it back: undo_decision {one.id}" for one in made[:1]]
    return wire.decisions(made), lines


def fact_of(memory: Memory, memory_id: str) -> Result:
    """A fact as it stands now. Raises NotFoundError."""
    told = memory.history(memory_id)
    if isinstance(told, Timeline):
        raise InvalidInputError("this names no single fact; give its id")
    return told.fact


def fact_lines(facts: Iterable[Result], lens: Lens) -> Iterable[str]:
    """Each fact in a line: its id, how it stands and when, its words, who said it when."""
    for fact in facts:
        stands = ", ".join(render.state(fact, lens))
        about = plain(fact.subject) + (f", {plain(fact.attribute)}" if fact.attribute else "")
        yield f"  {lens.name(fact.id)}  {stands}: {render.sentence(fact)}, said {lens.day(fact.said_at)} ({about})"
