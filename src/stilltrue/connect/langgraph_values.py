"""Which words of a LangGraph value are a statement, and does a value or a namespace fit what is asked for?

A value is taken apart into the strings that claim something and the rest, and put together again exactly. Paths are
LangGraph's own (`metadata.title`, `chapters[*].text`, `{a,b}`). Filters and conditions mean what they mean to
LangGraph's in-memory store, but for one thing: what cannot be compared does not fit, where that store raises TypeError.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from langgraph.store.base import MatchCondition

Place: TypeAlias = tuple[str | int, ...]
"""The keys and numbers that lead to a string inside a value."""

_BETWEEN: Final = "\n\n"
"""Between the statements of one value: a new paragraph, so that no sentence runs on into the next."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A value taken apart: `rest` has None in the `places` whose strings make up `words`, at `spans`."""

    rest: dict[str, Any]
    words: str
    places: tuple[Place, ...]
    spans: tuple[tuple[int, int], ...]


def take_apart(value: Mapping[str, Any], paths: Sequence[Sequence[str]], *, first_only: bool) -> Parts:
    """Take out the strings under `paths` (as tokens); with `first_only` those of the first path that leads to any."""
    places: list[Place] = []
    for path in paths:
        places += [place for place in strings_at(value, path) if place not in places]
        if places and first_only:
            break
    rest = copy.deepcopy(dict(value))
    words, spans = "", []
    for place in places:
        text = _at(value, place)
        start = len(words) + len(_BETWEEN) if words else 0
        words = f"{words}{_BETWEEN}{text}" if words else text
        spans.append((start, start + len(text)))
        _put(rest, place, None)
    return Parts(rest, words, tuple(places), tuple(spans))


def put_together(parts: Parts) -> dict[str, Any]:
    """The value again, equal to what was taken apart."""
    value = copy.deepcopy(parts.rest)
    for place, (start, end) in zip(parts.places, parts.spans, strict=True):
        _put(value, place, parts.words[start:end])
    return value


def strings_at(value: object, tokens: Sequence[str], place: Place = ()) -> Iterator[Place]:
    """Where the strings are that a path leads to; blank ones claim nothing.

    >>> list(strings_at({"a": [{"b": "x"}, {"b": " "}]}, ["a", "[*]", "b"]))
    [('a', 0, 'b')]
    """
    if not tokens:
        if isinstance(value, str) and value.strip():
            yield place
        return
    token, left = tokens[0], tokens[1:]
    if token.startswith("{") and token.endswith("}"):
        for name in token[1:-1].split(","):
            yield from strings_at(value, [*name.strip().split("."), *left], place)
        return
    for key, item in _steps(value, token):
        yield from strings_at(item, left, (*place, key))


def _steps(value: object, step: str) -> list[tuple[str | int, object]]:
    """The items of a value that one step of a path names."""
    if isinstance(value, dict):
        if step == "*":
            return list(value.items())
        return [(step, value[step])] if step in value else []
    if not isinstance(value, list):
        return []
    if step in ("[*]", "*"):
        return list(enumerate(value))
    number = step[1:-1] if step.startswith("[") and step.endswith("]") else ""
    if not number.removeprefix("-").isdecimal():
        return []
    index = int(number) + (len(value) if number.startswith("-") else 0)
    return [(index, value[index])] if 0 <= index < len(value) else []


def _at(value: Any, place: Place) -> str:  # noqa: ANN401 - JSON
    for key in place:
        value = value[key]
    return str(value)


def _put(value: Any, place: Place, text: str | None) -> None:  # noqa: ANN401 - JSON
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = text


def fits(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has what a filter wants of its fields. Raises InvalidInputError for an unknown operator."""
    return all(_matches(value.get(key), want) for key, want in (wanted or {}).items())


def _matches(has: object, want: object) -> bool:
    if isinstance(want, dict):
        if any(str(key).startswith("$") for key in want):
            return all(_compares(has, operator, bound) for operator, bound in want.items())
        return isinstance(has, dict) and all(_matches(has.get(key), item) for key, item in want.items())
    if isinstance(want, (list, tuple)):
        return isinstance(has, (list, tuple)) and len(has) == len(want) and all(map(_matches, has, want))
    return has == want


_ORDERS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "$gt": lambda has, bound: has > bound,
    "$gte": lambda has, bound: has >= bound,
    "$lt": lambda has, bound: has < bound,
    "$lte": lambda has, bound: has <= bound,
}


def _compares(has: object, operator: str, bound: object) -> bool:
    if operator == "$eq":
        return has == bound
    if operator == "$ne":
        return has != bound
    if operator not in _ORDERS:
        raise InvalidInputError(f"there is no filter {operator!r}; it is one of $eq, $ne, {', '.join(_ORDERS)}")
    try:
        return _ORDERS[operator](float(has), float(bound))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def is_met(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins (or ends) with the path of a condition, in which "*" stands for any label."""
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInputError(f"there is no match type {condition.match_type!r}; it is prefix or suffix")
    path = tuple(condition.path)
    part = (
        namespace[: len(path)] if condition.match_type == "prefix" else namespace[max(0, len(namespace) - len(path)) :]
    )
    return len(part) == len(path) and all(want in ("*", label) for want, label in zip(path, part, strict=True))
