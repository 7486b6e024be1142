"""A server of language models for every test of the folder, scripted and on a real socket; closed when the test ends."""

import pytest

from tests.llm.server import ScriptedServer


@pytest.fixture
def server():
    """Answers "{}" until a test has it `play` something else."""
    with ScriptedServer() as running:
        yield running
