"""What does an export of another memory hold? `read_holdings`, for Mem0, LangGraph and plain JSONL.

Every record keeps the line on which it begins, and its owner: entries of two owners are never compared. A record that
cannot be read is named with its line and passed over. Left to others: the versions of a Mem0 history
(`audit.mem0_records`), the shapes of the formats (`formats`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from stilltrue.audit.entries import Entry, Holdings, with_claims
from stilltrue.audit.mem0_records import mem0_entries
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields, langgraph, mem0
from stilltrue.formats.lifecycle import End, Ending, ending, predecessors, successors, until
from stilltrue.formats.lines import LineError, as_object, decode, json_lists
from stilltrue.formats.stores import StoreFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from stilltrue.audit.mem0_records import Row
    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings


_LISTS: Final = {
    StoreFormat.MEM0: mem0.KEYS,
    StoreFormat.LANGGRAPH: langgraph.KEYS,
    StoreFormat.JSONL: ("memories", "records", "items", "facts", "results"),
}
_TEXTS: Final = ("text", "memory", "content", "fact", "statement")
_SAID: Final = ("said_at", "at", "created_at", "timestamp", "date", "valid_from", "recorded_at", "updated_at")
_OWNERS: Final = ("user_id", "user", "owner", "space", "namespace", "agent_id", "run_id")
_JOINT: Final = "\x1f"


def read_holdings(paths: Sequence[Path], form: StoreFormat, settings: Settings) -> Holdings:
    """All entries of some exports of one store. Raises InvalidInputError where a file cannot be read at all."""
    rows: list[Row] = []
    skipped: list[tuple[str, str]] = []
    for path in paths:
        for line, found in json_lists(_text(path), *_LISTS[form]):
            try:
                rows.append((str(path), line, as_object(found)))
            except InvalidInputError as error:
                skipped.append((str(path), str(LineError(line, str(error)))))
    if not rows and not skipped:
        raise InvalidInputError(f"{', '.join(map(str, paths))} holds no records; give an export in the format {form}")
    read = {StoreFormat.MEM0: mem0_entries, StoreFormat.LANGGRAPH: _items, StoreFormat.JSONL: _plain}[form]
    entries: list[Entry] = []
    for item in read(rows):
        if isinstance(item, Entry):
            entries.append(with_claims(_of_owner(item), settings))
        else:
            skipped.append((item[0], str(item[1])))
    return Holdings(tuple(entries), tuple(skipped))


def _of_owner(entry: Entry) -> Entry:
    """The entry under a key of its own among those of all owners."""
    by = tuple(f"{entry.space}{_JOINT}{key}" for key in entry.by)
    before = tuple(f"{entry.space}{_JOINT}{key}" for key in entry.supersedes)
    return replace(entry, key=f"{entry.space}{_JOINT}{entry.key}", by=by, supersedes=before)


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror or error}; check its name") from None
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def _plain(rows: Iterable[Row]) -> Iterator[Entry | tuple[str, LineError]]:
    """The lines of a JSONL file. An id that comes again was written anew."""
    versions: dict[tuple[str, str], list[Entry | Ending]] = {}
    for file, line, record in rows:
        try:
            space = _whose(record)
            entry = _entry(file, line, record, _words(record), fields.moment(record, *_SAID), space)
            before = versions.setdefault((space, entry.key), [])
            before.append(replace(entry, key=f"{entry.key}@{len(before)}") if before else entry)
        except InvalidInputError as error:
            yield file, LineError(line, str(error))
    for told in versions.values():
        yield from _put_again(told)


def _words(record: dict[str, Any]) -> str:
    found = next((said for name in _TEXTS if (said := fields.text(record, name)) is not None), None)
    if found is None:
        raise InvalidInputError(f"none of {', '.join(_TEXTS)} holds the words of a memory")
    return found


def _entry(file: str, line: int, record: dict[str, Any], text: str, said_at: Instant | None, space: str) -> Entry:
    name = record.get("id", record.get("key"))
    known = isinstance(name, str | int) and not isinstance(name, bool)
    key = str(name) if known else f"{file}:{line}"
    return Entry(
        key=key,
        id=key,
        file=file,
        line=line,
        text=text,
        space=space,
        said_at=said_at,
        ended=ending(record),
        by=successors(record),
        supersedes=predecessors(record),
        until=until(record),
    )


def _whose(record: dict[str, Any]) -> str:
    """Whose a record is: all that it says of its owners, together."""
    told = (record.get(name) for name in _OWNERS)
    return _JOINT.join(str(one) for one in told if one not in (None, "", []))


def _items(rows: Iterable[Row]) -> Iterator[Entry | tuple[str, LineError]]:
    """The items of a LangGraph store. A key that comes again was put again; a value of null took it out."""
    versions: dict[tuple[str, str], list[Entry | Ending]] = {}
    for file, line, item in rows:
        try:
            space, key = _JOINT.join(langgraph.namespace(item)), fields.needed_text(item, "key")
            before = versions.setdefault((space, key), [])
            before.append(_item(file, line, item, space, f"{key}@{len(before)}" if before else key))
        except InvalidInputError as error:
            yield file, LineError(line, str(error))
    for told in versions.values():
        yield from _put_again(told)


def _item(file: str, line: int, item: dict[str, Any], space: str, key: str) -> Entry | Ending:
    if "value" not in item:
        raise InvalidInputError("'value' is missing")
    value, at = item["value"], fields.moment(item, "updated_at", "created_at")
    if value is None:
        return Ending(End.DELETED, "value: null", at)
    words = langgraph.words(value)
    if words is None:
        raise InvalidInputError(f"none of {', '.join(langgraph.WORDS)} in 'value' holds the words of a memory")
    own = {**item, **(value if isinstance(value, dict) else {})}
    said_at = fields.moment(own, "said_at", "valid_from") or at
    return replace(_entry(file, line, {**own, "id": key}, words, said_at, space), id=item["key"])


def _put_again(told: list[Entry | Ending]) -> Iterator[Entry]:
    for place, one in enumerate(told):
        after = told[place + 1] if place + 1 < len(told) else None
        if isinstance(one, Ending):
            continue
        if isinstance(after, Entry) and one.live:
            yield replace(one, ended=Ending(End.REPLACED, "put again", after.said_at), by=(after.key,))
        elif isinstance(after, Ending) and one.live:
            yield replace(one, ended=after)
        else:
            yield one
