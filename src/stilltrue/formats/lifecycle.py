"""Does a foreign record say that it holds no longer, how it ended, and what took its place?

Answer: `ending`, for records that carry their state in fields of their own (JSONL, values of a LangGraph store, Mem0's
metadata). A word that no store uses for an end is none: "done" is the state of a task, not of a memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant


class End(StrEnum):
    """How a record ended. REPLACED: something else says otherwise; DELETED: taken out; EXPIRED: its time was up."""

    REPLACED = "superseded"
    DELETED = "deleted"
    EXPIRED = "expired"


_ENDS: Final = {
    End.REPLACED: ("superseded", "replaced", "updated", "obsolete", "outdated", "stale", "contradicted", "corrected",
                   "invalid", "invalidated", "inactive", "retired", "deprecated", "historical", "narrowed"),
    End.DELETED: ("deleted", "removed", "retracted", "forgotten", "withdrawn", "archived", "tombstone"),
    End.EXPIRED: ("expired", "timed_out", "lapsed"),
}  # fmt: skip
WORD: Final = {word: end for end, words in _ENDS.items() for word in words}
_STATES: Final = ("status", "state", "lifecycle")
_SUCCESSORS: Final = ("superseded_by", "replaced_by", "contradicted_by", "updated_by", "invalidated_by", "retired_by")
_PREDECESSORS: Final = ("supersedes", "replaces", "supersedes_id")
_ENDED_AT: Final = ("retired_at", "superseded_at", "deleted_at", "invalid_at", "expired_at", "archived_at")
_UNTIL: Final = ("valid_until", "expires_at", "expiration_date", "valid_to")
_FLAGS: Final = {"deleted": End.DELETED, "is_deleted": End.DELETED, "superseded": End.REPLACED,
                 "expired": End.EXPIRED, "archived": End.DELETED}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ending:
    """`by`: ids of what took its place, as the record names them. `at`: when it ended. `word`: what the record says."""

    how: End
    word: str
    at: Instant | None = None
    by: tuple[str, ...] = ()


def ending(record: dict[str, Any]) -> Ending | None:
    """How a record ended, by its own fields; None for one that is live. Raises InvalidInputError."""
    told = _told(record)
    by = successors(record)
    at = fields.moment(record, *_ENDED_AT)
    if told is None:
        return Ending(End.REPLACED, "superseded_by", at, by) if by and not _says_live(record) else _by_date(record)
    how, word = told
    return Ending(how, word, at, by)


def successors(record: dict[str, Any]) -> tuple[str, ...]:
    """Ids of what the record says took its place."""
    return tuple(one for key in _SUCCESSORS for one in _ids(record, key))


def predecessors(record: dict[str, Any]) -> tuple[str, ...]:
    """Ids of those whose place the record says it takes."""
    return tuple(one for key in _PREDECESSORS for one in _ids(record, key))


def until(record: dict[str, Any]) -> Instant | None:
    """Until when it says that it holds."""
    return fields.moment(record, *_UNTIL)


def _ids(record: dict[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key)
    items = value if isinstance(value, list) else [] if value in (None, "") else [value]
    if not all(isinstance(one, str | int) and not isinstance(one, bool) for one in items):
        raise InvalidInputError(f"{key!r} should be the id of a record, or a list of such, not {value!r:.60}")
    return tuple(str(one) for one in items)


def _told(record: dict[str, Any]) -> tuple[End, str] | None:
    for key in _STATES:
        word = record.get(key)
        if isinstance(word, str) and word.strip().lower() in WORD:
            return WORD[word.strip().lower()], word.strip().lower()
    for key in ("is_active", "active", "is_current", "current"):
        if record.get(key) is False:
            return End.REPLACED, f"{key}: false"
    return next(((how, key) for key, how in _FLAGS.items() if record.get(key) is True), None)


def _says_live(record: dict[str, Any]) -> bool:
    words = [record[key].strip().lower() for key in _STATES if isinstance(record.get(key), str)]
    return any(word not in WORD for word in words)


def _by_date(record: dict[str, Any]) -> Ending | None:
    at = fields.moment(record, *_ENDED_AT)
    return Ending(End.REPLACED, "retired_at", at) if at is not None and not _says_live(record) else None
