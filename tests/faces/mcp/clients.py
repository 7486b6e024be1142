"""How does a test speak to the server? With the official client: to a child process, or to a child's real socket."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from stilltrue import Memory
from stilltrue.faces.http.access import Tokens, beside

PATIENCE = 60


def command(db, *before):
    return [sys.executable, "-m", "stilltrue", "--db", str(db), *before, "mcp"]


@asynccontextmanager
async def over_stdio(db, *before, log=None, mode="auto", words=None):
    """A client of a child process of its own; what the child logs goes to `log`."""
    program, *arguments = words or command(db, *before)
    child = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(child, log or sys.__stderr__), mode=mode) as client:
        yield client


class Served(NamedTuple):
    url: str
    process: subprocess.Popen
    db: Path

    def token(self, role="reviewer", spaces=("default",), **options):
        tokens = Tokens(beside(self.db))
        try:
            return tokens.issue("agent", role, spaces=spaces, **options)
        finally:
            tokens.close()

    @asynccontextmanager
    async def client(self, token=None, mode="auto", headers=None):
        sent = {"Authorization": f"Bearer {token or self.token()}", **(headers or {})}
        async with (
            httpx2.AsyncClient(headers=sent, timeout=PATIENCE) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client


@contextmanager
def over_http(db, *before):
    """A child process that listens; asked to end, it must do so by itself."""
    space = before[before.index("--space") + 1] if "--space" in before else "default"
    first = Tokens(beside(db))
    first.issue("somebody", "reader", spaces=[space])  # a server does not start while nobody could come in
    first.close()
    process = subprocess.Popen(
        [*command(db, *before), "--http", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), line + process.stderr.read()
        yield Served(line.split()[-1], process, db)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE / 4)
        finally:
            process.kill()
            process.communicate()


def talk(conversation):
    """Run an asynchronous conversation with its own event loop, with an end in sight."""

    async def timed():
        with anyio.fail_after(PATIENCE):
            return await conversation()

    try:
        return anyio.run(timed)
    except BaseExceptionGroup as several:
        raise _innermost(several) from None


def _innermost(error):
    """What went wrong itself, without the groups that task groups wrap around it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        (error,) = error.exceptions
    return error


def sound(db):
    with Memory.open(db) as memory:
        assert memory.check_invariants() == []


def text_of(answer):
    (block,) = answer.content
    return block.text
