"""What does a fact's page show? Its words and where they were said, its chain both ways, what was believed of it, and
why every decision about it fell, candidate by candidate.

All of it is read from stored receipts (`read.explain`, `read.history`); nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stilltrue.faces.page.views.words import Line, Quote, When, line, moment, quotes
from stilltrue.faces.text import Lens, plain
from stilltrue.faces.waterfall import NOMINATED, cost_words
from stilltrue.model.decision import Action
from stilltrue.model.fact import Belief
from stilltrue.model.ids import short
from stilltrue.model.verdict import Evidence
from stilltrue.read.provenance import Passage
from stilltrue.read.results import Explained, Explanation, FactHistory, Weighed

_FULL: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One piece of evidence. `bar`: its weight in per cent; `silent`: it looked and said nothing."""

    source: str
    signal: str
    relation: str
    weight: str
    bar: float
    note: str
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A known fact that was weighed against what was heard."""

    id: str
    name: str
    text: str
    why: str
    reasons: tuple[Reason, ...]
    verdict: str
    outcome: str
    changed: bool
    replays: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decision in the life of the fact."""

    id: str
    name: str
    action: str
    heard: str
    who: str
    at: When
    rule: str
    reason: str
    proposal: bool
    candidates: tuple[Candidate, ...]
    wrote: tuple[str, ...]
    cost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """What the store held of the fact, from when to when it did."""

    known: str
    held: str
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    """Everything about one fact. `before` and `after` are its chain, nearest last and first; `undo` its last step."""

    fact: Line
    details: tuple[tuple[str, str], ...]
    quotes: tuple[Quote, ...]
    before: tuple[Line, ...]
    after: tuple[Line, ...]
    beliefs: tuple[Believed, ...]
    steps: tuple[Step, ...]
    bases: tuple[Line, ...]
    undo: Step | None
    standing: bool


def fact_page(history: FactHistory, why: Explanation, passages: Sequence[Passage], lens: Lens) -> FactPage:
    """All about one fact."""
    fact = history.fact
    ids = [one.id for one in history.chain]
    here = ids.index(fact.id) if fact.id in ids else len(ids)
    chain = tuple(line(one, lens) for one in history.chain)
    steps = tuple(_step(made, lens) for made in why.decisions)
    marked = (fact.id,) if why.rechecks else ()
    return FactPage(
        fact=line(fact, lens, rechecks=marked),
        details=tuple(_details(history)),
        quotes=quotes(passages, lens),
        before=chain[:here],
        after=chain[here + 1 :],
        beliefs=tuple(_believed(one, lens) for one in history.beliefs),
        steps=tuple(reversed(steps)),
        bases=tuple(line(basis, lens) for basis in why.rechecks),
        undo=steps[-1] if steps and why.decisions[-1].changes and not why.decisions[-1].proposal else None,
        standing=fact.status.value in ("active", "future"),
    )


def _details(history: FactHistory) -> list[tuple[str, str]]:
    fact = history.fact
    rows = [
        ("about", plain(fact.subject)),
        ("attribute", plain(fact.attribute or "")),
        ("value", plain(fact.value or "")),
        ("only if", plain(", ".join(f"{name}: {held}" for name, held in fact.qualifiers))),
        ("topic", plain(fact.topic or "")),
        ("kind", fact.kind.value),
        ("kept as", f"{fact.category.value}, {fact.tier.value}"),
        ("confidence", f"{fact.confidence:.2f}"),
        ("importance", f"{fact.importance:.2f}"),
        ("trust", f"{fact.trust:.2f}"),
        ("independent sources", str(fact.seen_count)),
        ("id", fact.id),
    ]
    return [(name, held) for name, held in rows if held]


def _believed(belief: Belief, lens: Lens) -> Believed:
    since = lens.moment(belief.known.start) if belief.known.start else "the beginning"
    until = f" until {lens.moment(belief.known.end)}" if belief.known.end else ""
    ended = belief.retirement.value if belief.retirement else ""
    by = f" by {short(belief.superseded_by)}" if belief.superseded_by else ""
    return Believed(known=f"from {since}{until}", held=lens.interval(belief.valid), ended=f"{ended}{by}")


def _step(made: Explained, lens: Lens) -> Step:
    counted: dict[str, int] = {}
    for row in made.changes:
        counted[row.kind.replace("_", " ")] = counted.get(row.kind.replace("_", " "), 0) + 1
    return Step(
        id=made.id,
        name=short(made.id),
        action=made.action.value,
        heard="" if made.action is Action.UNDO else plain(made.text),
        who=plain(made.author or ""),
        at=moment(made.decided_at, lens),
        rule=plain(made.rule),
        reason="" if made.reason == made.rule else plain(made.reason),
        proposal=made.proposal,
        candidates=tuple(_candidate(item) for item in made.considered),
        wrote=tuple(f"{count} {kind}" for kind, count in counted.items()),
        cost=cost_words(made.cost),
    )


def _candidate(item: Weighed) -> Candidate:
    why = NOMINATED.get(item.nominated_by, item.nominated_by)
    alike = f", {item.similarity:.2f} alike" if item.similarity is not None else ""
    if item.relation is None:
        verdict = f"undecided: {plain(item.undecided or '')}"
    else:
        sure = f", {item.confidence:.2f} sure" if item.confidence is not None else ""
        verdict = f"{item.relation.value}{sure}, settled by {plain(item.settled_by or '')}"
    return Candidate(
        id=item.fact_id,
        name=short(item.fact_id),
        text=plain(item.text),
        why=f"{why}{alike}",
        reasons=_reasons(item.evidence),
        verdict=verdict,
        outcome=plain(item.outcome),
        changed=item.changed,
        replays=item.replays,
    )


def _reasons(evidence: Sequence[Evidence]) -> tuple[Reason, ...]:
    """What spoke, in its turn; what was silent comes last, gathered by what was noted."""
    spoke = [
        Reason(
            source=item.source.value.replace("_", " "),
            signal=plain(item.signal),
            relation=item.relation.value,
            weight=f"{item.weight:.2f}",
            bar=round(max(0.0, min(1.0, item.weight)) * _FULL, 1),
            note=plain(item.note),
            silent=False,
        )
        for item in evidence
        if item.relation is not None
    ]
    quiet: dict[str, list[str]] = {}
    for item in evidence:
        if item.relation is None:
            quiet.setdefault(plain(item.note), []).append(plain(item.signal))
    return (*spoke, *_silent(quiet))


def _silent(quiet: Mapping[str, Sequence[str]]) -> tuple[Reason, ...]:
    return tuple(
        Reason(source="", signal=", ".join(names), relation="silent", weight="", bar=0.0, note=note, silent=True)
        for note, names in quiet.items()
    )
