"""Could the tables be spread over many machines by space? Every key, index and reference begins with it.

What a cluster asks (Citus above all: docs/how-to/run-on-postgresql.md) is read from the server's own catalogue.
"""

import re
from pathlib import Path

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from tests.store.making import Clock
from tests.store.postgres import servers

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "run-on-postgresql.md"
COMMON = ("space_names", "schema_version")  # what is known across spaces

TABLES = """
    SELECT c.oid, c.relname FROM pg_class c WHERE c.relnamespace = 'stilltrue'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND c.relname <> ALL (ARRAY['space_names', 'schema_version'])
"""
# An index of vectors knows one column only; nothing is unique by it.
INDEXES = f"""
    SELECT t.relname, i.relname, x.indisunique,
        (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = x.indrelid AND a.attnum = x.indkey[0])
    FROM ({TABLES}) AS t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_am m ON m.oid = i.relam WHERE m.amname <> 'hnsw' OR x.indisunique
"""
REFERENCES = f"""
    SELECT t.relname, r.relname,
        (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = k.conkey[1]),
        (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = k.confkey[1])
    FROM ({TABLES}) AS t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
    JOIN pg_class r ON r.oid = k.confrelid WHERE NOT r.relispartition
"""
OPEN = f"""
    SELECT t.relname FROM ({TABLES}) AS t LEFT JOIN pg_attribute a
    ON a.attrelid = t.oid AND a.attname = 'space_id' AND a.attnotnull WHERE a.attname IS NULL
"""


def beyond_a_space(address):
    """What reaches beyond one space, by name."""
    found = [f"{table} has no space_id" for (table,) in servers.execute(address, OPEN)]
    for table, index, unique, first in servers.execute(address, INDEXES):
        if first != "space_id":
            found.append(f"{'key' if unique else 'index'} {index} of {table} begins with {first}")
    for table, goal, here, there in servers.execute(address, REFERENCES):
        if (here, there) != ("space_id", "space_id"):
            found.append(f"{table} refers to {goal} by ({here}, {there})")
    return found


@pytest.fixture(params=[0, 2], ids=["whole", "partitioned"])
def address(request):
    lent = servers.database(partitions=request.param)
    yield lent
    servers.drop(lent)


def test_E10_every_key_index_and_reference_stays_inside_a_space(address):
    assert len(servers.execute(address, TABLES)) > 15
    assert len(servers.execute(address, INDEXES)) > 30
    assert len(servers.execute(address, REFERENCES)) > 15
    assert beyond_a_space(address) == []


def test_E10_what_reaches_beyond_a_space_is_named():
    address = servers.empty_database()
    servers.open_server(Clock(), address).close()
    servers.execute(
        address,
        "CREATE TABLE stilltrue.one (space_id text NOT NULL, id text UNIQUE, PRIMARY KEY (space_id, id))",
        "CREATE TABLE stilltrue.two (id text PRIMARY KEY REFERENCES stilltrue.one (id))",
    )
    assert sorted(beyond_a_space(address)) == [
        "key one_id_key of one begins with id",
        "key two_pkey of two begins with id",
        "two has no space_id",
        "two refers to one by (id, id)",
    ]


def test_E10_the_page_distributes_every_table_after_what_it_refers_to(address):
    page = PAGE.read_text(encoding="utf-8")
    listed = re.search(r"unnest\(ARRAY\[(.*?)\]\)", page, re.DOTALL)
    assert listed is not None
    order = ["spaces", *re.findall(r"'(\w+)'", listed.group(1))]
    assert sorted(order) == sorted(name for _, name in servers.execute(address, TABLES))
    for table, goal, *_ in servers.execute(address, REFERENCES):
        assert order.index(goal) < order.index(table), (table, goal)


def test_E10_a_transaction_names_its_space_by_a_statement_that_a_cluster_carries_along(address, monkeypatch):
    said = []
    with servers.open_server(Clock(), address) as store:
        with store._begun("BEGIN") as session:
            together = session._together
            monkeypatch.setattr(session, "_together", lambda asked: said.extend(asked) or together(asked))
            session.enter("it's ada")
            held = session.row("SELECT current_setting('stilltrue.space')")
        assert held[0] == "it's ada"
    assert [sql for sql, _ in said][:2] == ["BEGIN", "SET LOCAL stilltrue.space = 'it''s ada'"]


def test_D9_no_question_is_shared_among_processes(address):
    with servers.open_server(Clock(), address) as store:
        with store._begun("BEGIN") as session:
            assert session.row("SELECT current_setting('max_parallel_workers_per_gather')")[0] == "0"
            plan = session.rows("EXPLAIN SELECT count(*) FROM facts WHERE space_id = 'ada'")
        assert not [line[0] for line in plan if "Gather" in line[0]]
        assert store.check_invariants() == []
