"""Which verbs keep a file of notes and memory in step? `notes write` and `notes read`: each one call of `connect`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stilltrue.faces.cli.call import Call, naming, print_error
from stilltrue.faces.cli.options import Json
from stilltrue.faces.text import plain, shorten
from stilltrue.formats.targets import refuse_unfit

if TYPE_CHECKING:
    from stilltrue.connect.notes import NotesRead
    from stilltrue.connect.notes.edits import Edit

Notes = Annotated[Path, typer.Argument(metavar="FILE", help="A file of notes, like MEMORY.md, CLAUDE.md or AGENTS.md.")]


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    notes = typer.Typer(help="Keep a section of a file of notes and memory in step.", rich_markup_mode=None)
    notes.command(epilog="Example: stilltrue notes write MEMORY.md")(write)
    notes.command(epilog="Example: stilltrue notes read MEMORY.md --retract")(read)
    app.add_typer(notes, name="notes")


def write(
    context: typer.Context,
    file: Notes,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many facts, the weightiest.")] = 200,
    force: Annotated[bool, typer.Option("--force", help="Write over edits that were not read.")] = False,
    as_json: Json = False,
) -> None:
    """Write what is true now into the section of a file; all else in it stays as it is."""
    from stilltrue.connect.notes import write_notes

    refuse_unfit(file)
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        told = write_notes(memory, file, limit=limit, force=force)
    done = f"written to {file}" if told.changed else f"{file} says it already"
    call.show(told.as_json, lambda: [f"{done}, facts: {told.facts}"])


def read(
    context: typer.Context,
    file: Notes,
    retract: Annotated[
        bool, typer.Option("--retract", help="Forget the facts whose lines were taken out, without asking.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in what people changed in the section of a file, and what they wrote around it."""
    from stilltrue.connect.notes import read_notes

    call = Call.of(context, as_json=as_json)
    with call.memory(creates=True) as memory, naming(file):
        told = read_notes(memory, file, retracts=_asked(retract=retract, as_json=call.as_json))
    call.show(told.as_json, lambda: _lines(told))
    for error in told.errors:
        print_error(f"{file}: {error}")
    raise typer.Exit(1 if told.errors else 0)


def _asked(*, retract: bool, as_json: bool) -> Callable[[Edit], bool] | None:
    """Who says whether a fact whose line was taken out is over: the option, or a person who is here."""
    if retract:
        return lambda _: True
    if as_json or not sys.stdin.isatty():
        return None
    return lambda edit: typer.confirm(f"The line was taken out: {plain(edit.text)} Forget this fact?", err=True)


def _lines(told: NotesRead) -> Iterator[str]:
    from stilltrue.model.ids import short

    done = f"{told.changed} changed, {told.added} added, {told.retracted} retracted"
    yield f"{done}; {told.outside} statements around the section"
    for edit in told.waiting:
        yield f"taken out of the file, still held true: {shorten(edit.text, 80)} [{short(edit.fact_id or '')}]"
    if told.waiting:
        yield "forget these with --retract, or write them back with: stilltrue notes write --force"
    if told.batch_id is not None and told.changed + told.added + told.retracted + told.outside:
        yield f"take it back with: stilltrue undo {short(told.batch_id)}"
