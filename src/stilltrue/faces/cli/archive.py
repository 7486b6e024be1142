"""Which verb takes a memory out whole? export: one call of `stilltrue.connect`; `import` brings it in again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from stilltrue.faces.cli.call import STANDARD_INPUT, Call, print_json, print_lines, safe_json
from stilltrue.faces.cli.options import Json
from stilltrue.formats.targets import refuse_taken, replacing

if TYPE_CHECKING:
    from stilltrue.connect.archive import Travelled

_PIECE = 1 << 20


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(epilog="Example: stilltrue --space mara export --out mara.jsonl")(export)


def export(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where it goes; else standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="With --out: write over a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write a space with its whole history, one JSON object a line.

    `import` makes the same space of it, elsewhere or under another name. What was erased is not in it.
    """
    from stilltrue.connect.archive import export_space

    call = Call.of(context, as_json=as_json)
    if out is not None:
        refuse_taken(out, over=force, remedy="name another file, or give --force to write over it")
    with call.memory() as memory, call.progress("exporting") as progress, _lines_to(out) as write:
        told = export_space(memory, write, progress)
    if out is None:
        return
    if call.as_json:
        print_json(told.as_json())
    else:
        print_lines([f"space {told.space} written to {out}: {_what(told)}"])


def restore(call: Call, file: str) -> None:
    """What `import` does with an export."""
    from stilltrue.connect.archive import import_space

    named = "standard input" if file == STANDARD_INPUT else file
    with rewindable(file) as stream, call.memory(creates=True) as memory, call.progress("importing") as progress:
        told = import_space(memory, stream, named, progress)
    call.show(told.as_json, lambda: [f"space {told.space} made as it was: {_what(told)}"])


@contextmanager
def rewindable(file: str) -> Iterator[BinaryIO]:
    """The bytes of a file or of standard input, to be read more than once."""
    if file != STANDARD_INPUT:
        with Path(file).open("rb") as stream:
            yield stream
        return
    with TemporaryFile(prefix="stilltrue-") as copy:
        while piece := sys.stdin.buffer.read(_PIECE):
            copy.write(piece)
        copy.seek(0)
        yield copy


def _what(told: Travelled) -> str:
    episodes, facts = told.records.get("KeptEpisode", 0), told.records.get("KeptFact", 0)
    return f"{episodes} episodes, {facts} facts, {sum(told.records.values())} records"


@contextmanager
def _lines_to(out: Path | None) -> Iterator[Callable[[str], object]]:
    if out is None:
        yield lambda line: sys.stdout.write(safe_json(line) + "\n")
        return
    with replacing(out) as stream:
        yield lambda line: stream.write(line.encode() + b"\n")
