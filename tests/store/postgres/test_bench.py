"""Does the bench of the server run, and is its page complete?"""

import json
import sys

import pytest

pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg is not installed")

from bench import postgres
from tests.store.postgres import servers


def test_the_bench_measures_every_verb_in_every_layout(tmp_path, monkeypatch, capsys):
    address = servers.address_of(servers.empty_database())
    monkeypatch.setattr(postgres, "SWEPT", 4)
    words = ["--facts", "20", "--spaces", "1", "5", "--rounds", "3", "--results", str(tmp_path), "--disk", "a test's"]
    monkeypatch.setattr(sys, "argv", ["bench.postgres", address, *words])
    postgres.main()
    told = json.loads((tmp_path / "postgres.json").read_text(encoding="utf-8"))
    assert {(row["verb"].split(",")[0], row["spaces"]) for row in told["rows"]} == {
        (verb, spaces) for verb in ("write", "search", "sweep") for spaces in (1, 5)
    }
    assert all(row["ratio"] > 0 for row in told["rows"])
    assert all(min(sizes.values()) > 0 for sizes in told["bytes"].values())
    assert "a test's" in (tmp_path / "postgres.md").read_text(encoding="utf-8")
    assert "server : file" in capsys.readouterr().out
