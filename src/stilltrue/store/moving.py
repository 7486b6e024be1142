"""How does everything that one store keeps come to lie in another? Row by row, in the order in which it was written.

Answer: `move`. Both stores have the same tables, so rows travel as they are: ids, stamps, numbers, erased rows, vectors
of whatever model. What each store makes for itself (the index of words, row numbers, half-precision vectors) is made
again. Every batch is one transaction and whole batches follow each other, so after an interruption the rows that are
there say where to go on. In the end both sides are read again and must come to one digest.

The source is only read. The target says from the first batch on that it is half moved, and no store opens it until the
digests agree; a target that holds anything else is refused (docs/decisions/0021).

Left to others: how either side is opened, marked and written (`store.moving_file`, `store.postgres.moving`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from stilltrue.errors import StateError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from stilltrue.store.rows import Row
    from stilltrue.store.session import Found, Session

    Progress = Callable[[int, int], object]

BATCH: Final = 1_000
"""Rows of a transaction: as many as are read again after an interruption, at most."""

_PASSES: Final = 3  # over all rows: moving them, reading them again there, and here


class Table(NamedTuple):
    """A table of both stores. `order`: its rows within a space, in turn; `own`: what each store makes for itself."""

    name: str
    order: str
    own: frozenset[str] = frozenset()


_ROWID: Final = frozenset({"rowid"})

SPACES: Final = Table("spaces", "space_id", frozenset({"number", "next_doc"}))
FACTS: Final = Table("facts", "doc", frozenset({"doc"}))
VECTORS: Final = Table("vectors", "fact_id", frozenset({"doc", "served", "valid_from", "valid_until", "half"}))

TABLES: Final = (
    SPACES,
    Table("members", "position, member"),
    Table("episodes", "rowid", _ROWID),
    FACTS,
    Table("beliefs", "fact_id, known_from"),
    Table("fact_links", "from_id, kind, to_id"),
    Table("sources", "rowid", _ROWID),
    VECTORS,
    Table("judgements", "low_id, high_id"),
    Table("conflicts", "conflict_id"),
    Table("conflict_facts", "conflict_id, fact_id"),
    Table("decisions", "seq"),
    Table("decision_facts", "fact_id, decision_id, role"),
    Table("history", "seq"),
    Table("jobs", "job_id"),
    Table("tombstones", "tombstone_key"),
    Table("usage", "fact_id"),
    Table("llm_cache", "cache_key"),
    Table("llm_usage", "day"),
    Table("passes", "batch_id"),
    Table("story_runs", "rowid", _ROWID),
)
"""In the order in which they are written: whatever a row refers to stands before it."""


class Source(Protocol):
    """A store that is only read."""

    @property
    def place(self) -> str:
        """The file or server, as people call it."""

    def reading(self) -> AbstractContextManager[Session]:
        """One snapshot. Raises StoreError."""

    def spaces(self, session: Session) -> Sequence[str]:
        """All spaces, in the order in which they were first written."""

    def enter(self, session: Session, space: str) -> None:
        """From now on the session asks about this space."""


class Target(Source, Protocol):
    """A store that is filled."""

    def begin(self, mark: str) -> bool:
        """Mark it as half moved from the source with this mark; whether it was. Raises StateError, StoreError."""

    def finish(self) -> None:
        """From now on it is a store like any other."""

    def writing(self) -> AbstractContextManager[Session]:
        """A transaction: durable on leaving, or nothing on an exception. Raises StoreError."""

    def put(self, session: Session, space: str, table: Table, rows: Sequence[Row]) -> None:
        """Keep rows that follow those that are there."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What lies in the target now: so many spaces, facts and rows, and the digest of them that both sides have.

    `resumed`: rows that an earlier, interrupted run had moved.
    """

    spaces: int
    facts: int
    rows: int
    digest: str
    resumed: int = 0


def move(source: Source, target: Target, progress: Progress | None = None, batch: int = BATCH) -> Moved:
    """Bring everything over, or go on where an interrupted run ended.

    Raises StateError where the target holds something else, where there is nothing to move, and where the source was
    written to meanwhile; StoreError where a side fails or the two do not agree in the end.
    """
    with source.reading() as there:
        spaces = source.spaces(there)
        if not spaces:
            raise StateError(f"{source.place} holds nothing to move; check its name")
        mark = _mark(source, there, spaces)
        begun = target.begin(mark)
        told = _Told(progress, _sizes(source, there, spaces))
        resumed = _copy(_Ends(source, there, target), spaces, told, batch, begun=begun)
        digest = _agreed(source, there, target, spaces, told)
    _refuse_written(source, mark)
    target.finish()
    facts = sum(count for (_, table), count in told.sizes.items() if table == FACTS.name)
    return Moved(len(spaces), facts, sum(told.sizes.values()), digest, resumed)


def digest_of(end: Source, session: Session, space: str, told: Callable[[int], None] = lambda _: None) -> str:
    """A digest of all rows of a space, equal for the same rows in whichever store."""
    end.enter(session, space)
    seen = hashlib.sha256()
    for table in TABLES:
        seen.update(f"\n{table.name}\n".encode())
        for rows in session.batches(_all(table), (space,), BATCH):
            for row in rows:
                seen.update(_line(_given(row, table)))
            told(len(rows))
    return seen.hexdigest()


class _Told:
    """How far it is, of how much."""

    def __init__(self, progress: Progress | None, sizes: Mapping[tuple[str, str], int]) -> None:
        self.sizes = sizes
        self._progress = progress
        self._done = 0
        self._whole = sum(sizes.values()) * _PASSES

    def __call__(self, rows: int) -> None:
        self._done += rows
        if self._progress is not None:
            self._progress(self._done, self._whole)


class _Ends(NamedTuple):
    source: Source
    there: Session
    target: Target


def _copy(ends: _Ends, spaces: Sequence[str], told: _Told, batch: int, *, begun: bool) -> int:
    """Move what is not there yet; how many rows were there."""
    held = _sizes_held(ends.target, spaces) if begun else {}
    waiting: list[tuple[str, Table, list[Row]]] = []
    size = 0
    for space, table, rows in _rows(ends, spaces, held, told, batch):
        waiting.append((space, table, rows))
        size += len(rows)
        if size >= batch:
            _write(ends.target, waiting)
            told(size)
            waiting, size = [], 0
    _write(ends.target, waiting)
    told(size)
    return sum(held.values())


def _rows(
    ends: _Ends, spaces: Sequence[str], held: Mapping[tuple[str, str], int], told: _Told, batch: int
) -> Iterator[tuple[str, Table, list[Row]]]:
    """What is still to be moved, some rows of one table at a time."""
    for space in spaces:
        ends.source.enter(ends.there, space)
        for table in TABLES:
            if not told.sizes[space, table.name]:
                continue
            skipped = held.get((space, table.name), 0)
            if skipped:
                told(skipped)
            for rows in ends.there.batches(_all(table), (space,), batch):
                new = rows[skipped:]
                skipped = max(0, skipped - len(rows))
                if new:
                    yield space, table, [_given(row, table) for row in new]


def _write(target: Target, waiting: Sequence[tuple[str, Table, Sequence[Row]]]) -> None:
    if not waiting:
        return
    with target.writing() as session:
        for space, table, rows in waiting:
            target.enter(session, space)
            target.put(session, space, table, rows)


def _agreed(source: Source, there: Session, target: Target, spaces: Sequence[str], told: _Told) -> str:
    """The digest that both sides have. Raises StoreError where they differ."""
    whole = hashlib.sha256()
    with target.reading() as here:
        if list(target.spaces(here)) != list(spaces):
            raise _differ(target, "the list of spaces")
        for space in spaces:
            wanted = digest_of(source, there, space, told)
            if digest_of(target, here, space, told) != wanted:
                raise _differ(target, f"space {space!r}")
            whole.update(wanted.encode())
    return whole.hexdigest()


def _differ(target: Target, what: str) -> StoreError:
    return StoreError(
        f"what came to lie in {target.place} is not what was sent ({what} differs); it stays closed, and the source is "
        "as it was: begin again with an empty target, and report it"
    )


def _refuse_written(source: Source, mark: str) -> None:
    with source.reading() as later:
        if _mark(source, later, source.spaces(later)) != mark:
            raise StateError(
                f"{source.place} was written to while it was moved, so the target lacks its newest writes and stays "
                "closed; end what writes to it, and begin again with an empty target"
            )


def _mark(source: Source, session: Session, spaces: Sequence[str]) -> str:
    """What tells one state of one store from any other: each space with how often and when it was written last."""
    seen = hashlib.sha256()
    for space in spaces:
        source.enter(session, space)
        for row in session.rows("SELECT * FROM spaces WHERE space_id = ?", (space,)):
            seen.update(_line(_given(row, SPACES)))
    return seen.hexdigest()


def _sizes_held(target: Target, spaces: Sequence[str]) -> dict[tuple[str, str], int]:
    with target.reading() as here:
        return _sizes(target, here, spaces)


def _sizes(end: Source, session: Session, spaces: Sequence[str]) -> dict[tuple[str, str], int]:
    """How many rows each table has in each space."""
    sizes = {}
    for space in spaces:
        end.enter(session, space)
        for table in TABLES:
            counted = f"SELECT count(*) FROM {table.name} WHERE space_id = ?"
            sizes[space, table.name] = session.number(counted, (space,))
    return sizes


def _all(table: Table) -> str:
    return f"SELECT * FROM {table.name} WHERE space_id = ? ORDER BY {table.order}"


def _given(row: Found, table: Table) -> Row:
    """A row without what each store makes for itself."""
    return {name: row[name] for name in row.keys() if name not in table.own}  # noqa: SIM118 - a row is no mapping


def _line(row: Row) -> bytes:
    """A row as text; bytes as hexadecimal digits."""
    values = {name: bytes(value).hex() if isinstance(value, (bytes, memoryview)) else value
              for name, value in row.items()}  # fmt: skip
    return json.dumps(values, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode() + b"\n"
