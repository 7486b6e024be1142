"""Where does each sentence of a text stand, and in what company?

Answers with exact spans: `text[span] == sentence.text`. What a sentence means is `rules.modality`'s and `rules.slots`'
question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stilltrue.model.episode import Span

_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or clause. `context`: the heading or bold lead-in above it; `speaker`: whose chat turn it is."""

    text: str
    span: Span
    context: str | None = None
    speaker: str | None = None


def split(text: str) -> list[Sentence]:
    """The sentences of `text` in order; code blocks and table rules give none."""
    found: list[Sentence] = []
    start = 0
    for gap in [*_END.finditer(text), None]:
        end = gap.start() if gap else len(text)
        if text[start:end].strip():
            found.append(Sentence(text[start:end], Span(start, end)))
        start = gap.end() if gap else end
    return found
