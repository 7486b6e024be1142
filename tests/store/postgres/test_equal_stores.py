"""Do SQLite and PostgreSQL come to hold the same, answer for answer, whatever is told to them?"""

import json
import os
import random
from contextlib import contextmanager

import pytest

from stilltrue.connect.replay import replay_story
from stilltrue.connect.stories import read_story
from stilltrue.engine import Engine
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock
from tests.flow.canon import everything
from tests.flow.teller import START
from tests.flow.test_scenarios import HERE
from tests.store.making import open_store
from tests.store.postgres import servers
from tests.store.postgres.logs import digest, play, timeless

LIKE = (64, "words-1")  # of the embedder by words alone
LOGS = int(os.environ.get("TEST_PG_LOGS", "10"))
"""Random logs; a release is tried with 200."""


@pytest.fixture
def pair():
    """A fresh store of each kind and one clock for both."""
    clock = FrozenClock(START)
    address = servers.database(like=LIKE)
    dimensions, model = LIKE
    with (
        open_store(":memory:", clock, dimensions=dimensions, model_version=model) as embedded,
        servers.open_server(clock, address, dimensions=dimensions, model_version=model) as server,
    ):
        yield embedded, server, clock
        assert embedded.check_invariants() == server.check_invariants() == []
    servers.drop(address)


@pytest.mark.parametrize("seed", range(LOGS))
def test_E9_a_random_log_ends_alike_in_both_stores(pair, seed):
    embedded, server, clock = pair
    told, kept = play(embedded, seed, clock=clock)
    clock.set(START)
    told_there, kept_there = play(server, seed, clock=clock)
    for number, (here, there) in enumerate(zip(told, told_there, strict=True)):
        assert here == there, f"step {number}"
    assert kept == kept_there
    assert digest(kept) == digest(kept_there)


def stories():
    """One story of each scenario file, or all of them where many logs are asked for."""
    for file in sorted((HERE / "scenarios").glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for line in lines if LOGS >= 200 else lines[:1]:
            yield pytest.param(json.loads(line), id=json.loads(line)["id"])


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


def replayed(line, store, embedder):
    """What a story's checks find, and the hash of all that is kept afterwards."""
    kept = []

    @contextmanager
    def open_memory(clock, space):
        store._clock = clock
        memory = Memory(
            Engine(
                store=store,
                embedder=embedder,
                clock=clock,
                entropy=random.Random(1).randbytes,
                settings=Settings(),
            ),
            space,
        )
        yield memory
        kept.append(digest(timeless(everything(memory))))

    result = replay_story(read_story(line), open_memory)
    return [str(failure) for failure in result.failures], result.passed, kept


@pytest.mark.parametrize("line", list(stories()))
def test_E9_a_story_ends_alike_in_both_stores(line, embedder):
    shape = {"dimensions": embedder.dimensions, "model_version": embedder.model_version}
    address = servers.database(like=(embedder.dimensions, embedder.model_version))
    with (
        open_store(":memory:", FrozenClock(START), **shape) as embedded,
        servers.open_server(FrozenClock(START), address, **shape) as server,
    ):
        assert replayed(line, server, embedder) == replayed(line, embedded, embedder)
        assert server.check_invariants() == []
    servers.drop(address)
