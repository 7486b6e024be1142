"""How is what can be mended without loss written into the files? As a plan that people see first, then all or nothing.

Only edits with `safe` are planned, and of those only what the source bears out: the lines are whole (nothing below
hangs on them), and a repeat is one to the letter, so that no link, date, box or step goes with it. Never so many that a
statement loses its last copy: each line that goes has a witness that stays. Line ends, byte order mark and final
newline stay as they are. A file that is no longer what the audit read is refused. Left to others: which edits there are
(`audit.comparing`), asking (`faces`).
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StateError
from stilltrue.formats.targets import replace_file
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from stilltrue.audit.findings import Edit, Finding

_BOM: Final = b"\xef\xbb\xbf"
_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_END: Final = re.compile(rb"(?:\r\n|\r|\n)\Z")
_BULLET: Final = re.compile(rb"\A[ \t]*+[-*+][ \t]++")
_BEGINS: Final = re.compile(rb"\A[ \t]*+(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|>])")
_FENCE: Final = re.compile(rb"\A[ \t]*+(?:`{3}|~{3})")

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; `name` is what the report calls it."""

    name: str
    path: Path
    before: bytes
    after: bytes
    edits: tuple[Edit, ...]

    def diff(self, shown: str | None = None) -> Iterator[str]:
        """The unified diff, a line each."""
        name = shown or self.name
        before, after = (_readable(content) for content in (self.before, self.after))
        yield from difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm="")


def borne_out(findings: Iterable[Finding], contents: Mapping[str, tuple[Path, bytes]]) -> list[Finding]:
    """The findings, with their edits called safe only where the source bears that out."""
    sources = {name: _LINE.findall(before.removeprefix(_BOM)) for name, (_, before) in contents.items()}
    return [
        replace(one, edit=replace(one.edit, safe=False))
        if one.edit is not None and one.edit.safe and not _borne_out(one, one.edit, sources)
        else one
        for one in findings
    ]


def plan(findings: Sequence[Finding], contents: Mapping[str, tuple[Path, bytes]]) -> list[Change]:
    """What the safe edits of some findings make of the files, which are as the audit read them."""
    chosen = _without_loss(borne_out(findings, contents))
    changes = []
    for name, (path, before) in contents.items():
        edits = tuple(sorted((edit for edit in chosen if edit.file == name), key=lambda edit: edit.line))
        after = edited(before, edits)
        if after != before:
            changes.append(Change(name, path, before, after, edits))
    return changes


def carry_out(changes: Sequence[Change]) -> None:
    """Write the plan. Raises StateError, with nothing written, where a file is no longer what it was made from."""
    for change in changes:
        if change.path.read_bytes() != change.before:
            message = f"{change.name} has changed since it was read; nothing was written, run the audit again"
            raise StateError(message)
    for change in changes:
        replace_file(change.path, change.after, private=False)


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    r"""A file's bytes after some edits that do not overlap, in the order of their lines.

    >>> from stilltrue.audit.findings import Edit
    >>> edited(b"# A\r\n- x\r\n- y\r\n- x", [Edit("f", 4, 4, None, "")])
    b'# A\r\n- x\r\n- y'
    """
    mark = _BOM if content.startswith(_BOM) else b""
    lines: list[bytes] = _LINE.findall(content[len(mark) :])
    ended = not lines or bool(_END.search(lines[-1]))
    for edit in reversed(edits):
        first, last = edit.line - 1, edit.end_line
        if edit.text is not None:
            ending = _END.search(lines[last - 1]) or _END.search(lines[0])
            breaks = ending[0] if ending else b"\n"
            lines[first:last] = [part.encode() + breaks for part in edit.text.splitlines()]
            continue
        last += _blank(lines, first - 1) and _blank(lines, last) and last < len(lines)
        del lines[first:last]
    if lines and not ended:
        lines[-1] = _END.sub(b"", lines[-1])
    return mark + b"".join(lines)


def _blank(lines: Sequence[bytes], place: int) -> bool:
    return not 0 <= place < len(lines) or not lines[place].strip()


def _borne_out(finding: Finding, edit: Edit, sources: Mapping[str, Sequence[bytes]]) -> bool:
    """Whether the lines that would go are whole in the source, and, for a repeat, those that stay to the letter."""
    own = sources.get(edit.file, ())
    if not own or not _nothing_hangs_on(own, edit):
        return False
    if finding.relation is not Relation.DUPLICATE:
        return True
    stays = finding.there if (finding.here.file, finding.here.line) == (edit.file, edit.line) else finding.here
    kept = sources.get(stays.file, ())[stays.line - 1 : stays.line + edit.end_line - edit.line]
    gone = own[edit.line - 1 : edit.end_line]
    return [_bare(line) for line in kept] == [_bare(line) for line in gone]


def _bare(line: bytes) -> bytes:
    return _BULLET.sub(b"", line, count=1).strip()


def _nothing_hangs_on(lines: Sequence[bytes], edit: Edit) -> bool:
    """No line goes on what is taken out, and no block of code has it for its lead."""
    after = list(lines[edit.end_line :])
    if after and after[0].strip():
        deeper = _indent(after[0]) > _indent(lines[edit.line - 1])
        if deeper or not _BEGINS.match(after[0]):
            return False
    following = next((line for line in after if line.strip()), b"")
    return not _FENCE.match(following)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _without_loss(findings: Sequence[Finding]) -> list[Edit]:
    """The safe edits that can be made together: none twice, none in another's lines, no witness lost in a circle."""
    chosen: list[Edit] = []
    witness: dict[Place, Place] = {}
    for finding in findings:
        edit = finding.edit
        if edit is None or not edit.safe or any(_meet(edit, other) for other in chosen):
            continue
        places = [(edit.file, line) for line in range(edit.line, edit.end_line + 1)]
        stays = next(((s.file, s.line) for s in (finding.there, finding.here) if (s.file, s.line) not in places), None)
        if stays is None or _last(stays, witness) in places:
            continue
        chosen.append(edit)
        witness |= dict.fromkeys(places, stays)
    return chosen


def _last(place: Place, witness: Mapping[Place, Place]) -> Place:
    """Where a chain of witnesses ends: at a line that stays, or where it meets itself."""
    passed = set()
    while place in witness and place not in passed:
        passed.add(place)
        place = witness[place]
    return place


def _meet(one: Edit, other: Edit) -> bool:
    return one.file == other.file and one.line <= other.end_line and other.line <= one.end_line


def _readable(content: bytes) -> list[str]:
    return [line.decode("utf-8", "replace").rstrip("\r\n") for line in _LINE.findall(content.removeprefix(_BOM))]
