"""How is the door for agents opened from the command line? `mcp`, over standard input or, with `--http`, a socket."""

from __future__ import annotations

import importlib.util
import signal
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from stilltrue.errors import AccessError, InvalidInputError
from stilltrue.faces.cli.call import Call, print_lines
from stilltrue.faces.cli.options import Access

PORT: Final = 8766
NOBODY: Final = (
    "nobody could come in: no token is good for this space; make one with `stilltrue --space NAME token new AGENT "
    "--role reviewer`, with the same --db"
)


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(epilog="Example: claude mcp add stilltrue -- stilltrue mcp")(mcp)


def mcp(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Listen on this machine instead; callers need a token (`stilltrue token`).")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --http: where; 0 takes a free one.")
    ] = PORT,
    access: Access = None,
) -> None:
    """Serve this memory to an agent over the Model Context Protocol.

    Over standard input and output, as agents start it. One server speaks for the one --space.
    """
    if importlib.util.find_spec("mcp") is None:
        raise InvalidInputError("agents are served through the package mcp: pip install 'stilltrue[mcp]'")
    call = Call.of(context, as_json=False)
    if http:
        _over_http(call, port, access)
    else:
        _over_stdio(call)


def _over_stdio(call: Call) -> None:
    from stilltrue.faces.mcp.serving import serve_stdio

    # A thread waits for the next line and cannot be woken; what was answered is durable, so the process may just end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with call.memory(creates=True) as memory:
        serve_stdio(memory.start_worker())


def _over_http(call: Call, port: int, access: Path | None) -> None:
    from stilltrue.faces.http.access import Tokens, beside
    from stilltrue.faces.mcp.serving import serve_http

    place = access or beside(call.where())
    if not place.exists():
        raise AccessError(NOBODY)
    # Asked to end, it ends as at Ctrl-C: the worker and the database are closed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with closing(Tokens(place)) as tokens:
        if not any(one.good(datetime.now(UTC)) and one.caller().enters(call.space) for one in tokens.listed()):
            raise AccessError(NOBODY)
        with call.memory(creates=True) as memory:
            serve_http(memory.start_worker(), tokens, port, _announce)


def _announce(address: str) -> None:
    print_lines([f"listening on {address}"])
    sys.stdout.flush()
