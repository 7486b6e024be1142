"""Where does memory live for several machines? On one PostgreSQL server: `PostgresStore` fills `ports.Store`.

Readers take a snapshot each (REPEATABLE READ, read only); writers of a space queue at its row and commit durably or not
at all, writers of different spaces do not meet. Every transaction sees only the space it has named: row-level security
stands behind the filters, also for the owner of the tables and for a superuser, who works as the role `stilltrue`.

What was erased is gone for every query at once; its bytes leave the tables with the next VACUUM, the log and the
backups when the server recycles them (docs/decisions/0019).

Left to others: the schema (`store.postgres.schema`), what is read and written (`store.postgres.reader`, `.writer`).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.numeric import IntLoader
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from stilltrue.errors import StateError, StoreError
from stilltrue.store.indexes import IndexCache
from stilltrue.store.postgres.reader import ServerReader
from stilltrue.store.postgres.schema import SCHEMA, bring_up_to_date
from stilltrue.store.postgres.session import InWords, ServerSession, lines, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Clock
    from stilltrue.store.postgres.writer import ServerTransaction

    Connection = psycopg.Connection[Any]

_MOST_CONNECTIONS: Final = 16
"""Of one process; a server takes 100 unless told otherwise."""

_MOST_PREPARED: Final = 400
"""Statements that a connection keeps prepared: there are some 300, and with psycopg's 100 they push each other out."""

_ATTEMPTS: Final = 3  # connections tried before giving up: those that lay idle while the server was restarted are dead

_RETRY_SECONDS: Final = 10.0
"""Until attempts to connect begin anew, with short pauses: psycopg's own pauses grow to minutes."""

# A host that dies with a space locked must not hold it for hours, which is when TCP would notice by itself.
LINK: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "application_name": "stilltrue",
}
_SETTINGS: Final = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "idle_in_transaction_session_timeout": "10min",
    "client_min_messages": "warning",
    # Planned once, for the average space: of the very space that is asked about, statistics that do not know it yet
    # say "no rows", and then any index that begins with the space will do, which reads all of it for every fact.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",  # likewise: every query has an index that begins with its space
    # Planned for the average space, a question about a small one beside a large one would start processes to share it:
    # beside 100,000 facts a sweep took 206 and 198 ms a fact so, 111 and 101 without, in turns. Several callers keep
    # several cores busy anyway.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",  # our queries are short: compiling them costs more than it saves
    "row_security": "on",
    "hnsw.iterative_scan": "strict_order",
    "hnsw.ef_search": "600",
    "hnsw.max_scan_tuples": "100000",
}
READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"


class PostgresStore:
    """A memory on a server. Threads and processes on any host may share it."""

    def __init__(self, pool: ConnectionPool[Connection], place: str, clock: Clock, cache: IndexCache) -> None:
        """Use `open`."""
        self._pool = pool
        self._place = place
        self._clock = clock
        self._cache = cache
        self._writing = threading.local()
        self._closed = False

    @classmethod
    def open(
        cls,
        address: str,
        *,
        clock: Clock,
        dimensions: int,
        model_version: str,
        lock_timeout_seconds: float = 30,
        partitions: int = 0,
        connections: int = _MOST_CONNECTIONS,
    ) -> PostgresStore:
        """Connect, making the schema where missing and bringing an older one up to date.

        `address` is what libpq takes (postgresql://user@host/database); `dimensions` and `model_version` describe the
        vectors, those of another version are kept and not searched; `partitions`: into how many parts new tables are
        cut by hash of the space. Raises StoreError for a server that cannot be reached, is too old, has no pgvector or
        gives too few rights.
        """
        place = place_of(address)
        link = make_conninfo("", **{**LINK, **conninfo_to_dict(address)})
        with InWords(place), psycopg.connect(link, autocommit=True) as raw:
            role = bring_up_to_date(
                raw,
                place,
                dimensions=dimensions,
                model_version=model_version,
                partitions=partitions,
                patience=lock_timeout_seconds,
            )
            search_path = search_path_of(raw)

        def configured(raw: Connection) -> None:
            configure(raw, search_path, role, lock_timeout_seconds)

        pool: ConnectionPool[Connection] = ConnectionPool(
            link, kwargs={"autocommit": True, "row_factory": lines}, min_size=1, max_size=connections,
            configure=configured, timeout=lock_timeout_seconds, name=f"stilltrue {place}", open=True,
            reconnect_timeout=_RETRY_SECONDS, reconnect_failed=_once_more,
        )  # fmt: skip
        return cls(pool, place, clock, IndexCache(model_version, dimensions))

    @contextmanager
    def read(self) -> Iterator[ServerReader]:
        """A consistent snapshot, taken at the first question. Raises StoreError."""
        with self._begun(READ) as session:
            yield ServerReader(session, self._cache, self._clock)

    @contextmanager
    def write(self, space: SpaceId) -> Iterator[ServerTransaction]:
        """One transaction in one space: durable on leaving, or nothing on an exception. Raises StoreError."""
        from stilltrue.store.postgres.writer import ServerTransaction, locked

        if getattr(self._writing, "now", False):
            raise StateError("a write was begun inside another write of the same thread; finish the first")
        self._writing.now = True
        try:
            with self._begun(WRITE) as session:
                yield ServerTransaction(session, self._cache, self._clock, space, locked(session, space))
                session.run("COMMIT")
        finally:
            self._writing.now = False

    def copy_to(self, path: Path) -> None:
        """Write all of it, as one snapshot shows it, to a new file of the embedded store. Raises StoreError."""
        from stilltrue.store.postgres.copying import copy_into
        from stilltrue.store.sqlite import SqliteStore

        made = SqliteStore.open(
            path,
            clock=self._clock,
            dimensions=self._cache.vector_bytes // 4,
            model_version=self._cache.model_version,
        )
        with made as target, self.read() as reader:
            copy_into(target, reader)

    def check_invariants(self) -> list[str]:
        """What is wrong with the store, a sentence each; empty when it is sound."""
        from stilltrue.store.postgres.invariants import violations

        with self._begun(READ) as session:
            return violations(session, self._cache.model_version, self._cache.vector_bytes)

    def close(self) -> None:
        """Let go of all connections; safe to call twice."""
        self._closed = True
        self._pool.close()

    def __enter__(self) -> Self:
        """The store itself; leaving closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    @contextmanager
    def _begun(self, how: str) -> Iterator[ServerSession]:
        """A session in a transaction, which ends with the block as if it had never been, unless the block commits."""
        held = [self._take()]
        tried = 1

        def another(error: psycopg.OperationalError) -> Connection:
            nonlocal tried
            tried += 1
            if tried > _ATTEMPTS:
                raise error
            self._pool.putconn(held.pop())
            self._pool.check()  # where one is dead, the others that lay idle are too
            held.append(self._take())
            return held[0]

        try:
            yield ServerSession(held[0], self._place, how, another)
        finally:
            for raw in held:
                self._give_back(raw)

    def _take(self) -> Connection:
        if self._closed:
            raise StateError("the memory was closed; open it again")
        try:
            return self._pool.getconn()
        except PoolClosed as error:
            raise StateError("the memory was closed; open it again") from error
        except PoolTimeout as error:
            raise StoreError(
                f"no connection to {self._place} within {self._pool.timeout:g} s; check that the server runs, or end "
                "what keeps all connections busy"
            ) from error

    def _give_back(self, raw: Connection) -> None:
        try:
            if not raw.closed and raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                raw.execute("ROLLBACK")
        except psycopg.Error:
            raw.close()  # the server rolls back what a lost connection had begun
        finally:
            self._pool.putconn(raw)


def _once_more(pool: ConnectionPool[Connection]) -> None:
    """Attempts to connect have failed for a while: whoever waits is owed further ones, else the next who asks is."""
    if pool.get_stats().get("requests_waiting"):
        pool.check()


def search_path_of(raw: Connection) -> str:
    """Our tables first, then where the extension's types may lie."""
    row = raw.execute("SELECT current_setting('search_path')").fetchone()
    return f"{SCHEMA}, {row[0] if row else 'public'}"


def configure(raw: Connection, search_path: str, role: str | None, patience: float) -> None:
    """What every connection is told once."""
    settings = {**_SETTINGS, "search_path": search_path, "lock_timeout": str(int(patience * 1000))}
    values = sql.SQL(", ").join(
        sql.SQL("set_config({}, {}, false)").format(sql.Literal(name), sql.Literal(value))
        for name, value in settings.items()
    )
    raw.execute(sql.SQL("SELECT {}").format(values))
    raw.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    if role is not None:
        raw.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    raw.prepared_max = _MOST_PREPARED
    raw.adapters.register_dumper(str, StrDumper)  # as text: where a type is left open, PostgreSQL cannot always tell
    raw.adapters.register_loader("numeric", IntLoader)  # only sums of whole numbers come as numeric
