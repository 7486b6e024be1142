"""How is a PostgreSQL server spoken to, and what do its errors mean? The only module that sees raw psycopg errors.

A `ServerSession` is one connection in a transaction. It answers as `store.session.Session` does, and knows the one
space that row-level security lets it see: `enter` names it for the rest of the transaction. The way to a server and
back takes longer than most questions, so what needs no answer (the beginning, the name of the space, `put`) waits for
the next question and travels with it. Errors come out as `StoreError`, one line that names the server, never
its password, and the remedy.

Left to others: connections and when transactions begin and end (`store.postgres.store`), the words of the statements
(`store.postgres.wording`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import Literal

from stilltrue.errors import InvalidInputError, StoreError
from stilltrue.store.postgres.wording import kept, sent, worded
from stilltrue.store.postgres.words import ServerWords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from stilltrue.store.session import Parameters

    Connection = psycopg.Connection[Any]
    Said = tuple[str, list[Any] | dict[str, Any] | None]

_MOST_WAITING: Final = 256
"""Statements that are kept for the next question."""

# The first that fits; what users meet. Classes of errors are in PostgreSQL's appendix A.
_MEANINGS: Final[tuple[tuple[type[psycopg.Error] | tuple[type[psycopg.Error], ...], str], ...]] = (
    (errors.LockNotAvailable, "{place} was locked by another writer for too long; try again, or end what holds it"),
    (errors.InsufficientPrivilege, "{place} gives no right to it ({error}); ask for it, or connect as its owner"),
    (errors.DiskFull, "no room left on {place} ({error}); free some disk space and try again, nothing was written"),
    (errors.TooManyConnections, "{place} takes no more connections ({error}); close some, or raise max_connections"),
    (errors.ReadOnlySqlTransaction, "{place} is read-only ({error}); connect to the primary server"),
    (
        (errors.DeadlockDetected, errors.SerializationFailure),
        "{place} gave way to another writer ({error}); try again, nothing was written",
    ),
    ((errors.IntegrityError, errors.RaiseException), "{place} refused the write ({error}); nothing was written"),
    (errors.ProgramLimitExceeded, "a text is too long for {place} ({error}); give it in parts"),
    (
        psycopg.OperationalError,
        "cannot reach {place} ({error}); check that the server runs and that the address is right",
    ),
    (psycopg.InterfaceError, "the connection to {place} is gone ({error}); try again"),
)


def meaning(error: psycopg.Error, place: str) -> StoreError:
    """The error in words: what happened on which server and what to do about it."""
    first = " ".join(str(error).partition("\n")[0].split()) or type(error).__name__
    for kind, words in _MEANINGS:
        if isinstance(error, kind):
            return StoreError(words.format(place=place, error=first))
    return StoreError(f"{place} could not do it ({first}); run `stilltrue doctor`")


class InWords:
    """Translate what psycopg raises inside. Raises StoreError, or InvalidInputError for text that is no Unicode."""

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Nothing is to be done yet."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Raise what it means."""
        if isinstance(error, psycopg.Error):
            raise meaning(error, self._place) from error
        if isinstance(error, UnicodeEncodeError):
            raise InvalidInputError(
                f"the text holds half a character ({error.reason}); remove lone surrogates"
            ) from error


class Line(tuple[Any, ...]):
    """A row, by the name of a column or by its place, like sqlite3.Row. Each set of columns has a class of its own."""

    __slots__ = ()
    names: ClassVar[tuple[str, ...]] = ()
    places: ClassVar[dict[str, int]] = {}

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 - what a column holds
        """One value."""
        return tuple.__getitem__(self, self.places[key] if isinstance(key, str) else key)

    def keys(self) -> Sequence[str]:
        """The names of the columns."""
        return self.names


@lru_cache(512)
def _line_of(names: tuple[str, ...]) -> type[Line]:
    places = {name: place for place, name in reversed(list(enumerate(names)))}  # the first of two of a name
    return type("Line", (Line,), {"__slots__": (), "names": names, "places": places})


def lines(cursor: psycopg.Cursor[Any]) -> Callable[[Sequence[Any]], Line]:
    """What psycopg calls a row factory: it makes `Line`."""
    kind = _line_of(tuple(column.name for column in cursor.description or ()))
    return lambda values: kind(map(kept, values))


def place_of(address: str) -> str:
    """A server as people call it: without user, password and options. Raises InvalidInputError for no address.

    >>> place_of("postgresql://ada:secret@db.example/agents?sslmode=require")
    'postgresql://db.example/agents'
    """
    try:
        parts = conninfo_to_dict(address)
    except psycopg.Error as error:
        # What libpq says of it may quote the password.
        message = "the address of the server cannot be read; write postgresql://USER@HOST:PORT/DATABASE"
        raise InvalidInputError(message) from error
    host = parts.get("host") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{host}{port}/{parts.get('dbname') or parts.get('user') or ''}"


class ServerSession:
    """One connection in one transaction. Every method raises StoreError.

    `first` begins the transaction, with the first question. `another` gives a connection in place of one that died
    before it answered anything, or raises the error: one that lay idle while the server was restarted is found dead
    only when it is used.
    """

    words: ClassVar[ServerWords] = ServerWords()

    def __init__(
        self,
        raw: Connection,
        place: str,
        first: str | None = None,
        another: Callable[[psycopg.OperationalError], Connection] | None = None,
    ) -> None:
        self.raw = raw
        self.place = place
        self._space: str | None = None
        self._waiting: list[Said] = [] if first is None else [(first, None)]
        self._another = another

    def enter(self, space: str) -> None:
        """From now on the transaction sees this space and no other, whatever a query asks for."""
        if space != self._space:
            with InWords(self.place):
                # A statement and no function: Citus carries such a setting along to the nodes that have the rows.
                self._later((f"SET LOCAL stilltrue.space = {self.quoted(sent(space))}", None))
            self._space = space

    def quoted(self, text: str) -> str:
        """A text of ours as a literal, for the few places where a parameter will not do."""
        return Literal(text).as_string(self.raw).strip()

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Execute one statement; how many rows it changed."""
        return self._execute(sql, parameters).rowcount

    def put(self, sql: str, parameters: Parameters = ()) -> None:
        """Execute one statement with whatever comes next."""
        said = worded(sql)
        with InWords(self.place):
            self._later((said.sql, said.arguments(parameters)))

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Execute one statement for each row."""
        said = worded(sql)
        values = [said.arguments(row) for row in rows]
        if len(values) > _MOST_WAITING:
            with InWords(self.place), self.raw.cursor() as cursor:
                self._send()
                cursor.executemany(said.sql, values)
            return
        with InWords(self.place):
            for value in values:
                self._later((said.sql, value))

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Line]:
        """All rows of a query."""
        cursor = self._execute(sql, parameters)
        with InWords(self.place):
            return cursor.fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> Line | None:
        """The first row of a query, or None."""
        cursor = self._execute(sql, parameters)
        with InWords(self.place):
            return cursor.fetchone()

    def number(self, sql: str, parameters: Parameters = ()) -> int:
        """The one number that a query yields; 0 where there is none."""
        found = self.row(sql, parameters)
        return 0 if found is None or found[0] is None else int(found[0])

    def batches(self, sql: str, parameters: Parameters, size: int) -> Iterator[list[Line]]:
        """The rows of a large query, `size` at a time, so that they are never all in memory."""
        said = worded(sql)
        with InWords(self.place):
            self._send()
            with self.raw.cursor("batches") as cursor:
                cursor.execute(said.sql, said.arguments(parameters))
                while batch := cursor.fetchmany(size):
                    yield batch

    def _execute(self, sql: str, parameters: Parameters) -> psycopg.Cursor[Line]:
        said = worded(sql)
        with InWords(self.place):
            asked = said.sql, said.arguments(parameters)
            if self._waiting:
                return self._send(asked)
            return self.raw.execute(*asked)

    def _later(self, said: Said) -> None:
        self._waiting.append(said)
        if len(self._waiting) > _MOST_WAITING:
            self._send()

    def _send(self, *asked: Said) -> psycopg.Cursor[Line]:
        """All that waits, and what is asked, in one message; the last answer."""
        said, self._waiting = [*self._waiting, *asked], []
        while True:
            another, self._another = self._another, None
            try:
                return self._together(said)
            except psycopg.OperationalError as error:
                if another is None or not self.raw.closed:
                    raise
                self.raw, self._another = another(error), another

    def _together(self, said: Sequence[Said]) -> psycopg.Cursor[Line]:
        cursor: psycopg.Cursor[Line] = self.raw.cursor()
        with self.raw.pipeline():
            for sql, values in said:
                # What takes no values begins and ends a transaction, or names its space: nothing to be planned.
                cursor = self.raw.execute(sql, values, prepare=None if values else False)
        return cursor
