"""How does a decision explain itself to a person? As a waterfall: who was considered, each reason in its turn with its
weight, what it settled, and what became of the others.

Everything is read from the stored receipt (`read.explain`); nothing is judged here. Other answers are `faces.render`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.faces.render import Lines, quoted, sentence, state
from stilltrue.faces.text import Lens, counted, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.model.decision import Cost
    from stilltrue.model.verdict import Evidence
    from stilltrue.read.results import Explained, Explanation, Weighed

NOMINATED: Final[Mapping[str, str]] = {
    "slot": "about the same thing",
    "vector": "alike in wording",
    "mention": "named in the text",
    "exact": "the very same words",
}
_MILLISECONDS: Final = 1000


def explanation(told: Explanation, lens: Lens, *, bare: bool = False) -> Lines:
    """Why a fact is what it is, decision by decision. `bare` leaves out what differs from run to run."""
    if told.fact is not None:
        yield f"{lens.name(told.fact.id)} {sentence(told.fact)}: {', '.join(state(told.fact, lens))}"
    for basis in told.rechecks:
        yield f"  needs a look: rests on {lens.name(basis.id)} {sentence(basis)}: {', '.join(state(basis, lens))}"
    for decision in told.decisions:
        yield from decided(decision, lens, bare=bare)


def decided(decision: Explained, lens: Lens, *, bare: bool = False) -> Lines:
    """One decision laid open."""
    author = f" from {plain(decision.author)}" if decision.author else ""
    proposed = ", proposed only" if decision.proposal else ""
    done = f"{decision.action.value}{proposed}"
    yield f"{lens.moment(decision.decided_at)}  {done}: heard {quoted(decision.text)}{author}"
    if not bare:
        yield f"  decision   {lens.name(decision.id)}, batch {lens.name(decision.batch_id)}"
    if decision.rule:
        yield f"  rule       {plain(decision.rule)}"
    if decision.reason and decision.reason != decision.rule:
        yield f"  reason     {plain(decision.reason)}"
    yield f"  considered {len(decision.considered) or 'nothing that was known'}"
    for weighed in decision.considered:
        yield from _weighed(weighed, lens)
    written = counted(row.kind.replace("_", " ") for row in decision.changes)
    yield f"  wrote      {written or 'nothing'}"
    if decision.conflict_id:
        yield f"  asks       conflict {lens.name(decision.conflict_id)}"
    yield f"  cost       {cost_words(decision.cost, bare=bare)}"


def _weighed(weighed: Weighed, lens: Lens) -> Lines:
    alike = f", {weighed.similarity:.2f} alike" if weighed.similarity is not None else ""
    why = NOMINATED.get(weighed.nominated_by, weighed.nominated_by)
    yield f"    {lens.name(weighed.fact_id)} {quoted(weighed.text)} ({why}{alike})"
    spoke = [evidence for evidence in weighed.evidence if evidence.relation is not None]
    for position, evidence in enumerate(spoke, start=1):
        yield f"      {position}. {_evidence(evidence)}"
    for note, names in _silent(weighed.evidence).items():
        yield f"      silent: {', '.join(names)} ({note})"
    if weighed.relation is None:
        yield f"      = undecided: {plain(weighed.undecided or '')}"
    else:
        sure = f", {weighed.confidence:.2f} sure" if weighed.confidence is not None else ""
        yield f"      = {weighed.relation.value}{sure}, settled by {plain(weighed.settled_by or '')}"
    yield f"      {plain(weighed.outcome)}"
    if not weighed.replays:
        yield "      the stored evidence no longer leads to this judgement; judge the pair again"


def _silent(evidence: Sequence[Evidence]) -> dict[str, list[str]]:
    """Who looked and said nothing, or was not needed, by what was noted."""
    names: dict[str, list[str]] = {}
    for item in evidence:
        if item.relation is None:
            names.setdefault(plain(item.note), []).append(plain(item.signal))
    return names


def _evidence(evidence: Evidence) -> str:
    relation = evidence.relation.value if evidence.relation else "nothing"
    return (
        f"{relation} {evidence.weight:.2f} by {evidence.source.value}, {plain(evidence.signal)}: {plain(evidence.note)}"
    )


def cost_words(cost: Cost, *, bare: bool = False) -> str:
    """What a decision took. `bare` leaves out the time."""
    pairs = "1 pair" if cost.pairs == 1 else f"{cost.pairs} pairs"
    took = "" if bare else f", {cost.seconds * _MILLISECONDS:.1f} ms"
    calls = "1 LLM call" if cost.llm_calls == 1 else f"{cost.llm_calls} LLM calls"
    cached = f", {cost.cache_hits} answered from the cache" if cost.cache_hits else ""
    llm = f"{calls}, {cost.llm_tokens} tokens{cached}" if cost.llm_calls or cached else "no LLM"
    return f"{pairs} judged, {llm}{took}"
