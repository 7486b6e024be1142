"""Which headers reach a server of language models? Those in `SENT_HEADERS`, and the key; nothing else.

The package `openai` adds the make of the machine and whatever OPENAI_* variables hold (organisation, project, headers
of one's own), wherever its base URL points. All of that is taken away at the last moment, below the package, which
reads some of it again when the reply arrives. There are no proxies, and no redirect is followed, so that a key meets
one host only.

This module loads ``httpx2``: import it with the first request, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx2
from openai import OpenAI

if TYPE_CHECKING:
    from collections.abc import Mapping

SENT_HEADERS: Final = (
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
)


def connected(url: str, headers: Mapping[str, str]) -> OpenAI:
    """The package's client for the server at `url`, which is sent `headers` and `SENT_HEADERS`. It never retries."""
    plain = httpx2.Client(transport=_Narrow(headers), trust_env=False, follow_redirects=False)
    # A key that is given is not looked for in the environment; this one is taken away again.
    client = OpenAI(api_key="in-the-headers", admin_api_key="", base_url=url, max_retries=0, http_client=plain)
    _ = (
        client.chat.completions.with_streaming_response
    )  # loads the modules behind it, which takes longer than a request
    return client


class _Narrow(httpx2.HTTPTransport):
    """Sends a copy of each request that has only the headers it is to have."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__(trust_env=False)
        self._headers = headers

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        kept = {name: request.headers[name] for name in SENT_HEADERS if name in request.headers}
        return super().handle_request(
            httpx2.Request(
                request.method,
                request.url,
                headers={**kept, **self._headers},
                stream=request.stream,
                extensions=request.extensions,
            )
        )
