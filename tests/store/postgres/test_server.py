"""What do people see who name a server? One line for each trouble, with its remedy and without the password; and a
memory that opens, closes, copies itself and comes back after the server was away."""

import socket

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from stilltrue.errors import InvalidInputError, StateError, StoreError
from stilltrue.faces.cli import main
from stilltrue.memory import Memory
from stilltrue.store.postgres import schema
from stilltrue.store.postgres.session import place_of
from tests.flow.teller import WordEmbedder
from tests.store.making import SPACE, Clock, add, digest, open_postgres, open_store, vector
from tests.store.postgres import servers

LIKE = (64, "words-1")


@pytest.fixture
def address():
    made = servers.database(like=LIKE)
    yield made
    servers.drop(made)


def url_of(address):
    """The address as people write it."""
    from urllib.parse import quote

    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(address)
    password = f":{quote(parts['password'], safe='')}" if "password" in parts else ""
    port = f"&port={parts['port']}" if "port" in parts else ""
    return f"postgresql://{parts['user']}{password}@/{parts['dbname']}?host={quote(parts['host'], safe='')}{port}"


def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_E9_memory_opens_at_an_address_and_is_there_the_next_time(address):
    with Memory.open(url_of(address), embedder=WordEmbedder()) as memory:
        memory.remember("User lives in Rome.", subject="user", attribute="residence", value="Rome")
    with Memory.open(url_of(address), embedder=WordEmbedder()) as memory:
        assert [found.value for found in memory.lookup("user", "residence")] == ["Rome"]
        assert [found.text for found in memory.search("Rome").results] == ["User lives in Rome."]
        assert memory.check_invariants() == []


def test_E9_the_command_line_says_in_one_line_that_no_server_is_there(capfd):
    url = f"postgresql://ada:hunter2@127.0.0.1:{closed_port()}/agents"
    with pytest.raises(SystemExit) as ended:
        main(["--db", url, "search", "user"])
    shown = capfd.readouterr()
    assert ended.value.code == 2
    assert "cannot reach postgresql://127.0.0.1:" in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert "hunter2" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dbname": "nowhere_at_all"}, "does not exist"),
        ({"user": "nobody_known"}, "does not exist|authentication failed"),  # whichever the server asks first
        ({"host": "/nowhere"}, "cannot reach"),
    ],
)
def test_E9_what_is_wrong_with_an_address_is_said(address, change, words):
    with pytest.raises(StoreError, match=words) as caught:
        servers.open_server(Clock(), servers.changed(address, **change))
    assert "\n" not in str(caught.value)


def test_E9_an_address_that_is_none_is_the_callers_mistake():
    with pytest.raises(InvalidInputError, match="postgresql://"):
        Memory.open("mysql://ada@db/agents", embedder=WordEmbedder())
    with pytest.raises(InvalidInputError) as caught:
        place_of("postgresql://ada:hunter2@[::1/agents")
    assert "hunter2" not in str(caught.value)


def test_E9_who_may_not_make_tables_is_told(address):
    name = f"{servers.name_of(address)}_guest"
    empty = servers.empty_database()
    servers.execute(servers.server_of(empty), f"DROP ROLE IF EXISTS {name}", f"CREATE ROLE {name} LOGIN PASSWORD 'x'")
    with pytest.raises(StoreError, match="no right"):
        servers.open_server(Clock(), servers.as_user(empty, name, "x"))


class Says:
    """A connection to a server that cannot be had here: too old, or without pgvector."""

    def __init__(self, version, offered):
        self.info = self
        self.server_version = version
        self.offered = offered

    def execute(self, sql, parameters=()):
        return self

    def fetchone(self):
        return self.offered


@pytest.mark.parametrize(
    ("version", "offered", "words"),
    [
        (150_004, (None, "0.8.0"), "runs PostgreSQL 15, which is too old; use 16"),
        (160_004, None, "has no pgvector"),
        (160_004, (None, "0.7.4"), "pgvector 0.7.4, which is too old; use 0.8"),
        (160_004, ("0.7.4", "0.8.0"), "ALTER EXTENSION vector UPDATE"),
    ],
)
def test_E9_a_server_that_will_not_do_is_told_apart(version, offered, words):
    with pytest.raises(StoreError, match=words):
        schema._check_server(Says(version, offered), "postgresql://db/agents")


def test_E9_a_newer_schema_and_a_foreign_one_are_left_alone():
    newer, foreign = servers.empty_database(), servers.empty_database()
    servers.open_server(Clock(), newer).close()
    servers.execute(newer, "UPDATE stilltrue.schema_version SET version = 99")
    servers.execute(foreign, "CREATE SCHEMA stilltrue", "CREATE TABLE stilltrue.cats (name text)")
    for address, words in ((newer, "newer stilltrue"), (foreign, "another program")):
        with pytest.raises(StoreError, match=words):
            servers.open_server(Clock(), address, model_version="other")


def test_E9_connections_that_died_meanwhile_are_replaced():
    store = open_postgres(Clock())
    with store.write(SPACE) as tx:
        fact = add(tx, seed=1)
    servers.execute(
        servers.server(),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'stilltrue' AND pid <> pg_backend_pid()",
    )
    with store.read() as reader:
        assert reader.fact(SPACE, fact.id) == fact
    assert store.check_invariants() == []
    store.close()
    with pytest.raises(StateError), store.read():
        pass


def test_E9_a_connection_cut_in_the_middle_of_a_write_leaves_nothing():
    store = open_postgres(Clock())
    with pytest.raises(StoreError), store.write(SPACE) as tx:  # noqa: PT012 - a write is a block
        add(tx, seed=1)
        pid = tx._session.row("SELECT pg_backend_pid()")[0]
        servers.execute(servers.server(), f"SELECT pg_terminate_backend({pid}, 10000)")
        add(tx, seed=2)
    with store.read() as reader:
        assert reader.spaces() == []
    with store.write(SPACE) as tx:
        add(tx, seed=3)
    assert store.check_invariants() == []
    store.close()


def test_E9_all_of_it_is_copied_into_a_file(tmp_path):
    store = open_postgres(Clock())
    for space in ("b", "a"):
        with store.write(space) as tx:
            for seed in range(3):
                add(tx, f"fact {seed} of {space}", seed=seed, space=space)
            tx.put_members(space, ["ada"])
    store.copy_to(tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db", Clock()) as copy:
        with store.read() as there, copy.read() as here:
            assert here.spaces() == there.spaces() == ["b", "a"]
            for space in ("a", "b"):
                assert list(here.archived(space)) == list(there.archived(space))
                assert here.near(space, vector(1), 2, _now()) == there.near(space, vector(1), 2, _now())
        assert copy.check_invariants() == []
    assert store.check_invariants() == []
    store.close()


def test_E9_words_are_cut_alike_in_both_stores():
    texts = [
        "Ada enjoys café crème",
        "x" * 3_000,
        "don't C++ 1.0.0",
        "ﬁnance Straße İstanbul ΟΔΥΣΣΕΥΣ",
        "a_b-c d\u0301e",
    ]
    store = open_postgres(Clock())
    with open_store(":memory:", Clock()) as embedded:
        for where in (store, embedded):
            with where.write(SPACE) as tx:
                for number, text in enumerate(texts):
                    add(tx, text, fact_id=f"{number:08}")
        with store.read() as there, embedded.read() as here:
            for text in (*texts, "enjoying", "CAFE", "strasse", "c", "istanbul", "οδυσσευσ", "b", "de"):
                asked = [text]
                assert there.mentioning(SPACE, asked, 9, _now()) == here.mentioning(SPACE, asked, 9, _now()), text
                assert there.with_hash(SPACE, exact=digest(text)) == there.with_hash(SPACE, exact=digest(text))
    assert store.check_invariants() == []
    store.close()


def _now():
    from stilltrue.ports import Filter
    from tests.store.making import day

    return Filter(day(1))
