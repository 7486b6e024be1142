"""Who is looking at the page? A token is shown once, and from then on a cookie names the session that it began.

Sessions live in this process and end with it, after half a day, or with the token behind them. The cookie's value is
random, kept only as a hash; every form carries the session's own word against forgery. A form that comes before any
session (the way in) carries a word bound to a cookie of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from stilltrue.faces.http.access import Caller, Tokens

LASTS: Final = timedelta(hours=12)
"""A working day: whoever comes back tomorrow shows the token again."""

MOST: Final = 1_000
"""Sessions at once; the oldest gives way. A page for people has few; a loop that signs in must not fill the memory."""

_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Notice:
    """What the last act did. `undo` names what the button beside it takes back; `failed`: it was refused."""

    text: str
    undo: str = ""
    failed: bool = False


@dataclass(slots=True)
class Session:
    """One person in one browser. `forms` is the word that every form of theirs must bring along."""

    caller: Caller
    ends_at: datetime
    forms: str = field(default_factory=lambda: secrets.token_urlsafe(_BYTES))
    notice: Notice | None = None

    def take_notice(self) -> Notice | None:
        """The notice, once."""
        told, self.notice = self.notice, None
        return told


class Sessions:
    """All sessions of a server. Safe to share between threads."""

    def __init__(self, tokens: Tokens, now: Callable[[], datetime]) -> None:
        """Sessions of the holders of `tokens`; `now` is the clock they end by."""
        self._tokens = tokens
        self._now = now
        self._lock = Lock()
        self._held: dict[str, Session] = {}
        self._key = secrets.token_bytes(_BYTES)

    def begin(self, token: str) -> str:
        """Let a token's holder in; the cookie's value. Raises TokenError."""
        caller = self._tokens.caller(token.strip())
        cookie = secrets.token_urlsafe(_BYTES)
        with self._lock:
            while len(self._held) >= MOST:
                del self._held[next(iter(self._held))]
            self._held[_name(cookie)] = Session(caller, self._now() + LASTS)
        return cookie

    def find(self, cookie: str | None) -> Session | None:
        """The session of a cookie, while it lasts and its token is good."""
        if not cookie:
            return None
        with self._lock:
            session = self._held.get(_name(cookie))
        if session is None:
            return None
        if session.ends_at <= self._now() or not self._good(session.caller):
            self.end(cookie)
            return None
        return session

    def end(self, cookie: str | None) -> None:
        """Forget a session; one that is not there is no error."""
        with self._lock:
            self._held.pop(_name(cookie or ""), None)

    def word_for(self, nonce: str) -> str:
        """The word that the form at the door must bring along with the cookie `nonce`."""
        return hmac.new(self._key, nonce.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _good(self, caller: Caller) -> bool:
        now = self._now()
        return any(token.id == caller.token_id and token.good(now) for token in self._tokens.listed())


def fits(given: str, expected: str) -> bool:
    """Whether two words are the same, told in a time that says nothing about where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))


def _name(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()
