"""What does a memory file claim, and where does it stand? The noun between reading files and comparing what they say.

A claim is one statement with its place: file and lines as an editor counts them, the headings above it, the date it is
given under. Left to others: how files are read (`audit.reading`), how claims are compared (`audit.comparing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant


class Form(StrEnum):
    """In which part of a file a claim stands."""

    SENTENCE = "sentence"
    BULLET = "bullet"
    CELL = "cell"
    COMMAND = "command"
    RECORD = "record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of a file. `line` to `end_line` (1-based, both included) hold its words; `text` is how it reads.

    `statement` is what is judged: its text may carry words of the context that `text` lacks. `parts`: the statements
    of its clauses, where it has several. `headings`: those it stands under, outermost first. `leads`: the lead-ins and
    list items above it. `dated`: the date it is given under (heading, entry, front matter), None where the file tells
    none. `order`: its place among all claims of its file. `group`: the line on which the list, table or paragraph
    begins that it is part of. `row`, `column`: of a cell. `whole`: nothing else stands on its lines, so that they can
    be taken out. `before`: the paragraph before its paragraph or list, under the same heading. `links`: where its links
    lead. `globs`: the paths that its file is rules for, none where it is for all. `space`: claims of two spaces
    are never compared.
    """

    file: str
    line: int
    end_line: int
    text: str
    statement: Statement
    parts: tuple[Statement, ...] = ()
    headings: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    dated: Instant | None = None
    form: Form = Form.SENTENCE
    order: int = 0
    group: int = 0
    row: str | None = None
    column: str | None = None
    numbered: bool = False
    whole: bool = False
    before: str = ""
    links: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    space: str = ""
