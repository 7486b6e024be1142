"""What is known of a subject, or of one attribute of it? No ranking, no guessing: the slot's own rows (C12).

Names are brought into the form that extraction stores (`rules.slots`), so "City" finds what was kept as "residence".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.ports import Filter
from stilltrue.read.present import present
from stilltrue.rules.text import normalise

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.read.results import Result


def lookup(
    engine: Engine,
    space: SpaceId,
    subject: str,
    key: str | None = None,
    *,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
    include_superseded: bool = False,
) -> tuple[Result, ...]:
    """Facts of `subject` (and attribute `key`), newest valid time first; by default those that hold now.

    Raises InvalidInputError for a blank subject or key, StoreError.
    """
    name, attribute = slot_names(subject, key)
    at = engine.clock.now() if as_of is None else as_of
    where = Filter(at, known_at, include_superseded)
    with engine.store.read() as reader:
        facts = reader.lookup(space, name, attribute, where)
        return tuple(present(reader, space, fact, at=at, known_at=known_at) for fact in facts)


def slot_names(subject: str, attribute: str | None) -> tuple[str, str | None]:
    """Subject and attribute as stored. Raises InvalidInputError where one is blank."""
    name = normalise(subject)
    if not name:
        raise InvalidInputError("the subject is empty; name whom or what to look up, for example: user")
    if attribute is None:
        return name, None
    key = normalise(attribute)
    if not key:
        raise InvalidInputError("the key is empty; leave it out to get all that is known of the subject")
    return name, key
