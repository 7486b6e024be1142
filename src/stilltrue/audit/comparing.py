"""Which pairs of claims do not go together, and what should a person do about it?

The rules and the pair model judge the nominated pairs in the order of time (`rules.cascade`, `write.ask_model`); what
they are sure of becomes a finding. Left to others: nomination (`audit.pairing`), reading (`audit.reading`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.audit.findings import Edit, Finding, Kind, Severity, Side
from stilltrue.audit.pairing import candidate_pairs
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules import cascade
from stilltrue.write.ask_model import with_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import Embedder, PairModel
    from stilltrue.settings import Settings

CHUNK: Final = 128
"""Pairs that are judged between two signs of progress."""
LEAST: Final = 0.9
"""The probability from which a conflict is reported: the apply point of the shipped judge (decision 0008)."""


def compare_claims(
    claims: Sequence[Claim],
    *,
    settings: Settings,  # noqa: ARG001 - thresholds of one's own come with it
    pair_model: PairModel | None,
    embedder: Embedder,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Finding], int]:
    """The findings among some claims, and how many pairs were judged."""
    pairs = [_in_time(claims[one], claims[other]) for one, other in candidate_pairs(claims, embedder)]
    findings: list[Finding] = []
    for first in range(0, len(pairs), CHUNK):
        chunk = pairs[first : first + CHUNK]
        by_rules = [cascade.judge(old.statement, new.statement) for old, new in chunk]
        judged = with_model(pair_model, by_rules, lambda place, c=chunk: (c[place][0].statement, c[place][1].statement))
        for (old, new), judgement in zip(chunk, judged, strict=True):
            found = _finding(old, new, judgement)
            findings += [found] if found is not None else []
        if progress is not None:
            progress(min(first + CHUNK, len(pairs)), len(pairs))
    return sorted(findings, key=lambda found: (found.here.file, found.here.line, found.there.line)), len(pairs)


def _in_time(one: Claim, other: Claim) -> tuple[Claim, Claim]:
    """(older, newer); where dates do not tell, the earlier line is the older."""
    return (other, one) if other.statement.said_at < one.statement.said_at else (one, other)


def _finding(old: Claim, new: Claim, judgement: Judgement) -> Finding | None:
    if not isinstance(judgement, Verdict):
        return None
    notes = tuple(item.note for item in judgement.evidence if item.relation is judgement.relation)
    if judgement.relation is Relation.DUPLICATE and old.statement.text == new.statement.text:
        words = f"line {new.line} says the same; keep one of them"
        edit = Edit(new.file, new.line, new.end_line, None, words, safe=new.whole)
        return Finding(
            kind=Kind.DUPLICATE,
            severity=Severity.WARNING,
            relation=judgement.relation,
            confidence=judgement.confidence,
            here=Side.of(new),
            there=Side.of(old),
            evidence=notes,
            edit=edit,
        )
    if not judgement.relation.is_conflict or judgement.conflict < LEAST:
        return None
    later = old.dated is not None and new.dated is not None and new.dated > old.dated
    return Finding(
        kind=Kind.LEFTOVER if later else Kind.CONTRADICTION,
        severity=Severity.ERROR,
        relation=judgement.relation,
        confidence=judgement.conflict,
        here=Side.of(old),
        there=Side.of(new),
        evidence=notes,
    )
