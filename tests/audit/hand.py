"""What reports do the tests of telling start from? Ones made by hand."""

from pathlib import Path

from stilltrue.audit.baseline import Looked, fingerprints
from stilltrue.audit.findings import Edit, Finding, Kind, Report, Severity, Side
from stilltrue.audit.inquiry import Answer
from stilltrue.model.verdict import Relation


def side(file, line, text="said", end=None):
    return Side(file, line, end or line, text)


def finding(here, there, *, kind=Kind.CONTRADICTION, severity=Severity.ERROR, relation=Relation.UPDATE, **more):
    told = {"confidence": 0.97, "evidence": ("port: 8080 / 9090",)} | more
    return Finding(kind=kind, severity=severity, relation=relation, here=here, there=there, **told)


def repeat(file, line, of, text="said", end=None):
    """A duplicate whose `line` goes because line `of` stays."""
    edit = Edit(file, line, end or line, None, f"line {line} says the same", safe=True)
    here, there = side(file, line, text, end), side(file, of, text)
    return finding(here, there, kind=Kind.DUPLICATE, severity=Severity.WARNING, relation=Relation.DUPLICATE, edit=edit)


def answer(*findings, root=Path("/project"), skipped=(), files=("CLAUDE.md",)):
    prints = fingerprints(findings)
    return Answer(
        report=Report(tuple(findings), 12, 7, files, tuple(skipped)),
        root=root,
        fingerprints={id(one): print_ for one, print_ in zip(findings, prints, strict=True)},
        contents={},
        known=dict(zip(prints, findings, strict=True)),
        looked=Looked(root, frozenset(files)),
    )
