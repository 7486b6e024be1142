"""Does a sentence tell a new figure of what it does not name ("Down to 45 ms", "This drops from 1.2 GB to 340 MB")?

Answers with the figure that was left, where it is told, and the new one. Whose figure it is, the talk tells:
`write.continuing`. Sentences that name what they measure are read by `rules.slots`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.model.slot import ValueType
from stilltrue.rules.quantities import find_values

if TYPE_CHECKING:
    from stilltrue.model.slot import Value

_MOVED: Final = (
    r"(?:(?:has|have|is|are|was|now|just|already|it's|we're)\s+)*"
    r"(?:down|up|dropp?(?:s|ed)?|went|goes|go|fell|falls|rose|rises|grew|grows|shr[aiu]nks?|reduced|cut|improved|"
    r"increased|jump(?:s|ed)|came)"
)
_OPENS: Final = re.compile(
    r"^(?:(?:now|and|so|that's|it's|which is|we're|wow|great|nice|yes|ok|okay|confirmed)[,!.]?\s+)*+"
    rf"(?:(?:it|this|that|they|these)\s+{_MOVED}|{_MOVED})(?:\s+(?:it|down|up|all the way|again|now))*"
    r"\s+(?=from\b|to\b)",
    re.IGNORECASE,
)
_ARROW: Final = re.compile(r"\s*(?:→|->|=>|⟶)\s*")
_LINK: Final = re.compile(r"^\s*(?:from\s+)?$", re.IGNORECASE)
_TO: Final = re.compile(r"^\s*(?:down\s+|up\s+)?to\s+(?:only\s+|just\s+|about\s+|around\s+|~\s*)?$", re.IGNORECASE)
_MEASURED: Final = frozenset({ValueType.NUMBER, ValueType.DURATION, ValueType.MONEY, ValueType.RATIO})


@dataclass(frozen=True, slots=True)
class Move:
    """From one figure (None: not told) to another of the same kind."""

    left: Value | None
    now: Value


def move(sentence: str) -> Move | None:
    """The move that a sentence without a subject of its own tells.

    >>> move("This drops from 1.2GB to 340MB").now.text, move("Down to 45ms.").left
    ('340MB', None)
    >>> move("2.3s → 45ms is a speedup").left.text
    '2.3s'
    >>> move("Query time dropped to 45ms"), move("Down to the river"), move("We moved from Oslo to Bergen")
    (None, None, None)
    """
    found = [(span.start, span.end, value) for span, value in find_values(sentence) if _is_measure(value)]
    if not found:
        return None
    if not sentence[: found[0][0]].strip() and len(found) > 1:
        first, second = found[0], found[1]
        return _joined(first[2], second[2]) if _ARROW.fullmatch(sentence[first[1] : second[0]]) else None
    opens = _OPENS.match(sentence)
    if opens is None:
        return None
    first = found[0]
    before = sentence[opens.end() : first[0]]
    if _TO.match(before):
        return Move(None, first[2])
    if _LINK.match(before) and len(found) > 1 and _TO.match(sentence[first[1] : found[1][0]]):
        return _joined(first[2], found[1][2])
    return None


def _joined(left: Value, now: Value) -> Move | None:
    return Move(left, now) if comparable(left, now) and left.key != now.key else None


def comparable(one: Value, other: Value) -> bool:
    """Whether two figures measure the same kind of thing."""
    return one.type is other.type and one.unit == other.unit


def _is_measure(value: Value) -> bool:
    return value.type in _MEASURED and value.number is not None and value.unit is not None
