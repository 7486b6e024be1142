"""Over which wire does the server speak? Standard input and output of whoever started it, or HTTP on this machine.

HTTP listens on the loopback address only. A request must name that address as its host, may come from no page of
another origin, and must carry a token that is good for the space: any program on this machine, and any page in its
browser, could call otherwise. Each request stands alone, so a server that starts anew is not noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from stilltrue.errors import StilltrueError
from stilltrue.faces.http.run import listener_on, server_of
from stilltrue.faces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette

    from stilltrue.faces.http.access import Tokens
    from stilltrue.memory import Memory

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
_NAMES: Final = (HOST, "localhost")


class TokenDoor:
    """What the protocol's package asks about a token: whether it opens this door, for whom, and as what."""

    def __init__(self, tokens: Tokens, space: str) -> None:
        """Tokens that are good for `space` open it."""
        self._tokens = tokens
        self._space = space

    async def verify_token(self, token: str) -> AccessToken | None:
        """None: nobody comes in with this."""
        return await anyio.to_thread.run_sync(self._verified, token)

    def _verified(self, token: str) -> AccessToken | None:
        try:
            caller = self._tokens.caller(token)
        except StilltrueError:
            return None
        if not caller.enters(self._space):
            return None
        return AccessToken(token=token, client_id=caller.token_id, scopes=[caller.role.value], subject=caller.name)


def serve_stdio(memory: Memory) -> None:
    """Speak to the program that started us, until it closes our standard input."""
    server = build_server(memory)

    async def speak() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(speak)


def build_http_app(memory: Memory, tokens: Tokens, port: int) -> Starlette:
    """The HTTP application for a memory's space, to be served on the loopback address at `port`."""
    address = f"http://{HOST}:{port}"
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}:{port}" for name in _NAMES],
        allowed_origins=[f"http://{name}:{port}" for name in _NAMES],
    )
    return build_server(memory, tokens.caller).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=security,
        host=HOST,
        auth=AuthSettings(issuer_url=AnyHttpUrl(address), resource_server_url=None),
        token_verifier=TokenDoor(tokens, memory.space),
    )


def serve_http(memory: Memory, tokens: Tokens, port: int, tell: Callable[[str], object]) -> None:
    """Listen until interrupted; `tell` is given the address once calls are accepted. `port` 0: any that is free.

    Raises StoreError for a port that is taken.
    """
    with listener_on(HOST, port) as listener:
        port = listener.getsockname()[1]
        tell(f"http://{HOST}:{port}{PATH}")
        server_of(build_http_app(memory, tokens, port), lifespan=True).run(sockets=[listener])
