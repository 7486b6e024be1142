"""Does row-level security hold where a filter is missing? And does the schema keep its rules, whoever wrote it?"""

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from stilltrue.errors import StoreError
from stilltrue.store import queries
from stilltrue.store.postgres import schema
from tests.store.making import SPACE, Clock, add, conflict, decision, history, open_postgres, open_store, vector
from tests.store.postgres import servers

OTHER = "bob"


@pytest.fixture(params=[0, 3], ids=["whole", "partitioned"])
def told(request):
    """A store in which both spaces have something in many tables."""
    store = open_postgres(Clock(), partitions=request.param)
    for space in (SPACE, OTHER):
        with store.write(space) as tx:
            fact = add(tx, f"The cat of {space} is called Tom", seed=1, space=space, subject="cat")
            twin = add(tx, f"The cat of {space} is called Kim", seed=2, space=space, subject="cat")
            made = decision(tx, fact, space=space, considered=(twin,))
            tx.add_decision(made)
            tx.add_history(history(tx, made))
            tx.put_conflict(conflict(tx, [fact, twin], space_id=space))
            tx.put_space_settings(space, {"search_limit": 3})
    yield store
    assert store.check_invariants() == []
    store.close()


def tables(session):
    found = session.rows(
        "SELECT relname FROM pg_class WHERE relnamespace = CAST('stilltrue' AS regnamespace) "
        "AND relkind IN ('r', 'p') AND NOT relispartition"
    )
    return {row[0] for row in found} - {"schema_version", "space_names"}


def test_D9_a_query_without_its_filter_sees_nothing_of_another_space(told, monkeypatch):
    """The very filter that shows everything once it is gone, in the store without a second wall."""
    monkeypatch.setattr(queries, "in_slot", lambda _: "f.subject = :subject AND f.erased = 0")
    with told.read() as reader:
        assert {fact.space_id for fact in reader.in_slot(SPACE, "cat", None)} == {SPACE}
        assert {fact.space_id for fact in reader.in_slot(OTHER, "cat", None)} == {OTHER}
        assert reader.in_slot("nobody", "cat", None) == []
    with open_store(":memory:", Clock()) as embedded:
        for space in (SPACE, OTHER):
            with embedded.write(space) as tx:
                add(tx, "The cat is called Tom", space=space, subject="cat")
        with embedded.read() as reader:
            assert {fact.space_id for fact in reader.in_slot(SPACE, "cat", None)} == {SPACE, OTHER}


def test_D9_no_table_shows_another_space_and_none_shows_any_before_a_space_is_named(told):
    full = 0
    with told._begun("BEGIN") as session:
        every = tables(session)
        for table in every:
            assert session.rows(f"SELECT * FROM {table}") == []
        session.enter(SPACE)
        for table in every:
            found = {row["space_id"] for row in session.rows(f"SELECT * FROM {table}")}
            assert found <= {SPACE}
            full += bool(found)
    assert full >= 12


def test_D9_nothing_is_written_into_another_space(told):
    with told._begun("BEGIN") as session:
        session.enter(SPACE)
        assert session.run("UPDATE facts SET importance = 0") == 2
        assert session.run("DELETE FROM conflicts") == 1
        with pytest.raises(StoreError):
            session.run("INSERT INTO tombstones (space_id, tombstone_key, kind, at) VALUES ('bob', 'k', 'erased', 1)")
    with told.read() as reader:
        assert len(reader.conflicts(OTHER, None)) == 1


def test_D9_who_works_there_may_not_pass_the_wall(told):
    with told._begun("BEGIN") as session:
        row = session.row("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert tuple(row) == (False, False)
        with pytest.raises(StoreError):
            session.run("ALTER TABLE facts DISABLE ROW LEVEL SECURITY")


def test_D9_the_space_is_forgotten_with_the_transaction(told):
    for _ in range(3):
        with told.read() as reader:
            assert reader.near(SPACE, vector(1), 1, _now())
        with told._begun("BEGIN") as session:
            assert session.rows("SELECT * FROM facts") == []


def _now():
    from stilltrue.ports import Filter
    from tests.store.making import day

    return Filter(day(1))


def test_E10_the_space_comes_first_in_every_key_and_index_and_is_never_missing(told):
    with told._begun("BEGIN") as session:
        indexes = session.rows(
            "SELECT i.indexrelid::regclass::text AS name, a.attname AS first, am.amname AS method FROM pg_index i "
            "JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am am "
            "ON am.oid = c.relam LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
            "WHERE t.relnamespace = CAST('stilltrue' AS regnamespace)"
        )
        assert len(indexes) > 40
        assert {row["first"] for row in indexes if row["method"] != "hnsw"} == {"space_id"}
        keys = session.rows(
            "SELECT (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) AS own, "
            "(SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1]) AS other "
            "FROM pg_constraint WHERE contype = 'f' AND connamespace = CAST('stilltrue' AS regnamespace)"
        )
        assert {(row["own"], row["other"]) for row in keys} == {("space_id", "space_id")}
        nullable = session.rows(
            "SELECT attrelid::regclass::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "WHERE attname = 'space_id' AND NOT attnotnull AND relkind IN ('r', 'p') "
            "AND relnamespace = CAST('stilltrue' AS regnamespace)"
        )
        assert nullable == []
        walls = session.rows(
            "SELECT relname, relrowsecurity AND relforcerowsecurity AS walled FROM pg_class "
            "WHERE relnamespace = CAST('stilltrue' AS regnamespace) AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        assert {row["relname"] for row in walls if not row["walled"]} == {"schema_version", "space_names"}


def owned():
    """An empty database of an owner who is no superuser: its name, and its address for them."""
    address = servers.empty_database()
    owner = f"{servers.name_of(address)}_owner"
    servers.execute(
        servers.server_of(address),
        f"CREATE ROLE {owner} LOGIN PASSWORD 'secret'",
        f"ALTER DATABASE {servers.name_of(address)} OWNER TO {owner}",
    )
    servers.execute(address, "CREATE EXTENSION vector")
    return owner, servers.as_user(address, owner, "secret")


def test_D9_an_ordinary_owner_stands_before_the_same_wall():
    """Who is connected owns the tables and is no superuser: no role is changed, and FORCE holds for the owner too."""
    owner, mine = owned()
    with servers.open_server(Clock(), mine) as store:
        for space in (SPACE, OTHER):
            with store.write(space) as tx:
                add(tx, space=space)
        with store._begun("BEGIN") as session:
            assert session.row("SELECT current_user")[0] == owner
            assert session.rows("SELECT * FROM facts") == []
            session.enter(OTHER)
            assert {row["space_id"] for row in session.rows("SELECT * FROM facts")} == {OTHER}
        assert store.check_invariants() == []


def test_D9_a_memory_without_its_wall_is_refused_and_nothing_is_made(monkeypatch):
    """Where the role that should stand before the wall passes it: the superuser bears its name, or another does."""
    address = servers.empty_database()
    boss = f"{servers.name_of(address)}_boss"
    servers.execute(servers.server_of(address), f"CREATE ROLE {boss} LOGIN SUPERUSER PASSWORD 'secret'")
    monkeypatch.setattr(schema, "ROLE", boss)
    for connected in (servers.as_user(address, boss, "secret"), address):
        with pytest.raises(StoreError, match="no wall would stand between spaces: connect as a role"):
            servers.open_server(Clock(), connected)
    assert servers.execute(address, "SELECT to_regnamespace('stilltrue')") == [(None,)]


def test_D9_an_owner_may_bear_the_name_of_the_role(monkeypatch):
    """It stands before the wall as any owner does, and keeps the right to bring the schema up to date."""
    owner, mine = owned()
    monkeypatch.setattr(schema, "ROLE", owner)
    servers.open_server(Clock(), mine).close()
    known = schema._scripts()
    more = (known[-1][0] + 1, "9999_mood.sql", "ALTER TABLE facts ADD COLUMN mood string;")
    monkeypatch.setattr(schema, "_scripts", lambda: (*known, more))
    with servers.open_server(Clock(), mine) as store:
        with store.write(SPACE) as tx:
            add(tx)
        with store._begun("BEGIN") as session:
            assert session.rows("SELECT * FROM facts") == []
        assert store.check_invariants() == []


def test_E10_what_never_changes_is_refused_by_the_server_too(told):
    statements = {
        "UPDATE episodes SET text = ''": "can only be erased",
        "DELETE FROM episodes": "can only be erased",
        "UPDATE facts SET subject = 'dog'": "can only be erased",
        "DELETE FROM facts": "can only be erased",
        "UPDATE beliefs SET valid_until = 1": "never rewritten",
        "UPDATE history SET reason = 'x'": "only added to",
        "DELETE FROM history": "only added to",
    }
    for statement, words in statements.items():
        with told._begun("BEGIN") as session:
            session.enter(SPACE)
            with pytest.raises(StoreError, match=words):
                session.run(statement)
