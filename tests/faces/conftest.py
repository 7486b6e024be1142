"""How does a test speak to the command line? In this process, through its real entrance, to a real store in a file."""

import functools
import io
import json
import sys
from typing import NamedTuple

import pytest

from stilltrue.faces.cli import main
from stilltrue.inference import pair_model
from stilltrue.inference.embed import MiniLMEmbedder

BUNDLED = functools.cache(pair_model.bundled)


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return self.out.splitlines()


@pytest.fixture(scope="session")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture(autouse=True)
def _one_embedder(monkeypatch, embedder):
    """The real models, loaded once for all tests."""
    monkeypatch.setattr("stilltrue.inference.embed.MiniLMEmbedder", lambda **_: embedder)
    monkeypatch.setattr(pair_model, "bundled", BUNDLED)


@pytest.fixture
def db(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def run(db, capsys, monkeypatch):
    """Run a verb on the test's store; `before` are options before the verb."""

    def run(*words, before=None, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([*(["--db", str(db)] if before is None else before), *map(str, words)])
        return Ran(left.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def ok(run):
    """As `run`, for what must succeed without a word on standard error."""

    def ok(*words, **keywords):
        ran = run(*words, **keywords)
        assert (ran.status, ran.err) == (0, "")
        return ran

    return ok


@pytest.fixture
def lives(ok):
    """Remember where Mara lives, by slot; the decision."""

    def lives(city, day, text="Mara lives in {}."):
        words = ["--subject", "mara", "--attribute", "residence", "--value", city, "--said-at", day]
        (decision,) = ok("remember", text.format(city), *words, "--json").json["decisions"]
        return decision

    return lives


@pytest.fixture
def moved(lives):
    """Mara lived in Porto from January and moved to Lisbon in May."""
    return lives("Porto", "2024-01-10"), lives("Lisbon", "2024-05-02", "Mara moved to {}.")
