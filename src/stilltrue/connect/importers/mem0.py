"""What did Mem0 hold? The format `mem0`: what its `get_all`, `search` and exports give, its `history`, or raw payloads.

A memory is remembered as of its last change. Rows of a history are versions of one memory: each takes the place of the
one before, and where the history ends in a deletion the last one held until then. What was deleted is not remembered
as true. Of the metadata only the first category is used, as topic; `Mem0Memory.load` keeps all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stilltrue.connect.importers.record import Record, fingerprint
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import LineError, as_object, json_records
from stilltrue.formats.mem0 import KEYS, expiry, flat, is_deleted, is_version, owner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stilltrue.connect.importers.record import Item, Upload
    from stilltrue.model.timeline import Instant


def read_mem0(upload: Upload) -> Iterator[Item]:
    """The memories of an export. Where it holds several users, each is the author of what is remembered of them."""
    memories: list[tuple[int, dict[str, Any]]] = []
    versions: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for line, found in json_records(upload.text, *KEYS):
        try:
            item = flat(as_object(found))
        except InvalidInputError as error:
            yield LineError(line, str(error))
            continue
        if is_version(item):
            versions.setdefault(str(item["memory_id"]), []).append((line, item))
        else:
            memories.append((line, item))
    several = len({owner(item) for _, item in memories}) > 1
    for line, item in memories:
        try:
            if not is_deleted(item):
                yield _memory(item, line, several=several)
        except InvalidInputError as error:
            yield LineError(line, str(error))
    for memory_id, rows in versions.items():
        yield from _history(memory_id, rows)


def _memory(item: dict[str, Any], line: int, *, several: bool) -> Record:
    memory = fields.needed_text(item, "memory")
    until = expiry(item)
    return Record(
        line=line,
        text=memory,
        origin=origin_of(item.get("id"), memory),
        said_at=fields.moment(item, "updated_at", "created_at"),
        author=fields.text(item, "actor_id") or (owner(item) if several else None),
        role=fields.text(item, "role"),
        topic=next(iter(fields.texts(item, "categories")), None),
        given={} if until is None else {"valid_until": until},
    )


def origin_of(memory_id: object, text: str, again: int = 0) -> str:
    """What makes importing a version again harmless."""
    return f"mem0:{fingerprint([memory_id, text, again] if again else [memory_id, text])}"


def _changed_at(row: dict[str, Any]) -> Instant:
    """When a version came to be. Raises InvalidInputError for a row that is no version."""
    at = fields.moment(row, "updated_at", "created_at")
    if at is None:
        raise InvalidInputError("neither 'updated_at' nor 'created_at' says when this change was made")
    if not is_deleted(row):
        fields.needed_text(row, "new_memory")
    return at


def _history(memory_id: str, rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[Item]:
    """The versions of one memory, each in the place of the one before, and its end where it was deleted."""
    dated: list[tuple[Instant, int, dict[str, Any]]] = []
    for line, row in rows:
        try:
            dated.append((_changed_at(row), line, row))
        except InvalidInputError as error:
            yield LineError(line, str(error))
    yield from _versions(memory_id, sorted(dated, key=lambda entry: entry[:2]))


def _versions(memory_id: str, dated: list[tuple[Instant, int, dict[str, Any]]]) -> Iterator[Item]:
    said: list[str] = []
    before: str | None = None
    for number, (at, line, row) in enumerate(dated):
        if is_deleted(row):
            before = None
            continue
        text = row["new_memory"]
        origin = origin_of(memory_id, text, said.count(text))
        said.append(text)
        after = dated[number + 1] if number + 1 < len(dated) else None
        until = after[0] if after is not None and is_deleted(after[2]) else None
        if until is not None and until <= at:
            continue
        yield Record(
            line=line,
            text=text,
            origin=origin,
            said_at=at,
            author=fields.text(row, "actor_id"),
            role=fields.text(row, "role"),
            given={} if until is None else {"valid_until": until},
            replaces=before,
        )
        before = origin
