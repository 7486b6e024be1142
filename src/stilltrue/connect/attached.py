"""What else did a program hand over with a statement, and where does it stay? In sheets: JSON kept as episodes that
claim nothing.

A sheet belongs to a name (a key, a memory's id); the last one under a name counts, and older ones are its history.
Sheets are durable, exported and erased like anything said, and since no fact points to them no question finds them.
The words that are judged are no part of a sheet but an episode of their own, so that erasing a fact leaves no copy;
`tag` ties the two. Also here: names of spaces made of several words, which must never meet.

What a sheet means is left to the adapters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from stilltrue.errors import InvalidInputError
from stilltrue.model.episode import Episode
from stilltrue.model.fact import Modality, Status
from stilltrue.model.ids import EpisodeId
from stilltrue.write.given import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stilltrue.memory import Memory
    from stilltrue.model.fact import Fact
    from stilltrue.model.ids import FactId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader

_TAG: Final = "#"
"""Between the name and the tag of an origin; `word` leaves none inside a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What was handed over under a name, and when. `episode_id` is what to erase.

    `follows`: of a sheet that was just kept, the one before it under its name, whoever kept that.
    """

    name: str
    tag: str
    body: dict[str, Any]
    kept_at: Instant
    episode_id: EpisodeId
    follows: EpisodeId | None = None


def word(text: str) -> str:
    """A text as one word of a longer name: it has no slash, number sign or unprintable character, and can be read back.

    >>> word("a/b"), word("50%"), word("Zoë #1")
    ('a%2Fb', '50%25', 'Zoë %231')
    """
    try:
        return "".join(char if char.isprintable() and char not in "%/#" else quote(char, safe="") for char in text)
    except UnicodeEncodeError:
        raise InvalidInputError(f"{text!r:.60} holds half a character; a name has to be valid Unicode") from None


def space_name(family: str, words: Iterable[str]) -> str:
    """The space of several words; other words have another. Raises InvalidInputError where that is too long."""
    return checked_name(f"{family}:{'/'.join(word(part) for part in words)}", "space")


def space_words(family: str, space: str) -> tuple[str, ...] | None:
    """What `space_name` was given; None for a space of another family.

    >>> space_words("f", space_name("f", ["a/b", "c"])), space_words("f", "default")
    (('a/b', 'c'), None)
    """
    if not space.startswith(f"{family}:"):
        return None
    return tuple(unquote(part) for part in space.removeprefix(f"{family}:").split("/"))


def new_tag(memory: Memory) -> str:
    """A tag that nothing has yet."""
    return memory.engine.new_id(memory.engine.clock.now())


def said_origin(family: str, tag: str) -> str:
    """The origin of the words that belong to a sheet."""
    return f"{family}-said{_TAG}{tag}"


def exact_json(value: object, what: str) -> str:
    """A value as JSON that reads back equal. Raises InvalidInputError where it would not: a tuple, a date, a NaN."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{what} cannot be kept as JSON ({error}); give strings, numbers, lists, dicts"
        ) from None
    if not _same(json.loads(text), value):
        raise InvalidInputError(
            f"{what} would not come back as it was given: JSON has lists but no tuples, and only strings as keys"
        )
    return text


def _same(read: object, given: object) -> bool:
    """Equal and of the same types all the way down: to Python, True is 1 and 1 is 1.0."""
    if isinstance(read, dict) and isinstance(given, dict):
        return read.keys() == given.keys() and all(_same(read[key], given[key]) for key in read)
    if isinstance(read, list) and isinstance(given, list):
        return len(read) == len(given) and all(map(_same, read, given))
    return type(read) is type(given) and read == given


def keep(memory: Memory, family: str, name: str, tag: str, body: dict[str, Any]) -> Sheet:
    """Put a new sheet under a name. Raises InvalidInputError for what is no JSON or too long, StoreError."""
    text = exact_json(body, "the value")
    limit = memory.settings.max_episode_characters
    if len(text) > limit:
        raise InvalidInputError(
            f"the value has {len(text):,} characters of JSON, over max_episode_characters ({limit:,})"
        )
    engine, space = memory.engine, memory.space
    with engine.store.write(space) as transaction:
        before = sheets(transaction, memory, family, name)
        now = transaction.now
        episode = Episode(
            id=EpisodeId(engine.new_id(now)),
            space_id=space,
            text=text,
            said_at=now,
            recorded_at=now,
            origin=f"{_prefix(family)}{word(name)}{_TAG}{tag}",
        )
        transaction.add_episode(episode)
    follows = before[-1].episode_id if before else None
    return Sheet(name=name, tag=tag, body=body, kept_at=now, episode_id=episode.id, follows=follows)


def sheets(reader: Reader, memory: Memory, family: str, name: str | None = None) -> list[Sheet]:
    """All sheets of a name, or of every name, oldest first; erased ones are not there."""
    prefix = _prefix(family) + ("" if name is None else f"{word(name)}{_TAG}")
    found = [_sheet(episode) for episode in reader.episodes_from(memory.space, prefix)]
    return [sheet for sheet in found if sheet is not None]


def _prefix(family: str) -> str:
    return f"{family}-sheet:"


def _sheet(episode: Episode) -> Sheet | None:
    if not episode.text.strip():
        return None
    name, _, tag = (episode.origin or "").partition(":")[2].rpartition(_TAG)
    return Sheet(
        name=unquote(name), tag=tag, body=json.loads(episode.text), kept_at=episode.recorded_at, episode_id=episode.id
    )


def told(reader: Reader, memory: Memory, family: str) -> dict[str, Episode]:
    """The words that belong to sheets, by tag."""
    prefix = said_origin(family, "")
    return {(item.origin or "").removeprefix(prefix): item for item in reader.episodes_from(memory.space, prefix)}


def facts_of(reader: Reader, memory: Memory, episode_id: EpisodeId) -> tuple[FactId, ...]:
    """The facts that rest on words."""
    return tuple(reader.facts_of_episode(memory.space, episode_id))


def holds(fact: Fact, now: Instant) -> bool:
    """Whether a program that lists what is known is shown a fact: its time is not over.

    What was told as past is over from the start, and no less true.
    """
    status = fact.status(now)
    past = fact.statement.modality is Modality.PAST
    return status in (Status.ACTIVE, Status.FUTURE) or (past and status is Status.EXPIRED)


def holding(reader: Reader, memory: Memory, fact_ids: Sequence[FactId]) -> list[Fact]:
    """Those of some facts that hold now."""
    now = memory.engine.clock.now()
    return [fact for fact in reader.facts(memory.space, fact_ids) if holds(fact, now)]
