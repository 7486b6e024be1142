"""Why do two claims clash, in words that a person can check? And which of them holds no longer?

The reasons name what stands in the lines: two figures of one kind, words that tell of a change, a ban, two values of
one slot, the words both share; last what the judge says. They explain a clash and do not find it (`audit.weighing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.audit.figures import clash
from stilltrue.model.slot import Cardinality
from stilltrue.rules.pair import is_fallback
from stilltrue.rules.polarity import reading
from stilltrue.rules.text import content_words, stem
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.weighing import Pair

MOST_WORDS = 5
"""Shared words that a reason names."""


def teller(pair: Pair) -> Claim | None:
    """The claim that tells of a change, where one does and the other does not: it holds, the other no longer."""
    told = [claim for claim in (pair.old, pair.new) if wording(claim.statement.text).announces]
    return told[0] if len(told) == 1 else None


def reasons(pair: Pair, sure: float) -> Iterator[str]:
    """The reasons, a sentence each, the plainest first; at least one."""
    one, other = pair.old.statement, pair.new.statement
    figures = clash(one.text, other.text)
    if figures is not None:
        yield f"The one line says {_plain(figures.one)}, the other {_plain(figures.other)}."
    told = teller(pair)
    if told is not None:
        yield f"“{told.text}” tells of a change: {wording(told.statement.text).note()}."
    denied = reading(one.text).denied ^ reading(other.text).denied
    ruled_out = denied & reading(one.text).content & reading(other.text).content
    if ruled_out:
        yield f"The one line rules out what the other says: {', '.join(_words(pair, ruled_out))}."
    attribute = other.slot.attribute
    if one.slot == other.slot and other.cardinality is Cardinality.ONE and not is_fallback(attribute):
        yield f"Both give {str(attribute).replace('_', ' ')}, which has one value at a time."
    shared = _words(pair, reading(one.text).content & reading(other.text).content)
    about = f" Both speak of {', '.join(shared[:MOST_WORDS])}." if shared else ""
    yield f"The judge holds it {sure:.0%} likely that not both are true.{about}"


def _plain(said: str) -> str:
    return said.strip("` ")


def _words(pair: Pair, stems: frozenset[str]) -> list[str]:
    """Stems as the newer line writes them, in its order."""
    return list(dict.fromkeys(word for word in content_words(pair.new.statement.text) if stem(word) in stems))
