"""Do SQLite and PostgreSQL come to hold the same, answer for answer, whatever is told to them?"""

import json
import os
import random
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from stilltrue.connect.importers import import_data
from stilltrue.connect.replay import replay_story
from stilltrue.connect.stories import read_story
from stilltrue.engine import Engine
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock
from stilltrue.wiring import pair_model_of
from tests.flow.canon import everything
from tests.flow.teller import START
from tests.flow.test_scenarios import HERE
from tests.flow.test_sessions import SESSIONS, needs_sessions
from tests.store.making import open_store
from tests.store.postgres import servers
from tests.store.postgres.logs import digest, play, timeless

LIKE = (64, "words-1")  # of the embedder by words alone
LOGS = int(os.environ.get("TEST_PG_LOGS", "10"))
"""Random logs; a release is tried with 200."""

STORIES = os.environ.get("TEST_PG_STORIES", "sample")
"""`sample`: one story of each scenario file and the first coding sessions; `all`: every one."""

SESSIONS_IN_SAMPLE = 5

LATER = datetime(2027, 1, 1, tzinfo=UTC)  # than anything that is said in the sessions


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
    """Those of the scenario files that are told here."""
    for file in sorted((HERE / "scenarios").glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for line in lines if STORIES == "all" else lines[:1]:
            yield pytest.param(json.loads(line), id=json.loads(line)["id"])


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


def engine_on(store, embedder, clock, **judges):
    """Whose ids depend on nothing but what is told."""
    store._clock = clock
    entropy = random.Random(1).randbytes
    return Engine(store=store, embedder=embedder, clock=clock, entropy=entropy, settings=Settings(), **judges)


@contextmanager
def two_stores(embedder, at):
    """A fresh one of each kind, for this embedder."""
    shape = {"dimensions": embedder.dimensions, "model_version": embedder.model_version}
    address = servers.database(like=(embedder.dimensions, embedder.model_version))
    with (
        open_store(":memory:", FrozenClock(at), **shape) as embedded,
        servers.open_server(FrozenClock(at), address, **shape) as server,
    ):
        yield embedded, server
        assert embedded.check_invariants() == server.check_invariants() == []
    servers.drop(address)


def replayed(line, store, embedder):
    """What a story's checks find, and the hash of all that is kept afterwards."""
    kept = []

    @contextmanager
    def open_memory(clock, space):
        memory = Memory(engine_on(store, embedder, clock), space)
        yield memory
        kept.append(digest(timeless(everything(memory))))

    result = replay_story(read_story(line), open_memory)
    return [str(failure) for failure in result.failures], result.passed, kept


@pytest.mark.parametrize("line", list(stories()))
def test_E9_a_story_ends_alike_in_both_stores(line, embedder):
    with two_stores(embedder, START) as (embedded, server):
        assert replayed(line, server, embedder) == replayed(line, embedded, embedder)


def taken_in(store, embedder):
    """What becomes of the coding sessions, judged with the model that ships, then swept."""
    judge = pair_model_of(None, Settings())
    memory = Memory(engine_on(store, embedder, FrozenClock(LATER), pair_model=judge), "sessions")
    told = json.loads(SESSIONS.read_text(encoding="utf-8"))
    data = json.dumps(told if STORIES == "all" else told[:SESSIONS_IN_SAMPLE]).encode()
    report = import_data(memory, data, name=SESSIONS.name, saved_at=LATER, format="sessions")
    memory.sweep()
    return report.as_json(), timeless(everything(memory))


@needs_sessions
@pytest.mark.timeout(900)
def test_E9_the_coding_sessions_end_alike_in_both_stores(embedder):
    with two_stores(embedder, LATER) as (embedded, server):
        (here, kept), (there, kept_there) = taken_in(embedded, embedder), taken_in(server, embedder)
    assert here == there
    assert here["new"] > 0
    assert [name for name in kept if kept[name] != kept_there[name]] == []
    assert digest(kept) == digest(kept_there)
