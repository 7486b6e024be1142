"""Who is looking, at which space, and may they do that? What every page asks before it shows anything.

The space stands in the address, so that two windows may look at two. Reading needs the role reader, every act the
role reviewer and the session's own word in the form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Depends, Form, Request
from fastapi.responses import Response

from stilltrue.errors import AccessError, TokenError
from stilltrue.faces.http.access import Role
from stilltrue.faces.http.app import Door, door_of
from stilltrue.faces.page.paper import link, local, page
from stilltrue.faces.page.sessions import Notice, Session, Sessions, fits
from stilltrue.faces.page.views.words import PageLens
from stilltrue.memory import DEFAULT_SPACE, Memory
from stilltrue.rules.zones import zone_of

COOKIE: Final = "stilltrue_session"
AT_THE_DOOR: Final = "stilltrue_door"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One look at one space by a person who is known."""

    request: Request
    session: Session
    memory: Memory
    spaces: tuple[str, ...]

    @property
    def lens(self) -> PageLens:
        """Dates as this space's reader sees them."""
        return PageLens(zone=zone_of(self.memory.settings.timezone))

    @property
    def who(self) -> str:
        """Under which name an answer is kept."""
        return self.session.caller.member or self.session.caller.name

    def url(self) -> Callable[..., str]:
        """Addresses within this space."""
        return partial(link, self.memory.space)

    def show(self, template: str, **shown: Any) -> Response:  # noqa: ANN401 - a template takes any view
        """A page with its frame: who, where, and what the last act did."""
        return page(
            template,
            url=self.url(),
            space=self.memory.space,
            spaces=self.spaces,
            name=self.session.caller.name,
            may_act=self.session.caller.role.covers(Role.REVIEWER),
            forms=self.session.forms,
            notice=self.session.take_notice(),
            here=local(self.request.url.path + (f"?{self.request.url.query}" if self.request.url.query else "")),
            path=self.request.url.path,
            **shown,
        )

    def tell(self, text: str, *, undo: str = "", failed: bool = False) -> None:
        """What the next page says first."""
        self.session.notice = Notice(text, undo, failed)


def sessions_of(request: Request) -> Sessions:
    """The sessions of this server."""
    held = request.app.state.page_sessions
    if not isinstance(held, Sessions):
        message = "the page was not added by add_page"
        raise TypeError(message)
    return held


def cookie_name(request: Request, name: str) -> str:
    """With https the cookie is bound to this very host."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def visit(request: Request) -> Visit:
    """The visit that a request belongs to. Raises TokenError without a session, AccessError."""
    session = sessions_of(request).find(request.cookies.get(cookie_name(request, COOKIE)))
    if session is None:
        raise TokenError("sign in first")
    door = door_of(request)
    known = _spaces(door, session)
    space = request.query_params.get("space") or (DEFAULT_SPACE if DEFAULT_SPACE in known else known[0])
    memory = door.enter(session.caller, Role.READER, space)
    return Visit(request=request, session=session, memory=memory, spaces=known)


def act(seen: Annotated[Visit, Depends(visit)], forms: Annotated[str, Form()] = "") -> Visit:
    """A visit that may change something: the form came from one of our pages, and the role allows it."""
    if not fits(forms, seen.session.forms):
        raise AccessError("this form is not from a page of yours, or too old; go back, reload the page and try again")
    seen.session.caller.check(Role.REVIEWER, seen.memory.space)
    return seen


def _spaces(door: Door, session: Session) -> tuple[str, ...]:
    """Spaces to choose from: those the token is good for, or all that are there."""
    caller = session.caller
    if caller.spaces is not None:
        return tuple(sorted(caller.spaces))
    member = Memory(door.memory.engine, door.memory.space, caller.member) if caller.member else door.memory
    return tuple(sorted({DEFAULT_SPACE, *member.spaces()}))


Seen = Annotated[Visit, Depends(visit)]
Acting = Annotated[Visit, Depends(act)]
