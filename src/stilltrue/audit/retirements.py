"""Which memories did a store give up that it should still hold?

A retired entry is judged against what retired it: what the store names, else what the store wrote about then, else what
is alike among the living; and against what is alike among the living in any case. It was wrongly retired where the
judge is sure that none of them is a conflict, and nothing that is live says it still. A deletion of which nothing tells
the cause is taken for a person's will. Left to others: the living among themselves (`audit.living`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.audit.findings import Finding, Kind, Severity
from stilltrue.audit.judging import clears, judge_entries, side_of
from stilltrue.audit.nomination import neighbours
from stilltrue.formats.lifecycle import End
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.polarity import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stilltrue.audit.entries import Entry
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import Embedder, PairModel

ONE_CALL: Final = timedelta(minutes=2)
"""What a store writes within this time comes of one call: a classifier deletes and adds by one answer of its model."""
SURE: Final = 0.7
"""The least probability that what retired an entry is no conflict: what an automatic step needs (E13)."""
CONTRADICTED: Final = 0.9
"""The probability from which something else that is live contradicts it: as among the living (decision 0008). Less
would let every likeness excuse a retirement whose stated cause is none.
"""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A retired entry beside another; `cause`: it is what retired it."""

    old: Entry
    new: Entry
    cause: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the judge said of an entry beside another."""

    pair: _Pair
    judgement: Judgement


def wrongly_retired(
    entries: Sequence[Entry],
    *,
    now: Instant,
    pair_model: PairModel | None,
    embedder: Embedder,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Finding], int]:
    """The wrong retirements among the entries of one owner, and how many pairs were judged."""
    retired = [one for one in entries if not one.live and one.claims]
    pairs = _nominated(retired, entries, embedder)
    judgements, judged = judge_entries([(one.old, one.new) for one in pairs], pair_model, progress)
    seen: dict[str, list[_Seen]] = defaultdict(list)
    for pair, judgement in zip(pairs, judgements, strict=True):
        seen[pair.old.key].append(_Seen(pair, judgement))
    findings = [_finding(one, seen[one.key], now) for one in retired]
    return [found for found in findings if found is not None], judged


def _nominated(retired: Sequence[Entry], entries: Sequence[Entry], embedder: Embedder) -> list[_Pair]:
    known = {entry.key: entry for entry in entries}
    living = [entry for entry in entries if entry.live and entry.claims]
    found: list[_Pair] = []
    for old, near in zip(retired, neighbours(retired, living, embedder), strict=True):
        causes = _causes(old, entries, known)
        if not causes and old.ended is not None and old.ended.how is End.REPLACED:
            causes = near[:1]
        found += [_Pair(old, new, cause=True) for new in causes]
        found += [_Pair(old, new, cause=False) for new in near if new not in causes]
    return list({(one.old.key, one.new.key): one for one in found}.values())


def _causes(old: Entry, entries: Sequence[Entry], known: Mapping[str, Entry]) -> list[Entry]:
    """What retired an entry: as the store names it, else what it wrote in the same call."""
    if old.ended is None or old.ended.how is End.EXPIRED:
        return []
    named = [known[key] for key in old.by if key in known]
    named += [one for one in entries if old.key in one.supersedes]
    at = old.ended.at
    if named or at is None:
        return named
    return [
        one
        for one in entries
        if one.said_at is not None and abs(one.said_at - at) <= ONE_CALL and one.id != old.id and one.claims
    ]


def _finding(old: Entry, seen: Sequence[_Seen], now: Instant) -> Finding | None:
    """What is wrong with a retirement, if anything is."""
    if old.ended is None or any(one.pair.new.live and _says_still(old, one) for one in seen):
        return None
    causes = [one for one in seen if one.pair.cause]
    beside = max((one.judgement.conflict for one in seen if not one.pair.cause and one.pair.new.live), default=0.0)
    if beside >= (CONTRADICTED if causes else 1 - SURE):
        return None
    if old.ended.how is End.EXPIRED:
        return _expired(old, 1 - beside, now)
    if not causes:
        return None if old.ended.how is End.DELETED else _wrong(old, causes, 1 - beside)
    conflict = max(one.judgement.conflict for one in causes)
    if conflict > 1 - SURE or any(not clears(one.judgement) or _says_still(old, one) for one in causes):
        return None
    return _wrong(old, causes, 1 - conflict)


def _says_still(old: Entry, seen: _Seen) -> bool:
    """Whether the other holds what the retired one says: in other words, or among more."""
    judgement = seen.judgement
    if isinstance(judgement, Verdict) and judgement.relation is Relation.DUPLICATE:
        return True
    return reading(old.text).content <= reading(seen.pair.new.text).content


def _wrong(old: Entry, causes: Sequence[_Seen], confidence: float) -> Finding:
    if not causes:
        words = f"retired ({_how(old)}), but nothing that is live contradicts or replaces it"
        return _retired(old, old, Relation.NONE, confidence, (words,), Severity.WARNING)
    first = max(causes, key=lambda one: one.judgement.conflict)
    judgement = first.judgement
    relation = judgement.relation if isinstance(judgement, Verdict) else Relation.OVERLAP
    stands = "both can stand" if relation is Relation.OVERLAP else "they are about different things"
    words = f"retired ({_how(old)}) when “{first.pair.new.text}” came, but {stands}"
    notes = tuple(item.note for item in judgement.evidence if item.relation is relation)
    return _retired(old, first.pair.new, relation, confidence, (words, *notes), Severity.ERROR)


def _expired(old: Entry, confidence: float, now: Instant) -> Finding | None:
    """An end by date is right where the date has come; without a date it only deserves a look."""
    ends = [one for one in (old.until, *(claim.statement.valid.end for claim in old.claims)) if one is not None]
    if any(one <= now for one in ends):
        return None
    if ends:
        words = f"retired as expired, but it holds until {min(ends).date().isoformat()}"
        return _retired(old, old, Relation.NONE, confidence, (words,), Severity.ERROR)
    words = "retired as expired, but no date says when it ends, and nothing that is live contradicts it"
    return _retired(old, old, Relation.NONE, confidence, (words,), Severity.NOTE)


def _how(old: Entry) -> str:
    if old.ended is None:
        return ""
    at = f", {old.ended.at.date().isoformat()}" if old.ended.at is not None else ""
    return f"{old.ended.word}{at}"


def _retired(
    old: Entry, new: Entry, relation: Relation, confidence: float, evidence: tuple[str, ...], severity: Severity
) -> Finding:
    return Finding(
        kind=Kind.RETIRED,
        severity=severity,
        relation=relation,
        confidence=confidence,
        here=side_of(old),
        there=side_of(new),
        evidence=evidence,
    )
