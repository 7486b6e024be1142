"""Which verb has a memory read as one story? `story`: one call of `Memory`, shown with what it opened."""

from __future__ import annotations

from typing import Annotated

import typer

from stilltrue.faces.cli.call import Call
from stilltrue.faces.cli.options import Json

FAILED = 1


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(epilog="Example: STILLTRUE_LLM=http://127.0.0.1:8080/v1 stilltrue story")(story)


def story(
    context: typer.Context,
    sample: Annotated[
        str | None,
        typer.Option("--sample", metavar="SEED", help="Read only what forgetting leaves under this seed, not all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Have an LLM read all of memory as one story, and ask about what would confuse a newcomer."""
    tell(Call.of(context, as_json=as_json), sample)


def tell(call: Call, sample: str | None = None) -> None:
    """Read the story now and show how it went; the exit status tells whether all of it could be read."""
    from stilltrue.faces import render, wire

    with call.memory() as memory:
        run = memory.read_story(whole=sample is None, seed=sample or "")
        call.show(lambda: wire.story_run(run), lambda: render.story_run(run))
    raise typer.Exit(FAILED if run.failure else 0)
