"""What do the tests of the agents' door share? A memory with a rule in it, and both wires to a server of it."""

from contextlib import asynccontextmanager

import pytest

from stilltrue import Memory
from tests.faces.mcp.clients import over_socket, over_stdio, sound

RULE = "We never deploy to production on Fridays."


@pytest.fixture
def db(tmp_path):
    """A memory with a rule that a person laid down; sound again after every test."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.remember(RULE, author="noor", kind="constraint", said_at="2025-01-02")
    yield path
    sound(path)


@pytest.fixture
def rule(db):
    with Memory.open(db) as memory:
        (fact,) = memory.search("deploy on Fridays").results
        return fact


@pytest.fixture(params=["stdio", "http"])
def wire_to(request, db):
    """A function that connects a client over one of the wires, to the space that is named."""

    @asynccontextmanager
    async def connected(space="default"):
        if request.param == "stdio":
            async with over_stdio(db, "--space", space) as client:
                yield client
            return
        with over_socket(db, space) as served:
            async with served.client(served.token(spaces=[space])) as client:
                yield client

    return connected
