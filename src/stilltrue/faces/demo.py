"""What does stilltrue do, seen once? A story of eighteen sentences that changes as it is told, on a clock that jumps.

`tell` remembers it sentence by sentence through the public verbs, with each decision as it falls, then asks what is
true, what was true, what is still to be settled, and why one fact is what it is. Its lines are the same on every run:
facts are numbered in the order they come up, and nothing is timed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from stilltrue.faces.text import Lens

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.read.results import Found


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence of the story: the day, who says it, what, and, for a rule, that it is one."""

    day: str
    author: str
    text: str
    kind: str | None = None


STORY: Final = (
    Told("2024-01-08", "noor", "I live in Ghent."),
    Told("2024-01-08", "noor", "I am allergic to hazelnuts."),
    Told("2024-01-15", "noor", "The checkout service uses PostgreSQL 14."),
    Told("2024-01-16", "noor", "Our rate limit is 600 requests per minute."),
    Told("2024-01-22", "noor", "We never deploy to production on Fridays.", kind="constraint"),
    Told("2024-02-05", "noor", "The daily standup starts at 09:30."),
    Told("2024-03-04", "noor", "I moved to Antwerp."),
    Told("2024-03-18", "noor", "The checkout service now uses PostgreSQL 16."),
    Told("2024-04-02", "noor", "I am allergic to shellfish."),
    Told("2024-05-06", "ines", "Our rate limit is now 900 requests per minute."),
    Told(
        "2024-05-07",
        "ines",
        "Correction: our rate limit was never 900, it is 800 requests per minute.",
    ),
    Told("2024-06-10", "noor", "I play the cello in an orchestra."),
    Told("2024-08-12", "noor", "I no longer play the cello."),
    Told("2024-09-02", "noor", "I moved to Lisbon."),
    Told("2024-09-09", "noor", "In 2019 I lived in Paris."),
    Told("2024-09-16", "noor", "The daily standup starts at 10:00 from January 2025."),
    Told("2024-09-23", "robin", "We deploy to production on Fridays."),
    Told("2024-09-30", "robin", "The checkout service uses PostgreSQL 16."),
)

NOW: Final = "2024-10-01"

QUESTIONS: Final = (
    ("Where does Noor live?", 1),
    ("What is our rate limit?", 1),
    ("Which database does the checkout service use?", 1),
    ("What is Noor allergic to?", 2),
    ("When does the daily standup start?", 1),
)
PAST_QUESTIONS: Final = (
    ("Where does Noor live?", "2024-04-30"),
    ("Where does Noor live?", "2019-06-30"),
    ("What is our rate limit?", "2024-05-06"),
    ("When does the daily standup start?", "2025-02-03"),
)
BELIEVED: Final = ("What is our rate limit?", "2024-05-06")
EXPLAINED: Final = "Where does Noor live?"


@dataclass(slots=True)
class _Numbers:
    """Names for ids, #1, #2, … in the order they come up, so that two runs read alike."""

    known: dict[str, str] = field(default_factory=dict)

    def __call__(self, identifier: str) -> str:
        return self.known.setdefault(identifier, f"#{len(self.known) + 1}")


@dataclass(slots=True)
class _Clock:
    """The present of the story: it stands where it is put."""

    at: datetime

    def now(self) -> datetime:
        return self.at


@dataclass(slots=True)
class _Counted:
    """Bytes for ids that are the same on every run: digests of a count."""

    count: int = 0

    def __call__(self, length: int, /) -> bytes:
        self.count += 1
        return hashlib.sha256(str(self.count).encode()).digest()[:length]


def tell(place: str) -> Iterator[str]:
    """Tell the story to a memory kept at `place`, and what became of it, line by line."""
    from stilltrue.memory import Memory
    from stilltrue.settings import Settings

    clock, lens = _Clock(_morning(STORY[0].day)), Lens(name=_Numbers())
    with Memory.open(place, clock=clock, settings=Settings()) as opened:
        memory = Memory(replace(opened.engine, entropy=_Counted()))
        yield "A story that changes as it is told, and what memory decides:"
        for said in STORY:
            clock.at = _morning(said.day)
            yield from _remembered(memory, said, lens)
        clock.at = _morning(NOW)
        yield from _answers(memory, lens)
        yield from _questions(memory, lens)
        yield from _reasons(memory, lens)


def _morning(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T09:00:00").replace(tzinfo=UTC)


def _remembered(memory: Memory, said: Told, lens: Lens) -> Iterator[str]:
    from stilltrue.faces import render

    made = memory.remember(said.text, author=said.author, kind=said.kind)
    questions = {card.conflict.id: card.conflict.question for card in memory.conflicts()}
    who = f"  {said.day}  {said.author:<5}"
    for line in render.decisions(made, lens, questions):
        yield f"{who}  {line}"
        who = " " * len(who)


def _answers(memory: Memory, lens: Lens) -> Iterator[str]:
    yield ""
    yield f"What is true on {NOW}:"
    for question, limit in QUESTIONS:
        yield from _answer(question, memory.search(question, limit=limit), lens)
    yield ""
    yield "What was true, or will be, at another time:"
    for question, day in PAST_QUESTIONS:
        yield from _answer(f"{question} As of {day}:", memory.search(question, limit=1, as_of=day), lens)
    question, day = BELIEVED
    believed = memory.search(question, limit=1, as_of=day, known_at=day)
    yield from _answer(f"{question} As it was believed on {day}, before the correction:", believed, lens)


def _answer(question: str, found: Found, lens: Lens) -> Iterator[str]:
    from stilltrue.faces import render

    yield f"  {question}"
    if not found.results:
        yield f"      {render.NOTHING_FOUND}"
    for fact in found.results:
        state = ", ".join(render.state(fact, lens, then=found.as_of is not None))
        yield f"      {lens.name(fact.id)} {render.sentence(fact)} ({state})"


def _questions(memory: Memory, lens: Lens) -> Iterator[str]:
    from stilltrue.faces import render

    yield ""
    yield "What only a person can settle:"
    for card in memory.conflicts():
        yield from (f"  {line}" for line in render.conflict_card(card, lens))


def _reasons(memory: Memory, lens: Lens) -> Iterator[str]:
    from stilltrue.faces import waterfall

    best = memory.search(EXPLAINED, limit=1).results
    if best:
        yield ""
        yield f"Why {lens.name(best[0].id)} is the answer to “{EXPLAINED}”:"
        for line in waterfall.explanation(memory.explain(best[0].id), lens, bare=True):
            yield f"  {line}"
