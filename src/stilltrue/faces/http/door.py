"""What is every route given, and who is calling? `Door`, through `app.state.door`, and the dependency `caller`.

A caller shows a token in the header Authorization. Pages in a browser have none to show; what they have instead (a
session) is asked of `Door.sessions`, and never under /v1: a cookie travels by itself, a header does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from stilltrue.errors import AccessError, TokenError
from stilltrue.faces.http.access import Caller, Role, Tokens
from stilltrue.faces.http.cursors import Cursors
from stilltrue.faces.http.guard import DEFAULT_MAX_BODY
from stilltrue.faces.http.origins import needed_origin
from stilltrue.faces.http.repeats import Repeats

if TYPE_CHECKING:
    from stilltrue.memory import Memory

API: Final = "/v1"
Session = Callable[[Request], Caller | None]
"""Who is calling, as a page's session tells; None where there is none."""

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="From `stilltrue token new`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`hosts` and `origins`: beside loopback and the server's own pages. `max_body`: bytes of a request."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    max_body: int = DEFAULT_MAX_BODY

    def __post_init__(self) -> None:
        """Raises InvalidInputError for what is no origin, before a server is announced."""
        for origin in self.origins:
            needed_origin(origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What a route works with."""

    memory: Memory
    tokens: Tokens
    options: Options
    repeats: Repeats
    cursors: Cursors
    sessions: list[Session] = field(default_factory=list)

    def enter(self, caller: Caller, needed: Role, space: str) -> Memory:
        """The memory of a space, for this caller. Raises AccessError, InvalidInputError for a name that is none."""
        caller.check(needed, space)
        return self.memory.in_space(space, caller.member, vouched=caller.role.covers(Role.REVIEWER))

    def spaces_of(self, caller: Caller) -> list[str]:
        """Spaces that exist and that the caller may read."""
        return [memory.space for memory in self.opened(caller)]

    def opened(self, caller: Caller) -> Iterator[Memory]:
        """Every space that the caller may read."""
        with self.memory.engine.store.read() as reader:
            names = reader.spaces()
        for name in names:
            try:
                yield self.enter(caller, Role.READER, name)
            except AccessError:
                continue


def door_of(request: Request) -> Door:
    """The door that a request came through."""
    door = request.app.state.door
    if not isinstance(door, Door):
        message = "the application was not made by build_app"
        raise TypeError(message)
    return door


def caller(request: Request, shown: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)] = None) -> Caller:
    """Who is calling. Raises TokenError (401)."""
    door = door_of(request)
    if shown is not None:
        return door.tokens.caller(shown.credentials.strip())
    if request.url.path != API and not request.url.path.startswith(f"{API}/"):
        for session in door.sessions:
            if (known := session(request)) is not None:
                return known
    raise TokenError("show a token: Authorization: Bearer TOKEN; `stilltrue token new` makes one")


Calling = Annotated[Caller, Depends(caller)]
