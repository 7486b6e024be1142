"""What does a project say of its audits? `.stilltrue.toml`, found from the current folder upwards.

Answer: `Configuration`, every key checked; what cannot be meant is an error that names its line. Options of the command
line outrank it; how they meet is `audit.inquiry`'s question.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from stilltrue.audit.findings import Kind, Severity
from stilltrue.audit.places import matcher
from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FILE_NAME: Final = ".stilltrue.toml"
TABLE: Final = "audit"
OFF: Final = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """`folder`: where the file lies, which its paths start from; None without a file.

    `severity`: what a kind counts as in this project, None for not at all.
    """

    folder: Path | None = None
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: str | None = None
    min_confidence: float = 0.0
    repo: bool = False
    severity: Mapping[Kind, Severity | None] = field(default_factory=dict)

    def excluded(self, file: Path) -> bool:
        """Whether a file that was found in a folder is left out."""
        home = self.folder
        if home is None or not file.resolve().is_relative_to(home):
            return False
        name = file.resolve().relative_to(home).as_posix()
        return any(matcher(pattern).match(name) for pattern in self.exclude)


def find_configuration(start: Path) -> Configuration:
    """The nearest file at or above a folder, read; all defaults without one. Raises InvalidInputError."""
    for folder in (start, *start.parents):
        file = folder / FILE_NAME
        if file.is_file():
            return read_configuration(file)
    return Configuration()


def read_configuration(file: Path) -> Configuration:
    """A file's configuration. Raises InvalidInputError, naming the file and the line."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
    except UnicodeError as error:
        message = f"{file}: is not UTF-8 text; save it as UTF-8"
        raise InvalidInputError(message) from error
    except (ValueError, RecursionError) as error:  # no TOML, a number of thousands of digits, or brackets without end
        line = re.search(r"line (\d+)", str(error))
        message = f"{file}:{line[1] if line else text.count(chr(10)) + 1}: this is not TOML: {error}"
        raise InvalidInputError(message) from error
    source = _Source(file, text)
    for name in document.keys() - {TABLE}:
        source.refuse((), name, f"unknown table or key {name!r}; the one that is read is [{TABLE}]")
    table = document.get(TABLE, {})
    if not isinstance(table, dict):
        source.refuse((), TABLE, f"{TABLE} is to be a table: [{TABLE}]")
    return Configuration(folder=file.parent.resolve(), **_read(table, source))


@dataclass(frozen=True, slots=True)
class _Source:
    file: Path
    text: str

    def refuse(self, tables: tuple[str, ...], key: str, wrong: str) -> NoReturn:
        message = f"{self.file}:{self._line(tables, key)}: {wrong}"
        raise InvalidInputError(message)

    def _line(self, tables: tuple[str, ...], key: str) -> int:
        """Where a key stands: under its own table, else anywhere by its name, else at the top."""
        place: tuple[str, ...] = ()
        elsewhere = 1
        for number, line in enumerate(self.text.splitlines(), start=1):
            head = re.match(r"\s*+\[++([^\]]++)\]", line)
            if head:
                place = tuple(part.strip(" \"'") for part in head[1].split("."))
                if place == (*tables, key):
                    return number
            elif re.match(rf"""\s*(?:[\w-]+\s*\.\s*)*["']?{re.escape(key)}["']?\s*[=.]""", line):
                if place == tables:
                    return number
                elsewhere = number
        return elsewhere


def _read(table: dict[str, Any], source: _Source) -> dict[str, Any]:
    for name in table:
        if name not in _KEYS:
            source.refuse((TABLE,), name, f"unknown key {name!r} in [{TABLE}]; there are {', '.join(sorted(_KEYS))}")
    return {name: _KEYS[name](value, source, name) for name, value in table.items()}


def _strings(value: object, source: _Source, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        source.refuse((TABLE,), name, f'{name} is to be a list of texts, like ["docs/*.md"]')
    return tuple(value)


def _places(value: object, source: _Source, name: str) -> tuple[str, ...]:
    places = _strings(value, source, name)
    for place in places:
        _check_inside(place, source, name)
    return places


def _check_inside(place: str, source: _Source, name: str) -> None:
    """The file may be a stranger's: what it names is read, and shown or written, only below its own folder."""
    home = source.file.parent.resolve()
    if "\0" in place or not (home / place).resolve().is_relative_to(home):
        source.refuse((TABLE,), name, f"{place!r} leads out of the folder of this file; name it as an argument instead")


def _text(value: object, source: _Source, name: str) -> str:
    if not isinstance(value, str) or not value:
        source.refuse((TABLE,), name, f'{name} is to be the path of a file, like ".stilltrue-baseline.json"')
    _check_inside(value, source, name)
    return value


def _share(value: object, source: _Source, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        source.refuse((TABLE,), name, f"{name} is to be a number from 0 to 1, and is {value!r}")
    return float(value)


def _flag(value: object, source: _Source, name: str) -> bool:
    if not isinstance(value, bool):
        source.refuse((TABLE,), name, f"{name} is to be true or false, and is {value!r}")
    return value


def _severities(value: object, source: _Source, name: str) -> dict[Kind, Severity | None]:
    if not isinstance(value, dict):
        source.refuse((TABLE,), name, f'{name} is to be a table, like {name}.duplicate = "note"')
    within = (TABLE, name)
    told: dict[Kind, Severity | None] = {}
    for kind, word in value.items():
        if kind not in list(Kind):
            source.refuse(within, kind, f"unknown kind {kind!r}; there are {', '.join(Kind)}")
        if word not in [*Severity, OFF]:
            source.refuse(within, kind, f"{kind} is to be one of {', '.join([*Severity, OFF])}, and is {word!r}")
        told[Kind(kind)] = None if word == OFF else Severity(word)
    return told


_KEYS: Final[Mapping[str, Callable[[object, _Source, str], object]]] = {
    "paths": _places,
    "exclude": _strings,
    "baseline": _text,
    "min_confidence": _share,
    "repo": _flag,
    "severity": _severities,
}
