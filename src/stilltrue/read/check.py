"""Which presuppositions of a question, a plan or a draft does memory say are stale? With citations (F10).

What the text takes for granted (`rules.presuppositions`) is read as a statement older than every fact and judged
against what holds now, by the judge of every write. It is stale where a fact that holds conflicts with it for sure and
no fact that is as new says the same. What memory does not know is never flagged.

Left to others: the judge (the caller gives it), the shapes of presuppositions, files (`audit.checking`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from stilltrue.errors import InvalidInputError
from stilltrue.model.decision import Action
from stilltrue.model.fact import Modality, Status
from stilltrue.model.ids import FactId
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.ports import Filter
from stilltrue.read.checked import Checked, Ground, Stale
from stilltrue.read.present import cited
from stilltrue.rules.presuppositions import LONGEST, Form, leaves_behind, presuppositions
from stilltrue.rules.slots import read_statement
from stilltrue.rules.text import content_stems, content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Fact, Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.model.verdict import Judgement
    from stilltrue.ports import Reader
    from stilltrue.rules.presuppositions import Presupposition

Judge: TypeAlias = "Callable[[Sequence[tuple[Statement, Statement]]], Sequence[Judgement]]"
"""Judges (existing, new) pairs, all at once."""

LEAST: Final = 0.8
"""The probability of a conflict from which a presupposition counts as stale: less than what an automatic step needs
(decision 0008), for whoever is told so can look."""
MOST_MENTIONS: Final = 40
"""Facts read for one presupposition: its names are few, and the best matches come first."""
_AGO: Final = timedelta(hours=1)
_CLAIMS: Final = frozenset({Modality.ASSERTION, Modality.RULE})


@dataclass(frozen=True, slots=True)
class Known:
    """Something that memory, or a file, says: `key` names it, `holds` whether it is so now, `since` from when on.

    `successor`: the key of what took its place.
    """

    key: str
    statement: Statement
    holds: bool
    since: Instant | None
    status: Status
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """One reading of a presupposition beside one thing known."""

    place: int
    assumed: Statement
    known: Known


def check(engine: Engine, space: SpaceId, text: str, judge: Judge, author: str | None = None) -> Checked:
    """What in `text`, written by `author` (None: the user), is stale. Raises InvalidInputError for no text."""
    checked_text(text)
    now = engine.clock.now()
    zone = engine.settings_of(space).timezone
    with engine.store.read() as reader:
        knowns: dict[str, Known] = {}
        taken = presuppositions(text)
        for one in taken:
            for fact in _about(reader, space, one, now, zone, author):
                knowns[fact.id] = _known(fact, now)
                if knowns[fact.id].status is Status.RETRACTED:
                    knowns |= _retractions(reader, space, fact, zone)
        found = stale_among(taken, list(knowns.values()), judge, now, zone=zone, author=author)
        return Checked(stale=tuple(_cited(reader, space, one) for one in found), presuppositions=len(taken))


def checked_text(text: str) -> None:
    """Raises InvalidInputError for a text that is blank or too long to be looked at whole."""
    if not text.strip():
        raise InvalidInputError("the text is empty; give the question, plan or draft to check")
    if len(text) > LONGEST:
        raise InvalidInputError(f"the text has {len(text)} characters, more than {LONGEST}; check it part by part")


def stale_among(
    taken: Sequence[Presupposition],
    knowns: Sequence[Known],
    judge: Judge,
    now: Instant,
    *,
    zone: str = "UTC",
    author: str | None = None,
) -> list[Stale]:
    """The stale ones among what is taken for granted, in the order of the text; each stretch of it once."""
    cases: list[_Case] = []
    for place, one in enumerate(taken):
        for says in one.says:
            assumed = read_statement(says, said_at=now, speaker=author, zone=zone)
            cases += [_Case(place, assumed, known) for known in knowns if _is_about(one, assumed, known)]
    pairs = [(_before(case.assumed, case.known.statement), case.known.statement) for case in cases]
    judged = list(zip(cases, judge(pairs), strict=True))
    found = [
        stale
        for place, one in enumerate(taken)
        if (stale := _stale(one, [(case, told) for case, told in judged if case.place == place], knowns)) is not None
    ]
    return _outermost(found)


def _stale(one: Presupposition, judged: Sequence[tuple[_Case, Judgement]], knowns: Sequence[Known]) -> Stale | None:
    against = [(case, told) for case, told in judged if case.known.holds and _denies(one, case, told, knowns)]
    if not against:
        return None
    case, told = max(against, key=lambda pair: (_when(pair[0].known), pair[1].conflict))
    for other, verdict in judged:
        if other.known.holds and _supports(other, verdict) and _when(other.known) >= _when(case.known):
            return None
    if not isinstance(told, Verdict):
        return None
    replaced = [known for known in knowns if not known.holds and known.successor == case.known.key]
    return Stale(
        words=one.words,
        start=one.span.start,
        end=one.span.end,
        assumes=case.assumed.text,
        instead=case.known.statement.text,
        since=case.known.since,
        relation=told.relation,
        confidence=told.conflict,
        citations=tuple(_ground(known) for known in (case.known, *replaced)),
    )


def _denies(one: Presupposition, case: _Case, told: Judgement, knowns: Sequence[Known]) -> bool:
    """Whether a fact that holds rules out what is assumed, for sure; use is denied only by an end or a swap."""
    if not isinstance(told, Verdict) or not told.relation.is_conflict or told.conflict < LEAST or _says_so(case, told):
        return False
    said = case.known.statement
    named = content_stems(" ".join(one.names))
    if one.form in (Form.THING, Form.VERSION) and not _heard_of(named, case.known, knowns):
        return False
    if one.form is not Form.THING:
        return True
    left = content_stems(" ".join(said.leaves))
    return (
        told.relation is Relation.RETRACTION or bool(named & left) or said.slot.attribute == case.assumed.slot.attribute
    )


def _heard_of(named: frozenset[str], known: Known, knowns: Sequence[Known]) -> bool:
    """Whether what is named stands in what denies it, or in what that took the place of."""
    replaced = [one.statement.text for one in knowns if one.successor == known.key]
    said = " ".join((known.statement.text, *known.statement.leaves, *replaced))
    return named <= content_stems(said)


def _supports(case: _Case, told: Judgement) -> bool:
    """Whether a fact says what is assumed, in the judge's eyes or plainly."""
    return (isinstance(told, Verdict) and told.relation is Relation.DUPLICATE) or _says_so(case, told)


def _says_so(case: _Case, told: Judgement) -> bool:
    """Whether a fact says what is assumed in as many words, or gives its slot this very value, or one more exact."""
    said, assumed = case.known.statement, case.assumed
    if said.negated or (assumed.value is not None and leaves_behind(said.text, assumed.value.text)):
        return False
    if isinstance(told, Verdict) and told.relation in (Relation.CONTRADICTION, Relation.RETRACTION):
        return False
    if content_stems(assumed.text) <= content_stems(said.text):
        return True
    if said.value is not None and said.value.number is not None:
        return content_stems(said.value.text) <= content_stems(assumed.text)
    if said.value is None or assumed.value is None:
        return False
    same = said.slot.attribute == assumed.slot.attribute and said.slot.subject == assumed.slot.subject
    return same and content_stems(assumed.value.key) <= content_stems(said.value.key)


def _is_about(one: Presupposition, assumed: Statement, known: Known) -> bool:
    """Whether it is worth judging: of one slot, or speaking of all that is named."""
    said = known.statement
    if said.modality not in _CLAIMS:
        return False
    slot = assumed.slot
    if slot.attribute is not None and said.slot.subject == slot.subject and said.slot.attribute == slot.attribute:
        return True
    mentioned = content_stems(f"{said.text} {said.slot.subject} {' '.join(said.leaves)}")
    if one.names:
        return all(content_stems(name) & mentioned for name in one.names)
    stems = content_stems(assumed.text)
    return len(stems & mentioned) * 2 >= len(stems) > 0


def _before(assumed: Statement, said: Statement) -> Statement:
    """What is assumed, as a statement a little older than what is known, so that the judge reads them in this order."""
    start = min(said.valid.start or said.said_at, said.said_at) - _AGO
    return replace(assumed, said_at=start, valid=Interval(start, None), dated=False)


def _when(known: Known) -> Instant:
    return known.since or known.statement.said_at


def _outermost(found: Sequence[Stale]) -> list[Stale]:
    """Of those whose words overlap, the surest; a shorter one where both are as sure."""
    kept: list[Stale] = []
    for one in sorted(found, key=lambda stale: (stale.end - stale.start, -stale.confidence)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda stale: stale.start)


def _about(
    reader: Reader, space: SpaceId, one: Presupposition, now: Instant, zone: str, author: str | None
) -> list[Fact]:
    """Facts that may tell: of the slots it names, and those that speak of what it names; retired ones too."""
    where = Filter(now, None, include_superseded=True)
    found: dict[str, Fact] = {}
    for says in one.says:
        slot = read_statement(says, said_at=now, speaker=author, zone=zone).slot
        if slot.attribute is not None:
            found |= {
                fact.id: fact for fact in reader.lookup(space, slot.subject, slot.attribute, where)[:MOST_MENTIONS]
            }
    terms = tuple(dict.fromkeys(content_words(" ".join((*one.names, *one.says)))))
    hits = reader.mentioning(space, terms, MOST_MENTIONS, where) if terms else []
    found |= {fact.id: fact for fact in reader.facts(space, [hit.fact_id for hit in hits])}
    return [fact for fact in found.values() if fact.belief is not None and fact.statement.text]


def _known(fact: Fact, now: Instant) -> Known:
    status = fact.status(now)
    belief = fact.belief
    since = belief.valid.start if belief is not None else None
    by = belief.superseded_by if belief is not None else None
    return Known(fact.id, fact.statement, status is Status.ACTIVE, since, status, by)


def _retractions(reader: Reader, space: SpaceId, fact: Fact, zone: str) -> dict[str, Known]:
    """What withdrew a fact and put nothing in its place: said in a decision, and no fact of its own."""
    ended = fact.belief.valid.end if fact.belief is not None else None
    return {
        decision.id: Known(
            fact.id,
            read_statement(decision.text, said_at=ended or decision.decided_at, speaker=decision.author, zone=zone),
            holds=True,
            since=ended,
            status=Status.RETRACTED,
        )
        for decision in reader.decisions(space, fact_id=fact.id)
        if decision.action is Action.RETRACT and decision.text and not decision.proposal
    }


def _ground(known: Known) -> Ground:
    return Ground(
        fact_id=known.key,
        text=known.statement.text,
        status=known.status,
        valid_from=known.since,
        valid_until=known.statement.valid.end,
    )


def _cited(reader: Reader, space: SpaceId, stale: Stale) -> Stale:
    found = reader.facts(space, [FactId(ground.fact_id) for ground in stale.citations])
    facts = {str(fact.id): fact for fact in found}
    return replace(
        stale,
        citations=tuple(
            replace(
                ground,
                text=facts[ground.fact_id].statement.text,
                sources=cited(reader, space, facts[ground.fact_id]),
                valid_until=belief.valid.end if (belief := facts[ground.fact_id].belief) is not None else None,
            )
            for ground in stale.citations
        ),
    )
