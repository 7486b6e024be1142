"""What is in the files that are named? Their bytes and their text, or, in one line each, why one could not be read.

A file that is no UTF-8 text is not guessed at: mending it would write what nobody wrote. The others are read all the
same. Left to others: which files (`audit.places`), what they claim (`audit.reading`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import decode, is_clean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SAVE: Final = "save it as UTF-8"


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: what a report calls it, where it lies, its bytes and its text."""

    name: str
    path: Path
    data: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read. `skipped`: (name, why) for what could not be."""

    read: tuple[Source, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def read_sources(named: Iterable[tuple[str, Path]]) -> Sources:
    """The files in their order, under the names that they are given."""
    read: list[Source] = []
    skipped: list[tuple[str, str]] = []
    for name, path in named:
        try:
            data = path.read_bytes()
            read.append(Source(name, path, data, text_of(data)))
        except FileNotFoundError as error:
            skipped.append((name, f"{error.strerror}; check its name"))
        except OSError as error:
            skipped.append((name, error.strerror or str(error)))
        except InvalidInputError as error:
            skipped.append((name, str(error)))
    return Sources(tuple(read), tuple(skipped))


def text_of(data: bytes) -> str:
    r"""The text of a file. Raises InvalidInputError, with the line, for what is not UTF-8.

    >>> text_of(b"\xef\xbb\xbfcaf\xc3\xa9")
    'café'
    """
    text = decode(data)
    if not is_clean(text):
        line = next(number for number, one in enumerate(text.split("\n"), start=1) if not is_clean(one))
        raise InvalidInputError(f"line {line} is not UTF-8; {SAVE}")
    return text
