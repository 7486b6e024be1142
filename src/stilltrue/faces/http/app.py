"""How is the door put together? A memory, its tokens and a few options become one application: guard, errors, routes.

`Door` is what every route is given, through `app.state.door`. Who is calling is a dependency, `caller`: the token in
the header Authorization. Pages in a browser have none to show; what they have instead (a session) is asked of
`Door.sessions`, and never under /v1: a cookie travels by itself, a header does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Depends, FastAPI, Request

from stilltrue import __version__
from stilltrue.errors import TokenError
from stilltrue.faces.http.access import Caller, Role, Tokens
from stilltrue.faces.http.guard import DEFAULT_MAX_BODY, Allowed, Guard
from stilltrue.faces.http.problems import add_handlers

if TYPE_CHECKING:
    from stilltrue.memory import Memory

API: Final = "/v1"
Session = Callable[[Request], Caller | None]
"""Who is calling, as a page's session tells; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`hosts` and `origins`: beside loopback and the server's own pages. `max_body`: bytes of a request."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    max_body: int = DEFAULT_MAX_BODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What a route works with."""

    memory: Memory
    tokens: Tokens
    options: Options
    sessions: list[Session] = field(default_factory=list)

    def enter(self, caller: Caller, needed: Role, space: str) -> Memory:
        """The memory of a space, for this caller. Raises AccessError, InvalidInputError for a name that is none."""
        caller.check(needed, space)
        return self.memory.in_space(space, caller.member)


def door_of(request: Request) -> Door:
    """The door that a request came through."""
    door = request.app.state.door
    if not isinstance(door, Door):
        message = "the application was not made by build_app"
        raise TypeError(message)
    return door


def caller(request: Request) -> Caller:
    """Who is calling. Raises TokenError (401)."""
    door = door_of(request)
    scheme, _, shown = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and shown.strip():
        return door.tokens.caller(shown.strip())
    if not request.url.path.startswith(API):
        for session in door.sessions:
            if (known := session(request)) is not None:
                return known
    raise TokenError("show a token: Authorization: Bearer TOKEN; `stilltrue token new` makes one")


Calling = Annotated[Caller, Depends(caller)]


def build_app(memory: Memory, tokens: Tokens, options: Options | None = None) -> FastAPI:
    """The application. Closing the memory and the tokens is left to whoever opened them."""
    chosen = options or Options()
    app = FastAPI(title="stilltrue", version=__version__, docs_url=None, redoc_url=None)
    app.state.door = Door(memory=memory, tokens=tokens, options=chosen)
    add_handlers(app)
    app.add_middleware(Guard, allowed=Allowed.of(chosen.hosts, chosen.origins), max_body=chosen.max_body)
    return app
