"""How does a fact stand in a line of notes? A bullet: its words, since when, and a short id; headings are topics.

The words are on one line and cannot open a comment; whoever reads the line compares it with how the fact would be
written, so nothing has to be guessed back. Left to others: what a section says that people wrote in (`parsing`).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from stilltrue.errors import InvalidInputError
from stilltrue.model.ids import short
from stilltrue.model.timeline import Instant, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stilltrue.model.fact import Fact

UNDATED: Final = "undated"
HEADING: Final = "### "
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_COMMENT: Final = "<!--"
_NO_COMMENT: Final = "<\\!--"


def written(facts: Sequence[Fact], zone: str) -> list[str]:
    """The lines of the section: facts without a topic first, then topic by topic; within one by date."""
    marks = names(facts)
    lines: list[str] = []
    for topic in sorted({one_line(fact.statement.topic or "") for fact in facts}):
        if topic:
            lines += ["", f"{HEADING}{topic}"]
        lines.append("")
        mine = (fact for fact in facts if one_line(fact.statement.topic or "") == topic)
        for fact in sorted(mine, key=lambda fact: (fact.statement.said_at, fact.id)):
            lines.append(f"- {words(fact)} ({dates(valid_of(fact), zone)}) [{marks[fact.id]}]")
    return [*lines, ""] if lines else []


def names(facts: Iterable[Fact]) -> dict[str, str]:
    """A short id for each, or the whole one where two would be alike."""
    ids = [fact.id for fact in facts]
    shorts = [short(one) for one in ids]
    return {one: one if shorts.count(brief) > 1 else brief for one, brief in zip(ids, shorts, strict=True)}


def words(fact: Fact) -> str:
    """A fact's text as it stands in a line."""
    return one_line(fact.statement.text)


def one_line(text: str) -> str:
    r"""Text that stays on its line and opens no comment.

    >>> one_line("two\nlines <!-- stilltrue:end -->")
    'two lines <\\!-- stilltrue:end -->'
    """
    return " ".join(_UNSEEN.sub(" ", text).split()).replace(_COMMENT, _NO_COMMENT)


def meant(line: str) -> str:
    """What a person means who edited such text."""
    return line.replace(_NO_COMMENT, _COMMENT)


def valid_of(fact: Fact) -> Interval:
    """When a fact holds."""
    return fact.belief.valid if fact.belief is not None else fact.statement.valid


def dates(valid: Interval, zone: str) -> str:
    """Since when, and until when, in the reader's zone."""
    told = [
        f"{word} {moment.astimezone(ZoneInfo(zone)).date().isoformat()}"
        for word, moment in (("since", valid.start), ("until", valid.end))
        if moment is not None
    ]
    return ", ".join(told) or UNDATED


def interval(told: str, known: Interval, zone: str) -> Interval:
    """What dates mean that a person wrote; the exact times of `known` stay where the days do.

    Raises InvalidInputError for what is no such date.
    """
    found: dict[str, Instant] = {}
    for part in told.split(",") if told.strip() != UNDATED else ():
        word, _, day = part.strip().partition(" ")
        if word not in ("since", "until") or word in found:
            raise InvalidInputError(f"“{told}” is no date; write it like (since 2025-03-01, until 2025-06-30)")
        found[word] = _midnight(day.strip(), zone)
    ends = (("since", known.start), ("until", known.end))
    start, end = (_same_day(found.get(word), before, zone) for word, before in ends)
    return Interval(start, end)


def _midnight(day: str, zone: str) -> Instant:
    try:
        found = date.fromisoformat(day)
    except ValueError:
        raise InvalidInputError(f"“{day}” is no date; write it like 2025-03-01") from None
    return datetime.combine(found, time(), ZoneInfo(zone)).astimezone(UTC)


def _same_day(told: Instant | None, known: Instant | None, zone: str) -> Instant | None:
    if told is None or known is None:
        return told
    days = (moment.astimezone(ZoneInfo(zone)).date() for moment in (told, known))
    return known if len({*days}) == 1 else told
