"""What does the judge say of two entries of a store? Each sentence of one is judged with each of the other, in time.

Left to others: which entries are judged, and what follows from it (`audit.retirements`, `audit.stores`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.audit.findings import Side
from stilltrue.model.verdict import Relation, Undecided, Verdict
from stilltrue.rules import cascade
from stilltrue.write.ask_model import with_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.entries import Entry
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import PairModel

CHUNK: Final = 128
"""Pairs that are judged between two signs of progress."""


def judge_entries(
    pairs: Sequence[tuple[Entry, Entry]],
    model: PairModel | None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[list[Judgement], int]:
    """For each pair the most conflicting of what their sentences gave, and how many pairs of sentences were judged."""
    asked = [
        (place, _in_time(one, other))
        for place, (first, second) in enumerate(pairs)
        for one in first.claims
        for other in second.claims
    ]
    worst: list[Judgement] = [Undecided("an entry states nothing", conflict=0.0) for _ in pairs]
    for first in range(0, len(asked), CHUNK):
        chunk = asked[first : first + CHUNK]
        rules = [cascade.judge(*statements) for _, statements in chunk]
        answers = with_model(model, rules, _statements_at(chunk))
        for (place, _), judgement in zip(chunk, answers, strict=True):
            if _is_empty(worst[place]) or worst[place].conflict < judgement.conflict:
                worst[place] = judgement
        if progress is not None:
            progress(min(first + CHUNK, len(asked)), len(asked))
    return worst, len(asked)


def clears(judgement: Judgement) -> bool:
    """Whether the judge says that both can stand."""
    return isinstance(judgement, Verdict) and judgement.relation in (Relation.OVERLAP, Relation.NONE)


def side_of(entry: Entry) -> Side:
    """Where an entry stands."""
    return Side(entry.file, entry.line, entry.line, " ".join(entry.text.split()), entry.key)


def _is_empty(judgement: Judgement) -> bool:
    return isinstance(judgement, Undecided) and not judgement.evidence and judgement.conflict == 0.0


def _statements_at(
    chunk: Sequence[tuple[int, tuple[Statement, Statement]]],
) -> Callable[[int], tuple[Statement, Statement]]:
    return lambda place: chunk[place][1]


def _in_time(one: Claim, other: Claim) -> tuple[Statement, Statement]:
    """As they are given, but for dates that say otherwise."""
    later = one.dated is not None and other.dated is not None and other.dated < one.dated
    return (other.statement, one.statement) if later else (one.statement, other.statement)
