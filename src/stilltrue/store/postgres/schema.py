"""How does an empty database become one of ours, and an older one of this version? By one transaction, under one lock.

Answer: `bring_up_to_date` checks the server, makes the extension, the schema `stilltrue`, its tables (whole or by hash
of the space), the walls between spaces and the index of this embedder's vectors. Whoever may pass row-level security
by right, a superuser above all, works as the role `stilltrue`, which may not: `role_of` says who that is, and refuses
where that role may pass it too.

Others may be at work meanwhile. A change of a table waits for whoever reads it, and everybody else waits behind the
change: so each attempt waits a second at most, gives way, and comes again until the caller's patience ends. Each
migration is a transaction of its own, and is noted in `schema_version` with it.

Left to others: connections (`store.postgres.store`), what the tables mean (sql/0001_start.sql).
"""

from __future__ import annotations

import hashlib
import re
import time
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql

from stilltrue.errors import StoreError
from stilltrue.store.postgres.session import InWords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Connection = psycopg.Connection[Any]

SCHEMA: Final = "stilltrue"
ROLE: Final = "stilltrue"
OLDEST_SERVER: Final = 16
OLDEST_PGVECTOR: Final = (0, 8)  # iterative scans: without them a filtered search may lose most of what it should find
_LOCK: Final = 0x53_54_4C_54  # "STLT": one at a time may change the schema
MARK: Final = "moving"
"""The table that says that a database is half moved (`store.postgres.moving`)."""

_TURN_SECONDS: Final = 1.0
"""Of one attempt to change a table: so long, others may wait behind it."""

_PAUSE_SECONDS: Final = 0.5
_TABLE: Final = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\);", re.MULTILINE | re.DOTALL)


def bring_up_to_date(
    raw: Connection, place: str, *, dimensions: int, model_version: str, partitions: int = 0, patience: float = 30
) -> str | None:
    """Make or mend the schema where need be; the role to work as (None: as who is connected).

    `partitions`: into how many parts new tables are cut by hash of the space (0: whole). Raises StoreError, also where
    somebody held a table for longer than `patience` (seconds).
    """
    with InWords(place):
        bring_tables_up_to_date(raw, place, patience, partitions)
        name = index_name(model_version, dimensions)
        if not _has(raw, name):
            _patiently(raw, place, patience, lambda: raw.execute(_near_index(name, dimensions, model_version)))
        return role_of(raw, place)


def bring_tables_up_to_date(raw: Connection, place: str, patience: float, partitions: int = 0) -> None:
    """All of it but the index of vectors. Raises StoreError and psycopg.Error."""
    _check_server(raw, place)
    role_of(raw, place)  # where no wall would stand, nothing is made
    if _version(raw, place) < latest_version():
        for number, name, script in _scripts():
            _patiently(raw, place, patience, partial(_migrate, raw, place, partitions, (number, name, script)))


def is_current(raw: Connection, place: str) -> bool:
    """Whether the tables are of this version. Raises StoreError for foreign, newer and half moved ones."""
    return _version(raw, place) == latest_version()


def _patiently(raw: Connection, place: str, patience: float, change: Callable[[], object]) -> None:
    """One transaction under the lock of all who change the schema. Raises StoreError where it never gets its turn."""
    deadline = time.monotonic() + patience
    while True:
        try:
            with raw.transaction():
                raw.execute(f"SET LOCAL lock_timeout = {int(_TURN_SECONDS * 1000)}")
                raw.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                change()
        except psycopg.errors.LockNotAvailable as error:
            if time.monotonic() >= deadline:
                raise StoreError(
                    f"the schema of {place} could not be changed, because a transaction holds its tables "
                    f"({_holders(raw)}); nothing was changed: end it, or try again when it is quieter"
                ) from error
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _holders(raw: Connection) -> str:
    """Who has been in a transaction longest: what to end where a change never gets its turn."""
    row = raw.execute(
        "SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1"
    ).fetchone()
    return "see pg_stat_activity" if row is None else f"longest at work: process {row[0]} of {row[1] or 'no name'!r}"


def role_of(raw: Connection, place: str) -> str | None:
    """The role to work as: `stilltrue` for whom row-level security does not bind, who is connected for all others.

    Raises StoreError where it does not bind the role `stilltrue` either: a superuser may bear that very name.
    """
    row = raw.execute(
        "SELECT bool_or(rolname = current_user), bool_or(rolname = %s) FROM pg_roles WHERE rolsuper OR rolbypassrls",
        (ROLE,),
    ).fetchone()
    if row is None or not row[0]:
        return None
    if row[1]:
        raise StoreError(
            f"{place} has a role {ROLE!r} that passes row-level security, so no wall would stand between spaces: "
            f"connect as a role that is no superuser, or call that one otherwise (ALTER ROLE {ROLE} RENAME TO ...)"
        )
    return ROLE


def index_name(model_version: str, dimensions: int) -> str:
    """Vectors of each embedder have an index of their own: an index knows one length only."""
    digest = hashlib.blake2b(f"{model_version}/{dimensions}".encode(), digest_size=6).hexdigest()
    return f"vectors_near_{digest}"


@cache
def _scripts() -> tuple[tuple[int, str, str], ...]:
    """All migrations in order: version, name and script."""
    folder = resources.files(__package__) / "sql"
    files = sorted((item for item in folder.iterdir() if item.name[:1].isdigit()), key=lambda item: item.name)
    return tuple((int(file.name.split("_", 1)[0]), file.name, file.read_text(encoding="utf-8")) for file in files)


def latest_version() -> int:
    """The schema version that this program writes."""
    return _scripts()[-1][0]


def partitioned(script: str, partitions: int) -> str:
    r"""The script with each table cut by hash of the space into so many parts (0: as it is).

    >>> print(partitioned("CREATE TABLE a (\n    space_id string\n);", 1))
    CREATE TABLE a (
        space_id string
    ) PARTITION BY HASH (space_id);
    CREATE TABLE a_0 PARTITION OF a FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    """
    if not partitions:
        return script

    def cut(found: re.Match[str]) -> str:
        name, columns = found.groups()
        parts = "".join(
            f"\nCREATE TABLE {name}_{part} PARTITION OF {name} "
            f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part});"
            for part in range(partitions)
        )
        return f"CREATE TABLE {name} ({columns}) PARTITION BY HASH (space_id);{parts}"

    return _TABLE.sub(cut, script)


def _check_server(raw: Connection, place: str) -> None:
    version = raw.info.server_version // 10_000
    if version < OLDEST_SERVER:
        raise StoreError(f"{place} runs PostgreSQL {version}, which is too old; use {OLDEST_SERVER} or newer")
    row = raw.execute(
        "SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    offered = None if row is None else row[0] or row[1]
    if offered is None:
        raise StoreError(
            f"{place} has no pgvector; install the extension on the server (package postgresql-…-pgvector)"
        )
    if tuple(int(part) for part in offered.split(".")[:2]) < OLDEST_PGVECTOR:
        wanted = ".".join(map(str, OLDEST_PGVECTOR))
        raise StoreError(
            f"{place} has pgvector {offered}, which is too old; use {wanted} or newer (ALTER EXTENSION vector UPDATE)"
        )


def _version(raw: Connection, place: str) -> int:
    """The schema version of the database, 0 for none. Raises StoreError for a foreign or a newer one."""
    if not _has(raw, "schema_version"):
        row = raw.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(%s)", (SCHEMA,)
        ).fetchone()
        if row is not None and row[0]:
            raise StoreError(
                f"{place} has a schema {SCHEMA!r} of another program; give another database, nothing in it was changed"
            )
        return 0
    if _has(raw, MARK):
        raise StoreError(f"{place} is half moved; run the same `stilltrue migrate` again, which goes on where it ended")
    table = sql.Identifier(SCHEMA, "schema_version")
    row = raw.execute(sql.SQL("SELECT coalesce(max(version), 0) FROM {}").format(table)).fetchone()
    version = 0 if row is None else int(row[0])
    if version > latest_version():
        raise StoreError(
            f"{place} was written by a newer stilltrue (schema {version}, this one knows {latest_version()}); "
            "upgrade stilltrue, nothing in it was changed"
        )
    return version


def _has(raw: Connection, name: str) -> bool:
    row = raw.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.{name}",)).fetchone()
    return bool(row is not None and row[0])


def _migrate(raw: Connection, place: str, partitions: int, migration: tuple[int, str, str]) -> None:
    number, name, script = migration
    version = _version(raw, place)  # another process may have been faster
    if version >= number:
        return
    if not version:
        for statement in _begun(raw):
            raw.execute(statement)
    raw.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(SCHEMA)))
    raw.execute(partitioned(script, partitions).encode())
    raw.execute((resources.files(__package__) / "sql" / "access.sql").read_bytes())
    raw.execute("INSERT INTO schema_version (version, name) VALUES (%s, %s)", (number, name))
    for statement in _granted(raw):
        raw.execute(statement)


def _begun(raw: Connection) -> Sequence[sql.Composed | bytes]:
    """Before the first table."""
    held = raw.execute("SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector')").fetchone()
    extension = [] if held is not None and held[0] else [b"CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"]
    schema = sql.Identifier(SCHEMA)
    return [
        *extension,
        sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema),
        sql.SQL("CREATE TABLE {}.schema_version (version integer NOT NULL, name text NOT NULL)").format(schema),
    ]


def _granted(raw: Connection) -> Sequence[sql.Composed]:
    """The role that works under row-level security, where who is connected may make one and is not it."""
    row = raw.execute(
        "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user AND rolname <> %s", (ROLE,)
    ).fetchone()
    if row is None:
        return []  # whoever owns the tables keeps every right to them
    known = raw.execute("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)", (ROLE,)).fetchone()
    names = {"schema": sql.Identifier(SCHEMA), "role": sql.Identifier(ROLE)}
    if known is not None and not known[0]:
        if not row[0]:
            return []
        # Roles belong to all databases of the server: another one may be making it just now.
        raw.execute(
            "DO $$ BEGIN CREATE ROLE stilltrue NOLOGIN NOSUPERUSER NOBYPASSRLS; "
            "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        )
    return [
        sql.SQL(text).format(**names)
        for text in (
            "GRANT USAGE ON SCHEMA {schema} TO {role}",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
            "REVOKE INSERT, UPDATE, DELETE ON {schema}.schema_version FROM {role}",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
        )
    ]


def _near_index(name: str, dimensions: int, model_version: str) -> sql.Composed:
    """HNSW over what is believed and not corrected; the past lies in it too, for the filter is in the row."""
    return sql.SQL(
        "CREATE INDEX IF NOT EXISTS {name} ON {schema}.vectors USING hnsw ((half::halfvec({size})) halfvec_cosine_ops) "
        "WHERE served = 1 AND model_version = {model}"
    ).format(
        name=sql.Identifier(name), schema=sql.Identifier(SCHEMA), size=sql.Literal(dimensions),
        model=sql.Literal(model_version),
    )  # fmt: skip
