"""How does a file become memories? Read whole, checked record by record, remembered in the order it was said.

All decisions of one import share a batch, so one undo takes it back. A record whose origin the space already holds is
left alone: that is what makes an import repeatable, and one that was interrupted resumable.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.connect.importers.chat import read_messages, read_sessions
from stilltrue.connect.importers.guess import Format, guess, named
from stilltrue.connect.importers.markdown import read_markdown
from stilltrue.connect.importers.mem0 import read_mem0
from stilltrue.connect.importers.memories import read_jsonl
from stilltrue.connect.importers.record import Record, Upload
from stilltrue.errors import InvalidInputError, NotFoundError
from stilltrue.formats.lines import LineError, decode
from stilltrue.model.decision import Action
from stilltrue.write.jobs import MOST_READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stilltrue.connect.importers.record import Item
    from stilltrue.memory import Memory
    from stilltrue.model.timeline import Instant

    Progress: TypeAlias = Callable[[int, int], object]

_READERS: Final[Mapping[Format, Callable[[Upload], Iterator[Item]]]] = {
    Format.MESSAGES: read_messages,
    Format.SESSIONS: read_sessions,
    Format.JSONL: read_jsonl,
    Format.MEM0: read_mem0,
    Format.MARKDOWN: read_markdown,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """`episodes` = new + repeated: what the file holds. `decisions` counts by action. `batch_id` is what to undo."""

    format: Format
    episodes: int
    new: int
    repeated: int
    decisions: Mapping[str, int]
    errors: tuple[LineError, ...]
    batch_id: str | None

    @property
    def exit_status(self) -> int:
        return 1 if self.errors else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "format": self.format.value,
            "episodes": self.episodes,
            "new": self.new,
            "repeated": self.repeated,
            "decisions": dict(self.decisions),
            "errors": [{"line": error.line, "message": error.message} for error in self.errors],
            "batch_id": self.batch_id,
        }


def import_file(
    memory: Memory,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    progress: Progress | None = None,
    asks: bool = True,
) -> ImportReport:
    """Remember what a file holds, then have an LLM asked, if there is one, about what local judges left; with `asks`
    False that is left to `ask_about` or `drain()`. Raises InvalidInputError where it cannot be read or its
    format is unknown.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
        saved_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"cannot read {file}: {getattr(error, 'strerror', None) or error}; check its name"
        ) from None
    return import_data(
        memory,
        data,
        name=file.name,
        saved_at=saved_at,
        format=format,
        progress=progress,
        asks=asks,
    )


def import_data(
    memory: Memory,
    data: bytes,
    *,
    name: str = "",
    saved_at: Instant | None = None,
    format: str | None = None,  # noqa: A002 - as in import_file
    progress: Progress | None = None,
    asks: bool = True,
) -> ImportReport:
    """As `import_file`, for what is already in memory (standard input)."""
    upload = Upload(decode(data), name, saved_at)
    if not upload.text.strip():
        raise InvalidInputError(f"{name or 'the input'} is empty; there is nothing to import")
    kind = guess(upload) if format is None else named(format)
    items = list(_READERS[kind](upload))
    records = [item for item in items if isinstance(item, Record)]
    if all(record.said_at is not None for record in records):
        records.sort(key=_said_at)
    work = _Import(memory, [item for item in items if isinstance(item, LineError)])
    work.run(records, progress or _unseen)
    report = work.report(kind)
    return ask_about(memory, report) if asks else report


def ask_about(memory: Memory, report: ImportReport, progress: Progress | None = None) -> ImportReport:
    """Put what local judges left to an LLM, many facts to a request; the report with what that changed counted too."""
    with memory.engine.store.read() as reader:
        waiting = len(reader.jobs(memory.space, memory.engine.clock.now(), MOST_READ))
    again = memory.drain(lambda done: progress(min(done, waiting), waiting) if progress is not None else None)
    made = Counter(report.decisions)
    made.update(one.action.value for one in again if one.action is not Action.ACCEPT)
    return replace(report, decisions=dict(sorted(made.items())))


def _unseen(_done: int, _total: int) -> None:
    """Progress that nobody looks at."""


def _said_at(record: Record) -> Instant:
    assert record.said_at is not None  # noqa: S101 - only dated records are sorted
    return record.said_at


@dataclass(slots=True)
class _Import:
    """The state of one run."""

    memory: Memory
    errors: list[LineError]
    new: int = 0
    repeated: int = 0
    decisions: Counter[str] = field(default_factory=Counter)
    batch_id: str | None = None

    def run(self, records: list[Record], progress: Progress) -> None:
        """What an interrupted run kept but did not judge is finished first, so that the order of saying holds."""
        self.memory.drain(asks=False)
        with self.memory.batch(ask_later=True) as batch_id:
            self.batch_id = batch_id
            for done, record in enumerate(records, start=1):
                self._remember(record)
                progress(done, len(records))

    def _remember(self, record: Record) -> None:
        if self._known(record.origin):
            self.repeated += 1
            return
        try:
            decisions = record.remembered_by(self.memory)
        except (InvalidInputError, NotFoundError) as error:
            self.errors.append(LineError(record.line, str(error)))
            return
        self.new += 1
        self.decisions.update(decision.action.value for decision in decisions)

    def _known(self, origin: str) -> bool:
        with self.memory.engine.store.read() as reader:
            return reader.episode_of_origin(self.memory.space, origin) is not None

    def report(self, kind: Format) -> ImportReport:
        return ImportReport(
            format=kind,
            episodes=self.new + self.repeated,
            new=self.new,
            repeated=self.repeated,
            decisions=dict(sorted(self.decisions.items())),
            errors=tuple(sorted(self.errors, key=lambda error: error.line)),
            batch_id=self.batch_id if self.new else None,
        )
