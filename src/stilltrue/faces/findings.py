"""How are an audit's findings shown to people? A line each, as compilers do, its reasons under it, a sum at last.

The first line of a finding is fixed by FORMATS.md. Statements come from files of strangers: all of it passes through
`plain`. Colour goes to terminals alone, and not there either where NO_COLOR is set.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from stilltrue.faces.text import plain, shorten

if TYPE_CHECKING:
    from stilltrue.audit.findings import Finding, Side
    from stilltrue.audit.inquiry import Answer

Styled = list[tuple[str, str]]
"""One line: its parts, each with a style of rich."""

LONGEST: Final = 200
_COLOURS: Final = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def lines(answer: Answer, shown: Callable[[str], str]) -> Iterator[Styled]:
    """The whole answer; `shown` is what a file is called where the reader stands."""
    report = answer.report
    for finding in report.findings:
        yield from _finding(finding, shown)
    for name, why in report.skipped:
        yield [(f"{plain(shown(name))}: ", "bold"), (f"not read: {plain(why)}", "yellow")]
    for name, why in answer.examined.skipped if answer.examined is not None else ():
        yield [(f"{plain(shown(name))}: ", "bold"), (f"no witness: {plain(why)}", "dim")]
    for entry in answer.gone:
        texts = (shorten(str(entry.get(side, "")), LONGEST) for side in ("text", "other_text"))
        yield [("no longer occurs, though the baseline knows it: ", "dim"), (" / ".join(f'"{t}"' for t in texts), "")]
    yield [(_sum(answer), "bold" if report.findings else "green")]


def show(told: Iterable[Styled]) -> None:
    """Print lines, coloured where that is wanted; nothing in a text is taken for markup."""
    from rich.console import Console
    from rich.text import Text

    console = Console(markup=False, emoji=False, highlight=False, soft_wrap=True)
    for line in told:
        if console.is_terminal:
            console.print(Text.assemble(*line))
        else:
            sys.stdout.write("".join(part for part, _ in line) + "\n")


def diff_line(line: str) -> Styled:
    """A line of a diff, its indentation kept."""
    lead = line[: len(line) - len(line.lstrip())]
    style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
    return [(lead.expandtabs(4) + plain(line), style)]


def shown_from(root: Path, here: Path) -> Callable[[str], str]:
    """What the files of an audit are called from a folder: their paths relative to it."""

    def shown(name: str) -> str:
        try:
            return Path(os.path.relpath(root / name, here)).as_posix()
        except ValueError:  # on another drive
            return str(root / name)

    return shown


def _finding(finding: Finding, shown: Callable[[str], str]) -> Iterator[Styled]:
    severity = finding.severity.value
    yield [
        (f"{_place(finding.here, shown)}: ", "bold"),
        (f"{severity} {finding.relation.value}", _COLOURS[severity]),
        (f" ({finding.confidence:.2f}) with ", ""),
        (f"{_place(finding.there, shown)}: ", "bold"),
        (f'"{shorten(finding.here.text, LONGEST)}" / "{shorten(finding.there.text, LONGEST)}"', ""),
    ]
    reasons = "; ".join(shorten(note, LONGEST) for note in finding.evidence)
    yield [(f"    {finding.kind.value}" + (f": {reasons}" if reasons else ""), "dim")]
    if finding.edit is not None:
        by_itself = " (--fix does it)" if finding.edit.safe else ""
        yield [(f"    to do: {plain(finding.edit.words)}{by_itself}", "dim")]


def _place(side: Side, shown: Callable[[str], str]) -> str:
    return f"{plain(shown(side.file))}:{max(side.line, 1)}"


def _sum(answer: Answer) -> str:
    report = answer.report
    looked = f"{_many(report.statements, 'statement')} in {_many(len(report.files), 'file')}"
    looked += f", {_many(report.pairs_judged, 'pair')} judged"
    counts = Counter(finding.severity.value for finding in report.findings)
    severe = ", ".join(_many(counts[word], word) for word in _COLOURS if counts[word])
    found = f"{_many(len(report.findings), 'finding')} ({severe}); " if severe else ""
    told = (found or ("clean; " if not report.skipped else "nothing found; ")) + looked
    told += f"; {answer.examined.confirmed} proved right by the repository" if answer.examined is not None else ""
    told += f"; {report.accepted} accepted by the baseline" if report.accepted else ""
    files = {name for name, _ in report.skipped}
    what = "file" if len(files) == len(report.skipped) else "record"
    return told + (f"; {_many(len(report.skipped), what)} not read" if report.skipped else "")


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
