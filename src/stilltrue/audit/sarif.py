"""How do code hosts and editors get to see an audit? As SARIF 2.1.0: a rule a kind, both places, fingerprints, fixes.

Files are named relative to the project's root, which is where code hosts look for them. Statements are quoted as data:
what SARIF would read as a link or a placeholder in them is escaped.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from stilltrue.audit.findings import Kind, Severity
from stilltrue.version import __version__

if TYPE_CHECKING:
    from stilltrue.audit.findings import Edit, Finding, Side
    from stilltrue.audit.inquiry import Answer

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT: Final = "%SRCROOT%"
FINGERPRINT: Final = "stilltrueStatements/v1"

_ESCAPES: Final = str.maketrans({"[": "\\[", "]": "\\]", "{": "{{", "}": "}}", "\\": "\\\\"})

RULES: Final[dict[Kind, tuple[Severity, str, str]]] = {
    Kind.CONTRADICTION: (
        Severity.ERROR,
        "Two statements cannot both hold.",
        "Readers follow one of them, and nobody knows which. Take out what is not true, or say when each does.",
    ),
    Kind.LEFTOVER: (
        Severity.ERROR,
        "A newer statement took its place, and the old one is still there.",
        "The file was added to and not cleaned up. Take the old statement out, or move it to a history with its date.",
    ),
    Kind.DUPLICATE: (
        Severity.WARNING,
        "The same is said twice.",
        "Two copies drift apart with the next change. Keep the one that stands where readers look for it.",
    ),
    Kind.STALE: (
        Severity.WARNING,
        "It was dated long ago, and newer statements outdate it.",
        "Check whether it still holds. If it does, give it a new date; if not, take it out.",
    ),
    Kind.EXCEPTION: (
        Severity.NOTE,
        "A general rule and an exception to it.",
        "Both hold. Readers are served best if the rule names its exception, or the two stand together.",
    ),
    Kind.MISMATCH: (
        Severity.WARNING,
        "A file of the repository says otherwise.",
        "The other place is the witness. Change the statement to what the file proves, or mend the file.",
    ),
    Kind.RETIRED: (
        Severity.ERROR,
        "A memory was given up though nothing contradicts or replaces it.",
        "Readers miss what still holds. Restore it, unless somebody wanted it gone.",
    ),
    Kind.SUPERSEDED: (
        Severity.ERROR,
        "Something newer took its place, and it is served all the same.",
        "Readers are told what no longer holds. Retire it, and keep the newer one.",
    ),
}
"""What each kind is reported as, what it means, and what to do about it."""


def as_sarif(answer: Answer) -> dict[str, object]:
    """The whole log: one run."""
    kinds = [*Kind]
    report = answer.report
    run = {
        "tool": {"driver": {"name": "stilltrue", "version": __version__, "rules": [_rule(kind) for kind in kinds]}},
        "invocations": [
            {
                "executionSuccessful": not report.skipped,
                "toolExecutionNotifications": [_skipped(answer, name, why) for name, why in report.skipped],
            }
        ],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the project that was audited."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(answer, finding, kinds.index(finding.kind)) for finding in report.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(kind: Kind) -> dict[str, object]:
    severity, short, help_ = RULES[kind]
    return {
        "id": kind.value,
        "name": kind.value.capitalize(),
        "shortDescription": {"text": short},
        "fullDescription": {"text": f"{short} {help_}"},
        "help": {"text": help_, "markdown": help_},
        "defaultConfiguration": {"level": severity.value},
        "properties": {"tags": ["memory", "documentation"]},
    }


def _skipped(answer: Answer, name: str, why: str) -> dict[str, object]:
    place = {"physicalLocation": {"artifactLocation": _artifact(answer, name)}}
    return {"level": "warning", "message": {"text": _quoted(why) or "not read"}, "locations": [place]}


def _result(answer: Answer, finding: Finding, rule: int) -> dict[str, object]:
    here, there = finding.here, finding.there
    reasons = "".join(f" {_quoted(note)}." for note in finding.evidence)
    said = f"{finding.relation.value}: “{_quoted(here.text)}” and [“{_quoted(there.text)}”](1).{reasons}"
    result: dict[str, object] = {
        "ruleId": finding.kind.value,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": said},
        "locations": [{"physicalLocation": _physical(answer, here)}],
        "relatedLocations": [
            {"id": 1, "message": {"text": _quoted(there.text)}, "physicalLocation": _physical(answer, there)}
        ],
        "partialFingerprints": {FINGERPRINT: answer.fingerprints[id(finding)]},
        "rank": round(100 * finding.confidence, 2),
        "properties": {"relation": finding.relation.value, "confidence": round(finding.confidence, 4)},
    }
    return result if finding.edit is None else result | {"fixes": [_fix(answer, finding.edit)]}


def _physical(answer: Answer, side: Side) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": _artifact(answer, side.file)}
    if side.line > 0:
        place["region"] = {"startLine": side.line, "endLine": max(side.line, side.end_line)}
    return place


def _artifact(answer: Answer, name: str) -> dict[str, object]:
    if PurePath(name).is_absolute():
        return {"uri": (answer.root / name).as_uri()}
    return {"uri": quote(os.fsencode(PurePath(name).as_posix())), "uriBaseId": ROOT}


def _fix(answer: Answer, edit: Edit) -> dict[str, object]:
    if edit.text is None:
        gone = {"startLine": edit.line, "startColumn": 1, "endLine": edit.end_line + 1, "endColumn": 1}
        replacement: dict[str, object] = {"deletedRegion": gone}
    else:
        gone = {"startLine": edit.line, "endLine": edit.end_line}
        replacement = {"deletedRegion": gone, "insertedContent": {"text": edit.text}}
    change = {"artifactLocation": _artifact(answer, edit.file), "replacements": [replacement]}
    return {"description": {"text": _quoted(edit.words)}, "artifactChanges": [change]}


def _quoted(text: str) -> str:
    """On one line, with nothing that is a mark; what names of files hold that is no text shows as its escape."""
    return " ".join(text.split()).translate(_ESCAPES).encode("utf-8", "backslashreplace").decode("utf-8")
