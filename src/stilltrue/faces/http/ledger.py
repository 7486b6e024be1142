"""Where does a door keep what is not memory? In one small file beside it: tokens, and which requests were answered.

No words of anybody are kept here, so that what `erase` removes from the memory is gone from here as well.
"""

from __future__ import annotations

import os
from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StoreError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, spaces TEXT, member TEXT,
    salt BLOB NOT NULL, hash BLOB NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT
) STRICT""",
    """CREATE TABLE IF NOT EXISTS requests (
    token_id TEXT NOT NULL, key TEXT NOT NULL, print BLOB NOT NULL, server TEXT NOT NULL, batch_id TEXT NOT NULL,
    began_at REAL NOT NULL, decisions TEXT, PRIMARY KEY (token_id, key)
) STRICT""",
    "CREATE TABLE IF NOT EXISTS keys (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
)
_TABLES: Final = frozenset({"tokens", "requests", "keys"})


class Ledger:
    """The file. Safe to share between threads and processes; close it."""

    def __init__(self, path: str | Path) -> None:
        """Open it, or make it, readable by its owner only. Raises StoreError."""
        import sqlite3

        self.path = str(path)
        self._lock = Lock()
        try:
            if self.path != ":memory:":
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(self.path, timeout=10, isolation_level=None, check_same_thread=False)
            self._refuse_foreign()
            for statement in _SCHEMA:
                self._database.execute(statement)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the tokens in {self.path} cannot be opened ({error}); check --access") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _refuse_foreign(self) -> None:
        """Raises StoreError for a memory, or another program's database."""
        tables = {row[0] for row in self._database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if self._database.execute("PRAGMA application_id").fetchone()[0] or not tables <= _TABLES:
            self._database.close()
            raise StoreError(f"{self.path} is no file of tokens but another database; name a file of its own, --access")

    def run(self, statement: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        """Do one statement, which is durable when this returns; the rows it brings. Raises StoreError."""
        import sqlite3

        try:
            with self._lock, closing(self._database.cursor()) as cursor:
                cursor.row_factory = sqlite3.Row
                return cursor.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the tokens in {self.path} cannot be used ({error}); check the file") from error

    def key(self, name: str) -> bytes:
        """A secret of this file's own, made when it is first asked for."""
        self.run("INSERT OR IGNORE INTO keys VALUES (?, ?)", (name, os.urandom(32)))
        return bytes(self.run("SELECT value FROM keys WHERE name = ?", (name,))[0]["value"])
