"""What was said in a coding session, and how is it kept once only? Claude Code's transcript, read to its end.

A transcript is a file to which a session adds one JSON object a line; its form is nobody's promise, so whatever does
not look as expected is passed over. Kept are the words of the person and of the agent: no tool's output, no agent's
that worked beside, nothing that the program put in by itself. A message's own id is the origin of its episode, so that
a session that is captured again, resumed or copied adds only what is new.

Left to others: what the words say (`Memory.remember`), and when to look (`faces.hooks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.importers.record import fingerprint
from stilltrue.errors import InvalidInputError
from stilltrue.formats.fields import read_moment
from stilltrue.formats.lines import LineError, json_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from stilltrue.memory import Memory
    from stilltrue.model.timeline import Instant

AGENT: Final = "assistant"
_SPEAKERS: Final = frozenset({"user", AGENT})
_PUT_IN: Final = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "[Request inter",
)
"""How messages begin that stand under the person's name and that nobody typed."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said in a session."""

    role: str
    text: str
    origin: str
    said_at: Instant | None


@dataclass(frozen=True, slots=True)
class Captured:
    """How many messages were new, and how many facts were kept of them."""

    messages: int
    facts: int


def capture(memory: Memory, transcript: Path) -> Captured:
    """Remember what was said since the last capture, to be judged later. Raises OSError, StoreError, AccessError."""
    new = _unknown(memory, messages_in(transcript))
    facts = 0
    with memory.batch(ask_later=True):
        for message in new:
            try:
                made = memory.remember(
                    message.text,
                    author=AGENT if message.role == AGENT else None,
                    role=message.role,
                    said_at=message.said_at,
                    origin=message.origin,
                    wait=False,
                )
            except InvalidInputError:
                continue  # binary, or longer than a text may be: nothing anybody would want to be told of
            facts += sum(decision.fact_id is not None for decision in made)
    return Captured(len(new), facts)


def _unknown(memory: Memory, said: list[Message]) -> list[Message]:
    """Those behind the last one that is known: messages are kept in order, so all before it were looked at."""
    with memory.engine.store.read() as reader:
        for index in range(len(said) - 1, -1, -1):
            if reader.episode_of_origin(memory.space, said[index].origin) is not None:
                return said[index + 1 :]
    return said


def messages_in(transcript: Path) -> list[Message]:
    """What people and the agent said, in order. Raises OSError."""
    said: list[Message] = []
    with transcript.open("rb") as stream:
        for _, line in json_lines(stream):
            message = None if isinstance(line, LineError) else _message(line)
            if message is not None:
                said.append(message)
    return said


def _message(line: Mapping[str, Any]) -> Message | None:
    role, told = line.get("type"), line.get("message")
    if role not in _SPEAKERS or not isinstance(told, dict):
        return None
    if any(line.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")):
        return None
    text = _text(told.get("content")).strip()
    if not text or text.startswith(_PUT_IN):
        return None
    own = line.get("uuid")
    mark = own if isinstance(own, str) and own else fingerprint([line.get("sessionId"), line.get("timestamp"), text])
    return Message(str(role), text, f"claude-code:{mark}", _moment(line.get("timestamp")))


def _text(content: object) -> str:
    """The words of a message: a string, or the texts among its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _moment(given: object) -> Instant | None:
    try:
        return read_moment(given) if isinstance(given, str) else None
    except InvalidInputError:
        return None
