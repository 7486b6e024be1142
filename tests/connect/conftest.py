"""Memories for the tests of what is read from files: one embedder for all, a clock that stands still."""

from datetime import UTC, datetime

import pytest

from stilltrue.connect.replay import default_memory
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.testing import FrozenClock


@pytest.fixture(scope="session")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture
def open_memory(embedder):
    """As replay opens them: (clock, space) to a Memory."""
    return default_memory(embedder)


@pytest.fixture
def memory(open_memory):
    with open_memory(FrozenClock(datetime(2026, 1, 1, tzinfo=UTC)), "default") as opened:
        yield opened
