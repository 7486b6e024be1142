"""Is a text judged by one thread at a time? Row B13: a reader that waits for a language model and the worker beside it
in the same process are strangers to each other, in every store that several threads or processes share."""

from __future__ import annotations

import dataclasses
import random
import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest

from stilltrue.engine import Engine
from stilltrue.errors import TakenOverError
from stilltrue.memory import Memory
from stilltrue.model.expert import Claims, Usage
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock
from stilltrue.upkeep.worker import work
from stilltrue.write.leasing import LASTS, gone, lease, owner
from tests.flow.teller import START, WordEmbedder
from tests.store.making import open_store

DIMENSIONS, MODEL = LIKE = (64, "words-1")  # of the embedder by words alone
MINUTE = timedelta(minutes=1)


@contextmanager
def on_server(clock):
    from tests.store.postgres import servers

    address = servers.database(like=LIKE)
    with servers.open_server(clock, address, dimensions=DIMENSIONS, model_version=MODEL) as store:
        yield store
    servers.drop(address)


STORES = {
    "sqlite": lambda folder, clock: open_store(folder / "m.db", clock, dimensions=DIMENSIONS, model_version=MODEL),
    "postgres": lambda folder, clock: on_server(clock),
}


def beside(deed):
    """What a deed comes to in another thread of this process, which is over then."""
    came_to = []
    thread = threading.Thread(target=lambda: came_to.append(deed()))
    thread.start()
    thread.join(60)
    return came_to[0]


class Reads:
    """A language model that finds nothing in a text, so that the local reader reads; `meanwhile` runs at its first."""

    model_version = "scripted-llm-1"

    def __init__(self):
        self.meanwhile = None
        self.asked = 0

    def extract(self, episode, allowance):
        self.asked += 1
        deed, self.meanwhile = self.meanwhile, None
        if deed is not None:
            deed()
        return Claims((), Usage(1, 40), "no claim")


class Embeds(WordEmbedder):
    """`meanwhile` runs at its first text, when a text is kept and not yet judged."""

    meanwhile = None

    def embed(self, texts):
        deed, self.meanwhile = self.meanwhile, None
        if deed is not None:
            deed()
        return super().embed(texts)


@pytest.fixture(params=STORES)
def place(request, tmp_path):
    """A memory in a store, its clock, and the two models that wait."""
    clock = FrozenClock(START)
    with STORES[request.param](tmp_path, clock) as store:
        reads, embeds = Reads(), Embeds()
        engine = Engine(
            store=store,
            embedder=embeds,
            clock=clock,
            entropy=random.Random(1).randbytes,
            settings=Settings(llm_extraction=True),
            expert=reads,
        )
        yield Memory(engine, "ada"), clock, {"reads": reads, "embeds": embeds}
        assert store.check_invariants() == []


@pytest.mark.parametrize("waits", ["reads", "embeds"])
@pytest.mark.parametrize(("away", "taken"), [(20 * MINUTE, 0), (LASTS + MINUTE, 1)], ids=["within", "after"])
def test_B13_a_worker_of_the_same_process_judges_no_text_that_is_being_judged(place, waits, away, taken):
    memory, clock, models = place
    rounds = []

    def worker():
        clock.advance(away.total_seconds())
        rounds.append(beside(lambda: work(dataclasses.replace(memory.engine, embedder=WordEmbedder()), memory.space)))

    models[waits].meanwhile = worker
    if taken:
        with pytest.raises(TakenOverError, match="another worker has taken over"):
            memory.remember("User lives in Oslo.")
    else:
        assert len(memory.remember("User lives in Oslo.")) == 1
    (round_,) = rounds
    assert (len(round_.decisions), round_.failure) == (taken, None)
    assert models["reads"].asked == 1 + (taken and waits == "reads")
    with memory.engine.store.read() as reader:
        assert [one.action for one in reader.decisions(memory.space)] == ["ACCEPT"]
        assert reader.jobs_of_kind(memory.space, "remember") == []
    assert [one.text for one in memory.lookup("user", "residence")] == ["User lives in Oslo."]


def test_B13_two_threads_sign_differently_and_one_that_is_over_holds_nothing():
    mine, again, other = owner(), owner(), beside(owner)
    assert mine == again != other
    assert lease(START).owner == mine
    assert gone([mine, other]) == (other,)
    still, let = threading.Event(), threading.Event()
    words = []
    thread = threading.Thread(target=lambda: (words.append(owner()), still.set(), let.wait(60)))
    thread.start()
    still.wait(60)
    assert gone(words) == ()
    let.set()
    thread.join()
    assert gone(words) == tuple(words)
