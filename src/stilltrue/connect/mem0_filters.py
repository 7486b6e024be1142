"""Does a memory fit a Mem0 filter, and does the filter say whose memories are meant?

Mem0's operators: equality, eq, ne, in, nin, gt, gte, lt, lte, contains, icontains, "*", and AND, OR, NOT over lists.
Fields are the ids, the dates, role and actor_id, and whatever the metadata holds, also as {"metadata": {...}}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

IDS: Final = ("user_id", "agent_id", "run_id")

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda has, want: has == want,
    "ne": lambda has, want: has != want,
    "in": lambda has, want: has in want,
    "nin": lambda has, want: has not in want,
    "gt": lambda has, want: has > want,
    "gte": lambda has, want: has >= want,
    "lt": lambda has, want: has < want,
    "lte": lambda has, want: has <= want,
    "contains": lambda has, want: want in has,
    "icontains": lambda has, want: str(want).casefold() in str(has).casefold(),
}


def fits(record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a memory, as a flat record, fits. Raises InvalidInputError for an operator that there is not.

    >>> fits({"user_id": "ann", "n": 3}, {"user_id": "ann", "OR": [{"n": {"gt": 5}}, {"n": {"lte": 3}}]})
    True
    >>> fits({"user_id": "ann"}, {"user_id": "ann", "NOT": [{"user_id": "*"}]})
    False
    """
    return all(_part_fits(record, key, want) for key, want in wanted.items())


def _part_fits(record: Mapping[str, Any], key: str, want: object) -> bool:
    if key == "AND":
        return all(fits(record, part) for part in _parts(key, want))
    if key == "OR":
        return any(fits(record, part) for part in _parts(key, want))
    if key == "NOT":
        return not any(fits(record, part) for part in _parts(key, want))
    if key == "metadata" and isinstance(want, dict):
        return fits(record, want)
    has = record.get(key)
    if want == "*":
        return has is not None
    if isinstance(want, dict):
        return all(_compares(has, operator, bound) for operator, bound in want.items())
    return has == want


def _parts(key: str, want: object) -> list[Mapping[str, Any]]:
    parts = [want] if isinstance(want, dict) else want
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise InvalidInputError(f"{key} in a filter takes a list of conditions, not {want!r:.60}")
    return parts


def _compares(has: object, operator: str, bound: object) -> bool:
    compares = _operator(operator)
    if has is None:
        return operator in ("ne", "nin")
    try:
        return bool(compares(has, bound))
    except TypeError:
        return False


def _operator(name: str) -> Callable[[Any, Any], bool]:
    if name not in _OPERATORS:
        raise InvalidInputError(f"there is no filter operator {name!r:.40}; it is one of {', '.join(_OPERATORS)}")
    return _OPERATORS[name]


def check(wanted: Mapping[str, Any]) -> None:
    """Raises InvalidInputError for a filter that cannot be meant, whatever it would be asked of."""
    for key, want in wanted.items():
        if key in ("AND", "OR", "NOT"):
            for part in _parts(key, want):
                check(part)
        elif key == "metadata" and isinstance(want, dict):
            check(want)
        elif isinstance(want, dict):
            for operator in want:
                _operator(operator)


def is_scoped(wanted: Mapping[str, Any]) -> bool:
    """Whether a filter names somebody's id, in each of its alternatives: what does not would show everybody's memories.

    >>> is_scoped({"AND": [{"user_id": "ann"}, {"n": 1}]}), is_scoped({"OR": [{"user_id": "ann"}, {"n": 1}]})
    (True, False)
    >>> is_scoped({"user_id": "*"}), is_scoped({"NOT": [{"user_id": "ann"}]}), is_scoped({"user_id": {"ne": "ann"}})
    (False, False, False)
    """
    return any(_names(key, want) for key, want in wanted.items())


def _names(key: str, want: object) -> bool:
    if key == "AND":
        return any(is_scoped(part) for part in _parts(key, want))
    if key == "OR":
        return all(is_scoped(part) for part in _parts(key, want))
    if key not in IDS:
        return False
    if isinstance(want, dict):
        return bool({"eq", "in"} & want.keys())
    return want is not None and want != "*"


def may_fit(ids: Mapping[str, str | None], wanted: Mapping[str, Any]) -> bool:
    """Whether memories of these ids can fit at all: by the ids alone, so that others' need not be read."""
    for key, want in wanted.items():
        if key == "AND" and not all(may_fit(ids, part) for part in _parts(key, want)):
            return False
        if key == "OR" and not any(may_fit(ids, part) for part in _parts(key, want)):
            return False
        if key in IDS and not _part_fits(ids, key, want):
            return False
    return True
