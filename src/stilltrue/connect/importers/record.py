"""What does every format turn its file into? Records: one message or statement each, ready to be remembered."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from stilltrue.formats.lines import LineError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision
    from stilltrue.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was read: its text, its name, and when it was last saved (None: not known)."""

    text: str
    name: str = ""
    saved_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One episode to be. `given` holds further keywords of `Memory.remember`, as the file states them.

    `replaces`: the origin of the record whose facts this one takes the place of, where the file says so.
    """

    line: int
    text: str
    origin: str
    said_at: Instant | None = None
    author: str | None = None
    topic: str | None = None
    role: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    replaces: str | None = None

    def remembered_by(self, memory: Memory) -> list[Decision]:
        """Tell it to a memory. Raises what `Memory.remember` raises."""
        return memory.remember(
            self.text,
            author=self.author,
            topic=self.topic,
            said_at=self.said_at,
            role=self.role,
            origin=self.origin,
            **{**self.given, **self._replaced(memory)},
        )

    def _replaced(self, memory: Memory) -> dict[str, Any]:
        """What an earlier record left, unless something else has taken its place since."""
        if self.replaces is None:
            return {}
        with memory.engine.store.read() as reader:
            before = reader.episode_of_origin(memory.space, self.replaces)
            ids = reader.facts_of_episode(memory.space, before.id) if before is not None else []
            open_ones = [fact for fact in reader.facts(memory.space, ids) if fact.belief and not fact.belief.retirement]
        return {"supersedes": [fact.id for fact in open_ones]} if open_ones else {}


Item: TypeAlias = Record | LineError


def fingerprint(value: object) -> str:
    """SHA-256 of a JSON value in canonical form: keys sorted, no spaces.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
