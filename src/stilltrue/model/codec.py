"""How do nouns become JSON and come back equal? By their type hints, so that no noun needs code of its own.

History payloads, receipts and exports all go through here. Times are ISO 8601 in UTC, enums their words, tuples lists,
a union of nouns carries the noun's name under "is".
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from stilltrue.errors import InvalidInputError
from stilltrue.model import (
    archive,
    candidate,
    change,
    conflict,
    decision,
    episode,
    fact,
    ids,
    job,
    slot,
    story,
    timeline,
    verdict,
)

T = TypeVar("T")

_MODULES = (archive, candidate, change, conflict, decision, episode, fact, ids, job, slot, story, timeline, verdict)
_NAMES: dict[str, Any] = {"Mapping": typing.Mapping}
for _module in _MODULES:
    _NAMES.update({name: thing for name, thing in vars(_module).items() if not name.startswith("_")})
for _name in ("SpaceId", "EpisodeId", "FactId", "DecisionId", "ConflictId", "BatchId"):
    _NAMES[_name] = str


def encode(value: object) -> Any:  # noqa: ANN401 - JSON-ready values have no narrower type
    """Plain dicts, lists, strings, numbers, booleans and None. Raises InvalidInputError for what is no noun."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return timeline.iso(value)
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    kind: type = type(value)
    if (names := _field_names(kind)) is not None:
        return {"is": kind.__name__, **{name: encode(getattr(value, name)) for name in names}}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    message = f"a {type(value).__name__} cannot be kept as JSON; make it a noun of stilltrue.model"
    raise InvalidInputError(message)


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a noun, None for any other type; asked of every noun in every receipt."""
    return tuple(item.name for item in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def decode(kind: type[T], data: object) -> T:
    """The noun of type `kind` that `data` encodes. Raises InvalidInputError where it does not fit."""
    try:
        return typing.cast("T", _decode(kind, data))
    except (KeyError, TypeError, ValueError) as error:
        message = f"stored {getattr(kind, '__name__', kind)} cannot be read back: {error}"
        raise InvalidInputError(message) from error


def _decode(kind: Any, data: Any) -> Any:  # noqa: ANN401
    origin = typing.get_origin(kind)
    if data is None or kind in (Any, object):
        return data
    if origin in (typing.Union, types.UnionType):
        return _decode_union(typing.get_args(kind), data)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), data)
    if origin is not None and issubclass(origin, typing.Mapping):
        return dict(data)
    if kind is datetime:
        return timeline.instant(datetime.fromisoformat(data))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(**{name: _decode(hints[name], item) for name, item in data.items() if name != "is"})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    return _plain(kind, data)


def _plain(kind: Any, data: Any) -> Any:  # noqa: ANN401
    """Words, numbers and switches as they are, if they are what is asked for: a file may say anything."""
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if kind in (str, int, float, bool) and type(data) is not kind:
        message = f"{data!r:.40} is no {kind.__name__}"
        raise TypeError(message)
    return data


def _decode_union(options: tuple[Any, ...], data: Any) -> Any:  # noqa: ANN401
    real = [option for option in options if option is not type(None)]
    if isinstance(data, dict) and "is" in data:
        real = [option for option in real if getattr(option, "__name__", "") == data["is"]] or real
    return _decode(real[0], data)


def _decode_tuple(inner: tuple[Any, ...], data: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if inner[-1] is Ellipsis:
        return tuple(_decode(inner[0], item) for item in data)
    return tuple(_decode(kind, item) for kind, item in zip(inner, data, strict=True))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, localns=_NAMES)
