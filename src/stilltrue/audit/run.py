"""What is no longer true in these files? `audit_files`: read, compare, report. No store, nothing is written.

Left to others: which files (`faces`), how a report looks (`audit.text`, `audit.sarif`), mending (`audit.fixing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.audit.comparing import compare_claims
from stilltrue.audit.findings import Report
from stilltrue.audit.reading import read_claims
from stilltrue.formats.lines import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from stilltrue.audit.claims import Claim
    from stilltrue.ports import Embedder, Expert, PairModel
    from stilltrue.settings import Settings


def audit_files(
    paths: Sequence[Path],
    *,
    settings: Settings,
    pair_model: PairModel | None,
    embedder: Embedder,
    expert: Expert | None = None,
    progress: Callable[[int, int], object] | None = None,
    root: Path | None = None,
) -> Report:
    """Read the files and compare all that they claim. What cannot be read is skipped, and the report says why."""
    claims: list[Claim] = []
    skipped: list[tuple[str, str]] = []
    names: list[str] = []
    for path in paths:
        name = str(path.relative_to(root)) if root is not None and path.is_relative_to(root) else str(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            skipped.append((name, NO_TEXT if isinstance(error, UnicodeError) else str(error)))
            continue
        names.append(name)
        claims += read_claims(name, text, saved_at=None, settings=settings)
    findings, judged = compare_claims(
        claims, settings=settings, pair_model=pair_model, embedder=embedder, expert=expert, progress=progress
    )
    return Report(tuple(findings), len(claims), judged, tuple(names), tuple(skipped))
