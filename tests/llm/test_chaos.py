"""Does a write survive every way in which a server of language models fails? Fourteen faults, a hundred writes each.

The whole way, with nothing scripted but the server: Memory, the router, the expert, the openai package, a socket.
"""

import statistics
import time
from datetime import UTC, datetime

import pytest

from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock, Memory
from tests.flow.teller import WordEmbedder
from tests.llm.server import Fault

WRITES = 100
TIMEOUT = 0.15
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
STORY = [
    ("User enjoys long hikes in the {0} hills.", "User dreads long hikes in the {0} hills these days."),
    ("The {0} team reviews code before merging it.", "Merging code is the {0} team's habit ahead of a review."),
]
"""Pairs that no rule settles, so that the language model is asked; {0} keeps each pair to itself."""
NAMES = [a + b for a in ("Bor", "Cal", "Dun", "Fen", "Gla") for b in ("by", "der", "ham", "ley", "mor")]


def texts():
    """A hundred statements: fifty pairs, the older one of each first."""
    pairs = [(old.format(name), new.format(name)) for name in NAMES for old, new in STORY]
    return [text for pair in pairs for text in pair][:WRITES]


def opened(server, **how):
    settings = Settings(
        **{"llm": server.url, "classify_before_write": True, "llm_timeout_seconds": TIMEOUT, "llm_retries": 0}
        | {"llm_calls_per_day": 100_000, "llm_tokens_per_day": 10**9}
        | how
    )
    return Memory.open(
        ":memory:", settings=settings, clock=FrozenClock(BEGAN), embedder=WordEmbedder(), pair_model="off"
    )


def reasons(memory):
    with memory.engine.store.read() as reader:
        pairs = reader.judged(memory.space, undecided_only=True)
    return [pair.judgement.reason for pair in pairs]


@pytest.mark.parametrize("fault", [*Fault], ids=lambda fault: fault.name)
def test_C3_no_write_is_lost_and_what_was_asked_stays_undecided_with_its_reason(server, fault):
    server.play(fault)
    told = texts()
    assert len(told) == WRITES
    with opened(server) as memory:
        slowest, decided = 0.0, []
        for text in told:
            started = time.perf_counter()
            decided += memory.remember(text)
            slowest = max(slowest, time.perf_counter() - started)
        assert len(server.completions) >= WRITES / 4, "the faults were hardly met"
        assert [decision.action for decision in decided] == ["ACCEPT"] * WRITES
        with memory.engine.store.read() as reader:
            kept = reader.facts(memory.space, [decision.fact_id for decision in decided])
        assert [fact.statement.text for fact in kept] == told
        assert all(fact.belief.retirement is None for fact in kept)
        said = reasons(memory)
        assert said
        assert all(said)
        assert [reason for reason in said if "llm" in reason or "budget" in reason]
        assert memory.check_invariants() == []
    assert slowest < 2 * TIMEOUT + 2  # two requests at the most, the second to have the reply repaired
