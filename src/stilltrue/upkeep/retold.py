"""What was put before the engine when it made a decision? The statement, as it would be read under some settings.

Answer: `retold` reads the episode again and finds in it the statement that the decision was about. What the store says
otherwise than the reader does (a slot, a date, a rating) was given by the caller, and is given again; everything else
is read by the settings in question, so that a setting of the reader, or of a fact's standing, shows its effect. Where a
decision left no fact behind, only what its episode says is left of the statement: `None` where that is not there.

Left to others: the space as it was then (`upkeep.retelling`), deciding (`upkeep.backtest`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.change import FactAdded, SourceChanged
from stilltrue.model.timeline import Interval
from stilltrue.write.extract import extract
from stilltrue.write.standing import Task, standing_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.change import Change
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source, Span
    from stilltrue.model.fact import Fact, Standing, Statement
    from stilltrue.model.ids import FactId
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All that history says of what a decision was about.

    `fact` as it was when it was stored, with its `source`; None where the decision stored none. `repeats`: the fact
    that it said again. `place` among the statements of its episode, of which there were `among`.
    """

    decision: Decision
    episode: Episode
    fact: Fact | None
    source: Source | None
    repeats: Fact | None
    early: tuple[FactId, ...]
    place: int
    among: int


def own_fact(changes: Sequence[Change], fact_id: FactId | None) -> tuple[Fact | None, Source | None]:
    """The fact that a decision stored as its own, and the mention that it wrote down."""
    mentions = [one.source for one in changes if isinstance(one, SourceChanged) and one.present]
    for change in changes:
        if isinstance(change, FactAdded) and change.fact.id == fact_id:
            return change.fact, next(iter([*change.sources, *mentions]), None)
    return None, next(iter(mentions), None)


def retold(told: Told, then: Settings, now: Settings) -> Task | None:
    """The statement as one that is about to be decided on under `now`; `then` are the settings it was first read by.

    Raises InvalidInputError where the text makes more statements than `now` allows.
    """
    before = _read(told.episode, then)
    after = before if now == then else _read(told.episode, now)
    known = _known(told, before)
    if told.fact is None:
        found = after[known] if known is not None and known < len(after) else _repeated(told)
        return None if found is None else _task(told, found, Given())
    if known is None or told.source is None:
        span = told.source.span if told.source is not None else None
        return None if span is None else _task(told, _as_stored(told.fact, span), _given(told.fact.standing, None))
    again = after[known] if known < len(after) else before[known]
    statement = _merged(told.fact.statement, before[known].statement, again.statement)
    first = standing_of(_task(told, before[known], Given()), before[known], then)
    return _task(told, replace(again, statement=statement), _given(told.fact.standing, first))


def _read(episode: Episode, settings: Settings) -> list[Candidate]:
    return extract(episode, Given(), settings) if episode.text.strip() else []


def _known(told: Told, found: Sequence[Candidate]) -> int | None:
    """Where among the statements of its episode the decided one is, by its words and span, else by its place."""
    text = told.decision.text if told.fact is None else told.fact.statement.text
    span = told.source.span if told.source is not None else None
    same = [place for place, one in enumerate(found) if one.statement.text == text and span in (None, one.span)]
    if told.place in same or not same:
        counts = told.among == len(found) and told.place < len(found)
        there = counts and span in (None, found[told.place].span)
        return told.place if there else next(iter(same), None)
    return same[0]


def _merged(stored: Statement, before: Statement, again: Statement) -> Statement:
    """As read again, but for what was not as read when it was stored: that was given."""
    if stored.text != before.text:  # it went on about an earlier one, and was completed by it: it will be again
        return replace(again, kind=stored.kind)
    given: dict[str, Any] = {
        item.name: getattr(stored, item.name)
        for item in fields(stored)
        if getattr(stored, item.name) != getattr(before, item.name)
    }
    return replace(again, **given)


def _given(stored: Standing, first: Standing | None) -> Given:
    """What of a fact's standing does not follow from the settings."""
    names = ("importance", "confidence", "trust", "category")
    rated: dict[str, Any] = {
        name: getattr(stored, name) for name in names if first is None or getattr(stored, name) != getattr(first, name)
    }
    return Given(**rated)


def _as_stored(fact: Fact, span: Span) -> Candidate:
    return Candidate(statement=fact.statement, span=span, confidence=fact.standing.confidence)


def _repeated(told: Told) -> Candidate | None:
    """A mention of a known fact, which says the same: its slot and value are the fact's."""
    fact, source = told.repeats, told.source
    if fact is None or source is None:
        return None
    valid = Interval(source.held_from, fact.statement.valid.end)
    said = replace(fact.statement, text=told.decision.text, said_at=source.said_at, author=source.author, valid=valid)
    return Candidate(statement=said, span=source.span, confidence=fact.standing.confidence)


def _task(told: Told, candidate: Candidate, given: Given) -> Task:
    return Task(
        episode=told.episode,
        given=given,
        candidates=(candidate,),
        batch_id=told.decision.batch_id,
        early=told.early,
    )
