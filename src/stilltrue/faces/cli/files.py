"""Which verbs read a file of others' making? import, judge, replay: each one call of `stilltrue.connect`."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli import archive
from stilltrue.faces.cli.call import STANDARD_INPUT, Call, decision_lines, naming, print_error, print_lines, safe_json
from stilltrue.faces.cli.options import Json
from stilltrue.faces.text import plain
from stilltrue.formats.targets import refuse_taken
from stilltrue.settings import Settings

if TYPE_CHECKING:
    from stilltrue.connect.importers import ImportReport
    from stilltrue.connect.replay import StoryResult
    from stilltrue.memory import Memory

_HEADER_LENGTH = 4096
_LONGEST_VERDICT = 1 << 20


class FileFormat(StrEnum):
    """What `import` reads."""

    MESSAGES = "messages"
    SESSIONS = "sessions"
    JSONL = "jsonl"
    MEM0 = "mem0"
    MARKDOWN = "markdown"
    STILLTRUE = "stilltrue"


class Switch(StrEnum):
    """On or off."""

    ON = "on"
    OFF = "off"


File = Annotated[str, typer.Argument(metavar="FILE", help="The file; `-` reads standard input.")]


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(name="import", epilog="Example: stilltrue import sessions.json --format sessions")(import_)
    app.command(epilog="Example: stilltrue judge pairs.jsonl --out verdicts.jsonl")(judge)
    app.command(epilog="Example: stilltrue replay stories.jsonl --json")(replay)


def import_(
    context: typer.Context,
    file: File,
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="What the file holds; else told from its content.")
    ] = None,
    no_classify: Annotated[
        bool, typer.Option("--no-classify", help="Ask no LLM now, also where one is configured; `drain` does it later.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only tell what an LLM would be asked, and about how many tokens.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only print what would change, by local judges; nothing is touched.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remember what a file holds, in the order it was said.

    Repeating it adds only what is new, and `undo` takes it back as one. What `export` wrote becomes a new space.
    """
    call = Call.of(context, as_json=as_json)
    if file_format is FileFormat.STILLTRUE or (file_format is None and _was_exported(file)):
        if estimate or plan:
            raise InvalidInputError("an export is taken over as it is, unjudged; leave out --estimate and --plan")
        archive.restore(call, file)
        return
    if estimate and plan:
        raise InvalidInputError("--estimate counts what an LLM would be asked, --plan shows changes; give one of them")
    if estimate or plan:
        (_estimate if estimate else _plan)(call, file, file_format)
        return
    with call.memory(creates=True) as memory:
        report = _import(call, memory, file, file_format, asks=not no_classify)
    call.show(report.as_json, lambda: _import_lines(report))
    for error in report.errors:
        print_error(f"{file}: {error}")
    raise typer.Exit(report.exit_status)


def _was_exported(file: str) -> bool:
    """Whether a file has the header of an export; standard input is read once, so it has to be named."""
    from stilltrue.connect.archive import is_export

    if file == STANDARD_INPUT:
        return False
    try:
        with Path(file).open("rb") as stream:
            return is_export(stream.readline(_HEADER_LENGTH))
    except OSError:
        return False  # the importers say what is wrong with it


def _import(call: Call, memory: Memory, file: str, file_format: FileFormat | None, *, asks: bool) -> ImportReport:
    from stilltrue.connect.importers import ask_about, import_data, import_file

    with naming(file), call.progress("importing") as progress:
        if file == STANDARD_INPUT:
            report = import_data(memory, sys.stdin.buffer.read(), format=file_format, progress=progress, asks=False)
        else:
            report = import_file(memory, file, format=file_format, progress=progress, asks=False)
    if not asks:
        return report
    with call.progress("asking the LLM") as progress:
        return ask_about(memory, report, progress)


def _estimate(call: Call, file: str, file_format: FileFormat | None) -> None:
    """What importing would have an LLM asked; a memory that is not there yet is not made."""
    from stilltrue.connect.importers import estimate_import
    from stilltrue.faces import reports, wire

    source = sys.stdin.buffer.read() if file == STANDARD_INPUT else file
    with call.memory(missing_is_empty=True) as memory, naming(file), call.progress("estimating") as progress:
        told = estimate_import(memory, source, format=file_format, progress=progress)
    call.show(lambda: wire.estimate(told), lambda: reports.estimate(told))


def _plan(call: Call, file: str, file_format: FileFormat | None) -> None:
    """What importing would change, as a diff; a memory that is not there yet is not made."""
    from stilltrue.connect.importers import plan_import
    from stilltrue.faces import wire

    source = sys.stdin.buffer.read() if file == STANDARD_INPUT else file
    with (
        call.memory(missing_is_empty=True) as memory,
        naming(file),
        call.progress("planning") as progress,
        plan_import(memory, source, format=file_format, progress=progress) as plan,
    ):
        lines = list(decision_lines(plan.memory, plan.decisions, plan=True))
    call.show(lambda: wire.planned_import(plan), lambda: [*lines, *itertools.islice(_import_lines(plan.report), 2)])
    for error in plan.report.errors:
        print_error(f"{file}: {error}")
    raise typer.Exit(plan.report.exit_status)


def _import_lines(report: ImportReport) -> Iterator[str]:
    from stilltrue.model.ids import short

    yield f"{report.episodes} episodes in {report.format.value} form: {report.new} new, {report.repeated} known already"
    made = ", ".join(f"{count} {action}" for action, count in report.decisions.items())
    yield f"decided: {made or 'nothing'}"
    if report.batch_id is not None:
        yield f"take it back with: stilltrue undo {short(report.batch_id)}"


def judge(
    context: typer.Context,
    file: File,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the verdicts go; else standard output.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge pairs of statements, one JSON object a line.

    One verdict a line comes back, in the same order. Labelled pairs are scored on standard error.
    """
    from stilltrue.connect.pairs import judge_file
    from stilltrue.wiring import pair_model_of

    model = pair_model_of(None, Settings.from_environment(os.environ))
    call = Call.of(context, as_json=as_json)
    with _opened(file) as stream, _written(out, file) as write, call.progress("judging", _lines_in(file)) as progress:
        done = itertools.count(1)

        def answer(line: str) -> None:
            write(line)
            progress(next(done))

        report = judge_file(stream, answer, complain=lambda error: print_error(f"{file}: {error}"), pair_model=model)
    if report.summary is not None:
        figures = json.dumps(report.summary.as_json()) if call.as_json else str(report.summary)
        sys.stderr.write(figures + "\n")
    raise typer.Exit(report.exit_status)


def replay(
    context: typer.Context,
    file: File,
    llm: Annotated[
        Switch, typer.Option("--llm", help="Whether an LLM is asked where local judges cannot tell.")
    ] = Switch.OFF,
    as_json: Json = False,
) -> None:
    """Tell stories to fresh memories, and check the outcome.

    A file named *.truth.yaml holds truth tests; pytest runs these too.
    """
    from stilltrue.connect.replay import default_memory, replay_file

    call, settings = Call.of(context, as_json=as_json), _asking() if llm is Switch.ON else None
    if file.endswith((".yaml", ".yml")):
        raise typer.Exit(_truths(call, Path(file), settings))
    opens = default_memory(settings=settings)
    with _opened(file) as stream, call.progress("replaying", _lines_in(file)) as progress:
        done = itertools.count(1)

        def tell(story: StoryResult) -> None:
            progress(next(done))
            if not call.as_json:
                print_lines([plain(str(story))])

        report = replay_file(stream, open_memory=opens, progress=tell)
    call.show(report.as_json, lambda: [str(report)])
    raise typer.Exit(report.exit_status)


def _truths(call: Call, file: Path, settings: Settings | None) -> int:
    """Run a file of truth tests; each failure is told in its own lines."""
    from stilltrue.connect.truth_run import Models, run_file

    report = run_file(file, Models(settings or Settings()))
    failures = [failure.wrong for story in report.stories for failure in story.failures]
    lines = [line for failure in failures for line in failure.splitlines()]
    call.show(report.as_json, lambda: [*lines, f"{report.passed}/{report.total} checks"])
    return report.exit_status


def _asking() -> Settings:
    """The defaults with what the environment says of the LLM. Raises InvalidInputError where it names none."""
    told = Settings.from_environment(os.environ)
    if told.llm.strip().lower() == "off":
        raise InvalidInputError("--llm on asks the LLM that STILLTRUE_LLM names, and it names none; set it")
    names = (item.name for item in dataclasses.fields(told) if item.name.startswith("llm"))
    return Settings().replace({name: getattr(told, name) for name in names})


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The bytes of a file, or of standard input."""
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream


def _lines_in(file: str) -> int | None:
    """How much there is to do; None where it cannot be told without reading it away."""
    if file == STANDARD_INPUT or not Path(file).is_file():
        return None
    with Path(file).open("rb") as stream:
        return sum(bool(line.strip()) for line in stream)


def _was_judged(out: Path) -> bool:
    """Whether a file holds verdicts, which a second run may write over: they can be had again."""
    from stilltrue.connect.pairs import is_verdict

    if not out.is_file():
        return False
    with out.open("rb") as stream:
        return is_verdict(stream.readline(_LONGEST_VERDICT))


@contextmanager
def _written(out: Path | None, file: str) -> Iterator[Callable[[str], object]]:
    """Where lines of JSON go: a file, or standard output, where none of them can steer a terminal."""
    if out is None:
        yield lambda line: sys.stdout.write(safe_json(line) + "\n")
        return
    if file != STANDARD_INPUT and out.exists() and out.samefile(file):
        raise InvalidInputError(f"--out {out} is the file to be judged; name another")
    refuse_taken(out, over=_was_judged(out))
    with out.open("w", encoding="utf-8") as stream:
        yield lambda line: stream.write(line + "\n")
