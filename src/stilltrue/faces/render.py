"""How does an answer read? Lines of plain text, the same from every door that speaks to people.

Each function takes an answer and a `Lens` (the reader's zone, and what ids are called) and gives lines without colour
or markup. Remembered text is quoted and made harmless by `faces.text`. Why a decision fell is `faces.waterfall`'s; how
a space is and how work on it went is `faces.reports`'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from stilltrue.faces.text import Lens, columns, plain
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action
from stilltrue.model.fact import Modality, Status
from stilltrue.model.timeline import Interval
from stilltrue.read.results import BY_MEMORY

if TYPE_CHECKING:
    from stilltrue.model.change import HistoryRow
    from stilltrue.model.decision import Decision
    from stilltrue.model.fact import Belief
    from stilltrue.model.ids import ConflictId
    from stilltrue.read.results import Answered, FactHistory, Found, OpenConflict, Result, Timeline

Lines = Iterator[str]

NEEDS_RECHECK: Final = " (needs re-check: `stilltrue rechecks` says why)"
NOTHING_FOUND: Final = "nothing is known about this"
_LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STRAIGHT: Final = str.maketrans("“”", '""')
_CLAIMS: Final = frozenset({Modality.ASSERTION, Modality.RULE})


def quoted(text: str) -> str:
    """Remembered words in quotation marks; such marks inside are shown straight, so that no text can seem to end early.

    >>> quoted('say "hi"'), quoted("end” and “go on")
    ('“say "hi"”', '“end" and "go on”')
    """
    return f"“{plain(text).translate(_STRAIGHT)}”"


# Facts


def found(answer: Found, lens: Lens) -> Lines:
    """A search: one line a fact, best first; then why superseded ones are among them."""
    if not answer.results:
        yield NOTHING_FOUND
    then = answer.as_of is not None or answer.known_at is not None
    yield from columns(
        [
            (lens.name(fact.id), f"{fact.score:.2f}", *state(fact, lens, then=then), _told(fact))
            for fact in answer.results
        ]
    )
    if answer.historical and answer.reason:
        yield f"({answer.reason})"


def answered(answer: Answered, lens: Lens) -> Lines:
    """The answer; below it what it rests on, each with who said it and when; then who wrote it, and why so."""
    yield plain(answer.text)
    for citation in answer.citations:
        for source in citation.sources:
            author = f" by {plain(source.author)}" if source.author else ""
            mark = NEEDS_RECHECK if citation.needs_recheck else ""
            told = f"{quoted(source.quote)}, said{author} on {lens.day(source.said_at)}{mark}"
            yield f"  {lens.name(citation.fact_id)}  {told}"
    if answer.by != BY_MEMORY:
        yield f"(written by {plain(answer.by)} from the facts above)"
    if answer.reason:
        yield f"({plain(answer.reason)})"


def results(facts: Sequence[Result], lens: Lens, *, then: bool = False) -> Lines:
    """A lookup: one line a fact, newest first. `then`: it was asked for another time than now."""
    if not facts:
        yield NOTHING_FOUND
    yield from columns(
        [
            (lens.name(fact.id), plain(fact.attribute or "-"), *state(fact, lens, then=then), _told(fact))
            for fact in facts
        ]
    )


def state(fact: Result, lens: Lens, *, then: bool = False) -> tuple[str, str]:
    """How a fact stands, and when it holds. `then`: it was asked for another time than now."""
    active = "true then" if then else "current"
    word = active if fact.status is Status.ACTIVE else fact.status.value
    if fact.status is Status.CORRECTED:
        return word, "never true"
    return word, lens.interval(Interval(fact.valid_from, fact.valid_until))


def sentence(fact: Result) -> str:
    """A fact's words, with its voice where it claims nothing, and who said it."""
    voice = "" if fact.modality in _CLAIMS else f" ({fact.modality.value})"
    author = f", {plain(fact.author)}" if fact.author else ""
    return f"{quoted(fact.text)}{voice}{author}"


def _told(fact: Result) -> str:
    """The same, with its mark."""
    return f"{sentence(fact)}{NEEDS_RECHECK if fact.needs_recheck else ''}"


# Decisions


def decisions(made: Sequence[Decision], lens: Lens, questions: Mapping[ConflictId, str] | None = None) -> Lines:
    """One line a decision, and one for the question it opened. `questions`: by conflict id, what is asked."""
    if not made:
        yield "kept as it was said; there is no fact in it to decide on"
    for decision in made:
        yield decision_line(decision, lens)
        if decision.conflict_id is not None:
            asked = (questions or {}).get(decision.conflict_id, "see `stilltrue conflicts`")
            yield f"{'':<9} question {lens.name(decision.conflict_id)}: {plain(asked)}"


def decision_line(decision: Decision, lens: Lens) -> str:
    """What was decided, which facts it touched, and by which reason."""
    name = f"{lens.name(decision.fact_id)} " if decision.fact_id else ""
    head = f"{decision.action.value:<9} {name}{quoted(decision.text) if decision.text else ''}".rstrip()
    would = ", proposed only" if decision.proposal else ""
    effect = _effect(decision, lens)
    reason = plain(decision.receipt.reason or decision.receipt.rule)
    return f"{head}{would}{f' {effect}' if effect else ''}{f' ({reason})' if reason else ''}"


_EFFECTS: Final[Mapping[Action, str]] = {
    Action.SUPERSEDE: "takes the place of",
    Action.REINFORCE: "is known already:",
    Action.RETRACT: "ends",
    Action.ASK: "may not go with",
    Action.REJECT: "is not kept, beside",
    Action.FORGET: "no longer served:",
    Action.ERASE: "erased:",
    Action.RESOLVE: "settles",
    Action.UNDO: "takes back what was done to",
    Action.MAINTAIN: "moves",
}


def _effect(decision: Decision, lens: Lens) -> str:
    """Which facts it was about: those it changed, or, for a question, those it was weighed against."""
    texts = {item.fact_id: item.text for item in decision.receipt.considered}
    ids = [fact_id for fact_id in decision.targets if fact_id != decision.fact_id]
    if decision.action not in _EFFECTS or not ids:
        return ""
    named = [
        f"{lens.name(fact_id)} {quoted(texts[fact_id])}" if fact_id in texts else lens.name(fact_id) for fact_id in ids
    ]
    return f"{_EFFECTS[decision.action]} {', '.join(named)}"


# Time


def history(told: FactHistory | Timeline, lens: Lens) -> Lines:
    """The life of a fact, or the timeline of a slot."""
    from stilltrue.read.results import Timeline

    if isinstance(told, Timeline):
        yield from timeline(told, lens)
    else:
        yield from fact_history(told, lens)


def timeline(told: Timeline, lens: Lens) -> Lines:
    """What a slot held, oldest first."""
    yield plain(told.subject) + (f", {plain(told.attribute)}" if told.attribute else "")
    if not told.stretches:
        yield f"  {NOTHING_FOUND}"
    rows = [
        (f"  {state(item.fact, lens)[1]}", item.word, lens.name(item.fact.id), sentence(item.fact))
        for item in told.stretches
    ]
    yield from columns(rows)


def fact_history(told: FactHistory, lens: Lens) -> Lines:
    """A fact, what was believed of it and since when, its chain, who said it, and every change."""
    fact = told.fact
    word, when = state(fact, lens)
    yield f"{lens.name(fact.id)} {_told(fact)}"
    yield f"  {word}, {when}"
    yield "  believed:"
    for belief in told.beliefs:
        yield f"    {_belief(belief, lens)}"
    if len(told.chain) > 1:
        yield "  chain:"
        rows = [
            (f"    {state(link, lens)[1]}", state(link, lens)[0], lens.name(link.id), sentence(link))
            for link in told.chain
        ]
        yield from columns(rows)
    yield "  said:"
    for source in fact.sources:
        author = f" by {plain(source.author)}" if source.author else ""
        yield f"    {lens.moment(source.said_at)}{author}: {quoted(source.quote)} (episode {lens.name(source.episode)})"
    yield "  written:"
    for row in told.rows:
        yield f"    {_row(row, lens)}"


def _belief(belief: Belief, lens: Lens) -> str:
    known = lens.moment(belief.known.start) if belief.known.start else "the beginning"
    until = f" until {lens.moment(belief.known.end)}" if belief.known.end else ""
    ended = f", {belief.retirement.value}" if belief.retirement else ""
    by = f" by {lens.name(belief.superseded_by)}" if belief.superseded_by else ""
    return f"from {known}{until}: {lens.interval(belief.valid)}{ended}{by}"


def _row(row: HistoryRow, lens: Lens) -> str:
    why = f": {plain(row.reason)}" if row.reason else ""
    return f"{lens.moment(row.at)}  {row.kind.replace('_', ' ')} (decision {lens.name(row.decision_id)}){why}"


def rows(written: Sequence[HistoryRow], lens: Lens) -> Lines:
    """History rows as they were written, such as the proposals of shadow mode."""
    if not written:
        yield "there is nothing"
    for row in written:
        about = f"{lens.name(row.fact_id)}  " if row.fact_id else ""
        yield f"{about}{_row(row, lens)}"


# Questions


def conflicts(cards: Sequence[OpenConflict], lens: Lens) -> Lines:
    """A card a conflict: the question first, then what it is about, and how to answer."""
    if not cards:
        yield "there is nothing to settle"
    for card in cards:
        yield from conflict_card(card, lens)
        if card.conflict.status is ConflictStatus.OPEN:
            keep = f"stilltrue resolve {lens.name(card.conflict.id)} keep --keep FACT"
            yield f"  answer: {keep} (or both, never_true, rewrite, dismiss)"
            if card.together:
                yield f"  asked of the same facts: {', '.join(lens.name(other) for other in card.together)}"


def conflict_card(card: OpenConflict, lens: Lens) -> Lines:
    """One conflict for a person."""
    item, name = card.conflict, lens.name(card.conflict.id)
    yield f"{name}  {plain(item.question)}"
    closed = f", {item.status.value} {lens.day(item.closed_at)}" if item.closed_at else ""
    with_answer = f" ({item.answer.value})" if item.answer else ""
    yield f"  {item.kind.value}, opened {lens.day(item.opened_at)}{closed}{with_answer}"
    for position, fact in enumerate(card.facts):
        label = _LABELS[position] if position < len(_LABELS) else str(position + 1)
        yield f"  {label}  {lens.name(fact.id)}  {', '.join(state(fact, lens))}: {sentence(fact)}"
