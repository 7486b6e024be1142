"""Is the store on the server sound? The shared checks, space by space, and what only this store could get wrong.

Each space is looked at from inside, as whoever works there sees it: row-level security lets nobody look over all at
once. References and uniqueness are the server's own promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.store.invariants import named, shared_checks
from stilltrue.store.postgres.words import cut

if TYPE_CHECKING:
    from stilltrue.store.postgres.session import ServerSession

_SEARCHED: Final = 500  # facts of a space whose words are compared; all of 100,000 would take minutes

_VECTOR: Final = """
    SELECT v.fact_id FROM vectors v JOIN facts f ON f.space_id = v.space_id AND f.fact_id = v.fact_id
    LEFT JOIN beliefs b ON b.space_id = v.space_id AND b.fact_id = v.fact_id AND b.known_until IS NULL
    WHERE v.doc <> f.doc OR (v.served = 1) <> (b.fact_id IS NOT NULL AND b.retirement IS DISTINCT FROM 'corrected')
        OR v.valid_from IS DISTINCT FROM b.valid_from OR v.valid_until IS DISTINCT FROM b.valid_until
"""
_WORD: Final = """
    SELECT DISTINCT w.doc FROM fact_words w
    WHERE NOT EXISTS (SELECT 1 FROM facts f WHERE f.space_id = w.space_id AND f.doc = w.doc AND f.erased = 0)
"""
_NAME: Final = "SELECT s.space_id FROM spaces s WHERE s.space_id NOT IN (SELECT n.space_id FROM space_names n)"
_OWN: Final = (
    ("fact {0} has a vector that says something else than is believed", _VECTOR),
    ("row {0} of the index of words belongs to no fact", _WORD),
    ("space {0} is not among the names of the spaces", _NAME),
)


def violations(session: ServerSession, model_version: str, vector_bytes: int) -> list[str]:
    """Every sentence that applies, over all spaces."""
    found: list[str] = []
    for row in session.rows("SELECT space_id FROM space_names ORDER BY rowid"):
        session.enter(row[0])
        for sentence, sql in (*shared_checks(), *_OWN):
            found += named(sentence, [line[0] for line in session.rows(sql)])
        sizes = "SELECT fact_id FROM vectors WHERE model_version = ? AND length(vector) <> ?"
        wrong = session.rows(sizes, (model_version, vector_bytes))
        found += named("fact {0} has a vector of the wrong size", [line[0] for line in wrong])
        found += named("fact {0} is not found by its own words", _not_found_by_words(session))
    return found


def _not_found_by_words(session: ServerSession) -> list[object]:
    """The newest facts whose words are not those the index has for them."""
    newest = "SELECT fact_id, doc, text FROM facts WHERE erased = 0 ORDER BY doc DESC LIMIT ?"
    held: dict[int, list[str]] = {}
    facts = session.rows(newest, (_SEARCHED,))
    first = min((row["doc"] for row in facts), default=0)
    for row in session.rows("SELECT doc, word FROM fact_words WHERE doc >= ?", (first,)):
        held.setdefault(row["doc"], []).append(row["word"])
    return [row["fact_id"] for row in facts if sorted(held.get(row["doc"], [])) != sorted(cut(row["text"]))]
