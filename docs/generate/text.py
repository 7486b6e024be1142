"""How does code become markdown? Cells that cannot break a table, docstrings in their own paragraphs, tables."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EDITED: Final = "Made by `make reference` from the code; do not edit.\n"
_SPAN: Final = re.compile(r"(`+[^`]*`+)")


def cell(text: object) -> str:
    """In one line, with nothing that would end the cell."""
    return " ".join(escaped(str(text)).split()).replace("|", "\\|")


def escaped(text: str) -> str:
    """Outside code, what markdown or HTML would take for its own."""
    parts = _SPAN.split(text)
    return "".join(part if place % 2 else re.sub(r"([<\[*])", r"\\\1", part) for place, part in enumerate(parts))


def code(text: object) -> str:
    """As code, in one line, fit for a cell."""
    words = " ".join(str(text).split()).replace("|", "\\|")
    return f"`{words}`"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = [f"| {' | '.join(headings)} |", f"| {' | '.join('---' for _ in headings)} |"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def told(thing: object) -> str:
    """What its docstring says, a paragraph a line; empty where it has none of its own."""
    own = getattr(thing, "__doc__", None) or ""
    if own.startswith(f"{getattr(thing, '__name__', '')}("):  # a dataclass without one is given its signature
        return ""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(own))
    return "\n\n".join(escaped(" ".join(paragraph.split())) for paragraph in paragraphs if paragraph)
