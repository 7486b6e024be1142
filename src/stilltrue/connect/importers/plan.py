"""What would an import change, and what would it have an LLM asked?

Answer: it is carried out on a copy of the memory that nobody keeps, with local judges alone. `plan_import` shows the
copy afterwards, with every decision that was made there; `estimate_import` counts what local judges leave open.
Nothing is asked, and nothing is written to the memory itself.

Left to others: the import (`.run`), what a pair takes (`ports.Expert.estimate`).
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.connect.importers.run import import_data, import_file
from stilltrue.memory import Memory
from stilltrue.model.ids import BatchId
from stilltrue.wiring import copied, unasked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.connect.importers.run import ImportReport, Progress
    from stilltrue.model.decision import Decision
    from stilltrue.write.jobs import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would do. `memory` is the copy that it was done to, as long as the plan is open.

    `report` is what importing would report, but for its `batch_id`; `decisions` are those it would make, in order.
    """

    memory: Memory
    report: ImportReport
    decisions: tuple[Decision, ...]


@contextmanager
def plan_import(
    memory: Memory,
    source: str | Path | bytes,
    *,
    format: str | None = None,  # noqa: A002 - as in import_file
    progress: Progress | None = None,
) -> Iterator[ImportPlan]:
    """Import a file (or bytes) into a copy, which is thrown away at the end. Raises what `import_file` raises."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-plan-") as folder:
        engine = copied(unasked(memory.engine), Path(folder) / "memory.db")
        with Memory(engine, memory.space, memory.member) as copy:
            copy.drain(asks=False)
            if isinstance(source, bytes):
                report = import_data(copy, source, format=format, progress=progress, asks=False)
            else:
                report = import_file(copy, source, format=format, progress=progress, asks=False)
            yield ImportPlan(memory=copy, report=report, decisions=_made(copy, report))


def estimate_import(
    memory: Memory,
    source: str | Path | bytes,
    *,
    format: str | None = None,  # noqa: A002 - as in import_file
    progress: Progress | None = None,
) -> Estimate:
    """What importing a file (or bytes) would have an LLM asked. Raises what `import_file` raises."""
    with plan_import(memory, source, format=format, progress=progress) as plan:
        return plan.memory.estimate()


def _made(copy: Memory, report: ImportReport) -> tuple[Decision, ...]:
    if report.batch_id is None:
        return ()
    with copy.engine.store.read() as reader:
        return tuple(reader.decisions(copy.space, batch_id=BatchId(report.batch_id)))
