"""Which verb looks at files that agents read? audit: one call of `stilltrue.audit`, no store.

Left to others: what is found (`stilltrue.audit`), how it looks (`faces.findings`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand

from stilltrue.faces.cli.call import Call, print_error, print_json, safe_json
from stilltrue.faces.cli.options import Json
from stilltrue.faces.cli.store import examine, refuse
from stilltrue.formats.stores import StoreFormat

if TYPE_CHECKING:
    from stilltrue.audit.fixing import Change
    from stilltrue.audit.inquiry import Answer, Question

CHANGED: Final = "--changed"
HEAD: Final = "HEAD"
ROUNDS: Final = 5
"""How often mending looks again: what was hidden behind a repeat shows when the repeat has gone."""


class ReportFormat(StrEnum):
    """What `audit` prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


class _WithBareChanged(TyperCommand):
    """`--changed` may stand without its commit: before another option, an existing path, or the end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - the parser's own, by version
        told = list(args)
        for place, word in enumerate(args):
            if word == "--":
                break
            after = args[place + 1] if place + 1 < len(args) else "-"
            if word == CHANGED and (after.startswith("-") or Path(after).exists()):
                told[place] = f"{CHANGED}={HEAD}"
        return super().parse_args(ctx, told)


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(cls=_WithBareChanged, epilog="Example: stilltrue audit CLAUDE.md docs/memory --format sarif")(audit)


def audit(  # noqa: PLR0913, PLR0917 - an argument each option
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATHS]...", help="Files, or folders to find memory files in; else this folder."),
    ] = None,
    report_format: Annotated[ReportFormat, typer.Option("--format", help="How to tell it.")] = ReportFormat.TEXT,
    expected: Annotated[
        Path | None, typer.Option("--expected", metavar="FILE", help="Labelled lines (JSONL) to measure against.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Show what can be mended without loss, ask, and do it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --fix: do not ask.")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Findings that are known and accepted.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", metavar="FILE", help="Accept all findings of now in this file.")
    ] = None,
    changed: Annotated[
        str | None,
        typer.Option(CHANGED, metavar="[REF]", help="Only what touches files that differ from a commit, or from HEAD."),
    ] = None,
    repo: Annotated[
        bool, typer.Option("--repo", help="Also what the repository's own files prove wrong: versions, targets, paths.")
    ] = False,
    min_confidence: Annotated[
        float | None, typer.Option("--min-confidence", metavar="P", help="Only findings from this confidence on.")
    ] = None,
    store: Annotated[
        StoreFormat | None, typer.Option("--store", help="PATHS are exports of another memory; examine what they hold.")
    ] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", metavar="FILE", help="With --store: write what to do into this file.")
    ] = None,
    llm: Annotated[
        bool, typer.Option("--llm", help="Also ask the LLM that the settings name, about doubtful pairs of lines.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find what is no longer true in memory files, or in the exports of another memory.

    Contradictions, leftovers, repeats and stale lines in CLAUDE.md, AGENTS.md, rules and notes. Ends with 1 where there
    is more than notes, with 2 where it cannot run.
    """
    from stilltrue.audit.configuration import find_configuration
    from stilltrue.audit.inquiry import Question

    call = Call.of(context, as_json=as_json or report_format is ReportFormat.JSON)
    told = ReportFormat.JSON if call.as_json else report_format
    if store is not None or patch is not None:
        refuse({"--fix": fix, "--expected": expected, "--baseline": baseline, CHANGED: changed, "--repo": repo,
                "--write-baseline": write_baseline, "--llm": llm})  # fmt: skip
        raise typer.Exit(examine(call, store, paths or [], patch, told.value, min_confidence))
    here = Path.cwd()
    question = Question(
        here=here, paths=tuple(paths or ()), configuration=find_configuration(here), expected=expected,
        baseline=baseline, write_baseline=write_baseline, changed=changed, min_confidence=min_confidence, repo=repo,
    )  # fmt: skip
    raise typer.Exit(_files(call, told, question, _Ways(fix=fix, yes=yes, llm=llm)))


class _Ways(NamedTuple):
    """How to go about it: mend, without asking, with the LLM's help."""

    fix: bool
    yes: bool
    llm: bool


def _files(call: Call, told: ReportFormat, question: Question, ways: _Ways) -> int:
    """Ask, mend where that is wanted, tell; the exit status."""
    ask = _asker(call, question, llm=ways.llm)
    answer = ask()
    mended: list[Change] = []
    if ways.fix:
        answer = _mend(ask, answer, question.here, mended, yes=ways.yes, told=told)
    _tell(answer, question.here, told, mended)
    return answer.exit_status if question.write_baseline is None else _accept(answer, question.write_baseline)


def _asker(call: Call, question: Question, *, llm: bool) -> Callable[[], Answer]:
    """Asks the question, as often as it is called, of models that are loaded once."""
    from stilltrue.audit.inquiry import inquire
    from stilltrue.settings import Settings
    from stilltrue.wiring import embedder_of, expert_alone, line_judge_of

    settings = Settings.from_environment(os.environ)
    model, embedder = line_judge_of(settings), embedder_of(settings)
    expert = expert_alone(settings, embedder, os.environ) if llm else None

    def ask() -> Answer:
        with call.progress("judging pairs") as progress:
            return inquire(
                question, settings=settings, pair_model=model, embedder=embedder, expert=expert, progress=progress
            )

    return ask


def _mend(
    ask: Callable[[], Answer], answer: Answer, here: Path, mended: list[Change], *, yes: bool, told: ReportFormat
) -> Answer:
    """Show, ask, write, look again, until nothing is left that can be mended without loss."""
    from stilltrue.audit import fixing
    from stilltrue.faces import findings

    for _ in range(ROUNDS):
        changes = fixing.plan(answer.report.findings, answer.contents)
        if not changes:
            break
        shown = findings.shown_from(answer.root, here)
        diff = [findings.diff_line(line) for change in changes for line in change.diff(shown(change.name))]
        if told is ReportFormat.TEXT:
            findings.show(diff)
        else:
            sys.stderr.writelines("".join(part for part, _ in line) + "\n" for line in diff)
        if not yes and not _agreed(len(changes)):
            break
        fixing.carry_out(changes)
        mended += changes
        answer = ask()
    return answer


def _agreed(count: int) -> bool:
    what = "this file" if count == 1 else f"these {count} files"
    try:
        return typer.confirm(f"Change {what}?", err=True)
    except typer.Abort:
        sys.stderr.write("\nnothing was written: nobody answered; --yes does not ask\n")
        return False


def _tell(answer: Answer, here: Path, told: ReportFormat, mended: list[Change]) -> None:
    from stilltrue.audit.as_json import as_json
    from stilltrue.audit.sarif import as_sarif
    from stilltrue.faces import findings

    shown = findings.shown_from(answer.root, here)
    if told is ReportFormat.JSON:
        fixed = [{"file": shown(change.name), "edits": len(change.edits)} for change in mended]
        print_json(as_json(answer, shown) | ({"fixed": fixed} if fixed else {}))
    elif told is ReportFormat.SARIF:
        print_json(as_sarif(answer))
    else:
        findings.show(findings.lines(answer, shown))
    if told is not ReportFormat.TEXT:
        for name, why in answer.report.skipped:
            print_error(f"{shown(name)}: not read: {why}")
    if answer.score is not None:
        sys.stderr.writelines(safe_json(line) + "\n" for line in answer.score.lines())


def _accept(answer: Answer, file: Path) -> int:
    from stilltrue.audit.inquiry import write_baseline

    known = write_baseline(answer, file)
    sys.stderr.write(f"{file} knows {known} {'finding' if known == 1 else 'findings'} now\n")
    return 2 if answer.report.skipped else 0
