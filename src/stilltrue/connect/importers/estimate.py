"""What would an import have an LLM asked, and about how many tokens would that take?

Answer: `estimate_import` imports into a copy of the memory that nobody keeps, with local judges alone, and counts what
they leave open. Nothing is asked and nothing is written to the memory itself.

Left to others: the import (`.run`), what a pair takes (`write.jobs`).
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.connect.importers.run import import_data, import_file
from stilltrue.memory import Memory
from stilltrue.model.expert import Claims, Usage, Votes, Written
from stilltrue.model.verdict import Undecided
from stilltrue.wiring import copied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.connect.importers.run import Progress
    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Allowance, Exhibit
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.write.jobs import Estimate

_REASON = "only an estimate is made; nobody is asked"


class Nobody:
    """An expert who never answers: where it stands, writes leave their open pairs for later."""

    model_version = "nobody"

    def classify(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Votes:  # noqa: ARG002
        """No vote."""
        return Votes(tuple(Undecided(_REASON) for _ in pairs), Usage())

    def extract(self, episode: Episode, allowance: Allowance) -> Claims:  # noqa: ARG002
        """No claim."""
        return Claims((), Usage(), _REASON)

    def answer(self, space: SpaceId, question: str, exhibits: Sequence[Exhibit], allowance: Allowance) -> Written:  # noqa: ARG002
        """No answer."""
        return Written("", (), Usage(), _REASON)


def estimate_import(
    memory: Memory,
    source: str | Path | bytes,
    *,
    format: str | None = None,  # noqa: A002 - as in import_file
    progress: Progress | None = None,
) -> Estimate:
    """What importing a file (or bytes) would have an LLM asked. Raises what `import_file` raises."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-estimate-") as folder:
        engine = copied(memory.engine, Path(folder) / "memory.db", expert=Nobody())
        with Memory(engine, memory.space, memory.member) as copy:
            copy.drain()
            if isinstance(source, bytes):
                import_data(copy, source, format=format, progress=progress, asks=False)
            else:
                import_file(copy, source, format=format, progress=progress, asks=False)
            return copy.estimate()
