"""Which facts are told as a story, how is a long one cut, and which of the confusions found in it are worth a question?

Answer: facts are forgotten at random, the older the likelier, but never what set the reading off or belongs to it, and
seldom what was disputed before (B4). A story is cut in its own order into chapters that share a tail (B5). A confusion
is refused where its question cannot be put to a person (B11), where it is plain from the facts that nothing is
confused (B3), or where it brings nothing that was not asked already (B6).

Pure: randomness comes from a seed. Left to others: reading the facts and opening questions (`upkeep.story`), what a
language model is told to look for (`inference/prompts/story.md`).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from stilltrue.model.conflict import ConflictKind
from stilltrue.rules.questions import fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stilltrue.model.conflict import Conflict
    from stilltrue.model.ids import FactId
    from stilltrue.model.story import Chapter, Confusion, StoryLine
    from stilltrue.model.timeline import Instant

KINDS: Final = (ConflictKind.REVERSAL, ConflictKind.AMBIGUITY, ConflictKind.STALE)
"""What a story can be confused by (B2)."""

LONGEST_TEXT: Final = 600
"""Characters of a fact that are told: a paragraph; with more, a few long facts would crowd out the story."""

MOST_FACTS: Final = 12
"""Facts of one confusion: nobody answers one question about more."""

MOST_QUESTIONS: Final = 10
"""Questions that one reading may open: a model that was led astray must not bury a person in them."""

SAME_SITTING: Final = timedelta(minutes=15)
"""Facts said within so long of each other in one topic are one working session (B3: "minutes apart")."""

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
_FRAME: Final = 90  # characters that a line takes beside its own words: names of fields, its id, its time
_DATED: Final = 32  # and each further time

# Forgetting


@dataclass(frozen=True, slots=True)
class Forgetting:
    """How likely a fact is kept in a story: said within a day, within a week, before that."""

    day: float
    week: float
    older: float

    def keeps(self, age: timedelta, conflicts: int) -> float:
        """The probability for a fact of this age with so many conflicts behind it: each of them doubles it.

        >>> rates = Forgetting(0.3, 0.15, 0.07)
        >>> [rates.keeps(timedelta(hours=hours), 0) for hours in (23, 24, 7 * 24, 7 * 24 + 1)]
        [0.3, 0.15, 0.15, 0.07]
        >>> [rates.keeps(timedelta(hours=1), conflicts) for conflicts in (1, 2, 99)]
        [0.6, 1.0, 1.0]
        """
        base = self.day if age < _DAY else self.week if age <= _WEEK else self.older
        return min(1.0, base * 2.0 ** min(conflicts, 64))


def survives(seed: str, fact_id: FactId, probability: float) -> bool:
    """Whether a fact is kept under this seed: the same answer whenever, and in whatever company, it is asked.

    >>> survives("s", "f", 1.0), survives("s", "f", 0.0)
    (True, False)
    """
    drawn = int.from_bytes(hashlib.sha256(f"{seed}\n{fact_id}".encode()).digest()[:8])
    return drawn < probability * 2**64


# Chapters


def told(text: str) -> str:
    """A fact's words as the story tells them: cut where they would crowd out the rest.

    >>> told("short"), len(told("x" * 1000))
    ('short', 600)
    """
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def length(line: StoryLine) -> int:
    """About how many characters of a request a line takes."""
    own = len(told(line.text)) + len(line.author or "") + len(line.topic or "")
    return own + _FRAME + _DATED * sum(moment is not None for moment in (line.again, line.over, line.begins))


def chapters(story: Chapter, limit: int, overlap: int) -> list[Chapter]:
    """The story in its order, in chapters of at most `limit` characters, each beginning with the end of the one before.

    What is shared fills `overlap` characters (at most half a chapter) and is a line at least. A chapter exceeds `limit`
    only where a shared line and the next one do not fit together.
    """
    shared = min(overlap, limit // 2)
    lengths = [length(line) for line in story]
    made: list[Chapter] = []
    start = end = 0
    while end < len(story):
        end = _end(lengths, start, end, limit)
        made.append(story[start:end])
        start = _tail(lengths, start, end, shared)
    return made


def _end(lengths: Sequence[int], start: int, reached: int, limit: int) -> int:
    """Where a chapter from `start` ends: as far as it fits, and in any case beyond what was told already."""
    end = reached + 1
    size = sum(lengths[start:end])
    while end < len(lengths) and size + lengths[end] <= limit:
        size += lengths[end]
        end += 1
    return end


def _tail(lengths: Sequence[int], start: int, end: int, shared: int) -> int:
    """Where the part of a chapter begins that the next one repeats."""
    place = end - 1
    size = lengths[place]
    while place - 1 > start and size + lengths[place - 1] <= shared:
        place -= 1
        size += lengths[place]
    return place


# What was found


def merged(found: Iterable[Confusion]) -> list[Confusion]:
    """Each set of facts once, and no set that lies inside a larger one: neighbouring chapters see the same thing."""
    by_set = {one.fact_ids: one for one in reversed(list(found))}
    sets = [frozenset(ids) for ids in by_set]
    kept = [one for ids, one in by_set.items() if not any(frozenset(ids) < other for other in sets)]
    return kept[::-1]


def refusal(one: Confusion, lines: Mapping[FactId, StoryLine]) -> str | None:
    """Why a confusion is not put to a person (None: it is): its question, or that nothing is confused."""
    facts = sorted((lines[fact_id] for fact_id in one.fact_ids), key=lambda line: (line.last_said_at, line.recorded_at))
    current = sum(line.current for line in facts)
    if len(facts) > MOST_FACTS:
        return "it is about too many facts at once"
    if sum(line.begins is None for line in facts) < 2:  # noqa: PLR2004 - a confusion is between two at least
        return "what is to come is no rival of what holds"
    if not current or (one.kind is ConflictKind.AMBIGUITY and current == 1):
        return "at most one of its facts still holds"
    if one.kind is ConflictKind.STALE and facts[-1].current and current == 1:
        return "the latest of its facts is the only one that still holds"
    if _same_sitting(facts):
        return "its facts were said in one sitting"
    return fault(one.question, facts)


def _same_sitting(facts: Sequence[StoryLine]) -> bool:
    """Minutes apart in one topic; where no topic was given, by one author."""
    if facts[-1].last_said_at - min(line.said_at for line in facts) > SAME_SITTING:
        return False
    shared = [line.topic if line.topic is not None else (line.author,) for line in facts]
    return all(old == new for old, new in pairwise(shared))


_LABEL: Final = re.compile(r"\bf\d+\b|\b(?:fact|line)s? \d+\b", re.IGNORECASE)


def fault(question: str, facts: Sequence[StoryLine]) -> str | None:
    """What is wrong with a model's question about these facts; None: nothing.

    Beside what is wrong with any question (`rules.questions`): it sends a person to an address, or to a label.
    """
    if "://" in question or _LABEL.search(question):
        return "it points elsewhere instead of naming the thing"
    return fault_of(question, [line.text for line in facts])


def asked_before(fact_ids: Iterable[FactId], known: Iterable[Conflict], lines: Mapping[FactId, StoryLine]) -> bool:
    """Whether a question about these facts was opened before, however it stands now, and nothing is new since (B6).

    New evidence is a fact that was not in it and that memory learned after it was opened.
    """
    asked = frozenset(fact_ids)
    for conflict in known:
        before = frozenset(conflict.fact_ids)
        if asked <= before:
            return True
        if before < asked and all(lines[one].recorded_at <= conflict.opened_at for one in asked - before):
            return True
    return False


def doubts(known: Iterable[Conflict]) -> dict[FactId, int]:
    """How many conflicts each fact has behind it, whatever became of them."""
    counted: dict[FactId, int] = {}
    for conflict in known:
        for fact_id in conflict.fact_ids:
            counted[fact_id] = counted.get(fact_id, 0) + 1
    return counted


def age(said_at: Instant, now: Instant) -> timedelta:
    """How long ago something was said; what is dated ahead of the clock is new."""
    return max(now - said_at, timedelta())
