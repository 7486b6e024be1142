"""What could be done about what the doctor found? A patch file: one operation a line, for a person to read and apply.

`retire` takes a memory out of what is served, `restore` serves one again (its words are given, since a store may have
overwritten them), `merge` leaves one of two that say the same. Nothing is changed here: how a store is written to is
its own business. Where two live memories clash and no date says which is newer, a person has to say: no operation.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from stilltrue.audit.findings import Kind
from stilltrue.errors import InvalidInputError
from stilltrue.formats.targets import refuse_taken, replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from stilltrue.audit.entries import Entry
    from stilltrue.audit.findings import Finding


class Op(StrEnum):
    """What to do with a memory."""

    RETIRE = "retire"
    RESTORE = "restore"
    MERGE = "merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`id` is the store's name for the memory, `space` whose it is; `other` names the memory that it is because of."""

    op: Op
    id: str
    space: str
    text: str
    because: str
    other: str
    other_text: str
    confidence: float
    file: str
    line: int


def operations(findings: Iterable[Finding], entries: Mapping[str, Entry]) -> tuple[Operation, ...]:
    """What would mend the findings, in their order; one memory is retired, restored or merged once."""
    found: dict[tuple[Op, str], Operation] = {}
    for finding in findings:
        op, here, there = _op(finding, entries), entries.get(finding.here.record), entries.get(finding.there.record)
        if op is None or here is None:
            continue
        key = op, here.key
        if key not in found or found[key].confidence < finding.confidence:
            found[key] = Operation(
                op=op,
                id=here.id,
                space=here.space.replace("\x1f", "/"),
                text=here.text,
                because="; ".join(finding.evidence),
                other=there.id if there is not None and there is not here else "",
                other_text=finding.there.text,
                confidence=round(finding.confidence, 3),
                file=here.file,
                line=here.line,
            )
    return tuple(found.values())


def _op(finding: Finding, entries: Mapping[str, Entry]) -> Op | None:
    match finding.kind:
        case Kind.RETIRED:
            return Op.RESTORE
        case Kind.DUPLICATE:
            return Op.MERGE
        case Kind.SUPERSEDED | Kind.STALE:
            return Op.RETIRE
        case Kind.CONTRADICTION:
            return Op.RETIRE if _later(finding, entries) else None
        case _:
            return None


def _later(finding: Finding, entries: Mapping[str, Entry]) -> bool:
    """Whether dates say that the other one is newer."""
    said = [entries[side.record].said_at if side.record in entries else None for side in (finding.here, finding.there)]
    return said[0] is not None and said[1] is not None and said[0] < said[1]


def write_patch(path: Path, mending: Iterable[Operation]) -> None:
    """Write a patch file, which is new. Raises StateError for one that is there, InvalidInputError."""
    refuse_taken(path)
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in mending)
    try:
        replace_file(path, lines.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}; name another file") from None
