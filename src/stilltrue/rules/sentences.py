"""Where does each sentence of a text stand, and in what company?

Answers with exact spans: `text[span] == sentence.text`. Markdown is read for what it is: list marks are left out,
headings, bold lead-ins and sentences that end in a colon give the lines below them context, code blocks give the
commands and settings in them, table rules nothing, chat turns name their speaker. Clauses with a verb of their own are
`rules.clauses`' question, what code says `rules.commands`', what is said `rules.slots`'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model.episode import Span
from stilltrue.rules.boards import board, inline
from stilltrue.rules.clauses import clauses
from stilltrue.rules.commands import is_gone, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE = 4_000  # characters; the longest paragraph written as one line in the corpora is far shorter
LONGEST_RUN = 60  # blanks in a row; tables that were aligned by hand have fewer
_RUNS = re.compile(rf"(?<=\s{{{LONGEST_RUN}}})(?=\S)")
_LONG_RUN = re.compile(rf"\s{{{LONGEST_RUN},}}+")
_FENCE = re.compile(r"^\s{0,12}(```(?=`*+[^`]*+$)|~~~)\s*(?P<language>[\w+-]*)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<title>(?:\S.*?)??)\s*+#*+\s*+$")
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
    {"e.g", "i.e", "etc", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "no", "fig", "approx", "ca", "cf", "dept", "est",
     "inc", "ltd", "co", "jr", "sr", "a.m", "p.m", "u.s", "u.k", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
     "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "v", "vol", "resp", "incl", "excl",
     "min", "max", "z.b", "d.h", "bzw"}
)  # fmt: skip
_NEVER_LAST = frozenset(
    {"e.g", "i.e", "dr", "mr", "mrs", "ms", "prof", "st", "vs", "fig", "cf", "approx", "z.b", "d.h"}
)
_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s|$)|[。！？]+")
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
    """One sentence or clause. `context`: the heading or lead-in above it; `speaker`: whose chat turn it is.

    `code`: it is a command or setting out of a code block, and its context says what it is for.
    """

    text: str
    span: Span
    context: str | None = None
    speaker: str | None = None
    code: bool = False


@dataclass(slots=True)
class _Place:
    """Where reading stands: inside a code fence, under a heading, in a speaker's turn."""

    fence: str | None = None
    language: str = ""
    fenced_from: int = 0
    heading: str | None = None
    lead_in: str | None = None
    speaker: str | None = None
    in_list: bool = False

    @property
    def context(self) -> str | None:
        return self.lead_in or self.heading


def bounded(text: str) -> str:
    """What is read of a text that is taken whole as one statement: no more than a line may have, its blanks in a row
    no more than a line's either.

    >>> bounded("We use  uv."), bounded("We use" + " " * 5_000 + "uv."), len(bounded("a" * 9_000))
    ('We use  uv.', 'We use uv.', 4000)
    """
    return text if len(text) <= LONGEST_RUN else _LONG_RUN.sub(" ", text)[:LONGEST_LINE]


def split(text: str, *, whole: bool = False) -> list[Sentence]:
    r"""The sentences of `text` in order, and the commands of its code blocks; table rules and other code give none.

    `whole`: a sentence of several clauses stays one.

    >>> [s.text for s in split("- I moved to Oslo. I work at v1.2 of it, e.g. here.\n- Use `uv`")]
    ['I moved to Oslo.', 'I work at v1.2 of it, e.g. here.', 'Use `uv`']
    >>> [(s.text, s.context) for s in split("**Rate limits:**\n- auth: 10/min")]
    [('auth: 10/min', 'Rate limits')]
    >>> [(s.text, s.context) for s in split("**Run tests:**\n```bash\npytest -v\n```")]
    [('pytest -v', 'Run tests')]
    """
    found: list[Sentence] = []
    place = _Place()
    for start, end in _blocks(text, place, found):
        for first, last in _stops(text, start, end):
            cuts = [(first, last)] if whole else clauses(text, first, last)
            pieces = [piece for cut in cuts for piece in _trimmed(text, *cut)]
            found += [Sentence(text[a:b], Span(a, b), place.context, place.speaker) for a, b in pieces]
    return found


def _blocks(text: str, place: _Place, found: list[Sentence]) -> Iterator[tuple[int, int]]:
    """Stretches of prose: a list item or a paragraph's lines; `place` is kept up to date while they are read.

    What is no prose and says something all the same (commands, lines that are a status list) goes straight to `found`.
    """
    pending: tuple[int, int] | None = None
    at = 0
    for line in _lines(text):
        start, at = at, at + len(line)
        here = _line(line, start, place)
        joins = here is not None and pending is not None and _continues(text, pending, line)
        if pending is not None and not joins:
            yield pending
            pending = None
        if here is not None:
            _enter(line, place)
            pending = (pending[0], here[1]) if pending is not None and joins else here
        else:
            found += _note(text, start, line, place)
    if pending is not None:
        yield pending


def _lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends. What no person wrote as one line is cut behind a long run of blanks, and
    where it goes on and on, so that no reading of a line takes long, whoever made it up.
    """
    for line in text.splitlines(keepends=True):
        for piece in _RUNS.split(line) if len(line) > LONGEST_RUN else [line]:
            yield from _cut(piece)


def _cut(line: str) -> Iterator[str]:
    """Pieces of a bearable length: up to a stop, else up to a blank."""
    while len(line) > LONGEST_LINE:
        stop = line.rfind(". ", 0, LONGEST_LINE) + 1
        end = (stop or line.rfind(" ", 0, LONGEST_LINE)) + 1 or LONGEST_LINE
        yield line[:end]
        line = line[end:]
    yield line


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
    if pending[1] - pending[0] > LONGEST_LINE:
        return False
    before = text[pending[0] : pending[1]].rstrip()
    return len(before) > 40 and before[-1:] not in ".!?:…;" and line[:1].strip() != "" and (line.lstrip()[:1].islower())  # noqa: PLR2004 - shorter lines are items, not wrapped prose


def _enter(line: str, place: _Place) -> None:
    turn = _TURN.match(_MARK.sub("", line, count=1)) or _TURN.match(line)
    if turn:
        place.speaker = _SPEAKERS[turn["who"].lower()]
        place.lead_in = None
    bullet = bool(_BULLET.match(line))
    if not bullet and place.in_list:
        place.lead_in = None
    place.in_list = bullet


def _note(text: str, start: int, line: str, place: _Place) -> list[Sentence]:
    """What a line without prose changes (fences, headings, lead-ins), and what it says by itself."""
    fence = _FENCE.match(line)
    if place.fence is not None:
        if fence and fence[1] == place.fence:
            place.fence = None
            return _commands(text, place, start)
        return []
    if fence:
        place.fence, place.language, place.fenced_from = fence[1], fence["language"], start + len(line)
        return []
    heading = _HEADING.match(line)
    if heading:
        place.heading, place.lead_in, place.in_list = heading["title"].strip(" *_:"), None, False
        return _own_state(text, start + heading.start("title"), start + heading.end("title"), place)
    lead_in = _LEAD_IN.match(line)
    if lead_in:
        group = "title" if lead_in["title"] else "plain"
        return _lead_in(text, start + lead_in.start(group), start + lead_in.end(group), line, place)
    return []


def _lead_in(text: str, first: int, last: int, line: str, place: _Place) -> list[Sentence]:
    """A bold or bare line that leads to others; one that lists its items itself leads to nothing."""
    listed = inline(text[first:last])
    if listed is None:
        place.lead_in, place.in_list = text[first:last].strip(" *_:"), False
        return _own_state(text, first, last, place)
    state, offset = listed
    over = board(place.lead_in) if place.lead_in else None
    context = f"{over.name} — {state}" if over is not None and over.name else state
    if not _BULLET.match(line):
        place.lead_in, place.in_list = None, False
    return [Sentence(text[a:b], Span(a, b), context, place.speaker) for a, b in _listed(text, first + offset, last)]


def _listed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The parts between commas that stand in no bracket."""
    depth, begin = 0, first
    for at in range(first, last):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if text[at] == "," and depth <= 0:
            yield from _trimmed(text, begin, at)
            begin = at + 1
    yield from _trimmed(text, begin, last)


def _own_state(text: str, first: int, last: int, place: _Place) -> list[Sentence]:
    """A heading that says how far a named thing is ("Shop — complete") is a statement as well."""
    named = board(text[first:last])
    if named is None or not named.name:
        return []
    return [Sentence(text[a:b], Span(a, b), None, place.speaker) for a, b in _trimmed(text, first, last)]


def _commands(text: str, place: _Place, until: int) -> list[Sentence]:
    """The commands and settings of the code block that has just ended; none under what is called old."""
    if place.context is None or is_gone(place.context):
        return []
    start = place.fenced_from
    return [
        Sentence(text[start + line.start : start + line.end], Span(start + line.start, start + line.end),
                 line.comment or place.context, place.speaker, code=True)
        for line in lines_of(text[start:until], place.language)
    ]  # fmt: skip


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
    if text.count("`", first, hit.start()) % 2 == 1 and "`" in text[hit.end() : end]:
        return False  # inside a span of code
    quotes = sum(text.count(mark, first, hit.end()) for mark in _QUOTES[:1])
    return quotes % 2 == 0 or text[hit.end() - 1] in _QUOTES


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    if any(char.isalnum() for char in text[first:last]):
        yield first, last
