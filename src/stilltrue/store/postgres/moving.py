"""How is a server read, or filled, when a memory moves house? As `store.moving` asks: `ServerSource`, `ServerTarget`.

Two connections: one works like any other of ours, as whom row-level security binds; the other keeps the mark, the table
`moving`, and an advisory lock, so that one move at a time fills a database. While the mark is there, no store opens it.

Left to others: which rows travel and in which order (`store.moving`), the tables (`store.postgres.schema`).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stilltrue.errors import StateError, StoreError
from stilltrue.store import rows
from stilltrue.store.moving import FACTS, SPACES, TABLES, VECTORS
from stilltrue.store.moving_file import numbered
from stilltrue.store.postgres.schema import MARK, SCHEMA, bring_tables_up_to_date, is_current, role_of
from stilltrue.store.postgres.session import InWords, ServerSession, lines, place_of
from stilltrue.store.postgres.store import LINK, READ, WRITE, configure, search_path_of
from stilltrue.store.postgres.writer import PUT_VECTOR, half_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.store.moving import Table
    from stilltrue.store.rows import Row
    from stilltrue.store.session import Session

    Connection = psycopg.Connection[Any]

_LOCK: Final = 0x53_54_4C_4D  # "STLM": one at a time may fill a database
_TABLE: Final = sql.Identifier(SCHEMA, MARK)


class ServerEnd:
    """Two connections to one database of a server."""

    def __init__(self, address: str, patience: float) -> None:
        """Connect. Raises StoreError."""
        self.place = place_of(address)
        self._link = make_conninfo("", **{**LINK, **conninfo_to_dict(address)})
        self._patience = patience
        self._worker: Connection | None = None
        with InWords(self.place):
            self._keeper: Connection = psycopg.connect(self._link, autocommit=True)

    def close(self) -> None:
        """Let go of both connections."""
        self._keeper.close()
        if self._worker is not None:
            self._worker.close()

    def __enter__(self) -> Self:
        """Itself; leaving closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    @contextmanager
    def reading(self) -> Iterator[ServerSession]:
        """One snapshot."""
        with self._begun(READ) as session:
            yield session

    def spaces(self, session: Session) -> Sequence[str]:
        """In the order in which their names were written."""
        return [row[0] for row in session.rows("SELECT space_id FROM space_names ORDER BY rowid")]

    def enter(self, session: Session, space: str) -> None:
        """Name the space to the wall."""
        assert isinstance(session, ServerSession)  # noqa: S101 - this side's own session
        session.enter(space)

    @contextmanager
    def _begun(self, how: str) -> Iterator[ServerSession]:
        with InWords(self.place):
            raw = self._working()
            raw.execute(how.encode())
        try:
            yield ServerSession(raw, self.place)
        finally:
            if not raw.closed and raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                with InWords(self.place):
                    raw.execute("ROLLBACK")

    def _working(self) -> Connection:
        """The connection that works, made with the first transaction: a target has no tables before `begin`."""
        if self._worker is None:
            raw: Connection = psycopg.connect(self._link, autocommit=True, row_factory=lines)
            configure(raw, search_path_of(raw), role_of(self._keeper, self.place), self._patience)
            self._worker = raw
        return self._worker


class ServerSource(ServerEnd):
    """A database that is only read."""

    def __init__(self, address: str, patience: float) -> None:
        """Raises StoreError for a database without our tables, or with those of another version."""
        super().__init__(address, patience)
        try:
            with InWords(self.place):
                self._refuse_other()
        except BaseException:
            self.close()
            raise

    def _refuse_other(self) -> None:
        if not is_current(self._keeper, self.place):
            raise StoreError(
                f"{self.place} holds no memory of this version of stilltrue; check the address, or open it once with "
                "this version (`stilltrue doctor`)"
            )


class ServerTarget(ServerEnd):
    """A database that is filled."""

    def begin(self, mark: str) -> bool:
        """Raises StateError for a database that holds something else, StoreError for one that cannot be used."""
        with InWords(self.place):
            if not self._asked("SELECT pg_try_advisory_lock(%s)", _LOCK):
                raise StateError(f"{self.place} is being filled by another `stilltrue migrate`; let it end")
            if self._asked("SELECT to_regclass(%s) IS NOT NULL", f"{SCHEMA}.{MARK}"):
                return self._resumed(mark)
            bring_tables_up_to_date(self._keeper, self.place, self._patience)
            if self._asked(f"SELECT EXISTS (SELECT 1 FROM {SCHEMA}.space_names)"):
                raise StateError(
                    f"{self.place} holds a memory already, and two are never mixed; name an empty database"
                )
            with self._keeper.transaction():
                self._keeper.execute(sql.SQL("CREATE TABLE {} (source text NOT NULL)").format(_TABLE))
                self._keeper.execute(sql.SQL("INSERT INTO {} (source) VALUES (%s)").format(_TABLE), (mark,))
        return False

    def finish(self) -> None:
        """Tell the planner what is there, and let it be opened."""
        with InWords(self.place):
            for table in (*(one.name for one in TABLES), "fact_words"):
                self._keeper.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(SCHEMA, table)))
            self._keeper.execute(sql.SQL("DROP TABLE {}").format(_TABLE))

    @contextmanager
    def writing(self) -> Iterator[ServerSession]:
        """One transaction."""
        with self._begun(WRITE) as session:
            yield session
            session.run("COMMIT")

    def put(self, session: Session, space: str, table: Table, given: Sequence[Row]) -> None:
        """Spaces are named as they come, facts numbered; vectors stand beside what is believed."""
        if table == VECTORS:
            session.run_many(PUT_VECTOR, [_vector_row(row) for row in given])
            return
        if table == SPACES:
            session.put("INSERT INTO space_names (space_id) VALUES (?)", (space,))
            given = [{**row, "number": 1, "next_doc": 1} for row in given]
        if table == FACTS:
            given = numbered(session, space, given)
        session.run_many(rows.insert(table.name, given[0]), given)

    def _resumed(self, mark: str) -> bool:
        row = self._keeper.execute(sql.SQL("SELECT source FROM {}").format(_TABLE)).fetchone()
        if row is None or row[0] != mark:
            raise StateError(
                f"{self.place} is half moved from another memory, or from an earlier state of this one; drop its "
                f"schema {SCHEMA}, or name another database"
            )
        return True

    def _asked(self, question: str, *values: object) -> bool:
        row = self._keeper.execute(question.encode(), values or None).fetchone()
        return bool(row is not None and row[0])


def _vector_row(row: Row) -> Row:
    return {
        "space": row["space_id"],
        "fact": row["fact_id"],
        "model": row["model_version"],
        "revision": row["revision"],
        "half": half_of(bytes(row["vector"])),
        "vector": bytes(row["vector"]),
    }
