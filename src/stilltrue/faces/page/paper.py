"""How does a page leave the server? Drawn from a template that escapes everything, under headers that let nothing in.

No script, style or picture but our own files is allowed, nothing inline, and forms lead only here. An error that a
page meets is a page too. `Referrer-Policy: same-origin` is needed: with `no-referrer` browsers send our own forms with
the origin "null", which the guard refuses.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Coroutine
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined

from stilltrue.errors import NotFoundError, StilltrueError, TokenError
from stilltrue.faces.http.problems import status_of

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": PAGE_POLICY,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "HX-Request",
}
_KINDS: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}
_FOR_A_YEAR: Final = "public, max-age=31536000, immutable"
_HERE: Final = "stilltrue.faces.page"
_log = logging.getLogger("stilltrue.page")

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

ENVIRONMENT: Final = Environment(
    loader=PackageLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


class PageRoute(APIRoute):
    """A route whose errors are pages: without a session to the way in, else a page that says what was wrong."""

    def get_route_handler(self) -> Handler:
        """The handler, wrapped."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except TokenError:
                return to_sign_in(request)
            except StilltrueError as error:
                return _failed(status_of(error), str(error), error)
            except RequestValidationError:
                return _failed(HTTPStatus.UNPROCESSABLE_ENTITY, "this form is not complete; go back and fill it in")

        return handled


def page(template: str, /, status: int = 200, **shown: object) -> HTMLResponse:
    """A page drawn from a template."""
    body = ENVIRONMENT.get_template(template).render(static=static_url, **shown)
    return HTMLResponse(body, status_code=status, headers=HEADERS)


def go(where: str) -> RedirectResponse:
    """On to another page, which is asked for by GET."""
    return RedirectResponse(where, status_code=HTTPStatus.SEE_OTHER, headers=HEADERS)


def to_sign_in(request: Request) -> Response:
    """The way in, and back from there to what was asked for."""
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    where = f"/login?{urlencode({'next': back})}" if request.method == "GET" and back != "/" else "/login"
    if request.headers.get("HX-Request"):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={**HEADERS, "HX-Redirect": "/login"})
    return go(where)


def local(path: str, otherwise: str = "/") -> str:
    r"""A path on this server; anything that could lead elsewhere becomes `otherwise`.

    >>> local("/search?q=a"), local("//elsewhere.example"), local("https://elsewhere.example"), local("/\\\\x")
    ('/search?q=a', '/', '/', '/')
    """
    safe = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if safe and path.isascii() else otherwise


def link(space: str, path: str, **query: object) -> str:
    """The address of a page of a space; what is empty is left out.

    >>> link("team a", "/facts/x", q="")
    '/facts/x?space=team+a'
    """
    held = {"space": space, **{name: str(value) for name, value in query.items() if value not in (None, "")}}
    return f"{quote(path)}?{urlencode(held)}"


@cache
def static(name: str) -> tuple[bytes, str]:
    """One of our own files, and its kind. Raises NotFoundError."""
    held = {item.name: item for item in files(_HERE).joinpath("static").iterdir()}
    if name not in held or name.rpartition(".")[2] not in _KINDS:
        raise NotFoundError("there is no such file; this address serves the page's own files")
    return held[name].read_bytes(), _KINDS[name.rpartition(".")[2]]


def static_url(name: str) -> str:
    """The address of one of our own files, which changes with what is in it."""
    return f"/static/{name}?v={hashlib.sha256(static(name)[0]).hexdigest()[:12]}"


def static_file(name: str) -> Response:
    """One of our own files. Raises NotFoundError."""
    body, kind = static(name)
    return Response(body, media_type=kind, headers={"Cache-Control": _FOR_A_YEAR})


def _failed(status: HTTPStatus, said: str, error: Exception | None = None) -> Response:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("a page could not be shown: %s", error)
        said = "the memory cannot do it now; the server's log says why"
    return page("error.html", status, title=status.phrase, said=said)
