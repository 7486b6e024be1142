"""How is a SQLite file opened, spoken to, and what do its errors mean? The only module that sees raw sqlite3 errors.

A `Session` is one connection whose errors come out as `StoreError`, one line that names the file and the remedy. A file
that is not ours, is damaged or is newer than this program is refused before anything in it is touched.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.errors import InvalidInputError, StoreError
from stilltrue.store.fts import FtsWords
from stilltrue.store.migrations import APPLICATION_ID, latest_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Parameters = Sequence[Any] | Mapping[str, Any]

MEMORY: Final = ":memory:"
MOVING_ID: Final = 0x53_54_4C_4D
"""The bytes "STLM" in the file's header: this database is being filled from another (`store.moving_file`)."""
_OLDEST_SQLITE: Final = (3, 37, 0)  # STRICT tables
_HEADER: Final = b"SQLite format 3\x00"
_HEADER_LENGTH: Final = 100
_BUSY_TIMEOUT_MILLISECONDS: Final = 30_000
_CACHE_KIBIBYTES: Final = 16_384

# By the first words of the error's name (sqlite3 has about a hundred names; these are the ones users meet).
_MEANINGS: Final = (
    ("SQLITE_NOTADB", "{place} is not a SQLite database; give another path, nothing in it was changed"),
    ("SQLITE_CORRUPT", "{place} is damaged ({error}); restore a backup, or salvage it with `sqlite3 <file> .recover`"),
    ("SQLITE_FULL", "no room left for {place}; free some disk space and try again, nothing was written"),
    ("SQLITE_BUSY", "{place} is locked by another program ({error}); try again, or end that program"),
    ("SQLITE_LOCKED", "{place} is locked by another program ({error}); try again, or end that program"),
    ("SQLITE_READONLY", "{place} cannot be written ({error}); check the permissions of the file and of its folder"),
    ("SQLITE_CANTOPEN", "cannot open {place} ({error}); check that the folder exists and can be written"),
    ("SQLITE_PERM", "cannot open {place} ({error}); check the permissions of the file and of its folder"),
    ("SQLITE_IOERR", "reading or writing {place} failed ({error}); check the disk, nothing was written"),
    ("SQLITE_CONSTRAINT", "{place} refused the write ({error}); nothing was written"),
    ("SQLITE_NOMEM", "out of memory while using {place}; try again with less at once"),
    ("SQLITE_TOOBIG", "a text is too long for {place}; give it in parts"),
)


def meaning(error: sqlite3.Error, place: str) -> StoreError:
    """The error in words: what happened to which file and what to do about it."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for start, words in _MEANINGS:
        if name.startswith(start):
            return StoreError(words.format(place=place, error=error))
    return StoreError(f"{place} could not do it ({error}); run `stilltrue doctor`")


class InWords:
    """Translate what sqlite3 raises inside. Raises StoreError, or InvalidInputError for text that is no Unicode.

    A class, because it is entered for every statement: as a generator it took longer than most statements do.
    """

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Nothing is to be done yet."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Raise what it means."""
        if isinstance(error, sqlite3.Error):
            raise meaning(error, self._place) from error
        if isinstance(error, UnicodeEncodeError):
            raise InvalidInputError(
                f"the text holds half a character ({error.reason}); remove lone surrogates"
            ) from error


class Session:
    """One connection and its name for people. Every method raises StoreError."""

    def __init__(self, raw: sqlite3.Connection, place: str) -> None:
        self.raw = raw
        self.place = place
        self.words = FtsWords()

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Execute one statement; how many rows it changed."""
        with InWords(self.place):
            return self.raw.execute(sql, parameters).rowcount

    def put(self, sql: str, parameters: Parameters = ()) -> None:
        """Execute one statement, here and now: a file is near."""
        self.run(sql, parameters)

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Execute one statement for each row."""
        with InWords(self.place):
            self.raw.executemany(sql, rows)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        with InWords(self.place):
            return self.raw.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        with InWords(self.place):
            found: sqlite3.Row | None = self.raw.execute(sql, parameters).fetchone()
            return found

    def number(self, sql: str, parameters: Parameters = ()) -> int:
        """The one number that a query yields; 0 where there is none."""
        found = self.rows(sql, parameters)  # to the end: a statement with RETURNING is not done before
        return 0 if not found or found[0][0] is None else int(found[0][0])

    def batches(self, sql: str, parameters: Parameters, size: int) -> Iterator[list[sqlite3.Row]]:
        """The rows of a large query, `size` at a time, so that they are never all in memory."""
        with InWords(self.place):
            cursor = self.raw.execute(sql, parameters)
            while batch := cursor.fetchmany(size):
                yield batch

    @contextmanager
    def patience(self, milliseconds: int) -> Iterator[None]:
        """Wait only so long for other connections inside."""
        self.run(f"PRAGMA busy_timeout = {milliseconds}")
        try:
            yield
        finally:
            self.run(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MILLISECONDS}")

    def rollback(self) -> None:
        """End the transaction, if one is open, as if it had never been."""
        if self.raw.in_transaction:
            self.run("ROLLBACK")

    def close(self) -> None:
        """Let go of the connection."""
        self.raw.close()


def connect(path: Path | None, *, read_only: bool = False) -> Session:
    """A connection with every pragma set; None: a database in memory. Raises StoreError."""
    place = MEMORY if path is None else str(path)
    with InWords(place):
        # Sessions are handed from thread to thread by the pool, one owner at a time.
        raw = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro" if path is not None and read_only else path or MEMORY,
            uri=read_only,
            timeout=_BUSY_TIMEOUT_MILLISECONDS / 1000,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        raw.row_factory = sqlite3.Row
        for pragma in (
            f"busy_timeout = {_BUSY_TIMEOUT_MILLISECONDS}",
            "synchronous = FULL",
            "foreign_keys = ON",
            "recursive_triggers = ON",  # so that triggers see what REPLACE deletes
            "secure_delete = ON",  # always: pages freed before an erase hold text too
            "trusted_schema = OFF",
            "temp_store = MEMORY",
            f"cache_size = -{_CACHE_KIBIBYTES}",
        ):
            raw.execute(f"PRAGMA {pragma}")
    return Session(raw, place)


Place: TypeAlias = tuple[int, int]
"""Device and inode of a file."""
_HELD: Final[Counter[Place]] = Counter()
_HOLDING: Final = threading.Lock()


def hold(path: Path) -> Place:
    """Look at what lies at `path`, as `prepare`, and note that this process has it open; `release` when it has not.

    Whoever closes a file drops all locks that the process has on it, those of SQLite's other connections too: another
    process would then take away the log under them. So a file that is open already is not looked at again.
    """
    with _HOLDING:
        known = path.exists() and _place(path) in _HELD
        if not known:
            prepare(path)
        place = _place(path)
        _HELD[place] += 1
    return place


def release(place: Place) -> None:
    """The connections to a file that was held are closed."""
    with _HOLDING:
        _HELD[place] -= 1
        if _HELD[place] <= 0:
            del _HELD[place]


def _place(path: Path) -> Place:
    found = path.stat()
    return found.st_dev, found.st_ino


def prepare(path: Path) -> None:
    """Make the folder and look at what lies at `path`, without opening it as a database.

    Raises StoreError for a folder, a file that is no SQLite database, or one that was cut short.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old for {path}; use a Python with 3.37 or newer")
    if path.is_dir():
        raise StoreError(f"{path} is a folder; give the path of a file, for example {path / 'memory.db'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # What is in it is somebody's memory, so nobody else may read it; its log gets the same permissions.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        if path.stat().st_size == 0:
            return
        with path.open("rb") as file:
            header = file.read(_HEADER_LENGTH)
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}; choose a place that can be written") from error
    if not header.startswith(_HEADER):
        raise StoreError(f"{path} is not a SQLite database; give another path, nothing in it was changed")
    _refuse_cut(path, header)


def _refuse_cut(path: Path, header: bytes) -> None:
    """A file shorter than its header says lost its tail, unless a write-ahead log is there to bring it back."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size > 0:
        return
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65_536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    count_is_valid = header[24:28] == header[92:96]
    if len(header) < _HEADER_LENGTH or (count_is_valid and path.stat().st_size < pages * page_size):
        raise StoreError(f"{path} was cut short: its end is missing; restore a backup, nothing in it was changed")


def schema_version(session: Session) -> int:
    """The schema version of the file, 0 for an empty one. Raises StoreError for a foreign or a newer one."""
    tables = session.number("SELECT count(*) FROM sqlite_schema")
    version = session.number("PRAGMA user_version")
    # Asked last: while another process makes the file, its tables are never seen without its name.
    application = session.number("PRAGMA application_id")
    if application == 0 and version == 0 and tables == 0:
        return 0
    if application == MOVING_ID:
        raise StoreError(
            f"{session.place} is half moved; run the same `stilltrue migrate` again, which goes on where it ended"
        )
    if application != APPLICATION_ID:
        raise StoreError(f"{session.place} is another program's database; give another path, nothing in it was changed")
    if version > latest_version():
        raise StoreError(
            f"{session.place} was written by a newer stilltrue (schema {version}, this one knows {latest_version()}); "
            "upgrade stilltrue, nothing in it was changed"
        )
    return version
