"""What shape has a memory of Mem0? As its `get_all`, `search` and exports give it, as a version in its `history`, or as
a point of the vector store that it fills.

Left to others: what such a record becomes (`connect.importers`, `audit.mem0_records`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from stilltrue.formats import fields

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant

KEYS: Final = ("results", "memories", "history")
"""Under which an export keeps its lists."""
OWNERS: Final = ("user_id", "agent_id", "run_id")
_DATE: Final = len("2025-03-01")


def holds_payload(item: dict[str, Any]) -> bool:
    """Whether it is a point of a vector store as Mem0 fills them: the memory lies in its payload."""
    return isinstance(item.get("payload"), dict) and isinstance(item["payload"].get("data"), str)


def flat(item: dict[str, Any]) -> dict[str, Any]:
    """A memory with its fields side by side, also where it is a point of a vector store.

    >>> flat({"id": "m1", "payload": {"data": "Likes tea", "user_id": "ada"}})["memory"]
    'Likes tea'
    """
    if not holds_payload(item):
        return item
    payload = item["payload"]
    return {**payload, "id": item.get("id"), "memory": payload["data"]}


def is_version(item: dict[str, Any]) -> bool:
    """Whether it is a row of a history rather than a memory."""
    return "memory_id" in item and "event" in item


def owner(item: dict[str, Any]) -> str | None:
    """Whose memory it is: of a user, else of an agent, else of a run."""
    return next((str(item[name]) for name in OWNERS if item.get(name) is not None), None)


def is_deleted(item: dict[str, Any]) -> bool:
    """Whether a memory or a row of a history says that it is gone."""
    return bool(item.get("is_deleted") or item.get("deleted")) or item.get("event") == "DELETE"


def expiry(item: dict[str, Any]) -> Instant | None:
    """When it stops to hold; Mem0 names the last day."""
    until = fields.moment(item, "expiration_date")
    whole_day = isinstance(item.get("expiration_date"), str) and len(item["expiration_date"].strip()) == _DATE
    return until + timedelta(days=1) if until is not None and whole_day else until
