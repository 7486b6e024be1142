"""What would an import have an LLM asked, and about how many tokens would that take?

Answer: `estimate_import` imports into a copy of the memory that nobody keeps, with local judges alone, and counts what
they leave open. Nothing is asked and nothing is written to the memory itself.

Left to others: the import (`.run`), what a pair takes (`ports.Expert.estimate`).
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.connect.importers.run import import_data, import_file
from stilltrue.memory import Memory
from stilltrue.wiring import copied, unasked

if TYPE_CHECKING:
    from stilltrue.connect.importers.run import Progress
    from stilltrue.write.jobs import Estimate


def estimate_import(
    memory: Memory,
    source: str | Path | bytes,
    *,
    format: str | None = None,  # noqa: A002 - as in import_file
    progress: Progress | None = None,
) -> Estimate:
    """What importing a file (or bytes) would have an LLM asked. Raises what `import_file` raises."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-estimate-") as folder:
        engine = copied(unasked(memory.engine), Path(folder) / "memory.db")
        with Memory(engine, memory.space, memory.member) as copy:
            copy.drain(asks=False)
            if isinstance(source, bytes):
                import_data(copy, source, format=format, progress=progress, asks=False)
            else:
                import_file(copy, source, format=format, progress=progress, asks=False)
            return copy.estimate()
