"""What is a story for `replay`? Dated events and checks, read from a line of a scenario file (a contract).

Answers: `read_story`, and `read_event` for who has events of another form. Checks are kept as they stand: `checks`
knows their kinds and fails the ones it cannot read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import as_object

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something said at an instant; what is None is left to the defaults of `Memory.remember`."""

    at: Instant
    say: str
    author: str | None = None
    topic: str | None = None
    kind: str | None = None
    category: str | None = None
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """Events in the order they are remembered, then what must be true."""

    id: str
    space: str
    events: tuple[Event, ...]
    checks: tuple[Any, ...]


def read_story(line: dict[str, Any]) -> Story:
    """The story of a line. Raises InvalidInputError naming what is wrong, and in which event."""
    return Story(
        id=fields.needed_text(line, "id"),
        space=fields.text(line, "space") or "default",
        events=tuple(read_event(item, number) for number, item in enumerate(_list(line, "events"), start=1)),
        checks=tuple(_list(line, "checks")),
    )


def _list(line: dict[str, Any], key: str) -> list[Any]:
    value = line.get(key)
    if not isinstance(value, list):
        raise InvalidInputError(f"{key!r} is missing; a story has a list of {key}")
    return value


def read_event(item: object, number: int) -> Event:
    """The event that is number `number` of its story. Raises InvalidInputError naming it."""
    try:
        event = as_object(item)
        return Event(
            at=fields.read_moment(event.get("at"), "at"),
            say=fields.needed_text(event, "say"),
            author=fields.text(event, "author"),
            topic=fields.text(event, "topic"),
            kind=fields.text(event, "kind"),
            category=fields.text(event, "category"),
            importance=fields.share(event, "importance"),
        )
    except InvalidInputError as error:
        raise InvalidInputError(f"event {number}: {error}") from None
