"""Where would somebody who reads a space's facts as one story not know what is true now?

Answer: `confusions`, in three kinds (SPEC B2): reversals (A, then B, then A by another author or without word of a
return), ambiguities (two current values of one thing, told by different people or under different topics) and stale
claims (`rules.outdated`). What the latest fact settles is none: a way back that was announced, a change that was
announced, a session that goes on. Each fact is met a bounded number of times, so the work grows with the facts.

Left to others: which facts are read and what was asked before (`upkeep.detective`), the words of a question
(`rules.questions`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictKind
from stilltrue.model.fact import Fact, Kind, Modality, Retirement
from stilltrue.model.slot import Cardinality, ValueType
from stilltrue.model.verdict import Verdict
from stilltrue.rules.cascade import judge
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.outdated import outdated
from stilltrue.rules.questions import question, question_again
from stilltrue.rules.subjects import US
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import FactId
    from stilltrue.model.timeline import Instant

SESSION: Final = timedelta(hours=1)
"""B3's "minutes apart": what one topic hears within it is people at work, not a story."""

LONGEST_WALK: Final = 24
"""How many changes back a value is looked for: further back nobody remembers it as the last state but one."""

_MEASURED: Final = frozenset(
    {
        ValueType.NUMBER,
        ValueType.MONEY,
        ValueType.VERSION,
        ValueType.DATE,
        ValueType.TIME,
        ValueType.DURATION,
        ValueType.RATIO,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """`fact_ids`: all facts of the story, sorted. `core`: those in doubt; asked about once, they are not asked again
    before something new is said. `rule` says in words what was seen.
    """

    kind: ConflictKind
    fact_ids: tuple[FactId, ...]
    core: frozenset[FactId]
    question: str
    rule: str


def confusions(facts: Iterable[Fact], now: Instant) -> list[Confusion]:
    """What the facts leave open at `now`."""
    by_id = {fact.id: fact for fact in facts if fact.belief is not None}
    current = [fact for fact in by_id.values() if _tells(fact, now)]
    found = [*_reversals(by_id, current), *_returns(by_id, current), *_ambiguities(current)]
    found += [
        Confusion(
            kind=ConflictKind.STALE,
            fact_ids=tuple(sorted((old.id, new.id))),
            core=frozenset({old.id}),
            question=question(ConflictKind.STALE, old.statement, new.statement),
            rule=rule,
        )
        for old, new, rule in outdated(current, SESSION)
    ]
    return found


def _tells(fact: Fact, now: Instant) -> bool:
    """Whether it claims something of the present."""
    return fact.belief is not None and fact.belief.serves(now) and fact.statement.modality is Modality.ASSERTION


def same_session(one: Statement, other: Statement) -> bool:
    """Minutes apart in the same topic (B3); without a topic, by the same author."""
    together = one.topic == other.topic if one.topic or other.topic else one.author == other.author
    return together and abs(one.said_at - other.said_at) <= SESSION


def two_people(one: Statement, other: Statement) -> bool:
    """Whether two named authors speak; who is not named may be anybody, also the same."""
    return one.author is not None and other.author is not None and one.author != other.author


def announced(statement: Statement) -> bool:
    """Whether it says itself that it is news, so that nobody wonders which of the two is the later state."""
    said = wording(statement.text)
    return said.announces or bool(said.weak_change or statement.leaves) or statement.dated


# Reversals


def _reversals(by_id: Mapping[FactId, Fact], current: Iterable[Fact]) -> Iterable[Confusion]:
    """A, then B in its place, then A again in the place of B."""
    for fact in current:
        between = max(_replaced(by_id, fact), key=_began, default=None)
        if between is None or _says_same(between, fact) or not _unannounced(between, fact):
            continue
        first = _earlier(by_id, between, fact)
        if first is not None:
            yield _reversal(first, between, fact)


def _replaced(by_id: Mapping[FactId, Fact], fact: Fact) -> list[Fact]:
    known = (by_id.get(fact_id) for fact_id in fact.supersedes[:LONGEST_WALK])
    return [old for old in known if old is not None and old.belief is not None and old.belief.superseded_by == fact.id]


def _began(fact: Fact) -> tuple[Instant, str]:
    start = fact.belief.valid.start if fact.belief is not None else None
    return start or fact.statement.said_at, fact.id


def _earlier(by_id: Mapping[FactId, Fact], between: Fact, fact: Fact) -> Fact | None:
    """The latest fact before `between` that said what `fact` says; a bounded walk back along the replacements."""
    step: Fact | None = between
    for _ in range(LONGEST_WALK):
        step = max(_replaced(by_id, step), key=_began, default=None) if step is not None else None
        if step is None or _says_same(step, fact):
            return step
    return None


def _says_same(old: Fact, new: Fact) -> bool:
    was, value = old.statement.value, new.statement.value
    if was is None or value is None or old.statement.negated != new.statement.negated:
        return False
    return old.statement.slot.attribute == new.statement.slot.attribute and compare(was, value) is Comparison.SAME


def _unannounced(between: Fact, fact: Fact) -> bool:
    """Whether a new reader would stumble: the way back was not told, by one who may not know of the change.

    A quantity that its own teller gives as it was before has gone up and down, as quantities do.
    """
    old, new = between.statement, fact.statement
    if new.kind is Kind.CONSTRAINT or announced(new) or same_session(old, new):
        return False
    return two_people(old, new) or (new.value is not None and new.value.type not in _MEASURED)


def _reversal(first: Fact, between: Fact, fact: Fact) -> Confusion:
    told = (first.id, between.id, fact.id)
    return Confusion(
        kind=ConflictKind.REVERSAL,
        fact_ids=tuple(sorted(told)),
        core=frozenset({between.id, fact.id}),
        question=question_again(between.statement, fact.statement),
        rule="it was so, then otherwise, and is told as before without word of a return",
    )


def _returns(by_id: Mapping[FactId, Fact], current: Iterable[Fact]) -> Iterable[Confusion]:
    """It was so, it ended, and another author tells it as if it had never ended."""
    ended: dict[tuple[object, ...], Fact] = {}
    for fact in sorted(by_id.values(), key=_began):
        if fact.belief is not None and fact.belief.retirement is Retirement.RETRACTED:
            ended[_claim(fact)] = fact
    for fact in current:
        before = ended.get(_claim(fact))
        if before is None or before.belief is None or before.belief.valid.end is None:
            continue
        one_value = fact.statement.cardinality is Cardinality.ONE and fact.statement.value is not None
        later = before.belief.valid.end + SESSION < fact.statement.said_at
        if one_value and later and two_people(before.statement, fact.statement) and not announced(fact.statement):
            yield Confusion(
                kind=ConflictKind.REVERSAL,
                fact_ids=tuple(sorted((before.id, fact.id))),
                core=frozenset({before.id, fact.id}),
                question=question_again(None, fact.statement, ended=before.belief.valid.end),
                rule="it was so and ended, and is told as before without word of a return",
            )


def _claim(fact: Fact) -> tuple[object, ...]:
    statement = fact.statement
    key = statement.value.key if statement.value is not None else None
    return statement.slot, key, statement.negated


# Ambiguities


def _ambiguities(current: Sequence[Fact]) -> Iterable[Confusion]:
    """Each thing that is told in two ways: the latest telling against the latest of another's that differs."""
    tellings: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in current:
        statement, attribute = fact.statement, fact.statement.slot.attribute
        one = statement.cardinality is Cardinality.ONE and statement.value is not None and not statement.negated
        if one and attribute is not None:
            tellings[_thing(statement), attribute].append(fact)
    for told in tellings.values():
        latest, *others = sorted(told, key=_began, reverse=True)
        rival = next((old for old in others[:LONGEST_WALK] if _unsettled(old, latest)), None)
        if rival is not None:
            ids = tuple(sorted((rival.id, latest.id)))
            yield Confusion(
                kind=ConflictKind.AMBIGUITY,
                fact_ids=ids,
                core=frozenset(ids),
                question=question(ConflictKind.AMBIGUITY, rival.statement, latest.statement),
                rule="two values of one thing are current, and neither was told as news of the other",
            )


def _thing(statement: Statement) -> str:
    """Whose attribute it is: "the rate limit" under the topic auth is the rate limit of auth."""
    subject = statement.slot.subject
    return statement.topic.casefold() if subject == US and statement.topic else subject


def _unsettled(old: Fact, new: Fact) -> bool:
    one, other = old.statement, new.statement
    if one.value is None or other.value is None or announced(other) or same_session(one, other):
        return False
    topics = one.topic is not None and other.topic is not None and one.topic != other.topic
    apart = two_people(one, other) or (topics and one.author is None and other.author is None)
    differ = _same_scope(one, other) and compare(one.value, other.value) is Comparison.DIFFERENT
    return apart and differ and not _side_by_side(one, other)


def _side_by_side(one: Statement, other: Statement) -> bool:
    """Whether the rules find that two values of the very same slot are no rivals ("opens at 8", "closes at 6")."""
    if one.slot != other.slot:
        return False
    judged = judge(one, other)
    return isinstance(judged, Verdict) and not judged.relation.is_conflict


def _same_scope(one: Statement, other: Statement) -> bool:
    """The same conditions; "per IP" and no word of whom a limit is for may be the same limit (the seed's story).

    Where the subject was only told by the topic, nothing but a quantity is sure to be the same thing.
    """
    left, right = (tuple(item for item in part.slot.qualifiers if item[0] != "per") for part in (one, other))
    if left != right:
        return False
    return one.slot == other.slot or bool(one.value and one.value.type in _MEASURED)
