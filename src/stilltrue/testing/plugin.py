"""How do truth tests run among a project's own tests? pytest collects each check of a `*.truth.yaml` file as a test.

The memory of a file is made once, before its first check, and thrown away after its last. A check that fails says what
was expected, what is served, and which decision made it so; a file that cannot be read fails as one error with its
line. `pytest -m truth` runs these tests alone.

Left to others: reading files and running checks (`stilltrue.connect`), which are loaded with the first such file.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from stilltrue.errors import StilltrueError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

    from _pytest._code.code import ExceptionInfo, TerminalRepr

    from stilltrue.connect.checks import World
    from stilltrue.connect.truth_run import Models
    from stilltrue.connect.truths import Truth, Truths

SUFFIXES = (".truth.yaml", ".truth.yml")
"""As `connect.truths.SUFFIXES`, which is not loaded for a project without such files."""

MODELS: pytest.StashKey[Models] = pytest.StashKey()


class UntrueError(Exception):
    """A check does not hold. What it says is the whole message."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "truth: a check of what a memory believes, out of a *.truth.yaml file")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TruthFile | None:
    """A file of truth tests, by its name."""
    if not file_path.name.endswith(SUFFIXES):
        return None
    file: TruthFile = TruthFile.from_parent(parent, path=file_path)
    return file


class TruthFile(pytest.File):
    """The tests of a file. They share its memory, which no check changes."""

    truths: Truths
    _world: World | StilltrueError | None = None
    _open: ExitStack | None = None

    def collect(self) -> Iterator[TruthItem]:
        """A test for each check. Raises CollectError for a file that cannot be read."""
        from stilltrue.connect.truths import read_truths  # noqa: PLC0415 - see the module

        try:
            self.truths = read_truths(self.path)
        except StilltrueError as error:
            raise self.CollectError(str(error)) from None
        for truth in self.truths.checks:
            item: TruthItem = TruthItem.from_parent(self, name=truth.name, truth=truth)
            yield item

    def world(self) -> World:
        """The memory, made for the first check. Raises what opening it raises, for every check."""
        if self._world is None:
            self._world = self._opened()
        if isinstance(self._world, StilltrueError):
            raise UntrueError(str(self._world))
        return self._world

    def _opened(self) -> World | StilltrueError:
        from stilltrue.connect.truth_run import Models, opened  # noqa: PLC0415 - see the module

        if MODELS not in self.config.stash:
            self.config.stash[MODELS] = Models()
        self._open = ExitStack()
        try:
            return self._open.enter_context(opened(self.truths, self.config.stash[MODELS]))
        except StilltrueError as error:
            return error

    def teardown(self) -> None:
        """Throw the memory away."""
        if self._open is not None:
            self._open.close()
        self._world = self._open = None


class TruthItem(pytest.Item):
    """One check."""

    parent: TruthFile

    def __init__(self, *, truth: Truth, name: str, parent: TruthFile) -> None:
        """Named by what it demands, or as its file says."""
        super().__init__(name, parent)
        self.truth = truth
        self.add_marker("truth")

    def runtest(self) -> None:
        """Raises UntrueError with all that helps to see why."""
        from stilltrue.connect.truth_run import failure_of  # noqa: PLC0415 - see the module

        told = failure_of(self.parent.world(), self.parent.truths, self.truth)
        if told is not None:
            raise UntrueError(told)

    def repr_failure(self, excinfo: ExceptionInfo[BaseException]) -> str | TerminalRepr:  # type: ignore[override]
        """The message alone: where in this program it was noticed helps nobody."""
        if isinstance(excinfo.value, (UntrueError, StilltrueError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """The file, the line of the check (pytest counts from 0), its name."""
        return self.path, self.truth.line - 1, self.name
