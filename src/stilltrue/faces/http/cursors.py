"""Where does the next page begin? A cursor says so, and it can be neither made up nor carried to another list.

It holds the last thing that was shown, not a count of things, and the instants that the first page was read for: a
write between two pages neither repeats nor hides anything.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stilltrue.errors import InvalidInputError

_SIGNED: Final = 16


@dataclass(frozen=True, slots=True)
class Cursors:
    """Makes and reads cursors with one key."""

    key: bytes

    def made(self, of: Sequence[object], place: object) -> str:
        """A cursor behind `place` in the list that `of` names: the verb, the space and all that narrows it."""
        told = json.dumps(place, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._sign(of, told) + told).decode().rstrip("=")

    def read(self, of: Sequence[object], cursor: str | None) -> Any:  # noqa: ANN401 - the place as it was given
        """The place in it; None without a cursor. Raises InvalidInputError for one that was not made for this list."""
        if cursor is None:
            return None
        try:
            raw = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except (binascii.Error, ValueError):
            raw = b""
        if not hmac.compare_digest(self._sign(of, raw[_SIGNED:]), raw[:_SIGNED]):
            raise InvalidInputError("this cursor was not made for this list; start again without one")
        return json.loads(raw[_SIGNED:])

    def _sign(self, of: Sequence[object], told: bytes) -> bytes:
        scope = json.dumps(list(of)).encode()
        return hmac.digest(self.key, len(scope).to_bytes(8, "big") + scope + told, hashlib.sha256)[:_SIGNED]


def page(items: Iterable[tuple[str, Any]], after: str | None, limit: int) -> tuple[list[Any], str | None]:
    """The items behind the one named `after`, and the name of the last shown if more follow.

    Raises InvalidInputError where that item is not in the list any more.

    >>> page([("a", 1), ("b", 2), ("c", 3)], None, 2)
    ([1, 2], 'b')
    >>> page([("a", 1), ("b", 2), ("c", 3)], "b", 2)
    ([3], None)
    """
    named = list(items)
    names = [name for name, _ in named]
    if after is not None and after not in names:
        raise InvalidInputError("what this cursor stood behind has left the list; start again without one")
    start = 0 if after is None else names.index(after) + 1
    shown = named[start : start + limit]
    return [item for _, item in shown], shown[-1][0] if start + limit < len(named) else None
