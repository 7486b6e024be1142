"""Which verbs are there, and what stands before them? One typer application, to which modules add verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from stilltrue import __version__
from stilltrue.faces.cli.call import Call
from stilltrue.faces.cli.options import Json

EXAMPLES = """\b
Examples:
  stilltrue remember "I live in Lisbon." --author mara
  stilltrue remember "I moved to Porto in May." --author mara
  stilltrue search "where does Mara live"
  stilltrue search "where does Mara live" --as-of 2025-01-31
  stilltrue explain 5f0c21ab
  stilltrue import sessions.json --format sessions
  stilltrue demo
"""

app = typer.Typer(
    name="stilltrue",
    help="Keep the long-term memory of AI agents true: what holds now, what held then, and why.",
    epilog=EXAMPLES,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"stilltrue {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def before_the_verb(
    context: typer.Context,
    db: Annotated[
        str | None,
        typer.Option(
            "--db", metavar="PATH|URL", envvar="STILLTRUE_DB", help="Where memory lies; else in your data folder."
        ),
    ] = None,
    space: Annotated[str, typer.Option("--space", metavar="NAME", help="Whose memory it is.")] = "default",
    member: Annotated[
        str | None, typer.Option("--as", metavar="MEMBER", help="Who is asking, for a space shared by a group.")
    ] = None,
    as_json: Json = False,
    version: Annotated[  # noqa: ARG001 - its callback has done the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit
    context.obj = Call(db or None, space, member, as_json)
