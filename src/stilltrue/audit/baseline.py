"""Which findings does a project already know? A file of fingerprints that survive moved lines.

A fingerprint is made of the two places' files and words, in any order, and of nothing that an edit elsewhere changes;
the n-th pair of the same words has its own. The file is JSON, sorted, without line numbers, so that it changes only
where the findings do. What others added to it (a reason, an owner) is kept.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from stilltrue.audit.findings import Kind
from stilltrue.errors import InvalidInputError
from stilltrue.formats.targets import refuse_unfit, replace_file

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from stilltrue.audit.findings import Finding

VERSION: Final = 1
_DIGITS: Final = 32


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """The fingerprint of each finding. Files are named relative to the project, so it is the same in every checkout."""
    seen: Counter[str] = Counter()
    told = []
    for finding in findings:
        sides = sorted((side.file, " ".join(side.text.split())) for side in (finding.here, finding.there))
        print_ = hashlib.sha256(json.dumps(sides).encode()).hexdigest()[:_DIGITS]
        seen[print_] += 1
        told.append(f"{print_}:{seen[print_]}")
    return told


@dataclass(frozen=True, slots=True)
class Looked:
    """Where an audit looked: at these files below `root`, and, with `repo`, at what the repository proves of them."""

    root: Path
    files: Collection[str] = ()
    repo: bool = False

    def at(self, entry: Mapping[str, Any]) -> bool:
        """Whether it would have found again what an entry knows: both files were read, or one is there no more."""
        if entry.get("kind") == Kind.MISMATCH:
            return self.repo and entry.get("file") in self.files
        places = {str(entry.get(side)) for side in ("file", "other_file")}
        missed = places.difference(self.files)
        return missed != places and not any((self.root / place).exists() for place in missed)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries by fingerprint, each as its file has it, and what else the file says."""

    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)

    def gone(self, present: Collection[str], looked: Looked) -> list[Mapping[str, Any]]:
        """Entries that no finding has any more, though the audit looked where they were found."""
        return [entry for print_, entry in self.entries.items() if print_ not in present and looked.at(entry)]

    def renewed(self, findings: Mapping[str, Finding], present: Collection[str], looked: Looked) -> Baseline:
        """The baseline that knows these findings, and of what it knew all that the audit does not show to be over."""
        kept = {print_: entry for print_, entry in self.entries.items() if print_ in present or not looked.at(entry)}
        now = {print_: {**self.entries.get(print_, {}), **_entry(print_, one)} for print_, one in findings.items()}
        return Baseline(kept | now, self.rest)

    def write(self, file: Path) -> None:
        """Write it, sorted by file and fingerprint, or leave the old file as it is."""
        entries = sorted(self.entries.values(), key=lambda entry: (str(entry.get("file")), str(entry["fingerprint"])))
        document = {**self.rest, "version": VERSION, "findings": entries}
        words = json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        # names of files: JSON's own escapes
        replace_file(file, words.encode("utf-8", "backslashreplace"), private=False)


def baseline_to_renew(file: Path) -> Baseline:
    """What a file that is to be written knows already. Raises InvalidInputError for a file that is something else."""
    refuse_unfit(file)
    if not file.exists() or not file.stat().st_size:
        return Baseline()
    return read_baseline(file, "name another file, nothing in it was changed")


def read_baseline(file: Path, remedy: str = "") -> Baseline:
    """A baseline from its file. Raises InvalidInputError for one that is missing or not a baseline."""
    anew = f"write it anew with --write-baseline {file}"
    remedy = remedy or f"remove it, and {anew}"
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = f"{file}: there is no such baseline; {anew}"
        raise InvalidInputError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{file}: this is not a baseline ({error}); {remedy}"
        raise InvalidInputError(message) from error
    entries = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(map(_sound, entries)):
        message = f'{file}: this is not a baseline (no list "findings" of entries with a "fingerprint"); {remedy}'
        raise InvalidInputError(message)
    if document.get("version") != VERSION:
        message = f"{file}: this baseline is of version {document.get('version')!r}, not {VERSION}; {remedy}"
        raise InvalidInputError(message)
    rest = {name: value for name, value in document.items() if name not in ("version", "findings")}
    return Baseline({entry["fingerprint"]: entry for entry in entries}, rest)


def _sound(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("fingerprint"), str)


def _entry(print_: str, finding: Finding) -> dict[str, object]:
    return {
        "fingerprint": print_,
        "kind": finding.kind.value,
        "file": finding.here.file,
        "text": finding.here.text,
        "other_file": finding.there.file,
        "other_text": finding.there.text,
    }
