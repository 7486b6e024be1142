"""A fact kept early was told again before its own turn came: do those mentions still speak for it, now that it came?

Answer: what restates a fact nobody has judged lands in it, for it seems to hold on and on. Once it is judged it may have
ended before it was told again, be the wording of another fact, or never have been true. `fold_left_over` takes each
mention that such a fact cannot speak for away from it and decides on it as the late statement it is, so that it becomes
a stay of its own, lands where it belongs or is left alone. What had ended by that mention is ended by the new stay.

Left to others: the turn itself (`write.remember`, `write.second_look`), where a mention belongs (`write.decide`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StaleJudgementError
from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.change import BeliefChanged, ChangeSet, Link, LinkChanged, LinkKind, SourceChanged
from stilltrue.model.fact import Retirement
from stilltrue.model.timeline import Interval
from stilltrue.write.apply import apply
from stilltrue.write.case import AGAIN
from stilltrue.write.decide import decide
from stilltrue.write.extract import extract
from stilltrue.write.judge import judge_version
from stilltrue.write.remember import ATTEMPTS, case_of, embedded
from stilltrue.write.standing import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.change import Change
    from stilltrue.model.decision import Decision
    from stilltrue.model.episode import Episode, Source
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import BatchId, FactId, SpaceId
    from stilltrue.settings import Settings
    from stilltrue.write.case import Case

TOLD_AGAIN: Final = f"{AGAIN}told again after its turn: "
"""Opens the rule of a decision on a mention that its fact could not speak for."""


def fold_left_over(
    engine: Engine, space: SpaceId, fact_id: FactId, batch_id: BatchId, held: str | None = None
) -> list[Decision]:
    """Decide on the mentions that a fact could not keep once its turn had come; `engine` sees what that turn saw.

    Raises StaleJudgementError if others keep changing what it is about, TakenOverError without the job `held`.
    """
    settings = engine.settings_of(space)
    made: list[Decision] = []
    tried: set[tuple[str, int]] = set()
    stale = 0
    while stale < ATTEMPTS:
        with engine.store.read() as reader:
            fact = reader.fact(space, fact_id)
            mentions = _left_over(fact, reader.sources(space, fact_id))
            mention = next((one for one in mentions if _key(one) not in tried), None)
            episode = reader.episode(space, mention.episode_id) if mention is not None else None
        if mention is None or episode is None or not episode.text.strip() or not fact.statement.text.strip():
            return made
        try:
            made += _fold(engine, settings, fact, mention, episode, batch_id, held)
        except StaleJudgementError:
            stale += 1
            continue
        tried.add(_key(mention))
    message = f"space {space!r} changed {ATTEMPTS} times while what was told again was judged; sweep once more"
    raise StaleJudgementError(message)


def _key(mention: Source) -> tuple[str, int]:
    return mention.episode_id, mention.span.start


def _left_over(fact: Fact, mentions: Sequence[Source]) -> list[Source]:
    """Mentions from elsewhere that lie beyond its end, or all of them if it is not believed to have held at all."""
    others = [one for one in mentions if one.episode_id != fact.episode_id]
    belief = fact.belief
    if belief is None or belief.retirement is Retirement.CORRECTED:
        return others
    end = belief.valid.end
    return [one for one in others if end is not None and one.held_from is not None and one.held_from >= end]


def _fold(
    engine: Engine,
    settings: Settings,
    fact: Fact,
    mention: Source,
    episode: Episode,
    batch_id: BatchId,
    held: str | None,
) -> list[Decision]:
    """The decision on one mention, as if it arrived now; none where it is not worth keeping by itself."""
    statement = _said(fact, mention, episode, settings)
    candidate = Candidate(statement=statement, span=mention.span, confidence=fact.standing.confidence)
    task = Task(episode=episode, given=Given(), candidates=(candidate,), batch_id=batch_id)
    vector = engine.embedder.embed([statement.text])[0]
    case = _without(case_of(engine, fact.space_id, task, 0, settings, vector), mention)
    standing = replace(fact.standing, seen_count=1, last_seen_at=mention.said_at)
    case = replace(case, source=replace(mention, fact_id=case.source.fact_id), standing=standing)
    decided = decide(case, partial(engine.new_id, case.stamp), judge_version(engine))
    if not decided.changes:
        return []
    return [apply(engine.store, embedded(engine, _moved(decided, fact, mention, case)), held=held)]


def _said(fact: Fact, mention: Source, episode: Episode, settings: Settings) -> Statement:
    """The fact's statement as it was told again: then, by that author, in the words of that text where it is read."""
    start = mention.held_from
    end = fact.statement.valid.end
    read = [one.statement for one in extract(episode, Given(), settings) if one.span == mention.span]
    return replace(
        fact.statement,
        text=read[0].text if len(read) == 1 else fact.statement.text,
        valid=Interval(start, end if end is None or start is None or end >= start else None),
        said_at=mention.said_at,
        author=mention.author,
        topic=episode.topic,
    )


def _without(case: Case, mention: Source) -> Case:
    """The case as it is without this mention of a neighbour, which is about to move."""
    judged = []
    for item in case.judged:
        left = tuple(one for one in item.neighbour.sources if _key(one) != _key(mention))
        judged.append(replace(item, neighbour=replace(item.neighbour, sources=left)))
    return replace(case, judged=tuple(judged))


def _moved(decided: ChangeSet, fact: Fact, mention: Source, case: Case) -> ChangeSet:
    """The change set that also takes the mention away from the fact, and ends by the new stay what it had ended."""
    rule = f"{TOLD_AGAIN}{decided.decision.receipt.rule}"
    receipt = replace(decided.decision.receipt, rule=rule, reason=rule)
    changes: list[Change] = [SourceChanged(mention, present=False), *decided.changes]
    stay = decided.decision.fact_id
    if stay is not None:
        changes += _ended_by(stay, decided, fact, mention, case)
    return replace(
        decided,
        decision=replace(decided.decision, receipt=receipt),
        changes=tuple(changes),
        watched=(*decided.watched, fact.id),
    )


def _ended_by(stay: FactId, decided: ChangeSet, fact: Fact, mention: Source, case: Case) -> list[Change]:
    spoken = {one.fact_id for one in decided.changes if isinstance(one, BeliefChanged)}
    changes: list[Change] = []
    for other in (item.fact for item in case.judged):
        belief = other.belief
        if belief is None or other.id in spoken or belief.superseded_by != fact.id:
            continue
        if belief.valid.end == mention.held_from:
            contradicted = stay if belief.contradicted_by == fact.id else belief.contradicted_by
            after = replace(belief, superseded_by=stay, contradicted_by=contradicted)
            changes.append(BeliefChanged(other.id, belief, after))
            changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, stay, other.id)))
    return changes
