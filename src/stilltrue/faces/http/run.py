"""How is the application put on a socket? With uvicorn, and with as little said about the inside as it can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import uvicorn

if TYPE_CHECKING:
    from fastapi import FastAPI

_GRACE_SECONDS: Final = 10


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
