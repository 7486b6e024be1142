"""What is no longer true in these files? `audit_files`: read, compare, report. No store, nothing is written.

Left to others: which files (`faces`), how a report looks (`audit.text`, `audit.sarif`), mending (`audit.fixing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.audit.comparing import compare_claims
from stilltrue.audit.findings import Report
from stilltrue.audit.reading import read_claims
from stilltrue.audit.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.sources import Sources
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
    names = (str(path.relative_to(root)) if root and path.is_relative_to(root) else str(path) for path in paths)
    sources = read_sources(zip(names, paths, strict=True))
    return audit_sources(
        sources, settings=settings, pair_model=pair_model, embedder=embedder, expert=expert, progress=progress
    )


def audit_sources(
    sources: Sources,
    *,
    settings: Settings,
    pair_model: PairModel | None,
    embedder: Embedder,
    expert: Expert | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """Compare all that files claim that were read."""
    claims: list[Claim] = []
    for source in sources.read:
        claims += read_claims(source.name, source.text, saved_at=None, settings=settings)
    findings, judged = compare_claims(
        claims, settings=settings, pair_model=pair_model, embedder=embedder, expert=expert, progress=progress
    )
    files = tuple(source.name for source in sources.read)
    return Report(tuple(findings), len(claims), judged, files, sources.skipped)
