"""What did people and agents say to each other? The formats `sessions` and `messages`.

Every message becomes one record, with the time and the author that it bears itself. Where messages carry no time of
their own, a minute passes between them, so that their order is kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.importers.record import Record, fingerprint
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import LineError, as_object, json_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.connect.importers.record import Item, Upload
    from stilltrue.model.timeline import Instant

_STEP: Final = timedelta(minutes=1)
_MOMENTS: Final = ("at", "timestamp", "created_at", "date")
_ALL_PROJECTS: Final = "both"  # how the sessions say that they speak of more than one project
_MACHINE_ROLES: Final = frozenset({"system", "tool", "function", "developer"})
"""What these say is set-up and output, not what anybody claims."""
_CALLS: Final = ("tool_calls", "function_call")
"""Beside one of these a message may have nothing to say."""
_OWN_ROLES: Final = frozenset({None, "user", "human"})


def read_sessions(upload: Upload) -> Iterator[Item]:
    """The messages of all sessions, in the order of the sessions' dates."""
    dated: list[tuple[Instant, int, dict[str, Any]]] = []
    for line, item in json_records(upload.text, "sessions"):
        try:
            session = as_object(item)
            dated.append((_session_date(session), line, session))
        except InvalidInputError as error:
            yield LineError(line, str(error))
    after: Instant | None = None
    for start, line, session in sorted(dated, key=lambda entry: entry[0]):
        begin = start if after is None else max(start, after)
        after = begin + _STEP * len(session["messages"])
        for item in _session(session, line, begin):
            if isinstance(item, Record) and item.said_at is not None and item.said_at.date() == begin.date():
                after = max(after, item.said_at + _STEP)
            yield item


def is_session(found: dict[str, Any]) -> bool:
    """Whether an object with messages is one of several sessions, and not just a conversation."""
    metadata = found.get("metadata")
    dated = isinstance(metadata, dict) and "date" in metadata
    return dated or any(found.get(key) for key in ("sessionId", "session_id"))


def _session_date(session: dict[str, Any]) -> Instant:
    """When a session took place: as it says, else when its first dated message was said."""
    if not isinstance(session.get("messages"), list):
        raise InvalidInputError("'messages' is missing; a session holds a list of messages")
    found = fields.moment(_metadata(session), "date")
    for message in session["messages"] if found is None else []:
        found = found or (fields.moment(message, *_MOMENTS) if isinstance(message, dict) else None)
    if found is None:
        raise InvalidInputError("'metadata.date' is missing; say when the session took place")
    return found


def _metadata(session: dict[str, Any]) -> dict[str, Any]:
    metadata = session.get("metadata")
    return as_object(metadata) if metadata is not None else {}


def _session(session: dict[str, Any], line: int, begin: Instant) -> Iterator[Item]:
    project = _metadata(session).get("project")
    named = project if isinstance(project, str) and project.strip() not in ("", _ALL_PROJECTS) else None
    mark = fingerprint(session)
    at = begin - _STEP
    for index, message in enumerate(session["messages"]):
        at += _STEP
        try:
            said = _said(as_object(message))
            at = fields.moment(message, *_MOMENTS) or at
        except InvalidInputError as error:
            yield LineError(line, f"message {index + 1}: {error}")
            continue
        if said is not None:
            yield Record(
                line=line,
                text=said.text,
                origin=f"sessions:{mark}:{index}",
                said_at=at,
                author=said.author,
                topic=named,
                role=said.role,
                given={"qualifiers": {"project": named}} if named else {},
            )


def read_messages(upload: Upload) -> Iterator[Item]:
    """The messages of one conversation: a JSON list, a list under "messages", or one object a line."""
    before: Instant | None = None
    seen: Counter[str] = Counter()
    for line, item in json_records(upload.text, "messages"):
        try:
            message = as_object(item)
            said = _said(message)
            at = fields.moment(message, *_MOMENTS)
        except InvalidInputError as error:
            yield LineError(line, str(error))
            continue
        before = at if at is not None or before is None else before + _STEP
        if said is not None:
            mark = fingerprint(message)
            origin = f"messages:{mark}:{seen[mark]}"
            seen[mark] += 1
            yield Record(line=line, text=said.text, origin=origin, said_at=before, author=said.author, role=said.role)


@dataclass(frozen=True, slots=True)
class _Said:
    """A message that somebody said."""

    text: str
    author: str | None
    role: str | None


def _said(message: dict[str, Any]) -> _Said | None:
    """What a person or agent said, or None for set-up and tool output. Raises InvalidInputError.

    The user is the space's own user and needs no name; an assistant is itself.
    """
    role = fields.text(message, "role")
    content = message.get("content")
    if role in _MACHINE_ROLES or (_is_blank(content) and any(key in message for key in _CALLS)):
        return None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        joined = "\n".join(part for part in parts if isinstance(part, str) and part.strip())
        if not joined:
            return None
    else:
        joined = fields.needed_text(message, "content")
    author = (
        fields.text(message, "author") or fields.text(message, "name") or (role if role not in _OWN_ROLES else None)
    )
    return _Said(joined, author, role)


def _is_blank(content: object) -> bool:
    return content is None or (isinstance(content, str) and not content.strip())
