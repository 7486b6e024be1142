"""Is the two-stage search as good as comparing every row, and quicker? Is the index right after every change?"""

import time

import numpy as np
import pytest

from stilltrue.ports import Filter
from stilltrue.store import indexes, vectors, words
from stilltrue.store.vectors import candidates, search, sign_codes
from tests.store.making import SPACE, Clock, add, day, open_store

DIMENSIONS = 384
ROWS = 60_000
QUERIES = 40


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(noise, rows, seed=1):
    """Points around 500 centres, as texts lie around topics; `noise` is their spread against the centres'."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((500, DIMENSIONS))
    return unit(
        centres[random.integers(0, 500, rows + QUERIES)] + noise * random.standard_normal((rows + QUERIES, DIMENSIONS))
    )


def recall(matrix, queries, mask, limit=10):
    codes = sign_codes(matrix)
    shares, exact_seconds, seconds = [], [], []
    for query in queries:
        started = time.perf_counter()
        scores = np.where(mask, matrix @ query, -2)
        exact = set(np.argsort(-scores)[:limit].tolist())
        exact_seconds.append(time.perf_counter() - started)
        started = time.perf_counter()
        found, _ = search(matrix, codes, mask, query, limit)
        seconds.append(time.perf_counter() - started)
        shares.append(len(exact & set(found.tolist())) / limit)
    return float(np.mean(shares)), float(np.median(exact_seconds)), float(np.median(seconds))


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_two_stages_find_what_comparing_every_row_finds(noise):
    rows = clustered(noise, ROWS)
    matrix, queries = rows[:ROWS], rows[ROWS:]
    mask = np.random.default_rng(2).random(ROWS) < 0.8
    share, exact, staged = recall(matrix, queries, mask)
    print(  # noqa: T201 - the figures are the result
        f"noise {noise}: recall {share:.3f}, every row {exact * 1000:.1f} ms, two stages {staged * 1000:.1f} ms"
    )
    assert share >= 0.98


def test_candidates_come_from_the_admitted_rows_alone():
    rows = clustered(1.0, 20_000)
    mask = np.zeros(20_000, dtype=bool)
    mask[::3] = True
    chosen = candidates(sign_codes(rows[:20_000]), mask, rows[20_000], 500)
    assert mask[chosen].all()
    assert 500 <= len(chosen) < 1_500


@pytest.mark.parametrize("dimensions", [1, 7, 8, 63, 64, 65, 384])
def test_sign_codes_count_differing_signs(dimensions):
    rows = np.random.default_rng(3).standard_normal((50, dimensions)).astype(np.float32)
    codes = sign_codes(rows)
    differing = np.bitwise_count(codes ^ codes[:, :1]).sum(axis=0)
    assert differing.tolist() == ((rows > 0) != (rows[:1] > 0)).sum(axis=1).tolist()


def test_search_with_nothing_to_find():
    matrix = unit(np.random.default_rng(4).standard_normal((10, 8)))
    nobody = np.zeros(10, dtype=bool)
    assert len(search(matrix, sign_codes(matrix), nobody, matrix[0], 3)[0]) == 0
    assert len(search(matrix, sign_codes(matrix), ~nobody, np.zeros(8, np.float32), 3)[0]) == 0
    assert search(matrix, sign_codes(matrix), ~nobody, matrix[4], 3)[0][0] == 4


def test_a_store_beyond_the_exact_limit_answers_the_same(monkeypatch):
    with open_store(":memory:", Clock()) as store:
        with store.write(SPACE) as tx:
            for seed in range(300):
                add(tx, f"fact {seed}", seed=seed)
        query = np.random.default_rng(5).standard_normal(16).astype(np.float32)
        with store.read() as reader:
            exact = reader.near(SPACE, query, 5, Filter(day(1)))
            monkeypatch.setattr(vectors, "EXACT_UP_TO", 50)
            monkeypatch.setattr(vectors, "CANDIDATES", 150)
            assert reader.near(SPACE, query, 5, Filter(day(1))) == exact


def test_vectors_of_another_model_are_kept_and_not_searched(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store, store.write(SPACE) as tx:
        add(tx, seed=1)
    with open_store(tmp_path / "m.db", Clock(), dimensions=8, model_version="newer") as store:
        with store.read() as reader:
            assert reader.near(SPACE, np.ones(8, np.float32), 5, Filter(day(1))) == []
            assert len(reader.mentioning(SPACE, ["berlin"], 5, Filter(day(1)))) == 1
        assert store.check_invariants() == []


def test_spaces_not_used_for_long_leave_the_cache(monkeypatch):
    monkeypatch.setattr(indexes, "_ROWS_KEPT", 5)
    with open_store(":memory:", Clock()) as store:
        for space in ("a", "b", "c"):
            with store.write(space) as tx:
                for seed in range(3):
                    add(tx, seed=seed, space=space)
            with store.read() as reader:
                assert len(reader.near(space, np.ones(16, np.float32), 9, Filter(day(1)))) == 3
        assert len(store._cache._spaces) == 2


def test_common_words_count_only_where_no_rarer_one_is_there(monkeypatch):
    monkeypatch.setattr(words, "_COMMON_LEAST", 10)
    monkeypatch.setattr(words, "_COMMON_SHARE", 0.1)
    with open_store(":memory:", Clock()) as store:
        with store.write(SPACE) as tx:
            for number in range(100):
                add(tx, f"user said {number}")
            rare = add(tx, "user mentioned postgres")
        where = Filter(day(1))
        with store.read() as reader:
            assert [hit.fact_id for hit in reader.mentioning(SPACE, ["user", "postgres"], 9, where)] == [rare.id]
            assert len(reader.mentioning(SPACE, ["user"], 200, where)) == 101
            assert len(reader.mentioning(SPACE, ["user", "nowhere"], 200, where)) == 101
        with store.write(SPACE) as tx:
            add(tx, "user mentioned postgres twice")
        with store.read() as reader:
            assert len(reader.mentioning(SPACE, ["user"], 200, where)) == 102
            assert len(reader.mentioning(SPACE, ["postgres"], 200, where)) == 2
