"""Does a question ask about the past, and about which part of it?

Answers: `asks_about_past`, the wording that says so (SPEC D7; what counts is data, `lexicon/historical.toml`), and
`past_period`, the stretch a date in the question names. Search then looks at superseded facts too and says that it did.

Left to others: dates in words (`rules.dates`), `--as-of` (`rules.as_of`), what is served then (`read.search`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.rules.dates import find_dates
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.patterns import late
from stilltrue.rules.text import normalise

if TYPE_CHECKING:
    import re

    from stilltrue.model.timeline import Instant, Interval

_GAP: Final = r"[^.?!;]{0,60}?"
_WORDS: Final = "words"

LONGEST_QUESTION: Final = 1_000
"""Characters looked at: a question says within them when it means; patterns stay fast on whatever is pasted behind."""

_NOT_PAST: Final = late(
    r"\b(?:should|must|shall|will|would|can|could|next|going to|still|now|currently|today|do|does)\b|^(?:is|are|am)\b"
)
"""Advice, the present and the future: there a past date is what is talked about ("what should I do with the receipts of
2019?", "is the release of 1 March still supported?"), not the time that is asked for."""


@dataclass(frozen=True, slots=True)
class Cue:
    """The wording that asks about the past: the entry's `name`, the words as `found`, and `why` they do."""

    name: str
    found: str
    why: str


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    why: str
    pattern: re.Pattern[str]
    unless: tuple[re.Pattern[str], ...]


def asks_about_past(query: str) -> Cue | None:
    """The first cue that fires and is not explained by one of its look-alikes, or None.

    >>> asks_about_past("What coffee did they say they used to drink?").name
    'used_to_person'
    >>> asks_about_past("What is used to build the project?") is None
    True
    >>> asks_about_past("Since I like coffee, what should I buy?") is None
    True
    """
    text = normalise(query[:LONGEST_QUESTION])
    for entry in _entries():
        match = entry.pattern.search(text)
        if match and not any(other.search(text) for other in entry.unless):
            return Cue(entry.name, match.group().strip(), entry.why)
    return None


def past_period(query: str, now: Instant, zone: str) -> Interval | None:
    """The first stretch before `now` that a date in the question names, in local days of `zone`; None without one.

    Not for advice and plans, where a date is what is talked about and not the time that is asked for.
    """
    text = query[:LONGEST_QUESTION]
    if _NOT_PAST.search(normalise(text)):
        return None
    for mention in find_dates(text, now, zone):
        start, end = mention.interval.start, mention.interval.end
        if start is not None and end is not None and start < end <= now:
            return mention.interval
    return None


@cache
def _entries() -> tuple[_Entry, ...]:
    tables = lexicon("historical")
    words = tables[_WORDS]
    return tuple(
        _Entry(
            name,
            table["why"],
            _compile(table["pattern"], words),
            tuple(_compile(pattern, words) for pattern in table.get("unless", ())),
        )
        for name, table in tables.items()
        if name != _WORDS
    )


def _compile(pattern: str, words: dict[str, str]) -> re.Pattern[str]:
    for name, group in words.items():
        pattern = pattern.replace("{" + name + "}", group)
    return late(pattern.replace("{gap}", _GAP))
