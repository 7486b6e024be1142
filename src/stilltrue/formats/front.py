"""Where does the front matter of a Markdown file end? Settings between two rulers at the very top are no prose.

A ruler alone makes none: the next line must be a setting. Both YAML (---, closed by --- or ...) and TOML (+++) count.
"""

from __future__ import annotations

import re
from typing import Final

_ENDS: Final = {"---": frozenset({"---", "..."}), "+++": frozenset({"+++"})}
_SETTING: Final = re.compile(r"[\w\"'$][\w \"'.$-]{0,80}+(?::(?:[ \t]|$)|=)|\[[\w.-]+\]$")


def front_matter(text: str) -> str:
    r"""What stands at the top up to the closing ruler and its line break, blank lines before it included; "" without.

    >>> front_matter("---\nowner: Dana\n---\n# Title\n"), front_matter("---\n\nProse.\n\n---\n\nMore.\n")
    ('---\nowner: Dana\n---\n', '')
    """
    begin = len(text) - len(text.lstrip("\n"))
    lines = text[begin:].split("\n")
    ends = _ENDS.get(lines[0].rstrip(), frozenset())
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ends:
            return text[: begin + sum(len(one) + 1 for one in lines[: number + 1])]
        if not ends or (number == 1 and _SETTING.match(line) is None):
            return ""
    return ""
