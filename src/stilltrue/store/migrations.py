"""How does an older file become one of this version? Numbered .sql files, each applied whole or not at all.

A migration and its version number are one SQLite transaction, so a crash leaves the schema before it or after it.
What the tables mean is written in the files; when to migrate is `store.connection`'s business.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION_ID = 0x53_54_4C_54
"""The bytes "STLT" in the file's header: this database is stilltrue's."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file: the version that the database has once it is applied, and its statements."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations in order; their numbers run from 1 without a gap."""
    folder = resources.files(__package__) / "sql"
    files = sorted((item for item in folder.iterdir() if item.name[:1].isdigit()), key=lambda item: item.name)
    return tuple(
        Migration(int(file.name.split("_", 1)[0]), file.name, tuple(statements(file.read_text(encoding="utf-8"))))
        for file in files
    )


def latest_version() -> int:
    """The schema version that this program writes."""
    return migrations()[-1].version


def statements(script: str) -> Iterator[str]:
    r"""The statements of a script, one by one; a trigger's body stays whole.

    `executescript` is no choice: it commits what is open before it starts.

    >>> list(statements("CREATE TABLE a (b);\nCREATE TABLE c (d);\n"))
    ['CREATE TABLE a (b);', 'CREATE TABLE c (d);']
    """
    pending = ""
    for line in script.splitlines(keepends=True):
        if not pending and (not line.strip() or line.lstrip().startswith("--")):
            continue
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending.strip()
            pending = ""
    if pending.strip():
        message = f"unfinished statement: {pending.strip()[:60]}"
        raise ValueError(message)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a database of `version` (0: empty) up to date. The caller holds the write lock; raises sqlite3.Error."""
    for migration in migrations():
        if migration.version > version:
            _apply(connection, migration)


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {migration.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
