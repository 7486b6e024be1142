"""How is another memory examined from the command line? `audit --store`: one call of `stilltrue.audit.stores`.

The export is read and never written; `--patch` puts what could be done into a file of its own. Left to others: what is
wrong (`stilltrue.audit.stores`), how a report looks (`faces.findings`).
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import print_error, print_json
from stilltrue.formats.targets import refuse_taken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stilltrue.audit.inquiry import Answer
    from stilltrue.audit.stores import StoreReport
    from stilltrue.faces.cli.call import Call
    from stilltrue.formats.stores import StoreFormat


def refuse(unfit: Mapping[str, object]) -> None:
    """Raises InvalidInputError for options that mean nothing to an export."""
    given = [name for name, value in unfit.items() if value not in (None, False)]
    if given:
        raise InvalidInputError(f"{', '.join(given)} cannot be had with --store: an export is only read; see --patch")


def examine(
    call: Call, form: StoreFormat | None, paths: list[Path], patch: Path | None, told: str, min_confidence: float | None
) -> int:
    """Examine, tell, write the patch; the exit status."""
    from stilltrue.audit.patch import write_patch
    from stilltrue.audit.stores import answer_of, audit_store
    from stilltrue.settings import Settings
    from stilltrue.wiring import SystemClock, embedder_of, pair_model_of

    named, least = _checked(form, paths, min_confidence)
    if patch is not None:
        refuse_taken(patch)
    settings = Settings.from_environment(os.environ)
    model, embedder = pair_model_of(None, settings), embedder_of(settings)
    with call.progress("judging pairs") as progress:
        found = audit_store(
            paths,
            named,
            now=SystemClock().now(),
            settings=settings,
            pair_model=model,
            embedder=embedder,
            progress=progress,
            min_confidence=least,
        )
    if patch is not None:
        write_patch(patch, found.mending)
        sys.stderr.write(f"{patch}: {len(found.mending)} operations to review; nothing else was written\n")
    answer = answer_of(found.report, Path.cwd())
    _tell(found, answer, told)
    return answer.exit_status


def _checked(form: StoreFormat | None, paths: list[Path], min_confidence: float | None) -> tuple[StoreFormat, float]:
    if form is None:
        raise InvalidInputError("--patch needs --store: files are mended with --fix")
    if not paths:
        raise InvalidInputError(f"--store {form} needs the file of an export; name it")
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise InvalidInputError(f"--min-confidence is to be a number from 0 to 1, and is {min_confidence}")
    return form, min_confidence or 0.0


def _tell(found: StoreReport, answer: Answer, told: str) -> None:
    from stilltrue.audit.as_json import as_json
    from stilltrue.audit.sarif import as_sarif
    from stilltrue.faces import findings

    shown = findings.shown_from(answer.root, Path.cwd())
    if told == "json":
        print_json(_with_records(as_json(answer, shown), found))
    elif told == "sarif":
        print_json(as_sarif(answer))
    else:
        findings.show(findings.lines(answer, shown))
        return
    for name, why in answer.report.skipped:
        print_error(f"{shown(name)}: not read: {why}")


def _with_records(whole: dict[str, Any], found: StoreReport) -> dict[str, Any]:
    """The answer with the names of the records, and what would mend them."""
    told = [
        one | {"record": found.names.get(finding.here.record), "other_record": found.names.get(finding.there.record)}
        for one, finding in zip(whole["findings"], found.report.findings, strict=True)
    ]
    return whole | {"findings": told, "operations": [asdict(one) for one in found.mending]}
