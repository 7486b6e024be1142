"""What is wrong in a set of files? A finding: two places, what they are to each other, the evidence, a suggested edit.

Left to others: finding them (`audit.comparing`, `audit.repository`), telling them (`audit.as_json`, `audit.sarif`,
`faces.findings`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.audit.claims import Claim
    from stilltrue.model.verdict import Relation


class Kind(StrEnum):
    """What is the matter, in the words of the reports.

    contradiction: both cannot hold. leftover: an update whose old line was not cleaned up. duplicate: said twice.
    stale: dated long ago and outdated by newer lines. exception: a general rule beside its exception, which both
    hold. mismatch: a file of the repository says otherwise. In the export of a store also: retired: wrongly so, nothing
    that is live contradicts or replaces it. superseded: and served all the same.
    """

    CONTRADICTION = "contradiction"
    LEFTOVER = "leftover"
    DUPLICATE = "duplicate"
    STALE = "stale"
    EXCEPTION = "exception"
    MISMATCH = "mismatch"
    RETIRED = "retired"
    SUPERSEDED = "superseded"


class Severity(StrEnum):
    """How much it matters: what misleads is an error, what clutters a warning, what only deserves a look a note."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two places, and what it says. `line` is 1-based; 0 where a whole file is the witness.

    `record`: which record of a store's export it is.
    """

    file: str
    line: int
    end_line: int
    text: str
    record: str = ""

    @classmethod
    def of(cls, claim: Claim) -> Side:
        """Where a claim stands."""
        return cls(claim.file, claim.line, claim.end_line, claim.text)


@dataclass(frozen=True, slots=True)
class Edit:
    """What would mend it: lines `line` to `end_line` of `file` become `text`, or go (None).

    `safe`: nothing can be lost by it, so `--fix` may do it: an exact repeat, or a line that a later dated line has
    superseded. `words` tells a person what to do.
    """

    file: str
    line: int
    end_line: int
    text: str | None
    words: str
    safe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`here` is the line to look at first, the one that holds no longer where that can be told; `there` is the other.

    `relation` is the judge's of (here, there); `confidence` (0..1) is how sure it is (of a clash:
    `audit.weighing`); `evidence` gives the reasons, a sentence each.
    """

    kind: Kind
    severity: Severity
    relation: Relation
    confidence: float
    here: Side
    there: Side
    evidence: tuple[str, ...]
    edit: Edit | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """An audit's outcome: findings in the order of files and lines, and how much was looked at.

    `skipped`: (file, why) for what could not be read. `accepted`: findings that the baseline knows.
    """

    findings: tuple[Finding, ...]
    statements: int
    pairs_judged: int
    files: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    accepted: int = 0

    @property
    def fails(self) -> bool:
        """Whether there is more than notes."""
        return any(finding.severity is not Severity.NOTE for finding in self.findings)
