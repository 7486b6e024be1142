"""Is what the server finds near what comparing every row finds? Under a space's filter, and an instant's."""

import numpy as np
import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from stilltrue.model.timeline import to_micros
from stilltrue.ports import Filter
from stilltrue.store.postgres import reader as nearness
from stilltrue.store.postgres.schema import index_name
from tests.store.making import SPACE, Clock, add, day, open_store
from tests.store.postgres import servers

DIMENSIONS = 64
MODEL = "clustered"
ROWS = 4_000
QUERIES = 40
LIMIT = 10


def clustered(rows, seed=1):
    """Points around 100 centres, as texts lie around topics."""
    random = np.random.default_rng(seed)
    found = random.standard_normal((100, DIMENSIONS))[random.integers(0, 100, rows)]
    found = found + random.standard_normal((rows, DIMENSIONS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def crowd():
    """Two spaces, one twice as large as the other; each fact holds for some of a hundred days."""
    import psycopg

    address = servers.database(like=(DIMENSIONS, MODEL))
    rows = clustered(ROWS)
    random = np.random.default_rng(2)
    spaces = np.where(random.random(ROWS) < 0.67, SPACE, "bob")
    starts = random.integers(0, 90, ROWS)
    ends = starts + random.integers(1, 60, ROWS)
    index = index_name(
        MODEL, DIMENSIONS
    )  # made again when the store is opened: at once it takes a second, row by row many
    with psycopg.connect(address, autocommit=True) as raw, raw.cursor() as cursor:
        cursor.execute(f"DROP INDEX stilltrue.{index}")
        cursor.execute("SET session_replication_role = replica; SET search_path TO stilltrue, public")
        for space in (SPACE, "bob"):
            cursor.execute(
                "INSERT INTO spaces (space_id, number, revision, last_stamp, next_doc, next_seq) "
                "VALUES (%s, 1, 1, 1, %s, 1)",
                (space, ROWS),
            )
        cursor.executemany(
            "INSERT INTO vectors (space_id, fact_id, model_version, revision, doc, served, valid_from, valid_until, "
            "half, vector) VALUES (%s, %s, %s, 1, %s, 1, %s, %s, %s, %s)",
            [
                (str(spaces[n]), f"{n:05}", MODEL, n, to_micros(day(int(starts[n]))), to_micros(day(int(ends[n]))),
                 nearness.half(rows[n]), rows[n].tobytes())
                for n in range(ROWS)
            ],
        )  # fmt: skip
        cursor.execute("ANALYZE vectors")
    # So small a table would be sorted instead; what is asked here is what the index finds.
    steered = servers.with_options(address, "-c enable_sort=off -c enable_bitmapscan=off")
    store = servers.open_server(Clock(), steered, dimensions=DIMENSIONS, model_version=MODEL)
    yield store, rows, spaces, starts, ends
    store.close()
    servers.drop(address)


def exact(rows, mask, query):
    scores = np.where(mask, rows @ query, -2)
    return {f"{n:05}" for n in np.argsort(-scores)[:LIMIT] if mask[n]}


@pytest.mark.parametrize("walks", [True, False], ids=["index", "scan"])
@pytest.mark.parametrize("at", [3, 30, 80, 140])
def test_C1_recall_under_space_and_instant(crowd, monkeypatch, walks, at):
    store, rows, spaces, starts, ends = crowd
    monkeypatch.setattr(nearness, "EXACT_UP_TO", 0 if walks else ROWS)
    mask = (spaces == SPACE) & (starts <= at) & (ends > at)
    shares = []
    with store.read() as reader:
        for query in clustered(QUERIES, seed=3):
            found = {hit.fact_id for hit in reader.near(SPACE, query, LIMIT, Filter(day(at)))}
            wanted = exact(rows, mask, query)
            assert all(mask[int(one)] for one in found)
            assert len(found) == len(wanted)
            shares.append(len(found & wanted) / max(1, len(wanted)))
    share = float(np.mean(shares))
    print(f"day {at}, {int(mask.sum())} facts: recall {share:.4f}")  # noqa: T201 - the figure is the result
    assert share >= 0.98 if walks else share == 1


def test_C1_a_large_space_walks_the_index(crowd):
    store, rows, *_ = crowd
    asked = {"space": SPACE, "valid": to_micros(day(30)), "query": nearness.half(rows[0])}
    held = f"{nearness._SERVED} AND {nearness._VALID}"
    with store._begun("BEGIN") as session:
        session.enter(SPACE)
        plan = session.rows("EXPLAIN " + nearness._walked(session.quoted(MODEL), held, DIMENSIONS, 10), asked)
    assert "vectors_near_" in " ".join(row[0] for row in plan)


def test_C1_scores_are_those_of_the_embedded_store():
    address = servers.database()
    with servers.open_server(Clock(), address) as server, open_store(":memory:", Clock()) as embedded:
        for store in (server, embedded):
            with store.write(SPACE) as tx:
                for seed in range(60):
                    add(tx, f"fact {seed}", seed=seed, fact_id=f"{seed:08}")
        query = np.random.default_rng(5).standard_normal(16).astype(np.float32)
        for where in (Filter(day(1)), Filter(day(1), known_at=day(1)), Filter(day(1), include_superseded=True)):
            with server.read() as there, embedded.read() as here:
                assert there.near(SPACE, query, 7, where) == here.near(SPACE, query, 7, where)
                assert there.near(SPACE, query * 0, 7, where) == []
    servers.drop(address)


@pytest.mark.parametrize("walks", [True, False], ids=["large", "small"])
def test_E10_one_authors_facts_are_found_among_any_number_of_others(monkeypatch, walks):
    monkeypatch.setattr(nearness, "EXACT_UP_TO", 0 if walks else ROWS)
    address = servers.database()
    with servers.open_server(Clock(), address) as server, open_store(":memory:", Clock()) as embedded:
        for store in (server, embedded):
            with store.write(SPACE) as tx:
                for seed in range(300):
                    add(tx, f"fact {seed}", seed=seed, fact_id=f"{seed:08}", author="ben" if seed % 50 else "ann")
        query = np.random.default_rng(5).standard_normal(16).astype(np.float32)
        for where in (Filter(day(1), author="ann"), Filter(day(1), known_at=day(1), author="ann")):
            with server.read() as there, embedded.read() as here:
                found = there.near(SPACE, query, 9, where)
                assert sorted(hit.fact_id for hit in found) == [f"{seed:08}" for seed in range(0, 300, 50)]
                assert found == here.near(SPACE, query, 9, where)
        assert server.check_invariants() == embedded.check_invariants() == []
    servers.drop(address)
