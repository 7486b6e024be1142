"""What did Mem0 hold, version by version? Its memories joined with the rows of its history.

A row of a history that is followed by another was given up for it, or deleted. What the memories say counts as served,
also where the history knows better: then the memory is told as disowned. Rows of a memory that the export has not, and
that name no owner, belong to the only owner there is, else to nobody.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.audit.entries import Disowned, Entry
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields, mem0
from stilltrue.formats.lifecycle import End, Ending, ending, predecessors, successors
from stilltrue.formats.lines import LineError
from stilltrue.rules.text import normal_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.model.timeline import Instant

Row: TypeAlias = tuple[str, int, dict[str, Any]]
"""A record with the file and the line on which it begins."""

DELETED: Final = "event DELETE"
UPDATED: Final = "event UPDATE"
ENDS: Final = "its history ends in a deletion"


@dataclass(frozen=True, slots=True)
class _Version:
    """A row of a history. `text` None: the memory was deleted with it."""

    file: str
    line: int
    at: Instant
    text: str | None
    before: str | None
    owner: str | None


def mem0_entries(rows: Sequence[Row]) -> Iterator[Entry | tuple[str, LineError]]:
    """The memories of an export and their earlier versions."""
    memories: dict[str, Entry] = {}
    histories: dict[str, list[_Version]] = defaultdict(list)
    for file, line, found in rows:
        item = mem0.flat(found)
        try:
            if mem0.is_version(item):
                version = _version(file, line, item)
                histories[str(item["memory_id"])].append(version)
            else:
                entry = _memory(file, line, item)
                memories[entry.key] = entry
        except InvalidInputError as error:
            yield file, LineError(line, str(error))
    owners = {entry.space for entry in memories.values()}
    only = next(iter(owners)) if len(owners) == 1 else None
    whole = bool(memories)
    for name, versions in histories.items():
        memory = memories.pop(name, None)
        dated = sorted(versions, key=lambda one: (one.at, one.line))
        yield from _history(name, dated, memory, only, whole=whole)
    yield from memories.values()


def _memory(file: str, line: int, item: dict[str, Any]) -> Entry:
    text = fields.needed_text(item, "memory")
    metadata = item["metadata"] if isinstance(item.get("metadata"), dict) else {}
    told = {**metadata, **item}
    gone = Ending(End.DELETED, "deleted", fields.moment(item, "updated_at")) if mem0.is_deleted(item) else None
    name = str(item["id"]) if item.get("id") is not None else f"{file}:{line}"
    return Entry(
        key=name,
        id=name,
        file=file,
        line=line,
        text=text,
        space=_owner(item) or "",
        said_at=fields.moment(item, "updated_at", "created_at"),
        ended=ending(told) or gone,
        by=successors(told),
        supersedes=predecessors(told),
        until=mem0.expiry(item),
    )


def _owner(item: dict[str, Any]) -> str | None:
    told = [str(item[name]) for name in mem0.OWNERS if item.get(name) is not None]
    return "\x1f".join(told) or None


def _version(file: str, line: int, row: dict[str, Any]) -> _Version:
    at = fields.moment(row, "updated_at", "created_at")
    if at is None:
        raise InvalidInputError("neither 'updated_at' nor 'created_at' says when this change was made")
    if row["event"] not in ("ADD", "UPDATE", "DELETE"):
        raise InvalidInputError(f"'event' is {row['event']!r:.40}; it is one of ADD, UPDATE, DELETE")
    text = None if mem0.is_deleted(row) else fields.needed_text(row, "new_memory")
    return _Version(file, line, at, text, fields.text(row, "old_memory"), _owner(row))


def _history(
    name: str, versions: list[_Version], memory: Entry | None, only: str | None, *, whole: bool
) -> Iterator[Entry]:
    """The versions of one memory: each given up for the next one, the last one served if anything is."""
    owner = next((one.owner for one in versions if one.owner is not None), only)
    space = memory.space if memory is not None else owner if owner is not None else f"\x1f{name}"
    told = _told(name, versions, space)
    if memory is not None:
        yield from _beside(told, memory, versions[-1])
    elif whole and told and told[-1].live:
        yield from told[:-1]  # the memories lack it and no row says why: nothing is known of it
    else:
        yield from told


def _told(name: str, versions: list[_Version], space: str) -> list[Entry]:
    found: list[Entry] = []
    first = versions[0]
    if first.before is not None and first.text != first.before:
        said = _Version(first.file, first.line, first.at, first.before, None, None)
        found.append(replace(_entry(name, 0, said, space), said_at=None))
    for place, version in enumerate(versions):
        if version.text is not None:
            found.append(_entry(name, place + 1, version, space))
        if found and version.text is None:
            found[-1] = replace(found[-1], ended=Ending(End.DELETED, DELETED, version.at), by=())
    for place in range(len(found) - 1):
        if found[place].live:
            after = found[place + 1]
            found[place] = replace(found[place], ended=Ending(End.REPLACED, UPDATED, after.said_at), by=(after.key,))
    return found


def _entry(name: str, place: int, version: _Version, space: str) -> Entry:
    return Entry(
        key=f"{name}@{place}",
        id=name,
        file=version.file,
        line=version.line,
        text=version.text or "",
        space=space,
        said_at=version.at,
    )


def _beside(told: list[Entry], memory: Entry, last: _Version) -> Iterator[Entry]:
    """The earlier versions, and the memory as the export has it, with what its history says against it."""
    served = normal_hash(memory.text)
    if last.text is None:
        yield memory if not memory.live else replace(memory, disowned=Disowned(last.line, ENDS))
        yield from (one for one in told if normal_hash(one.text) != served)
        return
    if normal_hash(last.text) == served:
        dated = replace(memory, said_at=last.at)
        keys = {told[-1].key: dated.key}
        yield dated
        yield from (replace(one, by=tuple(keys.get(key, key) for key in one.by)) for one in told[:-1])
        return
    known = [one for one in told[:-1] if normal_hash(one.text) != served]
    if len(known) < len(told) - 1:
        goes_on = Disowned(last.line, f"its history goes on: “{last.text}”", told[-1])
        yield replace(memory, disowned=goes_on) if memory.live else memory
        yield from known
        return
    yield memory
    gone = Ending(End.REPLACED, UPDATED, memory.said_at)
    yield from (*known, replace(told[-1], ended=gone, by=(memory.key,)))
