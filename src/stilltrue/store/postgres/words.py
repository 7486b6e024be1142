"""How does PostgreSQL find a word? By a row for each word of each fact, cut and stemmed by the very code SQLite uses.

Answer: `ServerWords`, on the table `fact_words`. Texts are cut by SQLite's own tokenizer, in this process's memory, so
that both stores hold the same words by construction; how several words are weighed is `store.words`' business for both,
so the order of what is found is the same too.

Why no tsvector: its operator may look at rows before row-level security has (it is not "leakproof"), so under our
policies PostgreSQL refuses to use an index for it and reads the whole space; comparing texts is leakproof. And an index
of words alone would not begin with the space.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stilltrue.store.session import Docs, Session

_LONGEST: Final = 200
"""Characters of a word that are kept; longer ones end in a digest. An index takes no entry beyond a third of a page."""

_HOLDING: Final = "FROM fact_words WHERE space_id = ? AND word = ? AND doc BETWEEN ? AND ?"


class Cutter:
    """Cuts texts as facts_fts does. One in-memory table a process; threads take turns, a text takes microseconds."""

    def __init__(self) -> None:
        """Nothing is opened before the first text."""
        self._lock = threading.Lock()
        self._raw: sqlite3.Connection | None = None

    def cut(self, text: str) -> list[str]:
        """The words of a text, each once, folded and stemmed.

        >>> Cutter().cut("Ada enjoys café crème, and enjoyed it")
        ['ada', 'and', 'cafe', 'creme', 'enjoi', 'it']
        """
        with self._lock:
            raw = self._raw or self._open()
            raw.execute("INSERT INTO said (rowid, text) VALUES (1, ?)", (text,))
            found = [word for (word,) in raw.execute("SELECT DISTINCT term FROM words ORDER BY term")]
            raw.execute("INSERT INTO said (said) VALUES ('delete-all')")
        return [_short(word) for word in found]

    def _open(self) -> sqlite3.Connection:
        self._raw = raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        raw.execute(
            "CREATE VIRTUAL TABLE said USING fts5 "
            "(text, content = '', tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        raw.execute("CREATE VIRTUAL TABLE words USING fts5vocab (said, row)")
        return raw


def _short(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    return word[:_LONGEST] + hashlib.blake2b(word.encode(), digest_size=16).hexdigest()


_CUTTER: Final = Cutter()
cut = _CUTTER.cut


class ServerWords:
    """`session.Words`, by the table fact_words."""

    def add(self, session: Session, space: str, doc: int, text: str) -> None:
        """One statement, whatever the number of words."""
        session.put(
            "INSERT INTO fact_words (space_id, word, doc) "
            "SELECT CAST(? AS text), unnest(CAST(? AS text[])), CAST(? AS bigint)",
            (space, cut(text), doc),
        )

    def drop(self, session: Session, space: str, doc: int, text: str) -> None:
        """By the words of the text, which the key begins with."""
        session.put(
            "DELETE FROM fact_words WHERE space_id = ? AND word = ANY (CAST(? AS text[])) AND doc = ?",
            (space, cut(text), doc),
        )

    def tidy(self, session: Session) -> None:
        """Rows that are gone are gone; when their bytes are is told in `store.postgres.store`."""

    def count(self, session: Session, space: str, word: str, between: tuple[int, int], most: int) -> int:
        """How many, no further than `most`."""
        held = self._held(word)
        if len(held) != 1:
            return len(self.docs(session, space, word, between)[:most])
        sql = f"SELECT count(*) FROM (SELECT doc {_HOLDING} LIMIT ?) AS found"
        return session.number(sql, (space, held[0], *between, most))

    def docs(self, session: Session, space: str, word: str, between: tuple[int, int]) -> Docs:
        """Of a word that the tokenizer cuts into several, the facts that hold all of them."""
        import numpy as np

        shared: Docs | None = None
        for part in self._held(word):
            row = session.row(f"SELECT array_agg(doc ORDER BY doc) {_HOLDING}", (space, part, *between))
            found = np.array((row[0] if row is not None else None) or (), dtype=np.int64)
            shared = found if shared is None else np.intersect1d(shared, found)
        return np.empty(0, dtype=np.int64) if shared is None else shared

    def _held(self, word: str) -> list[str]:
        return cut(word)
