"""How does SQLite find a word? By FTS5, in an index that keeps no copy of the texts.

Answer: `FtsWords`. Row numbers begin with the space's own (`queries.DOCS_PER_SPACE`), so that a range of them is the
space. How several words are weighed is `store.words`' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stilltrue.store.session import Docs, Session

_HOLDING: Final = "FROM facts_fts WHERE facts_fts MATCH ? AND rowid BETWEEN ? AND ?"


class FtsWords:
    """`session.Words`, by the table facts_fts."""

    def add(self, session: Session, space: str, doc: int, text: str) -> None:  # noqa: ARG002 - the number says the space
        """Index a text."""
        session.run("INSERT INTO facts_fts (rowid, text) VALUES (?, ?)", (doc, text))

    def drop(self, session: Session, space: str, doc: int, text: str) -> None:  # noqa: ARG002 - as `add`
        """Mark a text as gone."""
        session.run("INSERT INTO facts_fts (facts_fts, rowid, text) VALUES ('delete', ?, ?)", (doc, text))

    def tidy(self, session: Session) -> None:
        """Merging all segments is what drops deleted words from a full-text index of any SQLite version."""
        session.run("INSERT INTO facts_fts (facts_fts) VALUES ('optimize')")

    def count(self, session: Session, space: str, word: str, between: tuple[int, int], most: int) -> int:  # noqa: ARG002 - as `add`
        """How many, no further than `most`."""
        sql = f"SELECT count(*) FROM (SELECT rowid {_HOLDING} LIMIT ?)"
        return session.number(sql, (_quoted(word), *between, most))

    def docs(self, session: Session, space: str, word: str, between: tuple[int, int]) -> Docs:  # noqa: ARG002 - as `add`
        """As one text, in half the time of rows."""
        import numpy as np

        first, last = between
        sql = f"SELECT group_concat(rowid - ?) FROM (SELECT rowid {_HOLDING} ORDER BY rowid)"
        row = session.row(sql, (first, _quoted(word), first, last))
        if row is None or row[0] is None:
            return np.empty(0, dtype=np.int64)
        return np.sort(np.fromstring(row[0], dtype=np.int64, sep=",")) + first


def _quoted(word: str) -> str:
    """It is a run of letters and digits (rows.words_of), and quoted all the same: it is never query syntax."""
    return f'"{word}"'
