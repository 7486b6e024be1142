"""Of which other memories can exports be examined? A name each."""

from __future__ import annotations

from enum import StrEnum


class StoreFormat(StrEnum):
    """What `--store` can name."""

    MEM0 = "mem0"
    LANGGRAPH = "langgraph"
    JSONL = "jsonl"
