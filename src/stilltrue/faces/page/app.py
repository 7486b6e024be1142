"""How does the page come into the server? `add_page` adds its routes, its files and its way in to an application.

The way in shows a token once and leaves with a cookie; the way out ends the session. Host, Origin and size are the
guard's business, in front of everything.
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, FastAPI, Form, Request
from fastapi.responses import Response

from stilltrue.errors import AccessError, TokenError
from stilltrue.faces.page import acts, pages
from stilltrue.faces.page.paper import PageRoute, go, local, page, static_file
from stilltrue.faces.page.sessions import LASTS, Sessions, fits
from stilltrue.faces.page.visit import AT_THE_DOOR, COOKIE, cookie_name, sessions_of
from stilltrue.wiring import SystemClock

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_MINUTES: Final = 30
_SECONDS: Final = 60
_NONCE: Final = 24


def add_page(app: FastAPI) -> FastAPI:
    """The page, in an application made by `build_app`. Returns the application."""
    app.state.page_sessions = Sessions(app.state.door.tokens, SystemClock().now)
    for part in (router, pages.router, acts.router):
        app.include_router(part)
    return app


@router.get("/static/{name}")
def files(name: str) -> Response:
    """Style, script and icon; the only thing that is shown to everybody, with the way in."""
    return static_file(name)


@router.get("/login")
def way_in(request: Request, next: str = "/") -> Response:  # noqa: A002 - the name in the address
    """Ask for a token."""
    return _ask(request, local(next))


@router.post("/login")
def come_in(
    request: Request,
    token: Annotated[str, Form()] = "",
    forms: Annotated[str, Form()] = "",
    next: Annotated[str, Form()] = "/",  # noqa: A002 - the name of the form's field
) -> Response:
    """Begin a session."""
    sessions = sessions_of(request)
    nonce = request.cookies.get(cookie_name(request, AT_THE_DOOR), "")
    if not nonce or not fits(forms, sessions.word_for(nonce)):
        return _ask(request, local(next), "This form was too old. Try again.", HTTPStatus.FORBIDDEN)
    try:
        cookie = sessions.begin(token)
    except TokenError as error:
        return _ask(request, local(next), str(error), HTTPStatus.UNAUTHORIZED)
    answer = go(local(next))
    _put(request, answer, COOKIE, cookie, int(LASTS.total_seconds()))
    answer.delete_cookie(cookie_name(request, AT_THE_DOOR), path="/", secure=_secure(request))
    return answer


@router.post("/logout")
def way_out(request: Request, forms: Annotated[str, Form()] = "") -> Response:
    """End the session. Raises AccessError for a form that is not the session's."""
    sessions, name = sessions_of(request), cookie_name(request, COOKIE)
    session = sessions.find(request.cookies.get(name))
    if session is None:
        raise TokenError("there is no session to end")
    if not fits(forms, session.forms):
        raise AccessError("this form is not from a page of yours, or too old; go back, reload the page and try again")
    sessions.end(request.cookies.get(name))
    answer = go("/login")
    answer.delete_cookie(name, path="/", secure=_secure(request), httponly=True, samesite="strict")
    return answer


def _ask(request: Request, back: str, wrong: str = "", status: int = HTTPStatus.OK) -> Response:
    nonce = request.cookies.get(cookie_name(request, AT_THE_DOOR)) or secrets.token_urlsafe(_NONCE)
    answer = page("login.html", status, forms=sessions_of(request).word_for(nonce), next=back, wrong=wrong)
    _put(request, answer, AT_THE_DOOR, nonce, _MINUTES * _SECONDS)
    return answer


def _put(request: Request, answer: Response, name: str, value: str, seconds: int) -> None:
    answer.set_cookie(
        cookie_name(request, name),
        value,
        max_age=seconds,
        path="/",
        secure=_secure(request),
        httponly=True,
        samesite="strict",
    )


def _secure(request: Request) -> bool:
    return request.url.scheme == "https"
