"""How is a memory read as one story from the command line? `tell`, which `stilltrue detect --story` calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from stilltrue.faces.cli.call import Call

FAILED = 1


def tell(call: Call, sample: str | None = None) -> None:
    """Read the story now and show how it went; the exit status tells whether all of it could be read."""
    from stilltrue.faces import reports, wire

    with call.memory() as memory:
        run = memory.read_story(whole=sample is None, seed=sample or "")
        call.show(lambda: wire.story_run(run), lambda: reports.story_run(run))
    raise typer.Exit(FAILED if run.failure else 0)
