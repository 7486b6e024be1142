"""Do SQLite and PostgreSQL come to hold the same, answer for answer, whatever is told to them?"""

import os

import pytest

from stilltrue.testing import FrozenClock
from tests.flow.teller import START
from tests.store.making import open_store
from tests.store.postgres import servers
from tests.store.postgres.logs import digest, play

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
