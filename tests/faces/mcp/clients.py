"""How does a test speak to the server? With the official client: to a server in this process or behind a real socket,
and where the process is what is tested, to a child process or its socket.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from stilltrue import Memory
from stilltrue.faces.http.access import Tokens, beside
from stilltrue.faces.http.run import listener_on, server_of
from stilltrue.faces.mcp.server import build_server
from stilltrue.faces.mcp.serving import HOST, PATH, build_http_app

PATIENCE = 60
BARE = {"trust_env": False, "verify": False}
"""Nothing here is encrypted; reading the machine's certificates costs a client more than all it asks."""


def command(db, *before):
    return [sys.executable, "-m", "stilltrue", "--db", str(db), *before, "mcp"]


@asynccontextmanager
async def over_nothing(db, space="default"):
    """A client of a server in this process: the protocol, and no wire."""
    with Memory.open(db, space=space) as memory:
        async with Client(build_server(memory.start_worker())) as client:
            yield client


@asynccontextmanager
async def over_stdio(db, *before, log=None, mode="auto", words=None):
    """A client of a child process of its own; what the child logs goes to `log`."""
    program, *arguments = words or command(db, *before)
    child = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(child, log or sys.__stderr__), mode=mode) as client:
        yield client


class Served(NamedTuple):
    url: str
    db: Path
    process: subprocess.Popen | None = None

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
            httpx2.AsyncClient(headers=sent, timeout=PATIENCE, **BARE) as http,
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
        yield Served(line.split()[-1], db, process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE / 4)
        finally:
            process.kill()
            process.communicate()


@contextmanager
def over_socket(db, space="default"):
    """The same application in a thread of this process, behind a real socket."""
    with (
        Memory.open(db, space=space) as memory,
        closing(Tokens(beside(db))) as tokens,
        listener_on(HOST, 0) as listener,
    ):
        port = listener.getsockname()[1]
        server = server_of(build_http_app(memory.start_worker(), tokens, port), lifespan=True)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield Served(f"http://{HOST}:{port}{PATH}", db)
        finally:
            server.should_exit = True
            thread.join(PATIENCE / 4)
            assert not thread.is_alive()


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
