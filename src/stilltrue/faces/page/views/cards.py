"""What does a conflict card show? The question first, then the facts side by side, then the ways to answer.

Questions that hang on the same facts stand together in one bundle, where the heaviest of them is (F11). The order is
`read.conflicts`'; which answer does what is `write.resolve`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stilltrue.faces.page.views.words import Line, Quote, When, day, line, quotes
from stilltrue.faces.text import Lens, plain
from stilltrue.model.conflict import Answer, ConflictStatus
from stilltrue.model.ids import ConflictId, short
from stilltrue.read.provenance import Closing, Passage
from stilltrue.read.results import OpenConflict
from stilltrue.rules.settling import Weight

LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEYS: Final = "abcdefg"
"""Letters that keep a fact; the others are taken by the other answers."""

_ANSWERS: Final[Mapping[Answer, str]] = {
    Answer.KEEP: "kept",
    Answer.BOTH: "both are true",
    Answer.NEVER_TRUE: "never true",
    Answer.REWRITE: "rewritten",
    Answer.DISMISS: "dismissed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the facts in question, under its letter."""

    label: str
    key: str
    fact: Line
    quotes: tuple[Quote, ...]
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One question. `settles` says what an answer would settle; `closed`, `answer` and `undo` are an answered one's."""

    id: str
    name: str
    question: str
    kind: str
    opened: When
    open: bool
    sides: tuple[Side, ...]
    settles: str
    closed: When | None
    answer: str
    reason: str
    undo: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Cards that one answer may settle together; mostly one card by itself."""

    cards: tuple[Card, ...]


def card(
    told: OpenConflict,
    passages: Mapping[str, Sequence[Passage]],
    lens: Lens,
    closing: Closing | None = None,
    rechecks: Sequence[str] = (),
) -> Card:
    """One conflict for a person. `passages`: where its facts were said; `closing`: the answer, where it has one."""
    item = told.conflict
    sides = tuple(
        Side(
            label=LABELS[place] if place < len(LABELS) else str(place + 1),
            key=KEYS[place] if place < len(KEYS) else "",
            fact=line(fact, lens, rechecks=rechecks),
            quotes=quotes(passages.get(fact.id, ()), lens),
            kept=item.kept == fact.id,
        )
        for place, fact in enumerate(told.facts)
    )
    return Card(
        id=item.id,
        name=short(item.id),
        question=plain(item.question),
        kind=item.kind.value,
        opened=day(item.opened_at, lens),
        open=item.status is ConflictStatus.OPEN,
        sides=sides,
        settles=settles(told.weight) if told.weight else "",
        closed=day(item.closed_at, lens) if item.closed_at else None,
        answer=_answer(item.answer, sides),
        reason=plain(item.reason),
        undo=closing.undo if closing else "",
    )


def bundles(told: Sequence[OpenConflict], cards: Mapping[ConflictId, Card]) -> tuple[Bundle, ...]:
    """The cards in their order, each followed at once by those that hang on the same facts."""
    beside = {one.conflict.id: one.together for one in told}
    placed: set[ConflictId] = set()
    made = []
    for one in told:
        group = [name for name in _reached(one.conflict.id, beside) if name in cards and name not in placed]
        placed.update(group)
        if group:
            made.append(Bundle(tuple(cards[name] for name in group)))
    return tuple(made)


def settles(weight: Weight) -> str:
    """What an answer would settle, in words.

    >>> settles(Weight(facts=2, dependents=1, reads=5))
    'settles 2 facts and 1 that rests on them; read 5 times'
    """
    parts = [_count(weight.facts, "fact", "facts")]
    if weight.dependents:
        parts.append(_count(weight.dependents, "that rests on them", "that rest on them"))
    if weight.open_pairs:
        parts.append(_count(weight.open_pairs, "undecided pair", "undecided pairs"))
    if weight.questions:
        parts.append(_count(weight.questions, "other question", "other questions"))
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    read = f"; read {_count(weight.reads, 'time', 'times')}" if weight.reads else ""
    return f"settles {listed}{read}"


def _reached(start: ConflictId, beside: Mapping[ConflictId, Sequence[ConflictId]]) -> list[ConflictId]:
    """A question and all that hang on it, also by way of others."""
    found = [start]
    for name in found:
        found += [other for other in beside.get(name, ()) if other not in found]
    return found


def _answer(answer: Answer | None, sides: Sequence[Side]) -> str:
    if answer is None:
        return ""
    named = next((side.label for side in sides if side.kept), "")
    match answer:
        case Answer.KEEP | Answer.NEVER_TRUE if named:
            return f"{named} {_ANSWERS[answer] if answer is Answer.KEEP else 'was never true'}"
        case _:
            return _ANSWERS[answer]


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
