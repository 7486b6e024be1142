"""Where does each sentence of a text stand, and in what company?

Answers with exact spans: `text[span] == sentence.text`. Markdown is read for what it is: list marks are left out,
headings and bold lead-ins give the lines below them context, code blocks and table rules give nothing, chat turns name
their speaker. Clauses with a verb of their own are `rules.clauses`' question, what is said `rules.slots`'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.episode import Span
from stilltrue.rules.clauses import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^\s{0,12}(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<title>.*?)\s*#*\s*$")
_LEAD_IN = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:\*\*|__)(?P<title>[^*_\n]{1,80}?):?(?:\*\*|__):?\s*$|^\s*(?P<plain>[A-Za-z][^.!?:\n]{0,60}):\s*$"
)
_MARK = re.compile(r"^\s*(?:>\s?)*(?:(?:[-*+•‣–]|\d{1,3}[.)]|[a-z]\))\s+)?(?:\[[ xX]\]\s+)?")
_BULLET = re.compile(r"^\s*(?:[-*+•‣–]|\d{1,3}[.)])\s+")
_TURN = re.compile(
    r"^\s*(?:\*\*)?(?P<who>user|assistant|human|ai|system|agent|bot)(?:\*\*)?\s*:\s*(?:\*\*)?\s*", re.IGNORECASE
)
_TABLE_RULE = re.compile(r"^[\s|:+=\-_*]+$")
_ABBREVIATIONS = frozenset(
    {"e.g", "i.e", "etc", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "no", "fig", "approx", "ca", "cf", "dept", "est", "inc",
     "ltd", "co", "jr", "sr", "a.m", "p.m", "u.s", "u.k", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
     "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "v", "vol", "resp", "incl", "excl", "min", "max", "z.b", "d.h", "bzw"}
)  # fmt: skip
_NEVER_LAST = frozenset(
    {"e.g", "i.e", "dr", "mr", "mrs", "ms", "prof", "st", "vs", "fig", "cf", "approx", "z.b", "d.h"}
)
_STOP = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|[。！？]+|[.!?…]+[\"'”’)\]*_]*$")
_LAST_WORD = re.compile(r"[\w.]{1,12}$")
_QUOTES = '"“”'
_SPEAKERS = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or clause. `context`: the heading or bold lead-in above it; `speaker`: whose chat turn it is."""

    text: str
    span: Span
    context: str | None = None
    speaker: str | None = None


@dataclass(slots=True)
class _Place:
    """Where reading stands: inside a code fence, under a heading, in a speaker's turn."""

    fence: str | None = None
    heading: str | None = None
    lead_in: str | None = None
    speaker: str | None = None
    in_list: bool = False

    @property
    def context(self) -> str | None:
        return self.lead_in or self.heading


def split(text: str) -> list[Sentence]:
    """The sentences of `text` in order; code blocks and table rules give none.

    >>> [s.text for s in split("- I moved to Oslo. I work at v1.2 of it, e.g. here.\\n- Use `uv`")]
    ['I moved to Oslo.', 'I work at v1.2 of it, e.g. here.', 'Use `uv`']
    >>> [(s.text, s.context) for s in split("**Rate limits:**\\n- auth: 10/min")]
    [('auth: 10/min', 'Rate limits')]
    """
    found: list[Sentence] = []
    place = _Place()
    for start, end in _blocks(text, place):
        for first, last in _stops(text, start, end):
            pieces = [piece for cut in clauses(text, first, last) for piece in _trimmed(text, *cut)]
            found += [Sentence(text[a:b], Span(a, b), place.context, place.speaker) for a, b in pieces]
    return found


def _blocks(text: str, place: _Place) -> Iterator[tuple[int, int]]:
    """Stretches of prose: a list item or a paragraph's lines; `place` is kept up to date while they are read."""
    pending: tuple[int, int] | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        here = _line(line, start, place)
        joins = here is not None and pending is not None and _continues(text, pending, line)
        if pending is not None and not joins:
            yield pending
            pending = None
        if here is not None:
            _enter(line, here, place, text)
            pending = (pending[0], here[1]) if pending is not None and joins else here
        else:
            _note(line, place)
    if pending is not None:
        yield pending


def _line(line: str, start: int, place: _Place) -> tuple[int, int] | None:
    """The prose of one line, without its mark; None where there is none."""
    if place.fence is not None or _FENCE.match(line) or _HEADING.match(line) or _LEAD_IN.match(line):
        return None
    body = line.rstrip()
    if not body.strip() or _TABLE_RULE.match(body):
        return None
    begin = _MARK.match(body)
    offset = begin.end() if begin else 0
    turn = _TURN.match(body, offset)
    if turn:
        offset = turn.end()
    return (start + offset, start + len(body)) if offset < len(body) else (start + len(body), start + len(body))


def _continues(text: str, pending: tuple[int, int], line: str) -> bool:
    """A wrapped line goes on with the sentence before it: that one is not finished, and this is no new item."""
    if _BULLET.match(line) or _TURN.match(line) or line.lstrip().startswith("|"):
        return False
    before = text[pending[0] : pending[1]].rstrip()
    return len(before) > 40 and before[-1:] not in ".!?:…;" and line[:1].strip() != "" and (line.lstrip()[:1].islower())  # noqa: PLR2004 - shorter lines are items, not wrapped prose


def _enter(line: str, here: tuple[int, int], place: _Place, text: str) -> None:
    del here, text
    turn = _TURN.match(_MARK.sub("", line, count=1)) or _TURN.match(line)
    if turn:
        place.speaker = _SPEAKERS[turn["who"].lower()]
        place.lead_in = None
    bullet = bool(_BULLET.match(line))
    if not bullet and place.in_list:
        place.lead_in = None
    if not bullet and place.lead_in is not None and not place.in_list:
        place.lead_in = place.lead_in if line.strip() else None
    place.in_list = bullet


def _note(line: str, place: _Place) -> None:
    """What a line without prose changes: fences, headings, lead-ins, blank lines."""
    fence = _FENCE.match(line)
    if place.fence is not None:
        if fence and fence[1] == place.fence:
            place.fence = None
        return
    if fence:
        place.fence = fence[1]
        return
    heading = _HEADING.match(line)
    if heading:
        place.heading, place.lead_in, place.in_list = heading["title"].strip(" *_:"), None, False
        return
    lead_in = _LEAD_IN.match(line)
    if lead_in:
        place.lead_in, place.in_list = (lead_in["title"] or lead_in["plain"] or "").strip(" *_:"), False


def _stops(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentences of one stretch: cut at stops that are no abbreviation, decimal, version, file name or quoted."""
    first = start
    for hit in _STOP.finditer(text, start, end):
        if _real_stop(text, first, hit, end):
            yield from _trimmed(text, first, hit.end())
            first = hit.end()
    yield from _trimmed(text, first, end)


def _real_stop(text: str, first: int, hit: re.Match[str], end: int) -> bool:
    if hit.end() >= end:
        return True
    word = _LAST_WORD.search(text, max(first, hit.start() - 12), hit.start())
    last = word.group().lower().strip(".") if word else ""
    following = text[hit.end() : hit.end() + 3].lstrip()
    mark = hit.group()
    if mark.startswith("."):
        if last in _NEVER_LAST or (len(last) == 1 and last.isalpha() and text[hit.start() - 1].isupper()):
            return False
        if last in _ABBREVIATIONS and not following[:1].isupper():
            return False
    if following[:1].islower() and not mark.startswith(("?", "!")) and mark.startswith("…"):
        return False
    quotes = sum(text.count(mark, first, hit.end()) for mark in _QUOTES[:1])
    return quotes % 2 == 0 or text[hit.end() - 1] in _QUOTES


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    if any(char.isalnum() for char in text[first:last]):
        yield first, last
