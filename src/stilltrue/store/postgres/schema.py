"""How does an empty database become one of ours, and an older one of this version? By one transaction, under one lock.

Answer: `bring_up_to_date` checks the server, makes the extension, the schema `stilltrue`, its tables (whole or by hash
of the space), the walls between spaces and the index of this embedder's vectors. Whoever may pass row-level security
by right, a superuser above all, works as the role `stilltrue`, which may not: `role_of` says who that is.

Left to others: connections (`store.postgres.store`), what the tables mean (sql/0001_start.sql).
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql

from stilltrue.errors import StoreError
from stilltrue.store.postgres.session import InWords

if TYPE_CHECKING:
    from collections.abc import Sequence

    Connection = psycopg.Connection[Any]

SCHEMA: Final = "stilltrue"
ROLE: Final = "stilltrue"
OLDEST_SERVER: Final = 16
OLDEST_PGVECTOR: Final = (0, 8)  # iterative scans: without them a filtered search may lose most of what it should find
_LOCK: Final = 0x53_54_4C_54  # "STLT": one at a time may change the schema
_TABLE: Final = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\);", re.MULTILINE | re.DOTALL)


def bring_up_to_date(
    raw: Connection, place: str, *, dimensions: int, model_version: str, partitions: int = 0
) -> str | None:
    """Make or mend the schema where need be; the role to work as (None: as who is connected).

    `partitions`: into how many parts new tables are cut by hash of the space (0: whole). Raises StoreError.
    """
    with InWords(place):
        _check_server(raw, place)
        name = index_name(model_version, dimensions)
        if _version(raw, place) < latest_version() or not _has(raw, name):
            with raw.transaction():
                raw.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                _migrate(raw, place, partitions)
                raw.execute(_near_index(name, dimensions, model_version))
        return role_of(raw)


def role_of(raw: Connection) -> str | None:
    """The role to work as: `stilltrue` for whom row-level security does not bind, who is connected for all others."""
    row = raw.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    return ROLE if row is not None and row[0] else None


def index_name(model_version: str, dimensions: int) -> str:
    """Vectors of each embedder have an index of their own: an index knows one length only."""
    digest = hashlib.blake2b(f"{model_version}/{dimensions}".encode(), digest_size=6).hexdigest()
    return f"vectors_near_{digest}"


@cache
def _scripts() -> tuple[tuple[int, str], ...]:
    """All migrations in order: version and script."""
    folder = resources.files(__package__) / "sql"
    files = sorted((item for item in folder.iterdir() if item.name[:1].isdigit()), key=lambda item: item.name)
    return tuple((int(file.name.split("_", 1)[0]), file.read_text(encoding="utf-8")) for file in files)


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
    row = raw.execute(sql.SQL("SELECT version FROM {}").format(sql.Identifier(SCHEMA, "schema_version"))).fetchone()
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


def _migrate(raw: Connection, place: str, partitions: int) -> None:
    version = _version(raw, place)  # another process may have been faster
    if version == latest_version():
        return
    if not version:
        for statement in _begun(raw):
            raw.execute(statement)
    raw.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(SCHEMA)))
    for number, script in _scripts():
        if number > version:
            raw.execute(partitioned(script, partitions).encode())
    raw.execute((resources.files(__package__) / "sql" / "access.sql").read_bytes())
    raw.execute("DELETE FROM schema_version")
    raw.execute("INSERT INTO schema_version (version) VALUES (%s)", (latest_version(),))
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
        sql.SQL("CREATE TABLE {}.schema_version (version integer NOT NULL)").format(schema),
    ]


def _granted(raw: Connection) -> Sequence[sql.Composed]:
    """The role that works under row-level security, where who is connected may make one."""
    row = raw.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user").fetchone()
    known = raw.execute("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)", (ROLE,)).fetchone()
    names = {"schema": sql.Identifier(SCHEMA), "role": sql.Identifier(ROLE)}
    if known is not None and not known[0]:
        if row is None or not row[0]:
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
