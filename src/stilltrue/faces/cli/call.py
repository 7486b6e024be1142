"""What does every verb share? Where the memory lies, whose it is, and how the answer is printed.

A `Call` is made once from the options before the verb. It opens the memory, and shows an answer either as JSON (one
object) or as lines for people: coloured at a terminal, plain elsewhere. What an answer says is up to the verbs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from stilltrue.errors import InvalidInputError, StoreError
from stilltrue.faces.places import default_path
from stilltrue.faces.text import Lens, plain

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision

IN_MEMORY = ":memory:"
STANDARD_INPUT = "-"
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
_BEYOND_ASCII = re.compile("[^\x00-\x7e]")


class Progress(Protocol):
    """Told how much is done, and of how much where that is known only now."""

    def __call__(self, done: int, whole: int | None = None, /) -> None:
        """Move the bar."""


def _no_progress(_done: int, _whole: int | None = None, /) -> None:
    """No bar to move."""


@dataclass(frozen=True, slots=True)
class Call:
    """One run of the command: the options before the verb, and `--json` wherever it stood."""

    db: str | None
    space: str
    member: str | None
    as_json: bool

    @classmethod
    def of(cls, context: typer.Context, *, as_json: bool) -> Call:
        """The call that the options before the verb made, with the verb's own `--json`."""
        made = context.obj
        if not isinstance(made, Call):
            message = "a verb was run without the options before it"
            raise TypeError(message)
        return Call(made.db, made.space, made.member, made.as_json or as_json)

    @contextmanager
    def memory(self, *, creates: bool = False, missing_is_empty: bool = False) -> Iterator[Memory]:
        """The memory that `--db` names. A verb that `creates` may make the file, any other must find it, or with
        `missing_is_empty` sees an empty one that is not kept.

        In the user's own data folder nothing needs to be there yet: what was never told answers with nothing.
        """
        from stilltrue.memory import Memory

        place = IN_MEMORY if missing_is_empty and not self.exists() else self._place(creates=creates)
        with Memory.open(place, space=self.space, member=self.member) as memory:
            yield memory

    def _place(self, *, creates: bool) -> str:
        if creates or self.exists():
            return self.where()
        if self.db is None:
            return IN_MEMORY
        raise StoreError(f"there is no memory at {self.db}; check --db, or begin one with `stilltrue remember`")

    def where(self) -> str:
        """The place of the memory, as people would type it."""
        return self.db if self.db is not None else str(default_path())

    def exists(self) -> bool:
        """Whether there is something to open; what is no file is asked to answer for itself."""
        place = self.where()
        return "://" in place or place == IN_MEMORY or Path(place).exists()

    def show(self, data: Callable[[], object], lines: Callable[[], Iterable[str]]) -> None:
        """Print an answer in the form that was asked for; only that form is made."""
        if self.as_json:
            print_json(data())
        else:
            print_lines(lines())

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Progress]:
        """A progress bar on standard error while the block runs; none with `--json` or where that is no terminal."""
        if self.as_json or not sys.stderr.isatty():
            yield _no_progress
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done, whole=None: bar.update(task, completed=done, total=whole)


def lens_of(memory: Memory) -> Lens:
    """The lens of the reader whose zone the settings name."""
    return Lens.of_zone(memory.settings.timezone)


def print_json(data: object) -> None:
    """One JSON object: indented at a terminal, one line elsewhere; nothing in it can steer the terminal.

    Characters that would are written as JSON escapes, which any reader turns back into the very same text.
    """
    indent = 2 if sys.stdout.isatty() else None
    sys.stdout.write(safe_json(json.dumps(data, ensure_ascii=False, indent=indent)) + "\n")


def safe_json(text: str) -> str:
    r"""JSON text whose strings can neither steer a terminal nor fail on one that does not speak Unicode.

    >>> safe_json('{"a": "\x9b31m"}')
    '{"a": "\\u009b31m"}'
    """
    speaks_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    return (_UNSAFE_IN_JSON if speaks_unicode else _BEYOND_ASCII).sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def print_lines(lines: Iterable[str]) -> None:
    """Lines for people. At a terminal ids, dates and what was decided are coloured; markup in a text is just text."""
    if not sys.stdout.isatty():
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    from rich.console import Console
    from rich.highlighter import RegexHighlighter

    class Marks(RegexHighlighter):
        highlights = (
            r"(?P<bold>\b(?:ACCEPT|SUPERSEDE|REINFORCE|RETRACT|REJECT|ASK|FORGET|ERASE|RESOLVE|UNDO|MAINTAIN)\b)",
            r"(?P<cyan>\b[0-9a-f]{8}\b)",
            r"(?P<green>\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b)",
        )

    console = Console(markup=False, emoji=False, highlighter=Marks(), soft_wrap=True)
    for line in lines:
        console.print(line)


def print_error(message: str) -> None:
    """One line on standard error, whatever the message is made of."""
    sys.stderr.write(f"error: {plain(message)}\n")


@contextmanager
def naming(file: str | Path) -> Iterator[None]:
    """What is wrong with a file is told with its name; standard input needs none."""
    try:
        yield
    except InvalidInputError as error:
        if str(file) == STANDARD_INPUT or str(file) in str(error):
            raise
        raise InvalidInputError(f"{file}: {error}") from error


def parse_pairs(words: Iterable[str], what: str) -> Mapping[str, str]:
    """`NAME=VALUE` words as a mapping; a usage error names the one that is not."""
    pairs: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name.strip() and sign):
            raise typer.BadParameter(f"{word!r} is not {what}")
        pairs[name.strip()] = value.strip()
    return pairs


def given(**options: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a verb takes
    """The options that were given at all; the others are left to the verb's own defaults."""
    return {name: value for name, value in options.items() if value is not None}


def decision_lines(memory: Memory, made: Sequence[Decision], *, plan: bool = False) -> Iterator[str]:
    """A diff: each decision, and under it the facts it ends, by their words."""
    from stilltrue.faces import render

    lens = lens_of(memory)
    for decision in made:
        yield render.decision_line(decision, lens) + (" [plan]" if plan else "")
        texts = {item.fact_id: item.text for item in decision.receipt.considered}
        with memory.engine.store.read() as reader:
            texts.update((fact.id, fact.statement.text) for fact in reader.facts(memory.space, decision.targets))
        for target in decision.targets:
            yield f"  - {lens.name(target)}  {plain(texts.get(target, ''))}"
