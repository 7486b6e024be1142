"""What did people and agents say to each other? The formats `sessions` and `messages`.

Every message becomes one record. Where messages carry no time of their own, a minute passes between them, so that
their order is kept.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect import fields
from stilltrue.connect.importers.record import Record, fingerprint
from stilltrue.connect.lines import LineError, as_object, json_records
from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.connect.importers.record import Item, Upload
    from stilltrue.model.timeline import Instant

_STEP: Final = timedelta(minutes=1)
_ALL_PROJECTS: Final = "both"  # how the sessions say that they speak of more than one project
_MACHINE_ROLES: Final = frozenset({"system", "tool", "function", "developer"})
"""What these say is set-up and output, not what anybody claims."""


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
        yield from _session(session, line, begin)
        after = begin + _STEP * len(session["messages"])


def _session_date(session: dict[str, Any]) -> Instant:
    if not isinstance(session.get("messages"), list):
        raise InvalidInputError("'messages' is missing; a session holds a list of messages")
    metadata = session.get("metadata")
    found = fields.moment(as_object(metadata) if metadata is not None else {}, "date")
    if found is None:
        raise InvalidInputError("'metadata.date' is missing; say when the session took place")
    return found


def _session(session: dict[str, Any], line: int, begin: Instant) -> Iterator[Item]:
    project = session["metadata"].get("project")
    named = project if isinstance(project, str) and project not in ("", _ALL_PROJECTS) else None
    mark = fingerprint(session)
    for index, message in enumerate(session["messages"]):
        try:
            record = as_object(message)
            spoken = _spoken(record)
        except InvalidInputError as error:
            yield LineError(line, f"message {index + 1}: {error}")
            continue
        if spoken is not None:
            yield Record(
                line=line,
                text=spoken,
                origin=f"sessions:{mark}:{index}",
                said_at=begin + _STEP * index,
                author=_author(record),
                topic=named,
                role=fields.text(record, "role"),
                given={"qualifiers": {"project": named}} if named else {},
            )


def read_messages(upload: Upload) -> Iterator[Item]:
    """The messages of one conversation: a JSON list, a list under "messages", or one object a line."""
    before: Instant | None = None
    seen: dict[str, int] = {}
    for line, item in json_records(upload.text, "messages"):
        try:
            record = as_object(item)
            spoken = _spoken(record)
            said_at = fields.moment(record, "at", "timestamp", "created_at")
        except InvalidInputError as error:
            yield LineError(line, str(error))
            continue
        if said_at is None and before is not None:
            said_at = before + _STEP
        before = said_at
        if spoken is None:
            continue
        mark = fingerprint(record)
        seen[mark] = seen.get(mark, -1) + 1
        yield Record(
            line=line,
            text=spoken,
            origin=f"messages:{mark}:{seen[mark]}",
            said_at=said_at,
            author=_author(record),
            role=fields.text(record, "role"),
        )


def _spoken(message: dict[str, Any]) -> str | None:
    """What a person or agent said, or None for set-up and tool output."""
    if message.get("role") in _MACHINE_ROLES:
        return None
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
        return content or None
    if content is None and "tool_calls" in message:
        return None
    return fields.needed_text(message, "content")


def _author(message: dict[str, Any]) -> str | None:
    """Who said it. The user is the space's own user, an assistant is itself."""
    named = fields.text(message, "author")
    role = fields.text(message, "role")
    return named or (role if role not in (None, "user", "human") else None)
