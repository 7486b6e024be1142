"""Who reads the story again after a write? A job that waits a little, so that many writes share one reading.

At most one waits in a space: the first write leaves it, the next ones find it there. What was recorded since it was
left is what set the reading off. Nothing is left where no LLM is configured: the detective says so (SPEC B8).

Left to others: reading (`upkeep.story`), and where an LLM comes from (`wiring`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.change import FactAdded, SourceChanged
from stilltrue.model.job import Job
from stilltrue.model.timeline import iso

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.change import ChangeSet
    from stilltrue.model.timeline import Instant
    from stilltrue.settings import Settings

STORY: Final = "story"
"""The kind of these jobs, and the id of the one that a space may have."""


def story_job(engine: Engine, settings: Settings, change_set: ChangeSet, now: Instant) -> Job | None:
    """The job that a change set leaves; None where it adds nothing to the story, or nobody could read it."""
    if engine.expert is None or not settings.story_enabled:
        return None
    if not any(isinstance(change, FactAdded | SourceChanged) for change in change_set.changes):
        return None
    payload = {"since": iso(now)}
    due_at = now + timedelta(seconds=settings.story_debounce_seconds)
    return Job(id=STORY, space_id=change_set.space_id, kind=STORY, payload=payload, due_at=due_at)
