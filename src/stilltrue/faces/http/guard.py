"""Which requests are let in at all? Those that name this server, come from a page of its own if from a page, and are
of bearable size. Whoever they are is not asked here.

A foreign web page can make a browser send requests to this machine. Host tells whether the browser was led here under
another name (DNS rebinding), Origin which page sent it; both must be on a list. Around everything: a request id,
headers that keep browsers from guessing, and one count a request.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stilltrue.faces.http.origins import needed_origin, origin_of
from stilltrue.faces.http.problems import fault, problem

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
DEFAULT_MAX_BODY: Final = 1 << 20
_BODY_SECONDS: Final = 30.0
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::(?P<port>[0-9]{1,5}))?")
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """`hosts`: names this server goes by, each with any port, or with one if it is named. `origins`: whose pages,
    beside its own, may call it: `https://app.example.org`, however it is spelled.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> Allowed:
        """Loopback names, and those given. Raises InvalidInputError for what is no origin."""
        named = frozenset(name.strip().lower() for name in (*LOOPBACK, *hosts))
        return cls(named, frozenset(map(needed_origin, origins)))

    def host(self, shown: str) -> bool:
        """Whether a Host header names this server.

        >>> Allowed.of().host("LocalHost:8000"), Allowed.of().host("localhost.evil.example")
        (True, False)
        """
        found = _HOST.fullmatch(shown.lower())
        return found is not None and (found["name"] in self.hosts or shown.lower() in self.hosts)

    def origin(self, shown: str, scheme: str, host: str) -> bool:
        """Whether an Origin header names a page of this server's own, or one on the list.

        >>> Allowed.of().origin("http://localhost:1", "http", "localhost:8000")
        False
        """
        named = origin_of(shown)
        return named is not None and (named == origin_of(f"{scheme}://{host}") or named in self.origins)


class Guard:
    """The outermost layer of the door."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        allowed: Allowed,
        max_body: int = DEFAULT_MAX_BODY,
        seen: Callable[[str, int], None] | None = None,
    ) -> None:
        """`seen` is told of every answer: method and status."""
        self.app = app
        self.allowed = allowed
        self.max_body = max_body
        self.seen = seen or (lambda _method, _status: None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = _header(scope, b"x-request-id")
        scope["stilltrue.request_id"] = asked[0] if asked and _ID.fullmatch(asked[0]) else secrets.token_hex(8)

        began = False

        async def told(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                self.seen(scope["method"], message["status"])
                message["headers"] = _with(message.get("headers", []), scope["stilltrue.request_id"])
            await send(message)

        try:
            await self._answer(scope, receive, told)
        except Exception as error:
            if began:
                raise
            await fault(scope["stilltrue.request_id"], error)(scope, receive, told)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope)
        if refused is None:
            body = await self._body(receive)
            if isinstance(body, bytes):
                await self.app(scope, _replayed(body, receive), send)
                return
            refused = body
        await problem(*refused, request_id=scope["stilltrue.request_id"])(scope, receive, send)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        hosts, origins = _header(scope, b"host"), _header(scope, b"origin")
        if len(hosts) != 1 or not self.allowed.host(hosts[0]):
            return (
                HTTPStatus.MISDIRECTED_REQUEST,
                "this server does not go by that name; start it with --allow-host to let it",
            )
        if len(origins) > 1 or not all(self.allowed.origin(one, scope["scheme"], hosts[0]) for one in origins):
            return (
                HTTPStatus.FORBIDDEN,
                "pages of that origin may not call this server; start it with --allow-origin to let them",
            )
        length = _header(scope, b"content-length")
        if length and not (length[0].isdecimal() and len(length[0]) < 20 and int(length[0]) <= self.max_body):  # noqa: PLR2004 - digits of 64 bits
            return self._too_large()
        return None

    def _too_large(self) -> tuple[int, str]:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is over {self.max_body} bytes; send less at a time"

    async def _body(self, receive: Receive) -> bytes | tuple[int, str]:
        """The whole body, so that no route meets an endless one; or why not."""
        whole = bytearray()
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while True:
                    message = await receive()
                    whole += message.get("body", b"")
                    if len(whole) > self.max_body:
                        return self._too_large()
                    if message["type"] == "http.disconnect" or not message.get("more_body", False):
                        return bytes(whole)
        except TimeoutError:
            return HTTPStatus.REQUEST_TIMEOUT, "the body took too long to come; send it faster"


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _with(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and ours where the route has not set its own."""
    own = list(headers)
    held = {name.lower() for name, _ in own}
    return [*own, *(pair for pair in _HEADERS if pair[0] not in held), (b"x-request-id", request_id.encode())]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever comes."""
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
