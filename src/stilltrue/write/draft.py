"""Which changes does a placement amount to? One method an effect, in the order in which they are written.

A draft collects changes for one candidate; it decides nothing. The rows of SPEC it carries out: A4 (demotion,
inheritance), C5 (dates and links of a supersession), D4 (reinforcement), F3 (the five words on both clocks).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from stilltrue.model.change import (
    BeliefChanged,
    Change,
    ConflictChanged,
    FactAdded,
    Link,
    LinkChanged,
    LinkKind,
    SourceChanged,
    StandingChanged,
    Tombstone,
    TombstoneChanged,
    TombstoneKind,
)
from stilltrue.model.conflict import Conflict, ConflictKind
from stilltrue.model.fact import Belief, Category, Fact, Retirement, Standing
from stilltrue.model.ids import ConflictId, FactId
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.questions import question, sound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.model.episode import Source
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.rules.timelines import Reopen
    from stilltrue.write.judged import Judged

RESTATED_STABILITY = 1.25  # A7 raises stability by a restatement; a quarter keeps ten restatements near tenfold
RESTATED_CONFIDENCE = 0.3  # D4: each independent source takes away this share of the remaining doubt


@dataclass(slots=True)
class Draft:
    """Changes so far. `stamp` stands in for recorded times until `apply` knows them."""

    stamp: Instant
    new_id: Callable[[], str]
    changes: list[Change] = field(default_factory=list)
    retired: list[FactId] = field(default_factory=list)

    def add(self, fact: Fact, sources: tuple[Source, ...], vector: bytes | None) -> None:
        """A new fact."""
        self.changes.append(FactAdded(fact, sources, vector))

    def believe(self, fact: Fact, after: Belief | None) -> None:
        """Believe something else of a fact from now on; said twice in one draft, the last word counts."""
        for place, change in enumerate(self.changes):
            if isinstance(change, BeliefChanged) and change.fact_id == fact.id:
                self.changes[place] = replace(change, after=after)
                return
        if fact.belief != after:
            self.changes.append(BeliefChanged(fact.id, fact.belief, after))

    def close(
        self, judged: Judged, at: Instant, by: FactId | None, word: Retirement, *, within: Interval | None = None
    ) -> None:
        """End a fact's valid time at `at`, or where it was to end before that; with a successor, link it and note the
        contradiction (A4, C5). `within`: where it held instead, for one that was over before it was told.
        """
        fact, belief, verdict = judged.fact, _belief(judged.fact), judged.verdict
        contradicted = by if verdict is None or verdict.relation is not Relation.RETRACTION else None
        after = replace(
            belief,
            valid=within or _until(belief.valid, at),
            retirement=word,
            superseded_by=by,
            contradicted_by=contradicted,
            known=self._open(),
        )
        self.believe(fact, after)
        self._succeed(fact, by)

    def correct(self, judged: Judged, by: FactId | None) -> None:
        """A fact was never true: no valid time serves it any more, and its value does not come back (D10, F3)."""
        fact, belief = judged.fact, _belief(judged.fact)
        after = replace(
            belief, retirement=Retirement.CORRECTED, superseded_by=by, contradicted_by=by, known=self._open()
        )
        self.believe(fact, after)
        self._succeed(fact, by)

    def redate(self, fact: Fact, valid: Interval) -> None:
        """A fact holds during another interval than was believed."""
        self.believe(fact, replace(_belief(fact), valid=valid, known=self._open()))

    def begin_by(self, correction: Fact, start: Instant | None) -> None:
        """An undated correction holds from where the wrong statement began, also when that arrives after it."""
        belief = correction.belief
        if belief is None or correction.statement.dated or start is None or belief.valid.start is None:
            return
        if start < belief.valid.start:
            self.believe(correction, replace(belief, valid=Interval(start, belief.valid.end), known=self._open()))

    def _succeed(self, fact: Fact, by: FactId | None) -> None:
        self.retired.append(fact.id)
        if by is not None:
            self.changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, by, fact.id)))
        if fact.standing.category is Category.CORE:
            self.stand(fact, replace(fact.standing, category=Category.SEMANTIC))

    def reopen(self, part: Reopen, judged: Judged, successor: FactId) -> FactId:
        """The later part of a split run becomes a fact of its own, with the mentions that speak for it."""
        fact, belief = judged.fact, _belief(judged.fact)
        fact_id = FactId(self.new_id())
        mentions = [s for s in judged.neighbour.sources if s.held_from is not None and s.held_from >= part.seen[0]]
        after = replace(belief, valid=part.valid, known=self._open())
        said_at = min(source.said_at for source in mentions)
        statement = replace(fact.statement, valid=Interval(part.valid.start, fact.statement.valid.end), said_at=said_at)
        standing = replace(fact.standing, seen_count=max(1, sum(source.independent for source in mentions)))
        resumed = replace(fact, id=fact_id, statement=statement, belief=after, standing=standing)
        self.changes.extend(SourceChanged(source, present=False) for source in mentions)
        self.add(resumed, tuple(replace(source, fact_id=fact_id) for source in mentions), None)
        self.changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, fact_id, successor)))
        if belief.superseded_by is not None:
            self.changes.append(LinkChanged(Link(LinkKind.SUPERSEDES, belief.superseded_by, fact_id)))
        return fact_id

    def resume(self, fact: Fact, ender: Belief) -> None:
        """A fact goes on to where the one that had ended it (wrongly) went."""
        belief = _belief(fact)
        after = replace(
            belief,
            valid=Interval(belief.valid.start, ender.valid.end),
            retirement=ender.retirement,
            superseded_by=ender.superseded_by,
            contradicted_by=ender.contradicted_by,
        )
        self.believe(fact, after)

    def merge(self, first: Judged, second: Judged) -> None:
        """Two runs that say the same, with nothing between them any more, are one: the first, with all mentions."""
        self.resume(first.fact, _belief(second.fact))
        for source in second.neighbour.sources:
            self.changes.append(SourceChanged(replace(source, fact_id=first.fact.id)))
        self.changes.append(LinkChanged(Link(LinkKind.SAME_AS, second.fact.id, first.fact.id)))
        self.withdraw(second.fact)

    def reinforce(self, fact: Fact, source: Source, valid: Interval | None) -> None:
        """A restatement: one more mention; confidence and stability rise if the source is independent (D4)."""
        self.changes.append(SourceChanged(replace(source, fact_id=fact.id)))
        if valid is not None and fact.belief is not None and valid != fact.belief.valid:
            self.believe(fact, replace(fact.belief, valid=valid, known=self._open()))
        if source.independent:
            old = fact.standing
            confidence = round(1 - (1 - old.confidence) * (1 - RESTATED_CONFIDENCE), 6)
            self.stand(
                fact,
                replace(
                    old,
                    confidence=confidence,
                    stability=round(old.stability * RESTATED_STABILITY, 6),
                    last_seen_at=max(old.last_seen_at, source.said_at),
                    seen_count=old.seen_count + 1,
                ),
            )

    def rest_on(self, fact_id: FactId, others: Sequence[FactId]) -> None:
        """Tie a fact to those it rests on (F9)."""
        self.changes.extend(LinkChanged(Link(LinkKind.DEPENDS_ON, fact_id, other)) for other in others)

    def stand(self, fact: Fact, after: Standing) -> None:
        """Change a fact's standing."""
        if after != fact.standing:
            self.changes.append(StandingChanged(fact.id, fact.standing, after))

    def withdraw(self, fact: Fact) -> None:
        """Believe nothing of a fact any more; its row stays for history."""
        self.believe(fact, None)

    def bury(self, kind: TombstoneKind, statement: Statement, at: Instant) -> None:
        """What may not come back if it was said before `at`; only where slot and value are known."""
        slot, value = statement.slot, statement.value
        if slot.attribute is None or value is None:
            return
        mark = Tombstone(
            kind=kind, subject=slot.subject, attribute=slot.attribute, value_key=value.key, text_hash=None, at=at
        )
        self.changes.append(TombstoneChanged(mark))

    def ask(self, new: Fact, asked: Sequence[Judged], kind: ConflictKind) -> ConflictId:
        """Open one conflict over the new fact and all those it may not retire by itself."""
        conflict_id = ConflictId(self.new_id())
        first = asked[0].fact
        ids = sorted({new.id, *(item.fact.id for item in asked)})
        told = [first.statement, new.statement]
        text = sound(question(kind, first.statement, new.statement, len(asked) - 1), told)
        self.changes.append(
            ConflictChanged(
                None,
                Conflict(
                    id=conflict_id,
                    space_id=new.space_id,
                    kind=kind,
                    fact_ids=tuple(ids),
                    question=text,
                    opened_at=self.stamp,
                ),
            )
        )
        return conflict_id

    def gone(self) -> set[FactId]:
        """Of what was retired, that of which nothing is left; what ends only later holds until then (C13)."""
        after = {change.fact_id: change.after for change in self.changes if isinstance(change, BeliefChanged)}
        return {fact_id for fact_id in self.retired if not _left(after.get(fact_id), self.stamp)}

    def _open(self) -> Interval:
        return Interval(self.stamp, None)


def inherit(standing: Standing, replaced: Sequence[tuple[Fact, Verdict]]) -> Standing:
    """A4: the successor takes the highest importance, and on CONTRADICTION of a core fact becomes core.

    >>> from datetime import UTC, datetime
    >>> inherit(Standing(importance=0.4, last_seen_at=datetime(2025, 1, 1, tzinfo=UTC)), []).importance
    0.4
    """
    importance = max([standing.importance, *(fact.standing.importance for fact, _ in replaced)])
    heir = any(
        fact.standing.category is Category.CORE and verdict.relation is Relation.CONTRADICTION
        for fact, verdict in replaced
    )
    return replace(standing, importance=importance, category=Category.CORE if heir else standing.category)


def _left(belief: Belief | None, now: Instant) -> bool:
    """Whether it holds now or some day."""
    if belief is None or belief.retirement is Retirement.CORRECTED or belief.valid.empty:
        return False
    return belief.valid.end is None or now < belief.valid.end


def _until(valid: Interval, at: Instant) -> Interval:
    start = valid.start
    end = at if start is None or at > start else start
    return Interval(start, end if valid.end is None else min(end, valid.end))


def _belief(fact: Fact) -> Belief:
    if fact.belief is None:
        message = f"fact {fact.id} is withdrawn and cannot be changed by a decision"
        raise AssertionError(message)
    return fact.belief
