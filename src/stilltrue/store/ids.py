"""Which row does somebody mean who gives a piece of an id? The one that begins or ends so, if it is the only one.

Answer: `find` looks among rows of several kinds at once, so that what may name a fact or an episode never takes the
first that fits. An id of another space is as unknown as one that never was, and told in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.ids import SpaceId
    from stilltrue.store.session import Session

SHORTEST_FRAGMENT: Final = 6
_COLUMNS: Final = {
    "facts": ("facts", "fact_id", "fact"),
    "episodes": ("episodes", "episode_id", "episode"),
    "decisions": ("decisions", "decision_id", "decision"),
    "batches": ("decisions", "batch_id", "batch"),
    "conflicts": ("conflicts", "conflict_id", "conflict"),
}


def not_found(noun: str, identifier: str) -> NotFoundError:
    """The same words for an unknown id and for one of another space."""
    return NotFoundError(f"there is no {noun} {identifier!r} in this space; check the id, and that the space is right")


def find(session: Session, space: SpaceId, tables: Sequence[str], fragment: str) -> tuple[str, str]:
    """In which of some tables an id begins or ends so, and the whole id. Raises NotFoundError, InvalidInputError."""
    unknown = [table for table in tables if table not in _COLUMNS]
    if unknown:
        raise InvalidInputError(f"no ids are kept under {unknown[0]!r}; choose one of {', '.join(_COLUMNS)}")
    part = fragment.strip().lower()
    if len(part) < SHORTEST_FRAGMENT:
        raise InvalidInputError(f"{fragment!r} is too short for an id; give at least {SHORTEST_FRAGMENT} characters")
    fits = [(table, found) for table in tables for found in _fitting(session, space, table, part)]
    whole = [one for one in fits if one[1] == part]
    nouns = [_COLUMNS[table][2] for table in tables]
    if not fits:
        raise not_found(" or ".join(nouns), fragment)
    if len(whole or fits) > 1:
        raise InvalidInputError(
            f"{fragment!r} fits several ids of this space; give more characters of the {' or '.join(nouns)} id"
        )
    return (whole or fits)[0]


def _fitting(session: Session, space: SpaceId, table: str, part: str) -> list[str]:
    name, column, _ = _COLUMNS[table]
    sql = (
        f"SELECT {column} FROM (SELECT DISTINCT {column} FROM {name} WHERE space_id = :space AND "
        f"(substr({column}, 1, :length) = :part OR substr({column}, -:length) = :part)) "
        f"ORDER BY {column} = :part DESC LIMIT 3"
    )
    return [str(row[0]) for row in session.rows(sql, {"space": space, "part": part, "length": len(part)})]
