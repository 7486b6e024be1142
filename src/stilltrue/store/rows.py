"""How does a noun become a row and come back equal to what it was? Both directions stand side by side here.

Episodes, sources and facts are here; what is decided about them is `store.records`' business, which rows to read
`store.queries`'. Times are whole microseconds since 1970 UTC, enums their words, lists JSON.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from stilltrue.errors import StoreError
from stilltrue.model.episode import Episode, Source, Span
from stilltrue.model.fact import (
    Belief,
    Category,
    Fact,
    Glimpse,
    Kept,
    Kind,
    Modality,
    Recalls,
    Retirement,
    Standing,
    Statement,
    Tier,
)
from stilltrue.model.slot import Bound, Cardinality, Slot, Value, ValueType
from stilltrue.model.timeline import Interval, from_micros, to_micros
from stilltrue.rules.patterns import late
from stilltrue.store.receipts import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from enum import StrEnum

    from stilltrue.model.timeline import Instant
    from stilltrue.store.session import Found

    Read = Found | Mapping[str, Any]

Row = dict[str, Any]

_RECENT: Final = 2_048
"""Rows of facts whose noun is kept: whole rows are compared, so what changed is read anew."""

_WORD: Final = late(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text as the full-text index cuts them: runs of letters and digits, lower case.

    >>> words_of('Uses C++ "daily"; NEAR(x)')
    ['uses', 'c', 'daily', 'near', 'x']
    """
    return _WORD.findall(text.lower())


def micros(moment: Instant | None) -> int | None:
    """`to_micros`, with None for an open end."""
    return None if moment is None else to_micros(moment)


def moment(value: int | None) -> Instant | None:
    """`from_micros`, with None for an open end."""
    return None if value is None else from_micros(value)


def insert(table: str, row: Row) -> str:
    """The INSERT statement for a row given by name; table and columns are our own words."""
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})"


# Episodes and sources


def episode_row(episode: Episode) -> Row:
    return {
        "space_id": episode.space_id,
        "episode_id": episode.id,
        "text": episode.text,
        "said_at": to_micros(episode.said_at),
        "recorded_at": to_micros(episode.recorded_at),
        "author": episode.author,
        "topic": episode.topic,
        "role": episode.role,
        "origin": episode.origin,
    }


def episode_from(row: Found) -> Episode:
    return Episode(
        id=row["episode_id"],
        space_id=row["space_id"],
        text=row["text"],
        said_at=from_micros(row["said_at"]),
        recorded_at=from_micros(row["recorded_at"]),
        author=row["author"],
        topic=row["topic"],
        role=row["role"],
        origin=row["origin"],
    )


def source_row(space: str, source: Source) -> Row:
    return {
        "space_id": space,
        "fact_id": source.fact_id,
        "episode_id": source.episode_id,
        "span_start": source.span.start,
        "span_end": source.span.end,
        "quote": source.quote,
        "said_at": to_micros(source.said_at),
        "held_from": micros(source.held_from),
        "author": source.author,
        "independent": int(source.independent),
    }


def source_from(row: Found) -> Source:
    return Source(
        fact_id=row["fact_id"],
        episode_id=row["episode_id"],
        span=Span(row["span_start"], row["span_end"]),
        quote=row["quote"],
        said_at=from_micros(row["said_at"]),
        held_from=moment(row["held_from"]),
        author=row["author"],
        independent=bool(row["independent"]),
    )


# Facts: statement, belief, standing. Reading them is what searching costs most, so words are looked up in tables.

W = TypeVar("W", bound="StrEnum")


def _by_word(kind: type[W]) -> dict[str, W]:
    return {item.value: item for item in kind}


_CARDINALITY: Final = _by_word(Cardinality)
_MODALITY: Final = _by_word(Modality)
_KIND: Final = _by_word(Kind)
_VALUETYPE: Final = _by_word(ValueType)
_BOUND: Final = _by_word(Bound)
_CATEGORY: Final = _by_word(Category)
_TIER: Final = _by_word(Tier)
_RETIREMENT: Final = _by_word(Retirement)


def _list(text: str) -> list[Any]:
    """A JSON list; most are empty."""
    found: list[Any] = [] if text == "[]" else json.loads(text)
    return found


def statement_row(statement: Statement) -> Row:
    value = statement.value
    return {
        "text": statement.text,
        "subject": statement.slot.subject,
        "attribute": statement.slot.attribute,
        "qualifiers": to_json(statement.slot.qualifiers),
        "value_text": value and value.text,
        "value_type": value and value.type.value,
        "value_key": value and value.key,
        "value_number": value and value.number,
        "value_unit": value and value.unit,
        "value_bound": value and value.bound.value,
        "cardinality": statement.cardinality.value,
        "modality": statement.modality.value,
        "negated": int(statement.negated),
        "kind": statement.kind.value,
        "valid_from": micros(statement.valid.start),
        "valid_until": micros(statement.valid.end),
        "said_at": to_micros(statement.said_at),
        "dated": int(statement.dated),
        "author": statement.author,
        "topic": statement.topic,
        "leaves": to_json(statement.leaves),
    }


def statement_from(row: Read) -> Statement:
    qualifiers = tuple((name, value) for name, value in _list(row["qualifiers"]))
    return Statement(
        text=row["text"],
        slot=Slot(row["subject"], row["attribute"], qualifiers),
        value=_value_from(row),
        cardinality=_CARDINALITY[row["cardinality"]],
        modality=_MODALITY[row["modality"]],
        negated=bool(row["negated"]),
        kind=_KIND[row["kind"]],
        valid=Interval(moment(row["valid_from"]), moment(row["valid_until"])),
        said_at=from_micros(row["said_at"]),
        dated=bool(row["dated"]),
        author=row["author"],
        topic=row["topic"],
        leaves=tuple(_list(row["leaves"])),
    )


def _value_from(row: Read) -> Value | None:
    if row["value_type"] is None:
        return None
    return Value(
        text=row["value_text"],
        type=_VALUETYPE[row["value_type"]],
        key=row["value_key"],
        number=row["value_number"],
        unit=row["value_unit"],
        bound=_BOUND[row["value_bound"]],
    )


def standing_row(standing: Standing) -> Row:
    """All but the tier, which moves by itself."""
    return {
        "importance": standing.importance,
        "confidence": standing.confidence,
        "trust": standing.trust,
        "category": standing.category.value,
        "stability": standing.stability,
        "last_seen_at": to_micros(standing.last_seen_at),
        "seen_count": standing.seen_count,
    }


def standing_from(row: Read) -> Standing:
    return Standing(
        importance=row["importance"],
        confidence=row["confidence"],
        trust=row["trust"],
        category=_CATEGORY[row["category"]],
        stability=row["stability"],
        last_seen_at=from_micros(row["last_seen_at"]),
        seen_count=row["seen_count"],
        tier=_TIER[row["tier"]],
    )


def glimpse_from(row: Found) -> Glimpse:
    """A glimpse from a row of `queries.GLIMPSES`. Raises StoreError for a row that no version of ours wrote."""
    fact_id, text, subject, attribute, topic, modality, said_at, recorded_at, *steering, used = row
    importance, confidence, trust, category, stability, last_seen_at, seen_count, tier = steering
    try:
        return Glimpse(
            id=fact_id,
            text=text,
            subject=subject,
            attribute=attribute,
            topic=topic,
            modality=_MODALITY[modality],
            said_at=from_micros(said_at),
            recorded_at=from_micros(recorded_at),
            standing=Standing(
                importance=importance,
                confidence=confidence,
                trust=trust,
                category=_CATEGORY[category],
                stability=stability,
                last_seen_at=from_micros(last_seen_at),
                seen_count=seen_count,
                tier=_TIER[tier],
            ),
            recalls=_recalls(*map(int, used.split())) if used else _NOT_RECALLED,
        )
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _unreadable(fact_id, error) from error


_NOT_RECALLED: Final = Recalls()


def _recalls(days: int, last_at: int | None) -> Recalls:
    return Recalls(days, moment(last_at))


def kept_from(row: Found) -> Kept:
    """What retention sees of a fact, from a row of `queries.KEPT`. Raises StoreError as `fact_from` does."""
    try:
        return Kept(
            id=row["fact_id"],
            belief=belief_from(row),
            standing=standing_from(row),
            recalls=_recalls(row["days"], row["last_recalled_at"]),
            moved_at=moment(row["moved_at"]),
        )
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _unreadable(row["fact_id"], error) from error


def belief_row(belief: Belief) -> Row:
    """What a belief says; when it is known is the store's to stamp."""
    return {
        "valid_from": micros(belief.valid.start),
        "valid_until": micros(belief.valid.end),
        "retirement": belief.retirement and belief.retirement.value,
        "superseded_by": belief.superseded_by,
        "contradicted_by": belief.contradicted_by,
    }


def known_belief_row(space: str, fact_id: str, belief: Belief) -> Row:
    """A whole row of a belief, with when it is known."""
    known = {"known_from": micros(belief.known.start), "known_until": micros(belief.known.end)}
    return {"space_id": space, "fact_id": fact_id, **known, **belief_row(belief)}


def belief_from(row: Read, start: str = "valid_from", end: str = "valid_until", known: str = "") -> Belief:
    """A belief from a row; the names differ where it is joined with its fact."""
    retirement = row["retirement"]
    return Belief(
        valid=Interval(moment(row[start]), moment(row[end])),
        known=Interval(moment(row[f"{known}known_from"]), moment(row[f"{known}known_until"])),
        retirement=None if retirement is None else _RETIREMENT[retirement],
        superseded_by=row["superseded_by"],
        contradicted_by=row["contradicted_by"],
    )


def fact_row(fact: Fact) -> Row:
    """All of a fact but its belief and its bookkeeping."""
    return {
        "space_id": fact.space_id,
        "fact_id": fact.id,
        "recorded_at": to_micros(fact.recorded_at),
        "episode_id": fact.episode_id,
        **statement_row(fact.statement),
        **standing_row(fact.standing),
        "tier": fact.standing.tier.value,
    }


def facts_from(found: Sequence[Found]) -> list[Fact]:
    """`fact_from` for all rows of one query."""
    names = tuple(found[0].keys()) if found else ()
    return [_read_before(names, tuple(row)) for row in found]


@lru_cache(maxsize=_RECENT)
def _read_before(names: tuple[str, ...], row: tuple[Any, ...]) -> Fact:
    """The very row was read a moment ago, most often: a sweep meets each fact beside a dozen others."""
    return fact_from(dict(zip(names, row, strict=True)))


def forget() -> None:
    """Keep no noun of an earlier row: a text was erased."""
    _read_before.cache_clear()


def fact_from(row: Read) -> Fact:
    """A fact from a row of `queries.FACT_COLUMNS`. Raises StoreError for a row that no version of ours wrote."""
    try:
        believed = row["held_known_from"] is not None
        return Fact(
            id=row["fact_id"],
            space_id=row["space_id"],
            statement=statement_from(row),
            belief=belief_from(row, "held_from", "held_until", "held_") if believed else None,
            standing=standing_from(row),
            recorded_at=from_micros(row["recorded_at"]),
            episode_id=row["episode_id"],
            supersedes=tuple(_list(row["replaces"])),
        )
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _unreadable(row["fact_id"], error) from error


def _unreadable(fact_id: str, error: Exception) -> StoreError:
    return StoreError(f"fact {fact_id} cannot be read ({error}); restore a backup")


_Id = TypeVar("_Id", bound=str)
_CHUNK: Final = 500  # ids in one IN (...)


def chunks(ids: Sequence[_Id]) -> list[Sequence[_Id]]:
    """The ids, as many at a time as one IN (...) takes."""
    return [ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK)]
