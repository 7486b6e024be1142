"""Which of the facts around a statement is it not about, whatever the judges say of the pair?

Five kinds stand by: the other claims of one sentence (its own, or one of which the fitting claim is met); other slots,
for what is said by its form (a command, a setting, a definition, a line of a status list); the words that the other
side of a talk has just said, which an answer takes up and does not end; the rest of the same message, about which
nobody is asked unless it announces a change; and what names the matter only as its reason, which needs a look when the
reason falls and is not ended with it (F9).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.verdict import Undecided
from stilltrue.rules.reasons import only_reason
from stilltrue.rules.text import tokens
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stilltrue.model.candidate import Candidate
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.fact import Statement
    from stilltrue.write.judged import Judged, Neighbour

_NAMED: Final = frozenset({"caller", "goes on"})
"""Who says outright what the statement replaces is not asked back."""

ANSWER: Final = timedelta(minutes=10)  # an answer comes within minutes; what is older is a matter of its own


def concerned(
    neighbours: Iterable[Neighbour], candidate: Candidate, statement: Statement, episode: Episode
) -> list[Neighbour]:
    """The neighbours that the statement may be about."""
    near = list(neighbours)
    met = {item.fact.statement.text for item in near if _same_slot(item, statement)}
    return [
        item
        for item in near
        if item.nominated_by in _NAMED
        or _same_slot(item, statement)
        or not (
            candidate.formal
            or item.fact.statement.text in met
            or (_same_sentence(item, candidate, episode) and _another_value(item, statement))
        )
    ]


def left_alone(judged: Iterable[Judged], statement: Statement, episode: Episode, sure: float) -> list[Judged]:
    """The judgements, without conflicts between an answer and what it answers, within one message, or with a reason.

    Within a message a conflict counts where the statement announces a change, an end or a correction, outright or,
    where the conflict is `sure` enough to act upon, in passing.
    """
    return [_weighed(item, statement, episode, sure) for item in judged]


def _weighed(item: Judged, statement: Statement, episode: Episode, sure: float) -> Judged:
    if not item.conflicts or item.verdict is None:
        return item
    if only_reason(item.fact.statement, statement):
        return _open(item, "it is about what the fact gives as its reason, not about what the fact says")
    if any(_answers(source, statement, episode) for source in item.neighbour.sources[-1:]):
        return _open(item, "an answer takes up what was just said, it does not end it")
    supposed = item.fact.statement.modality is Modality.HYPOTHETICAL
    if _same_message(item, episode) and supposed:
        return _open(item, "what a message supposes is not ended by how it goes on")
    words = wording(statement.text)
    outright = words.change or words.correction or words.returning or words.withdrawal
    passing = words.end or words.weak_change or words.weak_correction
    if _same_message(item, episode) and not outright and not (passing and item.verdict.confidence >= sure):
        return _open(item, "both are said in one message, and it announces no change")
    return item


def _open(item: Judged, reason: str) -> Judged:
    conflict = item.judgement.conflict
    return replace(item, judgement=Undecided(reason, item.judgement.evidence, conflict))


def _same_sentence(item: Neighbour, candidate: Candidate, episode: Episode) -> bool:
    return any(source.episode_id == episode.id and source.span == candidate.span for source in item.sources)


def _another_value(item: Neighbour, statement: Statement) -> bool:
    """One name read into two slots ("Python 3.9": language, version) is one claim, two names are two."""
    old, new = item.fact.statement.value, statement.value
    return old is not None and new is not None and not set(tokens(old.key)) & set(tokens(new.key))


def _same_slot(item: Neighbour, statement: Statement) -> bool:
    old, new = item.fact.statement.slot, statement.slot
    return (old.subject, old.attribute) == (new.subject, new.attribute)


def _same_message(item: Judged, episode: Episode) -> bool:
    return all(source.episode_id == episode.id for source in item.neighbour.sources)


def _answers(source: Source, statement: Statement, episode: Episode) -> bool:
    """Whether one of the two is the agent's and the other what a person said just before it."""
    assistant = episode.role == "assistant"
    if assistant is not source.independent:
        return False
    lag = statement.said_at - source.said_at if assistant else source.said_at - statement.said_at
    return source.episode_id != episode.id and timedelta(0) <= lag <= ANSWER
