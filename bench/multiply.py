"""How do a file and a server come to hold a million facts within minutes? By rows like one that the store wrote.

A fact kept through the store takes about 3 ms on either side. Past some thousands of them, `multiply` takes the rows
that the store wrote for one fact as a pattern, and puts the same new rows into both, past the program: into every table
that the store filled for the pattern, with ids, texts, hashes, words and vectors of their own. What holds in a store
that was filled in the ordinary way holds here (`check_invariants` says so in the tests). Nobody may have either open.

The server's index of vectors is taken away meanwhile and built over all of them in the end, as the how-to advises.
"""

from __future__ import annotations

import random
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import psycopg
from psycopg import sql

from bench.made import facts
from bench.space import TOLD, moved
from stilltrue.model.ids import uuid7
from stilltrue.model.timeline import to_micros
from stilltrue.rules.text import exact_hash, normal_hash
from stilltrue.store.postgres.words import cut
from stilltrue.store.queries import DOCS_PER_SPACE
from stilltrue.store.rows import insert, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from bench.made import Made
    from stilltrue.ports import Vectors

    Row = dict[str, Any]

_AT_ONCE: Final = 5_000
_SEED: Final = 5
_ORIGINS: Final = 300
"""Vectors of so many facts, the ones that the real embedder made, are moved a little for the others."""

_BYTES_A_VECTOR: Final = 3_000
"""Room that the index takes while it is built, for each vector."""

_PATTERN: Final = ("episodes", "facts", "beliefs", "sources", "vectors")
_REMEMBERED: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Place:
    """A fact to be: the number of its space, the space, its number in it (from 1), what it says."""

    number: int
    space: str
    place: int
    made: Made


@dataclass(frozen=True, slots=True)
class _Said:
    """What depends on the text alone."""

    exact: str
    normal: str
    count: int
    words: tuple[str, ...]


def multiply(file: Path, address: str, spaces: Sequence[str], held: int, each: int) -> float:
    """Bring every space to `each` facts on both sides. The first ones hold `held` by now, the others nothing.

    Seconds that the server's index of vectors took to build, after all.

    `address` is of a superuser: rows are put past the walls between spaces.
    """
    with closing(_fast(file)) as raw, psycopg.connect(address, autocommit=True) as server:
        server.execute("SET session_replication_role = replica")
        server.execute("SET search_path TO stilltrue, public")
        index = _taken_away(server)
        pattern = {table: _first(raw, table, spaces[0]) for table in ("spaces", *_PATTERN)}
        filled: dict[str, int] = dict(map(tuple, raw.execute("SELECT space_id, number FROM spaces")))
        with server.transaction():
            raw.execute("BEGIN")
            numbers = _spaces(raw, server, pattern["spaces"], spaces, filled, each)
            sink = _Sink(raw, server, pattern, _origins(raw, spaces[0]))
            _put_all(sink, _chunks(_places(numbers, dict.fromkeys(filled, held), each)), each)
            raw.execute("COMMIT")
        raw.execute("PRAGMA journal_mode = WAL")
        size = len(spaces) * each * _BYTES_A_VECTOR // 1_000_000
        server.execute(f"SET maintenance_work_mem = '{max(64, size)}MB'".encode())
        return _built(server, index)


def _built(server: psycopg.Connection, index: str) -> float:
    """Seconds by the server's own clock: the bench may have to wait for its turn on the cores meanwhile."""
    timed = sql.SQL(
        "DO $$ DECLARE begun timestamptz := clock_timestamp(); BEGIN EXECUTE {}; "
        "PERFORM set_config('bench.took', extract(epoch FROM clock_timestamp() - begun)::text, false); END $$"
    )
    server.execute(timed.format(sql.Literal(index)))
    return float(server.execute("SELECT current_setting('bench.took')").fetchall()[0][0])


def _put_all(sink: _Sink, chunks: Iterator[list[_Place]], each: int) -> None:
    """The server works while the next rows are made."""
    with ThreadPoolExecutor(1) as beside:
        under_way: Future[None] | None = None
        for chunk in chunks:
            under_way = sink.put(chunk, each, beside, under_way)
        if under_way is not None:
            under_way.result()


def _fast(file: Path) -> sqlite3.Connection:
    """Nothing is kept for the case that it fails: then the file is thrown away."""
    raw = sqlite3.connect(file, isolation_level=None)
    raw.row_factory = sqlite3.Row
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"):
        raw.execute(f"PRAGMA {pragma}")
    return raw


def _taken_away(server: psycopg.Connection) -> str:
    """The statement that makes the index again."""
    row = server.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'stilltrue' AND indexdef LIKE '%USING hnsw%'"
    ).fetchone()
    if row is None:
        raise LookupError("the server has no index of vectors; open a memory there first")
    server.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(row[0])))
    return str(row[1])


def _first(raw: sqlite3.Connection, table: str, space: str) -> Row:
    asked = f"SELECT * FROM {table} WHERE space_id = ? LIMIT 1"  # noqa: S608 - one of the names above
    return dict(raw.execute(asked, (space,)).fetchone())


def _origins(raw: sqlite3.Connection, space: str) -> Vectors:
    found = raw.execute("SELECT vector FROM vectors WHERE space_id = ? ORDER BY rowid LIMIT ?", (space, _ORIGINS))
    return np.stack([np.frombuffer(row[0], dtype="<f4") for row in found])


def _spaces(
    raw: sqlite3.Connection,
    server: psycopg.Connection,
    pattern: Row,
    spaces: Sequence[str],
    filled: dict[str, int],
    each: int,
) -> dict[str, int]:
    """Make those that are missing, and say how many facts each has; the number of each in the file."""
    following = max(filled.values()) + 1
    new = [name for name in spaces if name not in filled]
    numbers = {**filled, **{name: following + at for at, name in enumerate(new)}}
    raw.execute("UPDATE spaces SET next_doc = ?", (each + 1,))
    server.execute("UPDATE spaces SET next_doc = %s", (each + 1,))
    made = [{**pattern, "space_id": name, "number": numbers[name], "next_doc": each + 1} for name in new]
    if made:
        raw.executemany(insert("spaces", pattern), made)
        _copied(server, "spaces", [*pattern], [tuple({**row, "number": 1}.values()) for row in made])
        _copied(server, "space_names", ["space_id"], [(name,) for name in new])
    return {name: numbers[name] for name in spaces}


def _places(numbers: dict[str, int], held: dict[str, int], each: int) -> Iterator[_Place]:
    made = facts(each)
    for name, number in numbers.items():
        for place in range(held.get(name, 0), each):
            yield _Place(number, name, place + 1, made[place])


def _chunks(places: Iterator[_Place]) -> Iterator[list[_Place]]:
    while chunk := list(islice(places, _AT_ONCE)):
        yield chunk


class _Sink:
    """Both stores, and what a new row is made from."""

    def __init__(
        self, raw: sqlite3.Connection, server: psycopg.Connection, pattern: dict[str, Row], origins: Vectors
    ) -> None:
        self._raw = raw
        self._server = server
        self._pattern = pattern
        self._origins = origins
        self._ids = random.Random(_SEED)
        self._chance = np.random.default_rng(_SEED)
        self._end = datetime.now(UTC)

    def put(self, chunk: Sequence[_Place], each: int, beside: Executor, before: Future[None] | None) -> Future[None]:
        """The rows of so many facts, the same on both sides; the server takes them after those `before`."""
        said = [_of_text(one.made.text) for one in chunk]
        rows: dict[str, list[Row]] = {table: [] for table in _PATTERN}
        for one, text in zip(chunk, said, strict=True):
            for table, row in self._rows(one, text, each).items():
                rows[table].append(row)
        vectors = moved(self._origins[self._chance.integers(len(self._origins), size=len(chunk))], self._chance)
        for row, vector in zip(rows["vectors"], vectors, strict=True):
            row["vector"] = vector.tobytes()
        self._into_file(chunk, rows)
        if before is not None:
            before.result()
        return beside.submit(self._into_server, chunk, said, rows, vectors)

    def _rows(self, one: _Place, said: _Said, each: int) -> dict[str, Row]:
        told = self._end - TOLD * (1 - one.place / each)
        at, text = to_micros(told), one.made.text
        fact = {"space_id": one.space, "fact_id": uuid7(told, self._ids.randbytes(10))}
        episode = {"episode_id": uuid7(told, self._ids.randbytes(10)), "said_at": at}
        new: dict[str, Row] = {
            "episodes": {"space_id": one.space, **episode, "text": text},
            "facts": {
                **fact, **episode, "doc": one.number * DOCS_PER_SPACE + one.place, "words": said.count, "text": text,
                "exact_hash": said.exact, "normal_hash": said.normal, "subject": one.made.subject,
                "attribute": one.made.attribute, "value_text": one.made.value, "value_key": one.made.value.lower(),
                "valid_from": at, "last_seen_at": at,
            },
            "beliefs": {**fact, "valid_from": at},
            "sources": {**fact, **episode, "span_end": len(text), "quote": text, "held_from": at},
            "vectors": {**fact},
        }  # fmt: skip
        return {table: {**self._pattern[table], **row} for table, row in new.items()}

    def _into_file(self, chunk: Sequence[_Place], rows: dict[str, list[Row]]) -> None:
        for table, new in rows.items():
            self._raw.executemany(insert(table, new[0]), new)
        self._raw.executemany(
            "INSERT INTO facts_fts (rowid, text) VALUES (?, ?)",
            [(one.number * DOCS_PER_SPACE + one.place, one.made.text) for one in chunk],
        )

    def _into_server(
        self, chunk: Sequence[_Place], said: Sequence[_Said], rows: dict[str, list[Row]], vectors: Vectors
    ) -> None:
        """Each space has number 1 there, vectors stand beside what is believed, and each word has a row."""
        halves = vectors.astype(">f2")
        head = struct.pack(">HH", vectors.shape[1], 0)
        for at, one in enumerate(chunk):
            doc, belief = DOCS_PER_SPACE + one.place, rows["beliefs"][at]
            rows["facts"][at]["doc"] = doc
            rows["vectors"][at].update(
                doc=doc,
                served=1,
                valid_from=belief["valid_from"],
                valid_until=belief["valid_until"],
                half=head + halves[at].tobytes(),
            )
        for table, new in rows.items():
            _copied(self._server, table, [*new[0]], [tuple(row.values()) for row in new])
        lines = sorted(
            f"{one.space}\t{word}\t{DOCS_PER_SPACE + one.place}\n"
            for one, text in zip(chunk, said, strict=True)
            for word in text.words
        )
        with self._server.cursor() as cursor, cursor.copy("COPY fact_words (space_id, word, doc) FROM STDIN") as copy:
            copy.write("".join(lines))


@lru_cache(maxsize=_REMEMBERED)
def _of_text(text: str) -> _Said:
    """Words of made-up texts are letters and digits, so that they stand in a COPY as they are."""
    return _Said(exact_hash(text), normal_hash(text), len(words_of(text)), tuple(cut(text)))


def _copied(server: psycopg.Connection, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows as the server keeps them, in its own form: vectors need not be written in digits."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    known = dict(
        server.execute(
            "SELECT column_name, udt_name FROM information_schema.columns "
            "WHERE table_schema = 'stilltrue' AND table_name = %s",
            (table,),
        ).fetchall()
    )
    with server.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["bytea" if known[name] == "halfvec" else known[name] for name in names])
        for row in rows:
            copy.write_row(row)
