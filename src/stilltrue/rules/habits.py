"""Does somebody do what a rule they live by rules out: a steak on a vegetarian's plate?

Answer: `broken`, from `lexicon/habits.toml`: the existing statement names the rule, the new one tells of the same
person that it was done, and no word takes that back. Such pairs share hardly a word, and a small model that knows no
diets takes them for an evening's story. Left to others: events that end a state (`rules.ends`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality
from stilltrue.model.verdict import EvidenceSource, Relation
from stilltrue.rules.finding import Finding
from stilltrue.rules.lexicons import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.rules.pair import Pair

SIGNAL: Final = "habit broken"
_TOLD: Final = frozenset({Modality.ASSERTION, Modality.PAST})


def broken(pair: Pair) -> Finding | None:
    """What was done is what the person's own rule rules out (LABELS, the first example; SPEC E6)."""
    old, new = pair.existing, pair.new
    if old.slot.subject != new.slot.subject or not {old.modality, new.modality} <= _TOLD:
        return None
    for keeps, broken_by, excuses, why in _habits():
        done = broken_by.search(_line(new.text))
        if done and keeps.search(_line(old.text)) and not excuses.search(_line(new.text)):
            return Finding(EvidenceSource.WORDING, SIGNAL, Relation.CONTRADICTION, f"{done.group().strip()}: {why}")
    return None


def _line(text: str) -> str:
    return f" {text.lower().replace('’', chr(39))} "


@cache
def _habits() -> tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], str], ...]:
    return tuple(
        (_any_of(entry["keeps"]), _any_of(entry["broken_by"]), _any_of(entry["excuses"]), entry["why"])
        for entry in lexicon("habits")["habit"]
    )


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    whole = r"(?<!\w)(?:" + "|".join(patterns) + r")(?!\w)"
    return re.compile(whole + r"|n't(?!\w)" if "n't" in patterns else whole)
