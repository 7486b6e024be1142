"""Which format is a file in? Told from its content; its name only breaks ties between prose and Markdown."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.importers.chat import is_session
from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import json_records, one_object
from stilltrue.formats.mem0 import holds_payload

if TYPE_CHECKING:
    from stilltrue.connect.importers.record import Upload

_PROSE_ENDINGS: Final = (".md", ".markdown", ".mdc", ".txt")
_RECORDS_LOOKED_AT: Final = 50


class Format(StrEnum):
    """What `--format` can name."""

    MESSAGES = "messages"
    SESSIONS = "sessions"
    JSONL = "jsonl"
    MEM0 = "mem0"
    MARKDOWN = "markdown"


def named(word: str) -> Format:
    """The format of that name. Raises InvalidInputError."""
    try:
        return Format(word)
    except ValueError:
        raise InvalidInputError(f"there is no format {word!r}; it is one of {', '.join(Format)}") from None


def guess(upload: Upload) -> Format:
    """The format of a file. Raises InvalidInputError where the content tells nothing."""
    text = upload.text.lstrip()
    structured = text.startswith(("[", "{"))
    found = _of_records(text) if structured else None
    if found is None and upload.name.lower().endswith(_PROSE_ENDINGS):
        return Format.MARKDOWN
    if found is None and not structured and _looks_marked(text):
        return Format.MARKDOWN
    if found is None:
        raise InvalidInputError(f"cannot tell the format of the file; name it with --format ({', '.join(Format)})")
    return found


def _of_records(text: str) -> Format | None:
    """By the object that the text is, where that is a conversation, else by the first record that tells."""
    whole = one_object(text)
    if whole is not None and isinstance(whole.get("messages"), list):
        return Format.SESSIONS if is_session(whole) else Format.MESSAGES
    for _, item in islice(
        json_records(text, "sessions", "messages", "results", "memories", "history"), _RECORDS_LOOKED_AT
    ):
        found = _of_object(item) if isinstance(item, dict) else None
        if found:
            return found
    return None


def _of_object(item: dict[str, Any]) -> Format | None:
    if isinstance(item.get("messages"), list):
        return Format.SESSIONS
    if "memory" in item or ("memory_id" in item and "new_memory" in item) or holds_payload(item):
        return Format.MEM0
    if "role" in item or "content" in item:
        return Format.MESSAGES
    return Format.JSONL if "text" in item else None


def _looks_marked(text: str) -> bool:
    return any(line.lstrip().startswith(("# ", "## ", "### ", "- ", "* ", "+ ", "---")) for line in text.split("\n"))
