"""May a verb write the file that it was given, and how is a file replaced so that nobody ever sees half of it?

Answer: `refuse_taken` lets through what is missing, empty, or no file at all (a pipe, a terminal); what holds something
is written over only where that was asked for, and a database, which is what a memory is, never. Whoever is to write
asks before the work begins, so that nobody waits for an error.

`replacing` writes a new file beside the old one, which takes its name once it is on disk; a link is followed, and the
permissions of the old file stay. A file that was not there is for its owner alone where it is somebody's memory.

Left to others: what stands in a file that a verb only adds to (`connect.notes`, `connect.hook_settings`).
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from stilltrue.errors import InvalidInputError, StateError

if TYPE_CHECKING:
    from collections.abc import Iterator

DATABASE: Final = b"SQLite format 3\x00"
"""What a memory begins with, and the tokens beside it."""


def refuse_taken(path: Path, *, over: bool = False, remedy: str = "name another file") -> None:
    """Raises StateError for a file that holds something, unless it is to be written `over`, and as `refuse_unfit`."""
    refuse_unfit(path)
    if path.is_file() and path.stat().st_size and not over:
        raise StateError(f"{path} is there already; {remedy}, nothing in it was changed")


def refuse_unfit(path: Path) -> None:
    """Raises InvalidInputError for a folder, for a file in no folder, and for a database, whatever was asked for.

    Not to be asked about a memory that this process has open: closing its file would drop the locks on it.
    """
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise InvalidInputError(f"{path}: there is no folder {path.parent}; make it, or name another file")
    if path.is_file():
        with path.open("rb") as file:
            refuse_database(path, file.read(len(DATABASE)))


def refuse_database(path: Path, begins: bytes) -> None:
    """Raises InvalidInputError for a file that begins as a database does."""
    if begins.startswith(DATABASE):
        raise InvalidInputError(f"{path} is a database, as a memory is; name another file, nothing in it was changed")


@contextmanager
def replacing(path: Path, *, private: bool = True) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file if the block ends well; else the file stays as it was. Raises OSError.

    What is no file (a pipe, a terminal) is written as it comes. `private`: a new file is for its owner alone.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    made = _beside(target)
    try:
        with made.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        made.chmod(_permissions(target, private=private))
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def replace_file(path: Path, data: bytes, *, private: bool = True) -> None:
    """The file is these bytes from now on. Raises OSError."""
    with replacing(path, private=private) as stream:
        stream.write(data)


def _beside(target: Path) -> Path:
    """A new file in the same folder. An error names the file that was meant."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(target)) from None
    os.close(handle)
    return Path(name)


def _permissions(target: Path, *, private: bool) -> int:
    if target.exists():
        return target.stat().st_mode & 0o7777
    return 0o600 if private else 0o666 & ~_umask()


def _umask() -> int:
    """What new files are not allowed; reading it sets it, so it is put back."""
    held = os.umask(0o077)
    os.umask(held)
    return held
