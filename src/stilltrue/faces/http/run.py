"""How is the application put on a socket? With uvicorn, and with as little said about the inside as it can be told."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from stilltrue.errors import StoreError

if TYPE_CHECKING:
    from fastapi import FastAPI

_GRACE_SECONDS: Final = 10


def listener_on(host: str, port: int) -> socket.socket:
    """A socket that listens, port 0 for any that is free. Raises StoreError.

    It sends small packets at once: otherwise an answer's head waits 40 ms for the acknowledgement of nothing.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"{host}:{port} cannot be listened on ({error.strerror or error}); choose another --port or --host"
        raise StoreError(message) from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def server_of(app: FastAPI) -> uvicorn.Server:
    """A server to be run on a socket. It keeps no access log (addresses hold names of subjects), does not say who made
    it, and believes no proxy about who is calling. Requests under way have ten seconds to end.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        lifespan="off",
        ws="none",
    )
    return uvicorn.Server(config)
