"""Who may write now? One writer at a time, over all threads and processes that use the same file.

SQLite's own busy handler starves late comers (its worst wait with eight writers was measured at 4.4 s, against 0.12 s
with one lock before it), so writers queue here first. The lock is advisory and dies with its process.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from typing import TYPE_CHECKING

from stilltrue.errors import StateError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

_MEAN_WAIT_SECONDS = 0.001
"""Less than one durable write takes (0.2 to 2 ms on a disk that is not busy), so no turn is wasted."""


class WriteLock:
    """A lock of the process and, where `path` is given, of a lock file. Not reentrant: writes do not nest."""

    def __init__(self, path: Path | None, timeout_seconds: float) -> None:
        self._path = path
        self._timeout = timeout_seconds
        self._threads = threading.Lock()
        self._owner: int | None = None
        self._file: int | None = None

    def acquire(self) -> None:
        """Wait for the turn. Raises StoreError after the timeout, StateError for a write within a write."""
        if self._owner == threading.get_ident():
            raise StateError("a write was begun inside another write of the same thread; finish the first")
        deadline = time.monotonic() + self._timeout
        if not self._threads.acquire(timeout=self._timeout):
            raise self._too_long()
        try:
            self._take_file(deadline)
        except BaseException:
            self._threads.release()
            raise
        self._owner = threading.get_ident()

    def release(self) -> None:
        """Let the next one in."""
        self._owner = None
        try:
            self._drop_file()
        finally:
            self._threads.release()

    def close(self) -> None:
        """Let go of the lock file; it stays on disk, for others may hold it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _too_long(self) -> StoreError:
        return StoreError(
            f"{self._path or 'the memory'} was locked by another writer for more than {self._timeout:g} s; "
            "try again, or end the process that holds it"
        )

    if sys.platform == "win32":

        def _take_file(self, deadline: float) -> None:
            """SQLite's own lock and busy timeout must do where there is no flock."""

        def _drop_file(self) -> None:
            """Nothing was taken."""

    else:

        def _take_file(self, deadline: float) -> None:
            import fcntl

            if self._path is None:
                return
            if self._file is None:
                try:
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                except OSError as error:
                    raise StoreError(
                        f"cannot create {self._path}: {error.strerror}; choose a folder that can be written"
                    ) from error
            while True:
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise self._too_long() from None
                    # Random, so that no writer always comes second; never growing, so that the longest waiting
                    # does not look less often than a newcomer.
                    time.sleep(_MEAN_WAIT_SECONDS * 2 * random.random())  # noqa: S311 - no secret
                else:
                    return

        def _drop_file(self) -> None:
            import fcntl

            if self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)
