"""What becomes of a local judgement when an LLM has voted on the pair?

Answer: `voted` adds the log-odds of the vote, taken at the setting `llm_certainty`, to those of the local probability
of a conflict. The side that wins decides: the LLM names the relation where it is on that side, the local judge where it
is not. So one vote moves a pair that was open, and cannot by itself turn one that was sure. A failed vote leaves the
local verdict, or says openly why there is none.

Left to others: which pairs are asked about (`rules.routing`), what a verdict may do (`rules.policy`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.combination import EVEN, LEAST, log_odds
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules.cascade import SETTLES
from stilltrue.rules.combining import UNSURE_TWIN, heard, two_attributes

if TYPE_CHECKING:
    from stilltrue.model.expert import Vote
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement

LONGEST_REASON: Final = 200
"""Characters of the LLM's own words that are kept with a verdict."""


def voted(
    judgement: Judgement,
    vote: Vote | Undecided,
    model_version: str,
    certainty: float,
    pair: tuple[Statement, Statement],
) -> Judgement:
    """The judgement of (existing, new) after the vote. `certainty` (0.5..1) is how often such a vote is taken as right.

    >>> from stilltrue.model.expert import Vote
    >>> from stilltrue.rules.cascade import read_texts
    >>> pair = read_texts("User enjoys long hikes.", "User gave up walking altogether.")
    >>> told = voted(Undecided("open", (), 0.25), Vote(Relation.UPDATE, "no more hikes"), "llm-1", 0.9, pair)
    >>> told.relation.value, round(told.conflict, 2)
    ('UPDATE', 0.75)
    >>> voted(Undecided("open", (), 0.25), Undecided("the server is down"), "llm-1", 0.9, pair).reason
    'the server is down'
    """
    if isinstance(vote, Undecided):
        return _unanswered(judgement, vote, model_version)
    conflict = pooled(judgement.conflict, certainty if vote.relation.is_conflict else 1 - certainty)
    note = f"probability of conflict {conflict:.2f}, {judgement.conflict:.2f} before; it says: {_short(vote.reason)}"
    evidence = Evidence(EvidenceSource.LLM, model_version, vote.relation, certainty, note)
    if (conflict >= EVEN) is not vote.relation.is_conflict:
        return _outweighed(judgement, evidence, conflict)
    confidence = conflict if vote.relation.is_conflict else 1 - conflict
    if vote.relation is Relation.DUPLICATE and _says_another_thing(pair):
        confidence = min(confidence, UNSURE_TWIN)
    agreed = judgement if isinstance(judgement, Verdict) and judgement.relation.is_conflict else None
    hot = vote.relation.is_conflict
    return Verdict(
        vote.relation,
        confidence,
        conflict,
        (*map(heard, judgement.evidence), replace(evidence, weight=confidence, note=SETTLES + note)),
        model_version,
        corrects=hot and agreed is not None and agreed.corrects,
        narrows=hot and agreed is not None and agreed.narrows,
    )


def pooled(local: float, told: float) -> float:
    """Two independent probabilities of a conflict as one.

    >>> round(pooled(0.25, 0.9), 2), round(pooled(0.5, 0.5), 2), round(pooled(0.1, 0.9), 2)
    (0.75, 0.5, 0.5)
    """
    odds = log_odds(local) + log_odds(told)
    return min(max(round(1 / (1 + math.exp(-odds)), 9), LEAST), 1 - LEAST)


def _outweighed(judgement: Judgement, evidence: Evidence, conflict: float) -> Judgement:
    """The local judges stay on their side, less sure; where they named no relation the pair stays open."""
    entries = (*judgement.evidence, evidence)
    if isinstance(judgement, Undecided):
        return Undecided("the LLM's vote does not outweigh what local judges expect", entries, conflict)
    doubted = conflict if judgement.relation.is_conflict else 1 - conflict
    return replace(judgement, confidence=min(judgement.confidence, doubted), conflict=conflict, evidence=entries)


def _unanswered(judgement: Judgement, failure: Undecided, model_version: str) -> Judgement:
    note = f"asked, without a clean answer: {_short(failure.reason)}"
    entries = (*judgement.evidence, Evidence(EvidenceSource.LLM, model_version, None, 0.0, note))
    if isinstance(judgement, Verdict):
        return replace(judgement, evidence=entries)
    return Undecided(failure.reason, entries, judgement.conflict)


def _says_another_thing(pair: tuple[Statement, Statement]) -> bool:
    """Other values of one slot, or two recognised attributes: neither statement may be dropped as a repetition."""
    old, new = (one.value for one in pair)
    differ = old is not None and new is not None and old.key != new.key
    return differ or two_attributes(pair) or pair[0].negated is not pair[1].negated


def _short(reason: str) -> str:
    text = " ".join(reason.split())
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
