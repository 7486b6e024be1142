"""Which verb moves a memory to another place? migrate: one call of `stilltrue.connect.moving`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from stilltrue.faces.cli.call import Call
from stilltrue.faces.cli.options import Json
from stilltrue.faces.text import plain


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(epilog="Example: stilltrue migrate notes.db postgresql://ada@db.example/agents")(migrate)


def migrate(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A file, or the address of a server.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The same; it must be empty or missing.")],
    as_json: Json = False,
) -> None:
    """Move a whole memory, all spaces of it, from a file to a PostgreSQL server or back.

    Nothing of FROM changes. End what writes to it first. An interrupted move goes on when it is given again.
    """
    from stilltrue.connect.moving import migrate as moved_by

    call = Call.of(context, as_json=as_json)
    with call.progress("moving") as progress:
        moved = moved_by(source, target, progress=progress)
    again = f", {moved.resumed} of them by an earlier run" if moved.resumed else ""
    call.show(
        lambda: asdict(moved),
        lambda: [
            plain(f"{moved.spaces} spaces, {moved.facts} facts, {moved.rows} rows moved{again}"),
            f"both sides have the digest {moved.digest}",
        ],
    )
