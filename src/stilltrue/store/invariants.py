"""Is the store sound? Each check is one query that should find nothing, and one sentence for what it finds.

These are the properties that no schema can state alone; `doctor` prints them, every test of the store ends with them.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from stilltrue.store.rows import words_of

if TYPE_CHECKING:
    from stilltrue.store.connection import Session

_SHOWN: Final = 5  # findings of one kind that are named; the rest is counted
_SEARCHED: Final = 500  # facts looked for by their words; all of 100,000 would take minutes
_WORDS_SEARCHED: Final = 20


def checks() -> tuple[tuple[str, str], ...]:
    """(sentence, query) pairs for a SQLite file; {0} in a sentence is what the query yields."""
    return (*shared_checks(), *_checks("checks_sqlite.sql"))


def shared_checks() -> tuple[tuple[str, str], ...]:
    """Those that hold for any store."""
    return _checks("checks.sql")


@cache
def _checks(name: str) -> tuple[tuple[str, str], ...]:
    text = (resources.files(__package__) / "sql" / name).read_text(encoding="utf-8")
    pairs = [block.strip().partition("\n") for block in text.split("\n\n-- ")[1:]]
    return tuple((sentence, query) for sentence, _, query in pairs)


def violations(session: Session, model_version: str, vector_bytes: int) -> list[str]:
    """Every sentence that applies. Raises StoreError where the file cannot even be read."""
    found = [f"SQLite finds damage: {row[0]}" for row in session.rows("PRAGMA integrity_check") if row[0] != "ok"]
    found += [
        f"a row of {row['table']} points to a row of {row['parent']} that is not in its space"
        for row in session.rows("PRAGMA foreign_key_check")
    ]
    for sentence, sql in checks():
        found += named(sentence, [row[0] for row in session.rows(sql)])
    sizes = "SELECT fact_id FROM vectors WHERE model_version = ? AND length(vector) <> ?"
    wrong = session.rows(sizes, (model_version, vector_bytes))
    found += named("fact {0} has a vector of the wrong size", [row[0] for row in wrong])
    return found + named("fact {0} is not found by its own words", _not_found_by_words(session))


def _not_found_by_words(session: Session) -> list[object]:
    """The newest facts that the full-text index does not yield for their words: it keeps no copy to compare with."""
    newest = "SELECT fact_id, doc, text FROM facts WHERE erased = 0 ORDER BY rowid DESC LIMIT ?"
    missing: list[object] = []
    for fact_id, doc, text in session.rows(newest, (_SEARCHED,)):
        if not text.isascii() or not words_of(text):
            continue  # beyond ASCII, Python and SQLite know different versions of Unicode
        words = " AND ".join(f'"{word}"' for word in words_of(text)[:_WORDS_SEARCHED])
        sql = "SELECT count(*) FROM facts_fts WHERE facts_fts MATCH ? AND rowid = ?"
        if not session.number(sql, (words, doc)):
            missing.append(fact_id)
    return missing


def named(sentence: str, names: list[object]) -> list[str]:
    """The sentence for each of them; where there are many, for the first few."""
    found = [sentence.format(name) for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        found.append(f"and {len(names) - _SHOWN} more of the kind: {sentence.format('…')}")
    return found
