"""Which parts of a memory file say something, and on which lines do they stand?

Markdown becomes blocks: a list item, a paragraph, a cell of a table; each with the headings, lead-ins and items it
hangs under, and with the run of like things it belongs to. Code blocks, quotes, comments, front matter and what is
struck out are passed over. Line numbers are those an editor shows. What a block claims is `audit.reading`'s question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Form
from stilltrue.audit.dating import entry_date
from stilltrue.audit.inline import Words, tokens_of, words_of
from stilltrue.audit.paragraphs import breaks, definitions, opener_of, width_of
from stilltrue.formats.front import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_GLOBS: Final = re.compile(r"(?m)^(?:globs|paths|applyTo):[ \t]*(?P<paths>[^\n]*(?:\n[ \t]*- [^\n]*)*)")
_ALWAYS: Final = re.compile(r"(?mi)^alwaysApply:[ \t]*true\b")
_PATH: Final = re.compile(r"(?:[^,\n{}]++|\{[^{}\n]*+\}?+|\})++")
_COUNTER: Final = re.compile(r"#|no\.?|nr\.?|id|step|\d*", re.IGNORECASE)
_BOLD: Final = 7  # depth of a paragraph that is nothing but bold words: it heads what follows, below any heading
_LONGEST_BOLD: Final = 8  # words of such a paragraph; longer ones are stressed sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of prose: `words`, of which the first stand on line `line` of the file.

    `parents`: the lead-ins and list items it hangs under, outermost first. `group`: the line on which the list, the
    table or the paragraph begins that it is a part of. `row`, `column`: of a cell, what its row is called and the head
    of its column. `whole`: nothing else stands on its lines. `numbered`: it is a step of a numbered list. `breaks`:
    places in the text where a line was begun for a statement of its own. `before`: the paragraph before this one, or
    before the list, under the same heading.
    """

    line: int
    end_line: int
    words: Words
    form: Form
    headings: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    group: int = 0
    row: str | None = None
    column: str | None = None
    whole: bool = False
    numbered: bool = False
    breaks: tuple[int, ...] = ()
    before: str = ""

    @property
    def text(self) -> str:
        """The words, with line breaks."""
        return self.words.text

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """The first and last line of the file on which a part of the text stands."""
        last = self.line + self.words.line_before(end)
        return self.line + self.words.line_of(start), min(last, self.end_line)


@dataclass(slots=True)
class _Table:
    line: int
    heads: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    lines: tuple[int, int] = (0, 0)
    in_head: bool = False


@dataclass(slots=True)
class _List:
    """An open list: where it begins, what leads to it, and the text of the item that is open."""

    line: int
    lead: str | None
    numbered: bool
    before: str
    item: str | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class _Place:
    """Where the walk stands."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    lead: str | None = None
    before: str = ""
    quoted: int = 0
    table: _Table | None = None
    width: int = 0

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings if title)

    @property
    def parents(self) -> tuple[str, ...]:
        return tuple(words for one in self.lists for words in (one.lead, one.item) if words)

    def head(self, depth: int, title: str) -> None:
        """A heading ends those of its depth and below."""
        self.headings = [*(one for one in self.headings if one[0] < depth), (depth, title)]
        self.lead, self.before = None, ""


def lines_of(text: str) -> str:
    """The text with one kind of line break and without a byte order mark.

    Only what an editor breaks lines at counts as a break.
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def globs_of(front: str) -> tuple[str, ...]:
    r"""The paths that front matter names as those its rules are for (`globs`, `paths`, `applyTo`).

    >>> globs_of("---\nglobs: src/**/*.ts, web/**\n---\n"), globs_of('---\npaths:\n  - "api/**"\n---\n')
    (('src/**/*.ts', 'web/**'), ('api/**',))
    >>> globs_of('---\nglobs: ["a/*.{ts,tsx}"]\n---\n'), globs_of("---\nglobs: a/*\nalwaysApply: true\n---\n")
    (('a/*.{ts,tsx}',), ())
    """
    found = _GLOBS.search(front)
    if found is None or _ALWAYS.search(front):
        return ()
    parts = (part.strip().removeprefix("- ").strip(" \t[]'\"") for part in _PATH.findall(found["paths"]))
    return tuple(part for part in parts if part)


def blocks(text: str) -> Iterator[Block]:
    r"""The blocks of a markdown text in order.

    >>> [(b.line, b.text, b.headings) for b in blocks("# Ports\n\n- api: 8080\n- web: 3000\n")]
    [(3, 'api: 8080', ('Ports',)), (4, 'web: 3000', ('Ports',))]
    >>> [(b.text, b.parents) for b in blocks("Never:\n\n- push to main\n")][1:]
    [('push to main', ('Never:',))]
    """
    text = lines_of(text)
    front = front_matter(text)
    tokens = tokens_of("\n" * front.count("\n") + text[len(front) :])
    lines = text.split("\n")
    place = _Place(width=width_of([lines[slice(*_lines(token))] for token in tokens if token.type == "inline"]))
    for number, token in enumerate(tokens):
        if token.type == "inline":
            yield from _inline(tokens, number, place)
        else:
            yield from _step(token, place)


def _step(token: Token, place: _Place) -> Iterator[Block]:
    match token.type:
        case "blockquote_open" | "blockquote_close":
            place.quoted += token.nesting
        case "bullet_list_open" | "ordered_list_open":
            place.lists.append(_List(_lines(token)[0] + 1, place.lead, token.type.startswith("ordered"), place.before))
            place.lead = None
        case "bullet_list_close" | "ordered_list_close":
            place.lists.pop()
        case "list_item_open":
            place.lists[-1].item, place.lists[-1].span = None, _lines(token)
        case "table_open":
            place.table = _Table(_lines(token)[0] + 1)
        case "table_close":
            place.table = None
        case "thead_open" | "thead_close" if place.table is not None:
            place.table.in_head = token.nesting > 0
        case "tr_open" if place.table is not None:
            place.table.cells, place.table.lines = [], _lines(token)
        case "tr_close" if place.table is not None and not place.quoted:
            yield from _row(place.table, place)
        case "fence" | "code_block" | "hr":
            place.lead = None
        case _:
            pass


def _inline(tokens: Sequence[Token], number: int, place: _Place) -> Iterator[Block]:
    opened, said = tokens[number - 1], words_of(tokens[number].children or ()).text
    flat = " ".join(said.split())
    if opened.type == "heading_open":
        if not place.quoted:
            place.head(int(opened.tag[1:]), flat)
    elif opened.type in ("th_open", "td_open") and place.table is not None:
        place.table.cells.append(flat)
    elif opened.type == "paragraph_open" and not place.quoted and flat:
        if not place.lists and (_is_bold(tokens[number]) or _is_date(flat)):
            place.head(_BOLD, flat.rstrip(":"))
            return
        yield from _paragraphs(tokens[number], place)
        if place.lists and place.lists[-1].item is None:
            place.lists[-1].item = flat
        place.lead = flat if flat.endswith(":") and not place.lists else None
        place.before = place.before if place.lists else flat


def _is_bold(inline: Token) -> bool:
    """Whether a paragraph is one stretch of bold words, as people write headings when they are in a hurry."""
    parts = [child for child in inline.children or () if child.type != "text" or child.content.strip(" :")]
    if not parts or parts[0].type != "strong_open" or parts[-1].type != "strong_close":
        return False
    stretches = sum(part.type == "strong_open" for part in parts)
    return stretches == 1 and len(inline.content.split()) <= _LONGEST_BOLD and inline.content.rstrip("*: ")[-1:] != "."


def _is_date(flat: str) -> bool:
    """Whether a paragraph is nothing but a date, which stands over the entries of its day."""
    dated = entry_date(flat, None)
    return dated.at is not None and not flat[dated.start : dated.end].strip(" .:")


def _paragraphs(token: Token, place: _Place) -> Iterator[Block]:
    """A paragraph as a block, what a definition list defines as one each."""
    opener, first = opener_of(token)
    children = token.children or []
    said, skipped = words_of(children[first:]), words_of(children[:first])
    whole = _paragraph(token, said, place)
    whole = replace(whole, line=whole.line + skipped.line_before(len(skipped.text)))
    if opener:
        whole = replace(whole, parents=(*whole.parents, opener))
    for start, end, term in definitions(said.text):
        part = replace(whole, words=said.part(start, end), breaks=_within(whole.breaks, start, end))
        if term:
            part = replace(part, breaks=(), whole=False, parents=(*whole.parents, term))
        first_line, last_line = whole.lines_of(start, end)
        yield whole if (start, end) == (0, len(said.text)) else replace(part, line=first_line, end_line=last_line)


def _within(places: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    return tuple(place - start for place in places if start < place < end)


def _paragraph(token: Token, said: Words, place: _Place) -> Block:
    start, end = _lines(token)
    inner = place.lists[-1] if place.lists else None
    own = inner.span if inner is not None else (start, end)
    return Block(
        line=start + 1,
        end_line=end,
        words=said,
        form=Form.BULLET if inner is not None else Form.SENTENCE,
        headings=place.titles,
        parents=place.parents,
        group=inner.line if inner is not None else start + 1,
        whole=own[0] == start and own[1] <= end + 1,
        numbered=inner is not None and inner.numbered,
        breaks=breaks(said.text, place.width),
        before=inner.before if inner is not None else place.before,
    )


def _row(table: _Table, place: _Place) -> Iterator[Block]:
    if table.in_head:
        table.heads = table.cells
        return
    first = 1 if len(table.heads) > 2 and _COUNTER.fullmatch(table.heads[0]) else 0  # noqa: PLR2004 - a mere counter
    for head, cell in zip(table.heads[first + 1 :], table.cells[first + 1 :], strict=False):
        if any(char.isalnum() for char in cell) and head:
            yield Block(
                line=table.lines[0] + 1,
                end_line=table.lines[1],
                words=Words(cell),
                form=Form.CELL,
                headings=place.titles,
                group=table.line,
                row=table.cells[first],
                column=head,
                whole=len(table.cells) == 2,  # noqa: PLR2004 - a label and its one value
            )


def _lines(token: Token) -> tuple[int, int]:
    start, end = token.map or (0, 0)
    return start, end
