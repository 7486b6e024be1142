"""How do dozens of examples run the command without dozens of cold starts? Most of what a cold start costs is imports
and models, the same each time.

Answer: one process imports the command and loads the bundled models, and forks for each call. The child has the
caller's words, folder, environment and standard streams, and no memory of another call; it ends as the command ends.
In front stands a small program named ``stilltrue``, which hands its streams over and leaves with the same status.

Left to others: what the examples are (``test_docs``), and what a cold start does (the README's examples start the
installed command each time, and so do the tests of the doors).
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]


@contextmanager
def command_at_hand(folder: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """A folder with the program `stilltrue` in it, while the block lasts; `environment` is what imports see."""
    address, shown = folder / "calls", folder / "bin"
    shown.mkdir()
    program = shown / "stilltrue"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-IS", __file__, str(address)])} "$@"\n')
    program.chmod(0o755)
    paths = [str(ROOT), str(ROOT / "src"), environment.get("PYTHONPATH", "")]
    serving = subprocess.Popen(
        [sys.executable, "-m", "tests.docs.at_hand", "--serve", str(address)],
        env=dict(environment, PYTHONPATH=os.pathsep.join(filter(None, paths))),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    try:
        assert serving.stdout.readline() == b"ready\n", "the process that holds the command did not start"
        yield shown
    finally:
        serving.terminate()
        serving.communicate()


def serve(address: str) -> None:
    """Fork for each call, until this process is ended."""
    from stilltrue.faces.cli import main

    _load_once()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks here how a child ended: it says so itself
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            caller, _ = listener.accept()
            with caller:
                if os.fork() == 0:
                    listener.close()
                    _answer(caller, main)


def _load_once() -> None:
    """The models, and what the verbs import, before the first call."""
    from stilltrue import Memory
    from stilltrue.inference import embed, pair_model

    embedder = embed.MiniLMEmbedder()
    embed.MiniLMEmbedder = lambda **_: embedder
    pair_model.bundled = functools.cache(pair_model.bundled)
    with Memory.open(":memory:") as memory:
        memory.remember("The warehouse is in Turin.")
        memory.remember("The warehouse is in Lyon.")
        memory.search("warehouse")


def _answer(caller: socket.socket, main) -> None:
    """One call, in a process of its own, which ends here."""
    _, streams, _, _ = socket.recv_fds(caller, 1, 3)
    words, folder, environment = json.loads(caller.makefile("rb").read())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, (name, mode, lines) in enumerate((("stdin", "r", -1), ("stdout", "w", 1), ("stderr", "w", 1))):
        setattr(sys, name, open(number, mode, lines, encoding="utf-8", closefd=False))  # noqa: SIM115 (till the end of the process)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["stilltrue", *words]
    status = 1
    try:
        main()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 (the process ends here, and would say nothing of it)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        caller.sendall(str(status).encode())
        os._exit(status)


def call(address: str, words: list[str]) -> int:
    """Hand over, and wait: the status. A process that died without a word has failed."""
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(address)
        socket.send_fds(waiting, [b" "], [0, 1, 2])
        waiting.sendall(json.dumps([words, os.getcwd(), dict(os.environ)]).encode())  # noqa: PTH109 (costs its import)
        waiting.shutdown(socket.SHUT_WR)
        return int(waiting.recv(8) or b"70")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(call(sys.argv[1], sys.argv[2:]))
