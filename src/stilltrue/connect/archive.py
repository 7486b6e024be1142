"""How does a memory travel whole? As lines of JSON, which `export_space` writes and `import_space` reads.

The first line is a header with the version of the form, then come the records of `model.archive` in their own order,
one object a line, then a line that counts them, so that a file cut short is told from a whole one. The same space gives
the same bytes. Vectors are made again on the way in; what an LLM was seen to answer is asked again when it is needed;
what was erased is in no record. The name of the space stands in the header only, so that a copy may have its own.

An import is atomic: the file is read twice, first to check every line and to make the vectors (kept in a temporary
file, so that memory stays small), then into one transaction. Whatever is wrong, nothing of it is kept.

Left to others: how records lie in a store (`ports.Reader.archived`, `ports.Transaction.restore`).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from stilltrue.errors import InvalidInputError, StateError, StilltrueError, StoreError
from stilltrue.formats.lines import LineError, as_object, byte_lines, decode, parse
from stilltrue.model import codec
from stilltrue.model.archive import ARCHIVED, KeptDecision, KeptEpisode, KeptFact, KeptHistory, KeptSpace
from stilltrue.model.change import HistoryRow
from stilltrue.model.conflict import Conflict
from stilltrue.model.decision import Decision
from stilltrue.model.episode import Episode
from stilltrue.model.fact import Fact
from stilltrue.model.job import Job
from stilltrue.model.story import StoryRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stilltrue.memory import Memory
    from stilltrue.model.archive import Archived
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Embedder

HEADER: Final = "stilltrue_export"
END: Final = "stilltrue_end"
VERSION: Final = 1

_LONGEST: Final = 256 * 1024 * 1024  # bytes of a line: an episode may be a whole book
_PAGE: Final = 64  # texts embedded at once
_KINDS: Final[Mapping[str, type]] = {kind.__name__: kind for kind in ARCHIVED}
_OWNED: Final = frozenset(
    kind.__name__
    for kind in (Episode, Fact, Conflict, Decision, HistoryRow, Job, StoryRun)
    if any(item.name == "space_id" for item in dataclasses.fields(kind))
)
"""Nouns that name their space."""


@dataclass(frozen=True, slots=True)
class Travelled:
    """How many records of each kind were written or read."""

    space: str
    records: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {"format": "stilltrue", "version": VERSION, "space": self.space, "records": dict(self.records)}


def export_space(
    memory: Memory, write: Callable[[str], object], progress: Callable[[int], object] | None = None
) -> Travelled:
    """Hand the lines, without their ends, to `write`, as of one instant. Raises AccessError, StateError."""
    memory.members()  # refuses strangers
    counts: Counter[str] = Counter()
    with memory.engine.store.read() as reader:
        if not reader.revision(memory.space):
            raise StateError(f"space {memory.space!r} holds nothing to export; check --db and --space")
        write(_line({HEADER: VERSION, "space": memory.space}))
        for done, record in enumerate(reader.archived(memory.space), start=1):
            counts[type(record).__name__] += 1
            write(_line(_without_space(codec.encode(record), memory.space)))
            if progress is not None:
                progress(done)
    write(_line({END: dict(counts)}))
    return Travelled(memory.space, counts)


def is_export(first_line: bytes) -> bool:
    """Whether a file that begins so was written by `export_space`.

    >>> is_export(b'{"stilltrue_export":1,"space":"default"}'), is_export(b'{"text": "I live in Porto."}')
    (True, False)
    """
    try:
        return HEADER in as_object(parse(decode(first_line).strip()))
    except InvalidInputError:
        return False


def import_space(
    memory: Memory, stream: BinaryIO, name: str = "the file", progress: Callable[[int, int], object] | None = None
) -> Travelled:
    """Make the memory's space, which nobody may have written yet, what an export says. `stream` can be rewound.

    Raises StateError where the space holds something, InvalidInputError with the line where the file is not as
    `export_space` wrote it; nothing was written then.
    """
    with memory.engine.store.read() as reader:
        _refuse_written(memory.space, reader.revision(memory.space))
    with TemporaryFile(prefix="stilltrue-") as vectors:
        told = _Told(name, memory.space, _count_lines(stream) * 2, progress)
        _embed(memory.engine.embedder, told.read(stream), vectors)
        seen, told.seen = told.seen, hashlib.sha256()
        vectors.seek(0)
        _write(memory, told, stream, vectors, seen.digest())
    return Travelled(memory.space, told.counts)


def _refuse_written(space: SpaceId, revision: int) -> None:
    if revision:
        message = (
            f"space {space!r} holds a memory already, and a whole one is never mixed into it; name a new space with "
            "--space NAME, or another file with --db PATH"
        )
        raise StateError(message)


def _count_lines(stream: BinaryIO) -> int:
    stream.seek(0)
    return sum(1 for _ in stream)


@dataclass(slots=True)
class _Told:
    """One file, read line by line; it counts what it has read and remembers what the bytes were."""

    name: str
    space: SpaceId
    lines: int
    progress: Callable[[int, int], object] | None
    done: int = 0
    number: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    seen: Any = field(default_factory=hashlib.sha256)

    def read(self, stream: BinaryIO) -> Iterator[Archived]:
        """The records of the file from its first line to its last. Raises InvalidInputError."""
        stream.seek(0)
        self.counts, self.number, ended = Counter(), 0, False
        for self.number, line in byte_lines(stream, _LONGEST):
            told = self._object(line)
            if self.number == 1:
                self._header(told)
            elif ended:
                raise self.wrong("something stands behind the end of the export; remove it")
            elif END in told:
                ended = self._end(told[END])
            else:
                yield self._record(told)
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.lines)
        if not ended:
            raise self.wrong("the export ends before its last line; it was cut short, export it again")

    def wrong(self, why: object) -> InvalidInputError:
        return InvalidInputError(f"{self.name}, line {self.number}: {why} (nothing was imported)")

    def _object(self, line: bytes | LineError) -> dict[str, Any]:
        try:
            if isinstance(line, LineError):
                return as_object(line)
            self.seen.update(line)
            return as_object(parse(decode(line).strip()))
        except InvalidInputError as error:
            raise self.wrong(error) from None

    def _header(self, told: Mapping[str, Any]) -> None:
        if HEADER not in told:
            raise self.wrong("this is no export of stilltrue; name its format with --format")
        if told[HEADER] != VERSION:
            raise self.wrong(f"the export has version {told[HEADER]!r:.20}, this stilltrue reads {VERSION}; upgrade it")

    def _end(self, counts: object) -> bool:
        if counts != dict(self.counts):
            raise self.wrong("the export says it holds other records than it does; it is damaged, export it again")
        return True

    def _record(self, told: Mapping[str, Any]) -> Archived:
        kind = _KINDS.get(str(told.get("is")))
        if kind is None:
            raise self.wrong(f"there is no record {told.get('is')!r:.40}; the export is damaged or of a newer version")
        if (kind is KeptSpace) != (not self.counts):
            raise self.wrong("the space itself is not the first record, or is there twice; export it again")
        self.counts[kind.__name__] += 1
        try:
            record = cast("Archived", codec.decode(kind, _with_space(told, self.space)))
            owner = _owner(record)
        except (StilltrueError, AttributeError) as error:
            raise self.wrong(error) from None
        if owner not in (None, self.space):
            raise self.wrong("the record names a space of its own; an export names none, export it again")
        return record


def _embed(embedder: Embedder, records: Iterator[Archived], vectors: BinaryIO) -> None:
    """Read all records, and leave the vectors of the facts that had one, in their order."""
    page: list[str] = []
    for record in records:
        if _has_vector(record):
            page.append(cast("KeptFact", record).fact.statement.text)
        if len(page) == _PAGE:
            vectors.write(embedder.embed(page).tobytes())
            page.clear()
    if page:
        vectors.write(embedder.embed(page).tobytes())


def _has_vector(record: Archived) -> bool:
    return isinstance(record, KeptFact) and record.embedded and not record.erased


def _write(memory: Memory, told: _Told, stream: BinaryIO, vectors: BinaryIO, seen: bytes) -> None:
    """All records in one transaction; raises InvalidInputError, and wrote nothing then."""
    size = memory.engine.embedder.dimensions * 4
    try:
        with memory.engine.store.write(memory.space) as transaction:
            _refuse_written(memory.space, transaction.revision(memory.space))
            for record in told.read(stream):
                vector = vectors.read(size) if _has_vector(record) else None
                transaction.restore(memory.space, record, vector)
            if told.seen.digest() != seen:
                raise told.wrong("the file changed while it was read; import it again")
    except StoreError as error:
        raise told.wrong(f"the records do not fit together: {error}") from error


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _owner(record: Archived) -> object:
    """The space that a record, or the noun in it, names."""
    match record:
        case KeptEpisode(episode=noun) | KeptFact(fact=noun) | KeptDecision(decision=noun) | KeptHistory(row=noun):
            return noun.space_id
        case _:
            return getattr(record, "space_id", None)


def _without_space(value: Any, space: SpaceId) -> Any:  # noqa: ANN401 - JSON
    """Without the name of the space wherever a noun names it; in an erased payload the name is empty, and stays so."""
    if isinstance(value, list):
        return [_without_space(item, space) for item in value]
    if not isinstance(value, dict):
        return value
    owned = value.get("is") in _OWNED and value.get("space_id") == space
    return {name: _without_space(item, space) for name, item in value.items() if not (owned and name == "space_id")}


def _with_space(value: Any, space: SpaceId) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_with_space(item, space) for item in value]
    if not isinstance(value, dict):
        return value
    told = {name: _with_space(item, space) for name, item in value.items()}
    if value.get("is") in _OWNED:
        told.setdefault("space_id", space)
    return told
