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

    `headings`: those it stands under, outermost first. `dated`: the date it is given under (heading, entry, front
    matter), None where the file tells none. `order`: its place among all claims of its file. `whole`: nothing else
    stands on its lines, so that they can be taken out.
    """

    file: str
    line: int
    end_line: int
    text: str
    statement: Statement
    headings: tuple[str, ...] = ()
    dated: Instant | None = None
    form: Form = Form.SENTENCE
    order: int = 0
    whole: bool = False
    record: str = ""
