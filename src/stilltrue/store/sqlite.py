"""Where does memory live on one machine? In one SQLite file: `SqliteStore` fills `ports.Store`.

Readers take a snapshot each and never wait; writers queue at one lock (`store.lock`) and commit durably or not at all.
How files are opened is `store.connection`'s business, what is read and written `store.reader`'s and `store.writer`'s.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from stilltrue.errors import StateError, StoreError
from stilltrue.store.connection import MEMORY, InWords, Place, connect, hold, release, schema_version
from stilltrue.store.indexes import IndexCache
from stilltrue.store.lock import WriteLock
from stilltrue.store.migrations import latest_version, migrate
from stilltrue.store.reader import SqlReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Clock
    from stilltrue.store.connection import Session
    from stilltrue.store.writer import SqlTransaction


_CUT_PATIENCE_MILLISECONDS = 200  # for readers to finish; other writers wait meanwhile


class SqliteStore:
    """A memory in a file, or in the process's own memory for tests. Threads may share it; processes the file."""

    def __init__(self, path: Path | None, clock: Clock, cache: IndexCache, lock: WriteLock, writer: Session) -> None:
        """Use `open`."""
        self._path = path
        self._clock = clock
        self._cache = cache
        self._lock = lock
        self._writer = writer
        self._idle: list[Session] = []
        self._busy: set[Session] = set()
        self._guard = threading.Lock()
        self._closed = False
        self._log_to_cut = False
        self._held: Place | None = None

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        clock: Clock,
        dimensions: int,
        model_version: str,
        lock_timeout_seconds: float = 30,
    ) -> SqliteStore:
        """Open the file, making it and its folder where missing and bringing an older schema up to date.

        `dimensions` and `model_version` describe the vectors; those of another version are kept and not searched.
        Raises StoreError for what is not ours, damaged, newer, locked for too long or not to be written.
        """
        file = None if str(path) == MEMORY else Path(path)
        held = hold(file) if file is not None else None
        lock = WriteLock(file and Path(f"{file}.lock"), lock_timeout_seconds)
        with ExitStack() as undo:
            undo.callback(_let_go, held, lock)
            session = connect(file)
            undo.callback(session.close)
            _bring_up_to_date(session, lock)
            undo.pop_all()
        store = cls(file, clock, IndexCache(model_version, dimensions), lock, session)
        store._held = held
        return store

    @contextmanager
    def read(self) -> Iterator[SqlReader]:
        """A consistent snapshot, taken at the first question. Raises StoreError."""
        if self._path is None:
            with self._alone() as session:
                yield SqlReader(session, self._cache, self._clock)
            return
        session = self._borrow()
        try:
            session.run("BEGIN")
            yield SqlReader(session, self._cache, self._clock)
        finally:
            self._give_back(session)

    @contextmanager
    def write(self, space: SpaceId) -> Iterator[SqlTransaction]:
        """One transaction in one space: durable on leaving, or nothing on an exception. Raises StoreError."""
        from stilltrue.store.writer import SqlTransaction

        self._refuse_closed()
        self._lock.acquire()
        try:
            with self._transaction():
                transaction = SqlTransaction(self._writer, self._cache, self._clock, space)
                yield transaction
            self._log_to_cut = self._log_to_cut or transaction.erased
            self._cut_log()
        finally:
            self._lock.release()

    def copy_to(self, path: Path) -> None:
        """Write all of it to a new file. Waits for the writers. Raises StoreError."""
        self._refuse_closed()
        self._lock.acquire()
        try:
            self._writer.run("VACUUM INTO ?", (str(path),))
        finally:
            self._lock.release()

    def check_invariants(self) -> list[str]:
        """What is wrong with the file, a sentence each; empty when it is sound. Waits for the writers."""
        from stilltrue.store.invariants import violations

        self._refuse_closed()
        self._lock.acquire()
        try:
            return violations(self._writer, self._cache.model_version, self._cache.vector_bytes)
        finally:
            self._lock.release()

    @property
    def erasure_pending(self) -> bool:
        """Whether erased text may still lie in the write-ahead log, because a reader held an older snapshot.

        The next write, or closing the store, tries again.
        """
        return self._log_to_cut

    def close(self) -> None:
        """Let go of files and connections; safe to call twice."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            sessions = [*self._idle, *self._busy]
            self._idle.clear()
        for session in sessions:
            session.close()
        if self._log_to_cut:
            self._cut_log()
        self._writer.close()
        _let_go(self._held, self._lock)

    def __enter__(self) -> Self:
        """The store itself; leaving closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._writer.run("BEGIN IMMEDIATE")
        try:
            yield
            self._writer.run("COMMIT")
        except BaseException:
            self._writer.rollback()
            raise

    @contextmanager
    def _alone(self) -> Iterator[Session]:
        """The one connection of a store in memory: a reader takes the writer's turn."""
        self._refuse_closed()
        self._lock.acquire()
        try:
            yield self._writer
        finally:
            self._lock.release()

    def _borrow(self) -> Session:
        with self._guard:
            if self._closed:
                raise _closed()
            session = self._idle.pop() if self._idle else None
        if session is None:
            session = connect(self._path)
            session.run("PRAGMA query_only = ON")
        with self._guard:
            self._busy.add(session)
        return session

    def _give_back(self, session: Session) -> None:
        with self._guard:
            self._busy.discard(session)
            if self._closed:
                return
        try:
            session.rollback()
        except StoreError:
            session.close()  # what was read has been read; a connection that is not well is not lent again
            return
        with self._guard:
            self._idle.append(session)

    def _cut_log(self) -> None:
        """Empty the write-ahead log, where an erased text may remain; readers of an older snapshot put it off."""
        if not self._log_to_cut:
            return
        if self._path is None:
            self._log_to_cut = False
            return
        # What was erased is committed: where the log cannot be cut, that is pending, and no failure of the write.
        with suppress(StoreError), self._writer.patience(_CUT_PATIENCE_MILLISECONDS):
            self._log_to_cut = bool(self._writer.number("PRAGMA wal_checkpoint(TRUNCATE)"))

    def _refuse_closed(self) -> None:
        if self._closed:
            raise _closed()


def _let_go(held: Place | None, lock: WriteLock) -> None:
    lock.close()
    if held is not None:
        release(held)


def _closed() -> StateError:
    return StateError("the memory was closed; open it again")


def _bring_up_to_date(session: Session, lock: WriteLock) -> None:
    """Raises StoreError for a file that is not ours, newer, or cannot be migrated."""
    if schema_version(session) == latest_version():
        return
    lock.acquire()
    try:
        version = schema_version(session)  # another process may have been faster
        with InWords(session.place):
            mode = session.row("PRAGMA journal_mode = WAL")
            if mode is None or mode[0] not in ("wal", "memory"):
                raise StoreError(f"{session.place} lies where write-ahead logging does not work; choose a local disk")
            migrate(session.raw, version)
    finally:
        lock.release()
