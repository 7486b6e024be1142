"""How is a file replaced so that nobody ever sees half of it? A new one is written beside it and takes its name.

The new file is on disk before it takes the name; a link is followed, and the permissions of the old file stay. A file
that was not there is for its owner alone: what is written here is somebody's memory.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file if the block ends well; else the file stays as it was. Raises OSError."""
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            made.chmod(target.stat().st_mode & 0o7777)
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def replace_file(path: Path, data: bytes) -> None:
    """The file is these bytes from now on. Raises OSError."""
    with replacing(path) as stream:
        stream.write(data)
