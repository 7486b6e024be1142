"""When is a regular expression compiled? With its first use: `late` gives one that costs nothing until then.

Compiling is most of what importing a module of patterns takes, and a hook that asks one question needs few of them.
"""

from __future__ import annotations

import re
from typing import cast

_METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


class _Late:
    """Takes the methods of the compiled expression over at the first of them, so that later uses cost nothing more."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled when it is first asked for something.

    >>> late(r"[a-z]+", re.IGNORECASE).match("Ab1").group(), late("a").sub("b", "aha")
    ('Ab', 'bhb')
    """
    return cast("re.Pattern[str]", _Late(source, flags))
