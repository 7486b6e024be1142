"""What is known of a subject, or of one attribute of it? No ranking, no guessing: the slot's own rows (C12).

Names are brought into the form that extraction stores (`rules.slots`), so "City" finds what was kept as "residence".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.ports import Filter
from stilltrue.read.present import marked_among, present
from stilltrue.rules.attributes import noun_index
from stilltrue.rules.subjects import canonical
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
    author: str | None = None,
) -> tuple[Result, ...]:
    """Facts of `subject` (and attribute `key`), newest valid time first; by default those that hold now, of any author.

    Raises InvalidInputError for a blank subject, key or author, StoreError.
    """
    names = slot_names(subject, key)
    at = engine.clock.now() if as_of is None else as_of
    where = Filter(at, known_at, include_superseded, author=author)
    with engine.store.read() as reader:
        found = {fact.id: fact for name, attribute in names for fact in reader.lookup(space, name, attribute, where)}
        marked = marked_among(reader, space, list(found), at, known_at)
        results = [present(reader, space, fact, at=at, known_at=known_at, marked=marked) for fact in found.values()]
    return tuple(sorted(results, key=_newest_first)) if len(names) > 1 else tuple(results)


def slot_names(subject: str, attribute: str | None) -> tuple[tuple[str, str | None], ...]:
    """The slots that are meant: as written (what a caller gave is kept so), then as extraction names them.

    Raises InvalidInputError where a name is blank.

    >>> slot_names("I", "City"), slot_names("User", None)
    ((('i', 'city'), ('i', 'residence'), ('user', 'city'), ('user', 'residence')), (('user', None),))
    """
    written = normalise(subject)
    if not written:
        raise InvalidInputError("the subject is empty; name whom or what to look up, for example: user")
    subjects = dict.fromkeys((written, canonical(subject) or written))
    return tuple((name, key) for name in subjects for key in _keys(attribute))


def _keys(attribute: str | None) -> tuple[str | None, ...]:
    if attribute is None:
        return (None,)
    written = normalise(attribute)
    if not written:
        raise InvalidInputError("the key is empty; leave it out to get all that is known of the subject")
    listed = noun_index().get(tuple(written.replace("_", " ").split()), written)
    return tuple(dict.fromkeys((written, listed)))


def _newest_first(result: Result) -> tuple[bool, float, str]:
    """Newest valid time first, an open start last."""
    start = result.valid_from
    return (start is None, -start.timestamp() if start else 0.0, result.id)
