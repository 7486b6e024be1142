"""Which origin does an address name, written as browsers write it? So that two spellings of one are the same.

An origin is a scheme, a host and a port: the case of its letters, a port that its scheme has anyway, and a slash at the
end make no other. Names in other scripts are written as DNS has them.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final

from stilltrue.errors import InvalidInputError

_ORIGIN: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]{0,31})://(?P<host>\[[0-9a-f:.]{2,45}\]|[^\s/?#@:\\\[\]]{1,253})"
    r"(?::(?P<port>[0-9]{0,5}))?/?"
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HIGHEST_PORT: Final = 65_535


def origin_of(text: str) -> str | None:
    """The origin, None where the text is none.

    >>> origin_of("HTTPS://App.Example.org:443/"), origin_of("http://bücher.example:8080"), origin_of("http://[0::1]")
    ('https://app.example.org', 'http://xn--bcher-kva.example:8080', 'http://[::1]')
    >>> origin_of("null"), origin_of("https://app.example.org/page"), origin_of("*")
    (None, None, None)
    """
    found = _ORIGIN.fullmatch(text.strip().lower())
    if found is None:
        return None
    port = int(found["port"] or _DEFAULT_PORTS.get(found["scheme"], 0))
    try:
        host = _host(found["host"])
    except ValueError:
        return None
    if port > _HIGHEST_PORT:
        return None
    shown = "" if port in (0, _DEFAULT_PORTS.get(found["scheme"])) else f":{port}"
    return f"{found['scheme']}://{host}{shown}"


def _host(text: str) -> str:
    """Raises ValueError for what is no host."""
    if text.startswith("["):
        return f"[{IPv6Address(text[1:-1]).compressed}]"
    return text if text.isascii() else text.encode("idna").decode("ascii")


def needed_origin(text: str) -> str:
    """As `origin_of`. Raises InvalidInputError for what is none."""
    found = origin_of(text)
    if found is None:
        message = f"--allow-origin {text!r} is no origin; write it like https://app.example.org, with no path behind it"
        raise InvalidInputError(message)
    return found
