"""Which rows does a reader see? The one definition of *current*, and the selections that are built on it.

Everything here is constant text; every value is a parameter. `f` is always facts and `b` always beliefs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.model.timeline import to_micros

if TYPE_CHECKING:
    from collections.abc import Collection

    from stilltrue.ports import Filter

# A belief that ever says anything true. Erased facts need no word here: no slot, vector or word leads to them.
_SERVED: Final = "b.retirement IS NOT 'corrected'"
_KNOWN_NOW: Final = "b.known_until IS NULL"
_KNOWN_THEN: Final = "b.known_from <= :known AND (b.known_until IS NULL OR b.known_until > :known)"
_VALID: Final = "(b.valid_from IS NULL OR b.valid_from <= :valid) AND (b.valid_until IS NULL OR b.valid_until > :valid)"


def admitted(where: Filter) -> tuple[str, dict[str, int]]:
    """`ports.Filter` as a condition on beliefs b, and its parameters."""
    conditions = [_SERVED]
    parameters: dict[str, int] = {}
    if where.known_at is None:
        conditions.append(_KNOWN_NOW)
    else:
        conditions.append(_KNOWN_THEN)
        parameters["known"] = to_micros(where.known_at)
    if not where.include_superseded:
        conditions.append(_VALID)
        parameters["valid"] = to_micros(where.valid_at)
    return " AND ".join(conditions), parameters


def in_slot(attribute: str | None) -> str:
    """The condition for a slot; an attribute that is not asked for is not named, so that the index serves both."""
    condition = "f.space_id = :space AND f.subject = :subject AND f.erased = 0"
    return condition if attribute is None else f"{condition} AND f.attribute = :attribute"


def marks(values: Collection[object]) -> str:
    """As many question marks as there are values: the inside of IN (...)."""
    return ", ".join("?" * len(values))


# A fact with one belief; `held_*` are the belief's columns, `replaces` what it supersedes, as JSON in the order given.
FACT_COLUMNS: Final = """
    f.*, b.known_from AS held_known_from, b.known_until AS held_known_until, b.valid_from AS held_from,
    b.valid_until AS held_until, b.retirement, b.superseded_by, b.contradicted_by,
    (SELECT json_group_array(to_id) FROM (
        SELECT l.to_id FROM fact_links l
        WHERE l.space_id = f.space_id AND l.from_id = f.fact_id AND l.kind = 'supersedes' ORDER BY l.position
    )) AS replaces
"""
# CROSS: facts first. Left to itself SQLite may walk all beliefs of the space and look up the fact of each.
_JOINED: Final = "facts f {join} JOIN beliefs b ON b.space_id = f.space_id AND b.fact_id = f.fact_id"

FACTS_WITH_ANY_BELIEF: Final = f"SELECT {FACT_COLUMNS} FROM {_JOINED.format(join='CROSS')}"
IDS_IN_SLOTS: Final = f"SELECT f.fact_id FROM {_JOINED.format(join='CROSS')}"
FACTS_BELIEVED: Final = f"{FACTS_WITH_ANY_BELIEF} AND {_KNOWN_NOW}"
FACTS_BELIEVED_OR_NOT: Final = f"SELECT {FACT_COLUMNS} FROM {_JOINED.format(join='LEFT')} AND {_KNOWN_NOW}"
# The order of the columns is that of rows.glimpse_from.
GLIMPSES: Final = """
    SELECT fact_id, text, subject, attribute, topic, modality, said_at, recorded_at,
        importance, confidence, trust, category, stability, last_seen_at, seen_count, tier
    FROM facts
"""
IDS_WITH_ANY_BELIEF: Final = "SELECT b.fact_id FROM beliefs b"

# What the in-memory index of a space keeps of each fact, for those that changed since a revision.
INDEX_ROWS: Final = f"""
    SELECT f.fact_id, f.doc, f.words, f.erased, b.known_from, b.valid_from, b.valid_until, b.retirement
    FROM {_JOINED.format(join="LEFT")} AND {_KNOWN_NOW}
    WHERE f.space_id = ? AND f.changed_revision > ? ORDER BY f.doc
"""
INDEX_VECTORS: Final = """
    SELECT fact_id, vector FROM vectors WHERE space_id = ? AND revision > ? AND model_version = ?
    ORDER BY revision, rowid
"""

# What may be told as a story, in its order.
OUTLINES: Final = f"""
    SELECT f.fact_id, f.subject, f.attribute, f.said_at, f.last_seen_at, f.recorded_at
    FROM {_JOINED.format(join="CROSS")} AND {_KNOWN_NOW} AND {_SERVED}
    WHERE f.space_id = ? AND f.erased = 0 AND f.modality <> 'question'
    ORDER BY f.said_at, f.recorded_at, f.doc
"""

STORIES: Final = """
    SELECT 'story_waiting', count(*) FROM jobs WHERE space_id = :space AND kind = 'story'
    UNION ALL SELECT 'story_runs', count(*) FROM story_runs WHERE space_id = :space
    UNION ALL SELECT 'story_failed', count(*) FROM story_runs WHERE space_id = :space AND failure <> ''
    UNION ALL SELECT 'story_dropped', coalesce(sum(dropped), 0) FROM story_runs WHERE space_id = :space
"""
