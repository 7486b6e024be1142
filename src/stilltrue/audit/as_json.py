"""What does a program get to see of an audit? One object; FORMATS.md fixes its first keys, the others add to them.

Left to others: lines for people (`faces`), SARIF (`audit.sarif`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.audit.findings import Edit, Finding
    from stilltrue.audit.inquiry import Answer


def as_json(answer: Answer, shown: Callable[[str], str]) -> dict[str, object]:
    """The whole answer; `shown` is what a file is called where the reader stands."""
    report = answer.report
    told: dict[str, object] = {
        "findings": [finding_as_json(one, answer.fingerprints[id(one)], shown) for one in report.findings],
        "statements": report.statements,
        "pairs_judged": report.pairs_judged,
        "files": [shown(name) for name in report.files],
        "skipped": [{"file": shown(name), "why": why} for name, why in report.skipped],
        "accepted": report.accepted,
        "gone": [dict(entry) for entry in answer.gone],
    }
    if answer.examined is not None:
        skipped = [{"file": shown(name), "why": why} for name, why in answer.examined.skipped]
        told["repository"] = {"confirmed": answer.examined.confirmed, "skipped": skipped}
    return told if answer.score is None else told | {"expected": answer.score.as_json()}


def finding_as_json(finding: Finding, fingerprint: str, shown: Callable[[str], str]) -> dict[str, object]:
    """One finding. A witness that is a whole file has line 0."""
    here, there = finding.here, finding.there
    return {
        "file": shown(here.file),
        "line": here.line,
        "other_file": shown(there.file),
        "other_line": there.line,
        "relation": finding.relation.value,
        "confidence": round(finding.confidence, 4),
        "text": here.text,
        "other_text": there.text,
        "evidence": list(finding.evidence),
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "end_line": here.end_line,
        "other_end_line": there.end_line,
        "fingerprint": fingerprint,
        "edit": None if finding.edit is None else _edit(finding.edit, shown),
    }


def _edit(edit: Edit, shown: Callable[[str], str]) -> dict[str, object]:
    return {
        "file": shown(edit.file),
        "line": edit.line,
        "end_line": edit.end_line,
        "text": edit.text,
        "words": edit.words,
        "safe": edit.safe,
    }
