"""Does memory come out of a story as a careful person would demand? The runner behind `stilltrue replay` (a contract).

Answers: `replay_file` and `replay_story`. Every story has a fresh store in memory and a clock that stands at each
event's time while it is remembered, and at the last one's during the checks. Which checks there are, and what they
mean, is `checks`' business; who judges is what memory opens with by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from stilltrue.connect.checks import Failure, World, failure_of
from stilltrue.connect.stories import read_story
from stilltrue.errors import InvalidInputError, StilltrueError
from stilltrue.formats.lines import LineError, as_object, json_lines
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory
from stilltrue.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from stilltrue.connect.stories import Event, Story
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Embedder

    OpenMemory: TypeAlias = Callable[[Clock, str], AbstractContextManager[Memory]]
    Progress: TypeAlias = Callable[["StoryResult"], object]


@dataclass(slots=True)
class StoryClock:
    """The present of a story: it stands where it is put."""

    at: Instant

    def now(self) -> Instant:
        return self.at


@dataclass(frozen=True, slots=True)
class StoryResult:
    """How many of a story's checks hold. An event that cannot be remembered counts as a check that does not."""

    id: str
    passed: int
    total: int
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        """One line, as FORMATS.md asks."""
        line = f"{'ok  ' if self.ok else 'FAIL'} {self.id} {self.passed}/{self.total}"
        return " | ".join([line, *(str(failure).replace("\n", " ") for failure in self.failures)])

    def as_json(self) -> dict[str, Any]:
        failures = [failure.as_json() for failure in self.failures]
        return {"id": self.id, "passed": self.passed, "total": self.total, "failures": failures}


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """All stories in the file's order; a line that is no story is a story that failed."""

    stories: tuple[StoryResult, ...]

    @property
    def passed(self) -> int:
        return sum(story.passed for story in self.stories)

    @property
    def total(self) -> int:
        return sum(story.total for story in self.stories)

    @property
    def exit_status(self) -> int:
        return 0 if all(story.ok for story in self.stories) else 1

    def __str__(self) -> str:
        """The total, as one line."""
        good = sum(story.ok for story in self.stories)
        return f"{good}/{len(self.stories)} stories, {self.passed}/{self.total} checks"

    def as_json(self) -> dict[str, Any]:
        stories = [story.as_json() for story in self.stories]
        return {"stories": stories, "passed": self.passed, "total": self.total}


def default_memory(embedder: Embedder | None = None, settings: Settings | None = None) -> OpenMemory:
    """Opens stores in memory, with default settings and so no LLM unless told; one embedder serves all of them."""
    shared = embedder or MiniLMEmbedder()
    told = settings or Settings()

    def open_memory(clock: Clock, space: str) -> AbstractContextManager[Memory]:
        return Memory.open(":memory:", space=space, settings=told, clock=clock, embedder=shared)

    return open_memory


def replay_file(
    stream: BinaryIO, *, open_memory: OpenMemory | None = None, progress: Progress = lambda _: None
) -> ReplayReport:
    """Replay every story of a scenario file; `progress` hears of each as it ends."""
    results: list[StoryResult] = []
    opener = open_memory or default_memory()
    for number, line in json_lines(stream):
        results.append(_replay_line(number, line, opener))
        progress(results[-1])
    return ReplayReport(tuple(results))


def _replay_line(number: int, line: dict[str, Any] | LineError, open_memory: OpenMemory) -> StoryResult:
    try:
        return replay_story(read_story(as_object(line)), open_memory)
    except InvalidInputError as error:
        name = line.get("id") if isinstance(line, dict) else None
        known = name if isinstance(name, str) else f"line {number}"
        return StoryResult(known, 0, 1, (Failure(None, f"line {number} is no story: {error}"),))


def replay_story(story: Story, open_memory: OpenMemory) -> StoryResult:
    """Remember the events in order, drain the background, then check."""
    clock = StoryClock(story.events[0].at if story.events else datetime.now(UTC))
    with open_memory(clock, story.space) as memory:
        failures = tell(memory, clock, story.events)
        total = len(story.checks) + len(failures)
        world = World(memory)
        found = (failure_of(world, check) for check in story.checks)
        failures.extend(failure for failure in found if failure is not None)
    return StoryResult(story.id, total - len(failures), total, tuple(failures))


def tell(memory: Memory, clock: StoryClock, events: Iterable[Event]) -> list[Failure]:
    """Remember events, each at its time, and drain; those that could not be remembered."""
    failures = []
    for number, event in enumerate(events, start=1):
        clock.at = event.at
        try:
            memory.remember(
                event.say,
                author=event.author,
                topic=event.topic,
                kind=event.kind,
                category=event.category,
                importance=event.importance,
            )
        except StilltrueError as error:
            failures.append(Failure(None, f"event {number} was not remembered: {error}"))
    memory.drain()
    return failures
