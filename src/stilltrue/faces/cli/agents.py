"""How is the door for agents opened from the command line? `mcp`, over standard input or, with `--http`, a socket."""

from __future__ import annotations

import importlib.util
import signal
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import Call, print_lines

if TYPE_CHECKING:
    from stilltrue.memory import Memory

PORT: Final = 8766


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
) -> None:
    """Serve this memory to an agent over the Model Context Protocol.

    Over standard input and output, as agents start it. One server speaks for the one --space.
    """
    if importlib.util.find_spec("mcp") is None:
        raise InvalidInputError("agents are served through the package mcp: pip install 'stilltrue[mcp]'")
    call = Call.of(context, as_json=False)
    with call.memory(creates=True) as memory:
        memory.start_worker()
        if http:
            _over_http(call, memory, port)
        else:
            _over_stdio(memory)


def _over_stdio(memory: Memory) -> None:
    from stilltrue.faces.mcp.serving import serve_stdio

    # A thread waits for the next line and cannot be woken; what was answered is durable, so the process may just end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve_stdio(memory)


def _over_http(call: Call, memory: Memory, port: int) -> None:
    from stilltrue.faces.http.access import Tokens, beside
    from stilltrue.faces.mcp.serving import serve_http

    # Asked to end, it ends as at Ctrl-C: the worker and the database are closed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tokens = Tokens(beside(call.where()))
    try:
        serve_http(memory, tokens, port, _announce)
    finally:
        tokens.close()


def _announce(address: str) -> None:
    print_lines([f"listening on {address}"])
    sys.stdout.flush()
