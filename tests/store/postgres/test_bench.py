"""Do the benches of the server run, are their pages complete, and is what they multiply a memory like any other?"""

import json
import sqlite3
import sys
from contextlib import closing
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from bench import multiply, postgres, workers
from bench.made import facts
from bench.space import fill
from stilltrue.memory import Memory
from tests.flow.teller import WordEmbedder
from tests.store.postgres import servers

KEPT = (
    "space_id, text, exact_hash, normal_hash, words, subject, attribute, qualifiers, value_text, value_type, "
    "value_key, cardinality, modality, negated, kind, importance, confidence, trust, category, stability, seen_count, "
    "tier"
)


@pytest.fixture
def address():
    return servers.address_of(servers.empty_database())


def run(monkeypatch, address, tmp_path, *words):
    monkeypatch.setattr(postgres, "SWEPT", 4)
    monkeypatch.setattr(sys, "argv", ["bench.postgres", address, *words, "--rounds", "3", "--results", str(tmp_path)])
    postgres.main()
    return json.loads((tmp_path / "postgres.json").read_text(encoding="utf-8"))


def test_the_bench_measures_every_verb_in_every_layout(address, tmp_path, monkeypatch, capsys):
    words = ["--layouts", "20/1", "60/5", "--filled", "24", "--disk", "a test's"]
    told = run(monkeypatch, address, tmp_path, *words)
    assert {(row["verb"].split(",")[0], row["facts"], row["spaces"]) for row in told["rows"]} == {
        (verb, *layout) for verb in ("first search", "write", "search", "sweep") for layout in ((20, 1), (60, 5))
    }
    assert all(row["ratio"] > 0 for row in told["rows"])
    filled, multiplied = told["layouts"]
    assert filled["index_seconds"] is None
    assert multiplied["index_seconds"] > 0
    assert all(one["server"] > one["index"] > 0 and one["file"] > 0 for one in told["layouts"])
    page = (tmp_path / "postgres.md").read_text(encoding="utf-8")
    assert "a test's" in page
    assert "server : file" in capsys.readouterr().out
    marks = ET.parse(tmp_path / "postgres.svg").getroot().iter("{http://www.w3.org/2000/svg}circle")
    assert len([*marks]) == 2 * len(told["rows"])


def test_layouts_that_are_not_measured_again_stay_where_that_is_asked_for(address, tmp_path, monkeypatch):
    first = run(monkeypatch, address, tmp_path, "--layouts", "20/1", "10/1")
    again = run(monkeypatch, address, tmp_path, "--layouts", "10/1", "--keep")
    assert [row for row in again["rows"] if row["facts"] == 20] == [row for row in first["rows"] if row["facts"] == 20]
    assert len(again["rows"]) == len(first["rows"])
    assert len(run(monkeypatch, address, tmp_path, "--layouts", "10/1")["layouts"]) == 1


@pytest.mark.parametrize(("spaces", "held", "each", "begun"), [(1, 30, 90, 1), (4, 30, 30, 2)])
def test_D9_what_is_multiplied_is_a_memory_like_one_that_was_told(address, tmp_path, spaces, held, each, begun):
    names = [f"s{number}" for number in range(spaces)]
    embedder = WordEmbedder()
    places = (tmp_path / "multiplied.db", address, tmp_path / "told.db")
    for place in places:
        with Memory.open(place, space="s0", embedder=embedder, pair_model="off") as memory:
            for name in names if place == places[2] else names[:begun]:
                fill(memory.engine, memory.in_space(name).space, each if place == places[2] else held, held)
    assert multiply.multiply(places[0], address, names, held, each) > 0
    for place in places:
        with Memory.open(place, space="s0", embedder=embedder, pair_model="off") as memory:
            assert memory.engine.store.check_invariants() == []
            with memory.engine.store.read() as reader:
                assert [reader.counts(name)["facts"] for name in names] == [each] * spaces
                ends = {(one.valid.end, one.retirement) for name in names for one in beliefs(reader, name)}
                assert ends == {(None, None)}
    multiplied, told = (rows_of(place) for place in places[::2])
    assert multiplied == told == sorted(servers.execute(address, f"SELECT {KEPT} FROM stilltrue.facts"))
    assert len(told) == spaces * each


def beliefs(reader, space):
    return [belief for record in reader.archived(space) for belief in getattr(record, "beliefs", ())]


def rows_of(file):
    with closing(sqlite3.connect(file)) as raw:
        return sorted(raw.execute(f"SELECT {KEPT} FROM facts"))


def test_D9_search_finds_what_was_multiplied_on_both_sides(address, tmp_path):
    names, embedder, places = ["s0", "s1"], WordEmbedder(), (tmp_path / "file.db", address)
    for place in places:
        with Memory.open(place, space="s0", embedder=embedder, pair_model="off") as memory:
            fill(memory.engine, memory.space, 20, 20)
    multiply.multiply(places[0], address, names, 20, 40)
    made = facts(40)
    hits = []
    for place in places:
        with Memory.open(place, space="s1", embedder=embedder, pair_model="off") as memory:
            for one in (made[3], made[39]):
                texts = [hit.text for hit in memory.search(one.text).results]
                assert one.text in texts
                hits.append(texts)
            memory.remember("Ada lives in Oslo now.")
            assert memory.engine.store.check_invariants() == []
    assert hits[:2] == hits[2:]


def test_D9_workers_of_their_own_processes_judge_all_that_was_told(address, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        sys,
        "argv",
        ["bench.workers", address, "--facts", "10", "--workers", "2", "--rounds", "1", "--results", str(tmp_path)],
    )
    workers.main()
    told = json.loads((tmp_path / "workers.json").read_text(encoding="utf-8"))
    assert [(row["spaces"], row["workers"], row["ratio"]) for row in told["rows"]] == [(2, 2, 1), (1, 2, 1)]
    assert all(row["facts_a_second"] > 0 and row["processor"] > 0 and row["start"] > 0 for row in told["rows"])
    assert all(len(row["shares"]) == 2 and sum(row["shares"]) >= 10 for row in told["rows"])
    with Memory.open(address, space="s0") as memory:
        assert memory.engine.store.check_invariants() == []
        with memory.engine.store.read() as reader:
            assert reader.counts(memory.space)["current"] == 2  # ten were told, each of two five times
    assert "1.00 ×" in capsys.readouterr().out
    assert (tmp_path / "workers.md").read_text(encoding="utf-8").count("\n| ") == 4


def test_workers_that_leave_something_undone_are_no_measurement(address, monkeypatch):
    monkeypatch.setattr(workers, "_PATIENCE_SECONDS", 0.5)
    assert workers.tell(address, 5, one_space=True) == 1
    with pytest.raises(RuntimeError, match="5 facts are left"):
        workers.worked(address, 0, 5)
    monkeypatch.setattr(workers, "_PATIENCE_SECONDS", 60)
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(RuntimeError, match="a worker ended by itself"):
        workers.worked(address, 1, 5)
