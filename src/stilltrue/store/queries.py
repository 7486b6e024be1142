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
_SAID: Final = (
    "EXISTS (SELECT 1 FROM facts w WHERE w.space_id = {0}.space_id AND w.fact_id = {0}.fact_id AND w.author = :author)"
)
BELIEF_SAID, VECTOR_SAID = _SAID.format("b"), _SAID.format("v")


def admitted(where: Filter) -> tuple[str, dict[str, int | str]]:
    """`ports.Filter` as a condition on beliefs b, and its parameters."""
    conditions = [_SERVED]
    parameters: dict[str, int | str] = {}
    if where.known_at is None:
        conditions.append(_KNOWN_NOW)
    else:
        conditions.append(_KNOWN_THEN)
        parameters["known"] = to_micros(where.known_at)
    if not where.include_superseded:
        conditions.append(_VALID)
        parameters["valid"] = to_micros(where.valid_at)
    if where.author is not None:
        conditions.append(BELIEF_SAID)
        parameters["author"] = where.author
    return " AND ".join(conditions), parameters


def also_admitted(where: Filter) -> tuple[str, dict[str, int | str]]:
    """As `admitted`, on facts f, to be put behind other conditions."""
    condition, parameters = admitted(where)
    beliefs = "SELECT 1 FROM beliefs b WHERE b.space_id = f.space_id AND b.fact_id = f.fact_id"
    return f" AND EXISTS ({beliefs} AND {condition})", parameters


# `ports.Filter.awaiting`, on facts f.
AWAITING: Final = (
    "(f.doc <= (SELECT doc FROM facts WHERE space_id = :space AND fact_id = :awaiting) OR EXISTS "
    "(SELECT 1 FROM vectors v WHERE v.space_id = f.space_id AND v.fact_id = f.fact_id))"
)


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
# Whether there is such a fact, and what is believed of it.
FACT_AND_BELIEF: Final = (
    f"SELECT b.* FROM {_JOINED.format(join='LEFT')} AND {_KNOWN_NOW} WHERE f.space_id = ? AND f.fact_id = ?"
)
# The order of the columns is that of rows.glimpse_from.
GLIMPSES: Final = """
    SELECT fact_id, text, subject, attribute, topic, modality, said_at, recorded_at,
        importance, confidence, trust, category, stability, last_seen_at, seen_count, tier,
        (SELECT days || ' ' || last_recalled_at FROM usage u WHERE u.space_id = facts.space_id
            AND u.fact_id = facts.fact_id)
    FROM facts
"""
# What retention sees of believed facts, page by page in the order of their ids.
KEPT: Final = f"""
    SELECT f.fact_id, f.importance, f.confidence, f.trust, f.category, f.stability, f.last_seen_at, f.seen_count,
        f.tier, f.moved_at, b.known_from, b.known_until, b.valid_from, b.valid_until, b.retirement, b.superseded_by,
        b.contradicted_by, coalesce(u.days, 0) AS days, u.last_recalled_at
    FROM {_JOINED.format(join="CROSS")} AND {_KNOWN_NOW}
    LEFT JOIN usage u ON u.space_id = f.space_id AND u.fact_id = f.fact_id
    WHERE f.space_id = ? AND f.fact_id > ? AND f.erased = 0 ORDER BY f.fact_id LIMIT ?
"""
IDS_WITH_ANY_BELIEF: Final = "SELECT b.fact_id FROM beliefs b"

# What the in-memory index of a space keeps of each fact, for those that changed since a revision.
INDEX_ROWS: Final = f"""
    SELECT f.fact_id, f.doc, f.words, f.erased, CASE WHEN f.erased = 1 OR f.tier = 'stub' THEN 1 ELSE 0 END AS bare,
        f.author, b.known_from, b.valid_from, b.valid_until, b.retirement
    FROM {_JOINED.format(join="LEFT")} AND {_KNOWN_NOW}
    WHERE f.space_id = ? AND f.changed_revision > ? ORDER BY f.doc
"""
INDEX_VECTORS: Final = """
    SELECT fact_id, vector FROM vectors WHERE space_id = ? AND revision > ? AND model_version = ?
    ORDER BY revision, rowid
"""

DOCS_PER_SPACE: Final = 1 << 32
"""Full-text row numbers: the space's number times this, plus the fact's place in the space."""

NEXT_DOC: Final = f"number * {DOCS_PER_SPACE} + next_doc"

# A row number of the full-text index that was never used.
TAKE_DOC: Final = f"UPDATE spaces SET next_doc = next_doc + 1 WHERE space_id = ? RETURNING {NEXT_DOC} - 1"

# The next such number, and the next place in the history.
NEXT: Final = f"SELECT {NEXT_DOC}, next_seq FROM spaces WHERE space_id = ?"

# The first of as many of them as are needed.
TAKE_DOCS: Final = (
    "UPDATE spaces SET next_doc = next_doc + :count WHERE space_id = :space "
    f"RETURNING number * {DOCS_PER_SPACE} + next_doc - :count"
)

# When the latest closed conflict over one of the pair `j` was closed. An answer that was undone leaves none.
ANSWERED_AT: Final = """
    SELECT max(c.closed_at) FROM conflict_facts cf
    JOIN conflicts c ON c.space_id = cf.space_id AND c.conflict_id = cf.conflict_id
    WHERE cf.space_id = j.space_id AND cf.fact_id IN (j.low_id, j.high_id) AND c.status <> 'open'
"""

# Whether a person has answered about a pair, and the answer was not undone: nothing automatic writes over it.
ANSWER_STANDS: Final = f"""
    SELECT EXISTS (SELECT 1 FROM judgements j WHERE j.space_id = :space_id AND j.low_id = :low_id
    AND j.high_id = :high_id AND j.judge_version = 'person' AND ({ANSWERED_AT}) IS NOT NULL)
"""


def answers(fact_ids: Collection[object]) -> str:
    """What people answered about pairs with one of so many facts: the parameters are the space and the ids, twice."""
    sides = [
        f"SELECT j.*, ({ANSWERED_AT}) AS answered_at FROM judgements j WHERE j.space_id = ? "
        f"AND j.{side} IN ({marks(fact_ids)}) AND j.judge_version = 'person'"
        for side in ("low_id", "high_id")
    ]
    return f"SELECT * FROM ({' UNION '.join(sides)}) WHERE answered_at IS NOT NULL"


def open_pairs(fact_ids: Collection[object]) -> str:
    """How many undecided pairs each of so many facts is in; parameters as for `answers`."""
    sides = [
        f"SELECT {side} AS fact_id FROM judgements WHERE space_id = ? AND {side} IN ({marks(fact_ids)}) "
        "AND relation IS NULL"
        for side in ("low_id", "high_id")
    ]
    return f"SELECT fact_id, count(*) AS pairs FROM ({' UNION ALL '.join(sides)}) GROUP BY fact_id"


def decided(fact_ids: Collection[object], by_hand: Collection[object]) -> str:
    """`ports.Reader.decided`: the parameters are the space, the ids, the actions, the rule, the space, the ids."""
    return (
        "SELECT DISTINCT m.fact_id FROM decision_facts m CROSS JOIN decisions d "
        "ON d.space_id = m.space_id AND d.decision_id = m.decision_id "
        "CROSS JOIN facts f ON f.space_id = m.space_id AND f.fact_id = m.fact_id "
        f"WHERE m.space_id = ? AND m.fact_id IN ({marks(fact_ids)}) AND m.role <> 'considered' AND d.proposal = 0 "
        f"AND (d.fact_id = m.fact_id AND d.episode_id = f.episode_id OR d.action IN ({marks(by_hand)})) "
        "AND json_extract(d.receipt, '$.rule') IS NOT ? "
        "UNION SELECT h.fact_id FROM history h CROSS JOIN decisions d "
        "ON d.space_id = h.space_id AND d.decision_id = h.decision_id "
        f"WHERE h.space_id = ? AND h.fact_id IN ({marks(fact_ids)}) AND h.kind = 'fact_added' "
        "AND (d.fact_id IS NULL OR d.fact_id <> h.fact_id)"
    )


# What may be told as a story, in its order.
OUTLINES: Final = f"""
    SELECT f.fact_id, f.subject, f.attribute, f.said_at, f.last_seen_at, f.recorded_at
    FROM {_JOINED.format(join="CROSS")} AND {_KNOWN_NOW} AND {_SERVED}
    WHERE f.space_id = ? AND f.erased = 0 AND f.modality <> 'question'
    ORDER BY f.said_at, f.recorded_at, f.doc
"""

# Marks "needs re-check" that count at an instant: the fact stands then (it holds, or will), its basis does not.
_STANDS: Final = "{0}.retirement IS NOT 'corrected' AND ({0}.valid_until IS NULL OR {0}.valid_until > :at)"
MARKS: Final = f"""
    SELECT l.from_id, l.kind, l.to_id, l.position FROM fact_links l
    CROSS JOIN beliefs d ON d.space_id = l.space_id AND d.fact_id = l.from_id AND d.known_until IS NULL
        AND {_STANDS.format("d")}
    LEFT JOIN beliefs b ON b.space_id = l.space_id AND b.fact_id = l.to_id AND b.known_until IS NULL
    WHERE l.space_id = :space AND l.kind = 'recheck' AND (b.fact_id IS NULL OR NOT ({_STANDS.format("b")}))
"""

# Ties of one fact, from either end. UNION and INDEXED BY: an OR, or the order of the key, has SQLite walk all ties.
LINKS: Final = """
    SELECT * FROM (
        SELECT * FROM fact_links WHERE space_id = :space AND from_id = :fact
        UNION SELECT * FROM fact_links INDEXED BY fact_links_by_target WHERE space_id = :space AND to_id = :fact
    ) ORDER BY from_id, kind, position
"""

# What upkeep counts.
UPKEEP: Final = f"""
    SELECT 'jobs', count(*) FROM jobs WHERE space_id = :space AND kind NOT IN ('story', 'retention', 'sweep_when_due')
    UNION ALL SELECT 'jobs_failed', count(*) FROM jobs WHERE space_id = :space AND failed = 1
    UNION ALL SELECT 'passes', count(*) FROM passes WHERE space_id = :space AND done = 1
    UNION ALL SELECT 'rechecks', count(DISTINCT from_id) FROM ({MARKS})
    UNION ALL SELECT 'story_waiting', count(*) FROM jobs WHERE space_id = :space AND kind = 'story'
    UNION ALL SELECT 'story_runs', count(*) FROM story_runs WHERE space_id = :space
    UNION ALL SELECT 'story_failed', count(*) FROM story_runs WHERE space_id = :space AND failure <> ''
    UNION ALL SELECT 'story_dropped', coalesce(sum(dropped), 0) FROM story_runs WHERE space_id = :space
"""
