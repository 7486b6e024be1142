"""What do the arguments of Mem0's calls mean, and in which of Mem0's words is a decision told?

Everything a caller may get wrong is found here, before anything is read or written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.mem0_filters import IDS, check, is_scoped
from stilltrue.connect.mem0_shelf import Owner
from stilltrue.errors import InvalidInputError
from stilltrue.model.candidate import Given
from stilltrue.model.decision import Action
from stilltrue.upkeep.detective import noticed
from stilltrue.write.remember import remember

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.connect.mem0_shelf import Shelf
    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Category
    from stilltrue.model.ids import BatchId, FactId
    from stilltrue.write.said import Said

PAGE: Final = 20
"""Memories that a search or a listing gives by default, as Mem0's."""

_SILENT_ROLES: Final = frozenset({"system", "tool", "function", "developer"})
"""What these say is set-up and output, not what anybody claims."""


def owner_of(user_id: object, agent_id: object, run_id: object) -> Owner:
    """Who is meant by the ids. Raises InvalidInputError without any, and for what is no id."""
    ids = dict(zip(IDS, (user_id, agent_id, run_id), strict=True))
    for name, value in ids.items():
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise InvalidInputError(f"{name} is {value!r:.40}; give a string that is not blank, or leave it out")
    if all(value is None for value in ids.values()):
        raise InvalidInputError(f"whose memory is meant is missing; give at least one of {', '.join(IDS)}")
    return Owner(**{name: value.strip() for name, value in ids.items() if isinstance(value, str)})


def wanted_of(filters: Mapping[str, Any] | None, user_id: object, agent_id: object, run_id: object) -> dict[str, Any]:
    """Filters and ids as one filter. Raises InvalidInputError where it would show everybody's memories."""
    wanted = dict(filters or {})
    if (user_id, agent_id, run_id) != (None, None, None):
        wanted |= owner_of(user_id, agent_id, run_id).given
    check(wanted)
    if not is_scoped(wanted):
        raise InvalidInputError(
            f"the filters leave open whose memories are meant; name one of {', '.join(IDS)} (in every part of an OR)"
        )
    return wanted


def most_of(top_k: int | None, limit: int | None) -> int:
    """How many results are wanted, under its new or its old name."""
    most = PAGE if top_k is None and limit is None else (limit if top_k is None else top_k)
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise InvalidInputError(f"top_k (or limit) is {most!r:.40}; give a number from 0 on")
    return most


def messages_of(given: object) -> list[dict[str, Any]]:
    """What is to be remembered, as messages of text. Raises InvalidInputError for what is none."""
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = [messages] if isinstance(messages, dict) else messages
    if not isinstance(messages, list):
        raise InvalidInputError(f"messages is a {type(given).__name__}; give a text, a message or a list of messages")
    found = []
    for number, message in enumerate(messages, start=1):
        if not isinstance(message, dict) or "role" not in message or "content" not in message:
            raise InvalidInputError(f'message {number} is not {{"role": …, "content": …}}')
        text = _text(message["content"])
        if message["role"] not in _SILENT_ROLES and text.strip():
            found.append({**message, "content": text})
    return found


def _text(content: object) -> str:
    """The words of a message whose content may come in parts; pictures claim nothing."""
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def said_whole(
    own: Memory, said: Said, batch_id: BatchId, *, category: Category | None = None, supersedes: tuple[FactId, ...] = ()
) -> list[Decision]:
    """Remember a text as one statement, word for word. Raises what `Memory.remember` raises."""
    given = Given(whole=True, category=category, supersedes=supersedes)
    made = remember(own.engine, own.space, said, given, batch_id, wait=True)
    return noticed(own.engine, own.space, made)


def events_of(shelf: Shelf, decision: Decision) -> list[dict[str, Any]]:
    """A decision in Mem0's words: one event a memory that it made, changed, ended or met again."""
    fact = shelf.fact(decision.fact_id)
    if fact is None or decision.action is Action.REJECT:
        told = [] if decision.action is Action.RETRACT else [{"id": None, "memory": decision.text, "event": "NONE"}]
        return told + _ended(shelf, decision, None)
    first, text = shelf.first(fact), fact.statement.text
    event: dict[str, Any] = {"id": first.id, "memory": text, "event": "ADD"}
    if decision.action is Action.REINFORCE:
        event["event"] = "NONE"
    elif first.id != fact.id:
        event["event"] = "UPDATE"
        event["previous_memory"] = shelf.chain(first.id)[-2].statement.text
    return [event, *_ended(shelf, decision, first.id)]


def _ended(shelf: Shelf, decision: Decision, goes_on: str | None) -> list[dict[str, Any]]:
    """The memories that ended without another text in their place."""
    targets = [fact for target in decision.targets if (fact := shelf.fact(target)) is not None]
    firsts = {fact.id: shelf.first(fact).id for fact in targets}
    return [
        {"id": firsts[fact.id], "memory": fact.statement.text, "event": "DELETE"}
        for fact in targets
        if firsts[fact.id] != goes_on and not shelf.holds(fact)
    ]
