"""What clashes, or is said twice, among the memories that a store serves?

Nominated pairs are judged as a write judges them; what the judge is sure of is told. A memory is a statement of its
own: it stands under no heading and in no list, so that none of what parts the lines of a file (`audit.weighing`)
applies. Left to others: nomination (`audit.nomination`), what was retired (`audit.retirements`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.audit.findings import Finding, Kind, Severity
from stilltrue.audit.judging import judge_entries, side_of
from stilltrue.audit.nomination import neighbours
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.text import normal_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.audit.entries import Entry
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import Embedder, PairModel

LEAST: Final = 0.9
"""The probability from which a conflict is told: the apply point of the shipped judge (decision 0008)."""


def clashes(
    living: Sequence[Entry],
    *,
    pair_model: PairModel | None,
    embedder: Embedder,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Finding], int]:
    """The findings among what one owner is served, and how many pairs were judged."""
    places = {entry.key: place for place, entry in enumerate(living)}
    pairs = {
        (min(place, places[other.key]), max(place, places[other.key]))
        for place, near in enumerate(neighbours(living, living, embedder))
        for other in near
    }
    named = [_in_time(living[one], living[other]) for one, other in sorted(pairs)]
    judged, count = judge_entries(named, pair_model, progress)
    told = (_finding(old, new, judgement) for (old, new), judgement in zip(named, judged, strict=True))
    return [one for one in told if one is not None], count


def _in_time(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    """(older, newer); where dates do not tell, the earlier record is the older."""
    later = one.said_at is not None and other.said_at is not None and other.said_at < one.said_at
    return (other, one) if later else (one, other)


def _finding(old: Entry, new: Entry, judgement: Judgement) -> Finding | None:
    if not isinstance(judgement, Verdict):
        return None
    notes = tuple(item.note for item in judgement.evidence if item.relation is judgement.relation)
    if normal_hash(old.text) == normal_hash(new.text):
        return _told(Kind.DUPLICATE, Relation.DUPLICATE, judgement.confidence, new, old, notes)
    if not judgement.relation.is_conflict or judgement.conflict < LEAST:
        return None
    dated = old.said_at is not None and new.said_at is not None and old.said_at < new.said_at
    return _told(
        Kind.SUPERSEDED if dated else Kind.CONTRADICTION, judgement.relation, judgement.conflict, old, new, notes
    )


def _told(
    kind: Kind, relation: Relation, confidence: float, here: Entry, there: Entry, evidence: tuple[str, ...]
) -> Finding:
    return Finding(
        kind=kind,
        severity=Severity.WARNING if kind is Kind.DUPLICATE else Severity.ERROR,
        relation=relation,
        confidence=confidence,
        here=side_of(here),
        there=side_of(there),
        evidence=evidence,
    )
