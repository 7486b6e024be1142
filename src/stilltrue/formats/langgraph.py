"""What shape has an item of a LangGraph store? A namespace, a key, and a value that somebody chose the form of.

Left to others: what an item becomes (`connect`, `audit.plain_records`).
"""

from __future__ import annotations

from typing import Any, Final

from stilltrue.errors import InvalidInputError

KEYS: Final = ("items", "results", "memories", "data")
"""Under which a dump keeps its list."""
WORDS: Final = ("memory", "text", "content", "fact", "statement", "data")
"""Fields that hold what a value states, the first that is there."""


def is_item(item: dict[str, Any]) -> bool:
    """Whether it has what every item has."""
    return "namespace" in item and "key" in item


def namespace(item: dict[str, Any]) -> tuple[str, ...]:
    """The labels of its namespace, also where they were joined. Raises InvalidInputError.

    >>> namespace({"namespace": ["memories", "ada"]}), namespace({"namespace": "memories.ada"})
    (('memories', 'ada'), ('memories', 'ada'))
    """
    found = item.get("namespace", item.get("prefix"))
    if isinstance(found, str) and found:
        return tuple(found.split("." if "/" not in found else "/"))
    if isinstance(found, list) and found and all(isinstance(label, str) for label in found):
        return tuple(found)
    raise InvalidInputError(f"'namespace' should be a list of labels, not {found!r:.60}")


def words(value: object, depth: int = 3) -> str | None:
    """What a value states: the string itself, or the one under the first of `WORDS`, also one object further in.

    >>> words({"kind": "Memory", "content": {"content": "Likes tea"}}), words({"count": 3})
    ('Likes tea', None)
    """
    if isinstance(value, str):
        return value if value.strip() else None
    if not isinstance(value, dict) or depth == 0:
        return None
    return next((said for name in WORDS if (said := words(value.get(name), depth - 1)) is not None), None)
