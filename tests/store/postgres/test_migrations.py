"""Is the schema changed while others work? A change waits its turn in short attempts, and gives up with a sentence."""

import threading
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

import psycopg

from stilltrue.errors import StoreError
from stilltrue.store.postgres import schema
from tests.store.making import SPACE, Clock, add
from tests.store.postgres import servers

NEXT = "ALTER TABLE facts ADD COLUMN mood string;"


@pytest.fixture
def used():
    """A database in use, of this version."""
    address = servers.empty_database()
    with servers.open_server(Clock(), address) as store, store.write(SPACE) as tx:
        add(tx, seed=1)
    return address


@pytest.fixture
def newer(monkeypatch):
    """This program knows one migration more."""
    known = schema._scripts()
    script = (known[-1][0] + 1, "9999_mood.sql", NEXT)
    monkeypatch.setattr(schema, "_scripts", lambda: (*known, script))
    return script


@contextmanager
def long_reader(address):
    """Somebody who began to read and does not end."""
    with psycopg.connect(address, application_name="report") as raw:
        raw.execute("SELECT count(*) FROM stilltrue.facts")
        yield raw
        raw.rollback()


def has_mood(address):
    asked = "SELECT count(*) FROM pg_attribute WHERE attrelid = 'stilltrue.facts'::regclass AND attname = 'mood'"
    return bool(servers.execute(address, asked)[0][0])


def test_E9_a_long_reader_does_not_hang_a_migration_for_ever(used, newer):
    with long_reader(used):
        begun = time.monotonic()
        with pytest.raises(StoreError, match=r"'report'.*nothing was changed: end it, or try again") as caught:
            servers.open_server(Clock(), used, lock_timeout_seconds=0.5)
        assert time.monotonic() - begun < 30
        assert "\n" not in str(caught.value)
        assert not has_mood(used)
    with servers.open_server(Clock(), used) as store:
        assert has_mood(used)
        assert store.check_invariants() == []


def test_E9_others_go_on_writing_while_a_migration_waits(used, newer):
    longest = 0.0
    with long_reader(used) as reader, psycopg.connect(used, autocommit=True) as writer:
        opened = []
        migrating = threading.Thread(target=lambda: opened.append(servers.open_server(Clock(), used)))
        migrating.start()
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            begun = time.monotonic()
            writer.execute("SELECT count(*) FROM stilltrue.facts")  # behind the change, which waits behind the reader
            longest = max(longest, time.monotonic() - begun)
        assert not has_mood(used)
        reader.rollback()
        migrating.join()
    assert longest < 4 * schema._TURN_SECONDS
    assert has_mood(used)
    assert opened[0].check_invariants() == []
    opened[0].close()


def test_E9_a_migration_that_fails_leaves_the_version_before_it(used, monkeypatch):
    known = schema._scripts()
    more = ((known[-1][0] + 1, "9998.sql", NEXT), (known[-1][0] + 2, "9999.sql", "ALTER TABLE no_such ADD x int;"))
    monkeypatch.setattr(schema, "_scripts", lambda: (*known, *more))
    with pytest.raises(StoreError, match="no_such"):
        servers.open_server(Clock(), used)
    assert has_mood(used)  # each migration is whole: the one before the failure stays
    noted = servers.execute(used, "SELECT version, name FROM stilltrue.schema_version ORDER BY version")
    assert noted == [(number, name) for number, name, _ in (*known, more[0])]


def test_E9_several_who_open_at_once_migrate_once(used, newer):
    stores, failures = [], []

    def open_it():
        try:
            stores.append(servers.open_server(Clock(), used))
        except StoreError as error:
            failures.append(error)

    openers = [threading.Thread(target=open_it) for _ in range(4)]
    for one in openers:
        one.start()
    for one in openers:
        one.join()
    assert failures == []
    noted = servers.execute(used, "SELECT count(*) FROM stilltrue.schema_version WHERE name = '9999_mood.sql'")
    assert noted == [(1,)]
    assert stores[0].check_invariants() == []
    for store in stores:
        store.close()


def test_E9_new_tables_stand_behind_the_wall_too(used, monkeypatch):
    known = schema._scripts()
    script = "CREATE TABLE moods (\n    space_id string NOT NULL,\n    mood string\n);"
    monkeypatch.setattr(schema, "_scripts", lambda: (*known, (known[-1][0] + 1, "9999_moods.sql", script)))
    servers.open_server(Clock(), used).close()
    walls = "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = 'stilltrue.moods'::regclass"
    assert servers.execute(used, walls) == [(True,)]
