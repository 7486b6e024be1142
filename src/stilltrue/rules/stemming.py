"""What is the stem of an English word? Snowball's answer, in a quarter of its time.

The words of a text are stemmed before two statements are compared, and for words not met before that was half of the
judge's work. Nothing is decided here: the rules are the library's, only the look-up of an ending is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped] # it ships no types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snowballstemmer.among import Among  # type: ignore[import-untyped]

_Table: TypeAlias = dict[str, tuple[tuple[str, int], ...]]


class Stemmer(EnglishStemmer):  # type: ignore[misc] # the base has no types
    """The English stemmer; the longest ending (or opening) is found by its outer letter, not by bisection.

    >>> [Stemmer().stemWord(word) for word in ("relational", "hopping", "agreed", "dying")]
    ['relat', 'hop', 'agre', 'die']
    """

    cursor: int
    current: str
    limit: int
    limit_backward: int

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[int, _Table] = {}  # by identity: the library's tables live as long as it does

    def find_among_b(self, endings: Sequence[Among]) -> int:
        """The result of the longest of `endings` before the cursor, which moves in front of it; 0 for none."""
        table = self._tables.get(id(endings)) or self._table(endings, slice(-1, None))
        end = self.cursor
        text, least = self.current, self.limit_backward
        for ending, result in table.get(text[end - 1 : end], ()) if end > least else ():
            if text.endswith(ending, least, end):
                self.cursor = end - len(ending)
                return result
        return table[""][0][1] if "" in table else 0

    def find_among(self, openings: Sequence[Among]) -> int:
        """The same forwards: of the longest of `openings` behind the cursor."""
        table = self._tables.get(id(openings)) or self._table(openings, slice(1))
        start = self.cursor
        text, most = self.current, self.limit
        for opening, result in table.get(text[start : start + 1], ()) if start < most else ():
            if text.startswith(opening, start, most):
                self.cursor = start + len(opening)
                return result
        return table[""][0][1] if "" in table else 0

    def _table(self, entries: Sequence[Among], outer: slice) -> _Table:
        table: _Table = {}
        for entry in sorted(entries, key=lambda entry: -len(entry.s)):
            table[entry.s[outer]] = (*table.get(entry.s[outer], ()), (entry.s, entry.result))
        self._tables[id(entries)] = table
        return table
