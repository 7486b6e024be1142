"""Who is calling, and what may they do? A token names a caller: a role, the spaces it may enter, and as which member.

Answer: `Tokens` keeps them in a small database of its own beside the memory, so that a revoked token is out with the
next request, and a copy of the memory carries no keys. Of a token only a salted hash is kept. It holds 256 random
bits, which nobody guesses; so one round of hashing is enough. There is no default secret: without a token nobody
comes in, from this machine either.

Left to others: what each verb asks for (`routes`), and who is in a group space (`Memory`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from stilltrue.errors import AccessError, InvalidInputError, NotFoundError, TokenError
from stilltrue.faces.http.ledger import Ledger
from stilltrue.model.timeline import instant, iso
from stilltrue.write.given import checked_name

if TYPE_CHECKING:
    import sqlite3

    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock

PREFIX: Final = "stilltrue"
SUFFIX: Final = ".access"
_SECRET_BYTES: Final = 32
_SALT_BYTES: Final = 16
_LONGEST: Final = 200


class Role(StrEnum):
    """What a caller may do; each may do what those before it may."""

    READER = "reader"  # read and ask
    WRITER = "writer"  # remember
    REVIEWER = "reviewer"  # settle conflicts, forget, undo, confirm
    ADMIN = "admin"  # erase, sweep, change settings and members

    def covers(self, other: Role) -> bool:
        """Whether this role may do what `other` may.

        >>> Role.REVIEWER.covers(Role.WRITER), Role.READER.covers(Role.WRITER)
        (True, False)
        """
        order = tuple(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who is calling. `spaces` None: all of them. `member`: as whom it enters a group's space."""

    token_id: str
    name: str
    role: Role
    spaces: frozenset[str] | None
    member: str | None = None

    def enters(self, space: str) -> bool:
        """Whether the token is good for this space; whether the space exists does not matter."""
        return self.spaces is None or space in self.spaces

    def check(self, needed: Role, space: str | None = None) -> None:
        """Raises AccessError unless the caller has the role, and may enter the space."""
        if space is not None and not self.enters(space):
            raise AccessError("this token is not good for that space; use one that is")
        if not self.role.covers(needed):
            raise AccessError(f"this needs the role {needed.value}, and the token has {self.role.value}; use another")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is listed: everything but the secret, which nobody has but its holder."""

    id: str
    name: str
    role: Role
    spaces: tuple[str, ...] | None
    member: str | None
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None

    def good(self, at: Instant) -> bool:
        """Whether it opens the door at that instant."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def caller(self) -> Caller:
        """Whom it speaks for."""
        spaces = None if self.spaces is None else frozenset(self.spaces)
        return Caller(token_id=self.id, name=self.name, role=self.role, spaces=spaces, member=self.member)


def beside(memory: str | Path) -> Path:
    """Where the tokens of a memory lie. Raises InvalidInputError where the memory is not a file."""
    if str(memory) == ":memory:" or "://" in str(memory):
        raise InvalidInputError(
            f"{memory} is no file, so tokens cannot lie beside it; name a file for them with --access"
        )
    return Path(f"{memory}{SUFFIX}")


class Tokens:
    """The tokens of one memory. Safe to share between threads and processes; close it."""

    def __init__(self, path: str | Path, clock: Clock | None = None) -> None:
        """Open the file, or make it, readable by its owner only. Raises StoreError."""
        self.path = str(path)
        self.ledger = Ledger(path)
        self._clock = clock

    def close(self) -> None:
        """Let go of the file."""
        self.ledger.close()

    def issue(
        self,
        name: str,
        role: Role | str,
        *,
        spaces: Iterable[str] | None,
        member: str | None = None,
        expires_at: datetime | None = None,
    ) -> str:
        """A new token; this is the only time that it is seen. `spaces` None: good for all. Raises InvalidInputError."""
        try:
            chosen = Role(role)
        except ValueError:
            raise InvalidInputError(f"role {role!r} is not one of {', '.join(Role)}") from None
        named = None if spaces is None else sorted({checked_name(space, "space") for space in spaces})
        if named == []:
            raise InvalidInputError("a token good for no space opens nothing; name one, or say that it is for all")
        now = self._now()
        ends = None if expires_at is None else instant(expires_at)
        if ends is not None and ends <= now:
            raise InvalidInputError("the token would be over before it is used; give a later end")
        token_id, secret, salt = secrets.token_hex(4), secrets.token_urlsafe(_SECRET_BYTES), os.urandom(_SALT_BYTES)
        row = (
            token_id,
            checked_name(name, "token"),
            chosen.value,
            None if named is None else json.dumps(named),
            None if member is None else checked_name(member, "member"),
            salt,
            _hashed(salt, secret),
            iso(now),
            None if ends is None else iso(ends),
        )
        self.ledger.run("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", row)
        return f"{PREFIX}_{token_id}_{secret}"

    def caller(self, shown: str) -> Caller:
        """Whom a token speaks for. Raises TokenError, in the same words whatever is wrong with it."""
        prefix, _, rest = shown[:_LONGEST].partition("_")
        token_id, _, secret = rest.partition("_")
        rows = self.ledger.run("SELECT * FROM tokens WHERE id = ?", (_plain(token_id),))
        salt, kept = (rows[0]["salt"], rows[0]["hash"]) if rows else (bytes(_SALT_BYTES), bytes(32))
        fits = hmac.compare_digest(_hashed(salt, secret), kept)
        if not (rows and fits and prefix == PREFIX and _token(rows[0]).good(self._now())):
            raise TokenError("this token does not open the door; make one with `stilltrue token new`")
        return _token(rows[0]).caller()

    def listed(self) -> list[Token]:
        """All tokens, oldest first, revoked ones too."""
        return [_token(row) for row in self.ledger.run("SELECT * FROM tokens ORDER BY created_at, id")]

    def any_good(self) -> bool:
        """Whether somebody could come in now."""
        now = self._now()
        return any(token.good(now) for token in self.listed())

    def revoke(self, token_id: str) -> Token:
        """From now on it opens nothing; twice is no error. Raises NotFoundError."""
        self.ledger.run(
            "UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", (iso(self._now()), token_id)
        )
        rows = self.ledger.run("SELECT * FROM tokens WHERE id = ?", (token_id,))
        if not rows:
            raise NotFoundError(f"there is no token {token_id!r}; `stilltrue token list` shows them")
        return _token(rows[0])

    def _now(self) -> Instant:
        return datetime.now(UTC) if self._clock is None else self._clock.now()


def _hashed(salt: bytes, secret: str) -> bytes:
    return hashlib.sha256(salt + secret.encode("utf-8", "surrogatepass")).digest()


def _plain(text: str) -> str:
    """Text that a database takes, whatever came over the wire."""
    return text.encode("utf-8", "replace").decode()


def _token(row: sqlite3.Row) -> Token:
    return Token(
        id=row["id"],
        name=row["name"],
        role=Role(row["role"]),
        spaces=None if row["spaces"] is None else tuple(json.loads(row["spaces"])),
        member=row["member"],
        created_at=datetime.fromisoformat(row["created_at"]),
        expires_at=None if row["expires_at"] is None else datetime.fromisoformat(row["expires_at"]),
        revoked_at=None if row["revoked_at"] is None else datetime.fromisoformat(row["revoked_at"]),
    )
