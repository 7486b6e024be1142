"""How is a SQLite file read, or filled, when a memory moves house? As `store.moving` asks: `FileSource`, `FileTarget`.

A source is opened read-only: not a byte of the file changes. A target carries another application id while it is being
filled, so that every version of this program refuses to open it, and a table that names what it is filled from; its
write lock is held throughout.

Left to others: which rows travel and in which order (`store.moving`).
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from stilltrue.errors import StateError, StoreError
from stilltrue.store import queries, rows
from stilltrue.store.connection import MOVING_ID, InWords, connect, prepare, schema_version
from stilltrue.store.lock import WriteLock
from stilltrue.store.migrations import APPLICATION_ID, latest_version, migrate
from stilltrue.store.moving import FACTS, SPACES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.store.connection import Session
    from stilltrue.store.moving import Table
    from stilltrue.store.rows import Row
    from stilltrue.store.session import Session as AnySession

_MARK: Final = "CREATE TABLE moving (source TEXT NOT NULL) STRICT"
_OLDER: Final = "was written by an older stilltrue; open it once with this one (`stilltrue --db {place} doctor`)"


class FileEnd:
    """One connection to one file."""

    def __init__(self, path: Path, session: Session) -> None:
        self.place = str(path)
        self._session = session

    def close(self) -> None:
        """Let go of the file."""
        self._session.close()

    def __enter__(self) -> Self:
        """Itself; leaving closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One snapshot."""
        self._session.run("BEGIN")
        try:
            yield self._session
        finally:
            self._session.rollback()

    def spaces(self, session: AnySession) -> Sequence[str]:
        """By the numbers they were given."""
        return [row[0] for row in session.rows("SELECT space_id FROM spaces ORDER BY number")]

    def enter(self, session: AnySession, space: str) -> None:
        """A file shows all spaces alike."""


class FileSource(FileEnd):
    """A file that is only read."""

    @classmethod
    def open(cls, path: Path) -> FileSource:
        """Raises StoreError for a file that is missing, foreign, damaged, or of another version."""
        if not path.is_file():
            raise StoreError(f"there is no memory at {path}; check its name")
        prepare(path)
        session = connect(path, read_only=True)
        try:
            _refuse_older(session)
        except BaseException:
            session.close()
            raise
        return cls(path, session)


def _refuse_older(session: Session) -> None:
    if schema_version(session) != latest_version():
        raise StoreError(f"{session.place} {_OLDER.format(place=session.place)}")


class FileTarget(FileEnd):
    """A file that is filled."""

    def __init__(self, path: Path, session: Session, lock: WriteLock) -> None:
        """Use `open`."""
        super().__init__(path, session)
        self._lock = lock

    @classmethod
    def open(cls, path: Path, patience: float) -> FileTarget:
        """The file, which may be missing; nobody else writes to it meanwhile. Raises StoreError."""
        prepare(path)
        lock = WriteLock(Path(f"{path}.lock"), patience)
        lock.acquire()
        try:
            return cls(path, connect(path), lock)
        except BaseException:
            lock.release()
            lock.close()
            raise

    def close(self) -> None:
        """Let others write."""
        super().close()
        self._lock.release()
        self._lock.close()

    def begin(self, mark: str) -> bool:
        """Raises StateError for a file that holds something else, StoreError for one that is not ours."""
        session = self._session
        if session.number("PRAGMA application_id") == MOVING_ID:
            row = session.row("SELECT source FROM moving")
            if session.number("PRAGMA user_version") != latest_version() or row is None or row[0] != mark:
                raise StateError(
                    f"{self.place} is half moved from another memory, or from an earlier state of this one; remove it, "
                    "or name another target"
                )
            return True
        version = schema_version(session)
        if version and session.number("SELECT count(*) FROM spaces"):
            raise StateError(
                f"{self.place} holds a memory already, and two are never mixed; name a target that is empty or missing"
            )
        with InWords(self.place):
            session.row("PRAGMA journal_mode = WAL")
            migrate(session.raw, version)
        with self.writing():
            session.run(_MARK)
            session.run("INSERT INTO moving (source) VALUES (?)", (mark,))
            session.run(f"PRAGMA application_id = {MOVING_ID}")
        return False

    def finish(self) -> None:
        """It opens from now on."""
        with self.writing():
            self._session.run("DROP TABLE moving")
            self._session.run(f"PRAGMA application_id = {APPLICATION_ID}")

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction."""
        self._session.run("BEGIN IMMEDIATE")
        try:
            yield self._session
            self._session.run("COMMIT")
        except BaseException:
            self._session.rollback()
            raise

    def put(self, session: AnySession, space: str, table: Table, given: Sequence[Row]) -> None:
        """Spaces are numbered as they come, facts within them."""
        if table == SPACES:
            number = session.number("SELECT coalesce(max(number), 0) + 1 FROM spaces")
            given = [{**row, "number": number, "next_doc": 1} for row in given]
        if table == FACTS:
            given = numbered(session, space, given)
        session.run_many(rows.insert(table.name, given[0]), given)


def numbered(session: AnySession, space: str, given: Sequence[Row]) -> Sequence[Row]:
    """Facts with their row numbers, and their words in the index."""
    first = session.number(queries.TAKE_DOCS, {"space": space, "count": len(given)})
    placed = [{**row, "doc": first + place} for place, row in enumerate(given)]
    for row in placed:
        if not row["erased"]:
            session.words.add(session, space, row["doc"], row["text"])
    return placed
