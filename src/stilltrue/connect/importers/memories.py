"""What did another memory hold? The format `jsonl`: our own, one memory a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.importers.record import Record, fingerprint
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.formats.lines import LineError, as_object, json_records
from stilltrue.model.fact import Category, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum

    from stilltrue.connect.importers.record import Item, Upload

_WORDS: Final = ("subject", "attribute", "value")
_SHARES: Final = ("importance", "confidence")
_MOMENTS: Final = ("valid_from", "valid_until")


def read_jsonl(upload: Upload) -> Iterator[Item]:
    """One memory a line, with whatever the line states about it."""
    for number, item in json_records(upload.text):
        try:
            line = as_object(item)
            yield Record(
                line=number,
                text=fields.needed_text(line, "text"),
                origin=f"jsonl:{fingerprint(line)}",
                said_at=fields.moment(line, "at", "said_at"),
                author=fields.text(line, "author"),
                topic=fields.text(line, "topic"),
                role=fields.text(line, "role"),
                given=_given(line),
            )
        except InvalidInputError as error:
            yield LineError(number, str(error))


def _given(line: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: fields.text(line, key) for key in _WORDS}
    found |= {key: fields.share(line, key) for key in _SHARES}
    found |= {key: fields.moment(line, key) for key in _MOMENTS}
    found["kind"] = _word(Kind, line, "kind")
    found["category"] = _word(Category, line, "category")
    found["qualifiers"] = fields.qualifiers(line) or None
    found["supersedes"] = fields.texts(line, "supersedes") or None
    return {key: value for key, value in found.items() if value is not None}


def _word(words: type[StrEnum], line: dict[str, Any], key: str) -> str | None:
    value = fields.text(line, key)
    if value is not None and value not in set(words):
        raise InvalidInputError(f"{key!r} is {value!r:.40}; it is one of {', '.join(words)}")
    return value
