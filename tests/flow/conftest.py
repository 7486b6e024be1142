"""One real embedder for all tests of the folder, and stories that are checked for soundness when a test is over."""

from __future__ import annotations

import pytest

from stilltrue.inference.embed import MiniLMEmbedder
from tests.flow.teller import Story, WordEmbedder


@pytest.fixture(scope="session")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture(scope="session")
def words():
    return WordEmbedder()


@pytest.fixture
def stories(embedder):
    """Opens stories with the real embedder; at the end of the test each must be sound, then it is closed."""
    opened = []

    def begin(path=":memory:", **how):
        story = Story.open(how.pop("embedder", embedder), path, **how)
        opened.append(story)
        return story

    yield begin
    for story in opened:
        if not story.memory.engine.store._closed:
            assert story.memory.check_invariants() == []
            story.memory.close()


@pytest.fixture
def story(stories):
    """A story in this process's memory, on 2025-01-01."""
    return stories()
