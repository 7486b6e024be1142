"""Which open question is worth a person's minute first, and which others hang on the same answer?

Answer: `Weight` counts what an answer would settle (facts in doubt, facts that rest on them, pairs nobody could judge,
other questions about the same facts) and how often the facts are read; `together` names those other questions (F11).
Counts in, values out: the same numbers however often they are asked for.

Left to others: where the counts come from (`read.conflicts`), how they are shown (`faces`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

Name = TypeVar("Name")

OPEN_PAIR: Final = 0.5
"""A pair nobody could judge may be settled by the answer, or may have nothing to do with it: half of a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What an answer would settle: `facts` in doubt, `dependents` on them, `open_pairs` and other `questions` about
    them; `reads`: how often the facts were served. `score` orders questions and means nothing by itself.
    """

    facts: int
    dependents: int = 0
    open_pairs: int = 0
    questions: int = 0
    reads: int = 0

    @property
    def score(self) -> float:
        """What it settles, times how much that is read; each doubling of the reads adds as much as the one before.

        >>> Weight(facts=2).score < Weight(facts=2, reads=3).score < Weight(facts=2, dependents=4, reads=3).score
        True
        """
        settles = self.facts + self.dependents + self.questions + OPEN_PAIR * self.open_pairs
        return round(settles * (1 + math.log2(1 + self.reads)), 6)


def together(asked: Mapping[Name, Sequence[Hashable]]) -> dict[Name, tuple[Name, ...]]:
    """For each question the others that share something in doubt with it, in the order given: one answer may settle
    them all, so they are asked as one bundle.

    >>> together({"q1": ["a", "b"], "q2": ["c"], "q3": ["b", "d"]})
    {'q1': ('q3',), 'q2': (), 'q3': ('q1',)}
    """
    about: dict[Hashable, list[Name]] = defaultdict(list)
    for name, things in asked.items():
        for thing in dict.fromkeys(things):
            about[thing].append(name)
    return {
        name: tuple(dict.fromkeys(other for thing in things for other in about[thing] if other != name))
        for name, things in asked.items()
    }
