"""Which lines of Markdown are code? Those from a fence to the next that closes it, or to the end.

A fence is three backticks or tildes or more at the beginning of a line. Behind backticks no other backtick may stand:
such a line is prose that begins with code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"(?P<indent>[ \t]*+)(?P<mark>`{3,}+(?=[^`\r\n]*+$)|~{3,}+)(?P<info>[^\r\n]*+)")


@dataclass(slots=True)
class Fences:
    """Told the lines of a text one by one, it knows which of them are code. `deepest`: most blanks before a fence."""

    deepest: int | None = None
    opened: str | None = None

    def holds(self, line: str) -> bool:
        """Whether this line, the next of the text, is code or one of its fences.

        >>> fences = Fences()
        >>> [fences.holds(line) for line in ("```x``` is code", "```sh", "make", "~~~", "````", "prose")]
        [False, True, True, True, True, False]
        """
        found = _FENCE.match(line)
        if found is not None and self.deepest is not None and len(found["indent"]) > self.deepest:
            found = None
        if self.opened is None:
            self.opened = found["mark"] if found else None
            return found is not None
        if found is not None and found["mark"].startswith(self.opened) and not found["info"].strip():
            self.opened = None
        return True
