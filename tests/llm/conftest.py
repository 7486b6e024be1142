"""A scripted server of language models on a real socket, for each test of the folder; closed when the test ends."""

import pytest

from tests.llm.server import ScriptedServer


@pytest.fixture
def server():
    """Answers "{}" until a test has it `play` something else."""
    with ScriptedServer() as running:
        yield running
