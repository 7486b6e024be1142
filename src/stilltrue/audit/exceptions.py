"""Is one line a general rule and the other its exception? Both hold; a reader of the rule alone is misled all the same.

A rule speaks of all or of none ("always", "never", "every"); its exception says the opposite of some of the same things
and says that it does ("except", "unless", "apart from"). Words are in `rules/lexicon/memory_files.toml`. Left to
others: lines that do clash (`audit.weighing`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.polarity import reading
from stilltrue.rules.text import normalise

if TYPE_CHECKING:
    from stilltrue.audit.claims import Claim
    from stilltrue.audit.weighing import Pair

ALIKE: Final = 0.5
"""Cosine of the two lines, from which they are taken to speak of one thing: above what nominates (0.35), and where
`rules.similarity_gate` (0.6) would lose an exception that names its own circumstances."""
SHARED: Final = 2
"""Content words that both must hold, one of them denied in one line only."""


def exception_of(pair: Pair) -> tuple[Claim, Claim] | None:
    """The (rule, exception) of a pair, None where it is none."""
    if pair.likeness < ALIKE:
        return None
    for rule, other in ((pair.old, pair.new), (pair.new, pair.old)):
        if _holds(rule, "all") and not _holds(rule, "excepts") and _holds(other, "excepts"):
            return (rule, other) if _opposed(rule, other) else None
    return None


def _holds(claim: Claim, key: str) -> bool:
    said = f" {' '.join(normalise(claim.statement.text).replace(',', ' ').split())} "
    return any(f" {phrase} " in said for phrase in _phrases(key))


@cache
def _phrases(key: str) -> tuple[str, ...]:
    return tuple(lexicon("memory_files")["exceptions"][key])


def _opposed(rule: Claim, other: Claim) -> bool:
    one, two = reading(rule.statement.text), reading(other.statement.text)
    shared = one.content & two.content
    return len(shared) >= SHARED and bool((one.denied ^ two.denied) & shared)
