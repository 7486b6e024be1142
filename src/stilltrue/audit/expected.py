"""Did an audit find what somebody says is there? Its findings against lines with labels.

Two figures of precision are told, because a label says nothing of the pairs that no line names. `precision` counts a
conflict that no line names as false: who labels a file names all of its conflicts. `precision_of_named` looks at the
named pairs alone. Files that no line mentions do not count. Notes are no conflicts, and what a witness outside the
audited lines says (`mismatch`) is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from stilltrue.audit.findings import Kind, Severity
from stilltrue.errors import InvalidInputError
from stilltrue.model.verdict import Relation
from stilltrue.upkeep.proposals import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from stilltrue.audit.findings import Finding, Side


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line: what the statements at two places are to each other. `number`: which line of the labels it is."""

    number: int
    file: str
    line_a: int
    line_b: int
    label: Relation
    other_file: str

    def as_json(self) -> dict[str, object]:
        """The line as it was given, and its number."""
        other = {"other_file": self.other_file} if self.other_file != self.file else {}
        ends = {"line_a": self.line_a, "line_b": self.line_b}
        return {"file": self.file, **other, **ends, "label": self.label.value, "at": self.number}


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, with the 95% Wilson interval."""

    hits: int
    total: int

    def __str__(self) -> str:
        low, high = wilson(self.hits, self.total)
        share = f"{self.hits / self.total:.3f}" if self.total else "n/a"
        return f"{share} [{low:.3f}, {high:.3f}] ({self.hits} of {self.total})"

    def as_json(self) -> dict[str, object]:
        """`share` is None where there was nothing to count."""
        low, high = wilson(self.hits, self.total)
        share = self.hits / self.total if self.total else None
        return {"share": share, "low": low, "high": high, "hits": self.hits, "total": self.total}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How an audit did. `missed`: conflicts not found; `wrong`: named pairs reported though they are none."""

    precision: Share
    precision_of_named: Share
    recall: Share
    missed: tuple[Expectation, ...]
    wrong: tuple[Expectation, ...]
    unnamed: int
    not_audited: int

    def lines(self) -> list[str]:
        """For people."""
        told = [
            f"precision {self.precision}, with what no line names counted as false",
            f"precision {self.precision_of_named} among the pairs that a line names",
            f"recall {self.recall}",
        ]
        told += [f"missed: {_place(one)}" for one in self.missed]
        told += [f"no conflict, but reported: {_place(one)}" for one in self.wrong]
        if self.not_audited:
            told.append(f"left out: {self.not_audited} lines about files that were not audited")
        return told

    def as_json(self) -> dict[str, object]:
        """All of it."""
        return {
            "precision": self.precision.as_json(),
            "precision_of_named": self.precision_of_named.as_json(),
            "recall": self.recall.as_json(),
            "missed": [one.as_json() for one in self.missed],
            "wrong": [one.as_json() for one in self.wrong],
            "unnamed": self.unnamed,
            "not_audited": self.not_audited,
        }


def read_expected(file: Path) -> list[Expectation]:
    """The labels of a file, one JSON object a line. Raises InvalidInputError, naming the line."""
    told = []
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if line.strip():
            try:
                told.append(_expectation(number, json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                wanted = '{"file": "CLAUDE.md", "line_a": 3, "line_b": 40, "label": "CONTRADICTION"}'
                what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
                message = f"{file}:{number}: {what}; a line is to be like {wanted}"
                raise InvalidInputError(message) from error
    return told


def score(findings: Sequence[Finding], expected: Sequence[Expectation], files: Sequence[str]) -> Score:
    """Compare the findings about some files with what is expected of them. Raises InvalidInputError."""
    known = [one for one in expected if _audited(one.file, files) and _audited(one.other_file, files)]
    labelled = {_which(name, files) for one in known for name in (one.file, one.other_file)}
    conflicts = _pairs(one for one in findings if {one.here.file, one.there.file} <= labelled)
    hits = {one.number: [found for found in conflicts if _same(found, one, files)] for one in known}
    wanted = [one for one in known if one.label.is_conflict]
    traps = [one for one in known if not one.label.is_conflict]
    right = {id(found) for one in wanted for found in hits[one.number]}
    false = {id(found) for one in traps for found in hits[one.number]} - right
    unnamed = len(conflicts) - len(right) - len(false)
    return Score(
        precision=Share(len(right), len(conflicts)),
        precision_of_named=Share(len(right), len(right) + len(false)),
        recall=Share(sum(bool(hits[one.number]) for one in wanted), len(wanted)),
        missed=tuple(one for one in wanted if not hits[one.number]),
        wrong=tuple(one for one in traps if hits[one.number]),
        unnamed=unnamed,
        not_audited=len(expected) - len(known),
    )


def names_file(given: str, name: str) -> bool:
    """Whether a label's file is the one a report names: the same path, or one the tail of the other.

    >>> names_file("CLAUDE.md", "api/CLAUDE.md"), names_file("set/a.md", "a.md"), names_file("b/a.md", "c/a.md")
    (True, True, False)
    """
    one, other = PurePath(given.replace("\\", "/")).parts, PurePath(name.replace("\\", "/")).parts
    shorter = min(len(one), len(other))
    return shorter > 0 and one[-shorter:] == other[-shorter:]


def _expectation(number: int, told: object) -> Expectation:
    if not isinstance(told, Mapping):
        message = "this is no JSON object"
        raise TypeError(message)
    file, other = told["file"], told.get("other_file", told["file"])
    lines = told["line_a"], told["line_b"]
    if not isinstance(file, str) or not isinstance(other, str) or not file or not other:
        message = "file is to be the name of a file"
        raise TypeError(message)
    if any(isinstance(line, bool) or not isinstance(line, int) or line < 1 for line in lines):
        message = "line_a and line_b are to be the numbers of lines, from 1"
        raise TypeError(message)
    return Expectation(number, file, *lines, Relation(str(told["label"]).upper()), other)


def _audited(given: str, files: Sequence[str]) -> bool:
    return _which(given, files) is not None


def _which(given: str, files: Sequence[str]) -> str | None:
    """The audited file that a label means."""
    if given in files:
        return given
    meant = [name for name in files if names_file(given, name)]
    if len(meant) > 1:
        message = f"expected: {given} could be {meant[0]} or {meant[1]}; give more of its path"
        raise InvalidInputError(message)
    return meant[0] if meant else None


def _pairs(findings: Iterable[Finding]) -> list[Finding]:
    """The reported conflicts, one for each two places."""
    told: dict[frozenset[tuple[str, int]], Finding] = {}
    for one in findings:
        if one.relation.is_conflict and one.severity is not Severity.NOTE and one.kind is not Kind.MISMATCH:
            told.setdefault(frozenset({(one.here.file, one.here.line), (one.there.file, one.there.line)}), one)
    return list(told.values())


def _same(finding: Finding, one: Expectation, files: Sequence[str]) -> bool:
    ends = ((_which(one.file, files), one.line_a), (_which(one.other_file, files), one.line_b))
    return any(_holds(finding.here, *first) and _holds(finding.there, *second) for first, second in (ends, ends[::-1]))


def _holds(side: Side, file: str | None, line: int) -> bool:
    return side.file == file and side.line <= line <= side.end_line


def _place(one: Expectation) -> str:
    other = f"{one.other_file}:" if one.other_file != one.file else ""
    return f"{one.file}:{one.line_a} and {other}{one.line_b} ({one.label.value})"
