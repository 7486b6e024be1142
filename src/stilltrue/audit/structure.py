"""Which parts of a memory file say something, and on which lines do they stand?

Markdown becomes blocks: a list item, a paragraph, a cell of a table; each with the headings and the items it hangs
under. Code blocks, quotes, comments, front matter and what is struck out are passed over. Line numbers are those an
editor shows. What a block claims is `audit.reading`'s question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt

from stilltrue.audit.claims import Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_FRONT: Final = re.compile(r"\A(?:---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z))", re.DOTALL)
_PARSER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of prose. `text` keeps its line breaks: its first line is line `line` of the file.

    `parents`: the list items it hangs under, outermost first. `row`, `column`: of a cell, the first cell of its row and
    the head of its column. `whole`: nothing else stands on its lines.
    """

    line: int
    end_line: int
    text: str
    form: Form
    headings: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    row: str | None = None
    column: str | None = None
    whole: bool = False


@dataclass(slots=True)
class _Table:
    heads: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    lines: tuple[int, int] = (0, 0)
    in_head: bool = False


@dataclass(slots=True)
class _Place:
    """Where the walk stands."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    items: list[str | None] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    quoted: int = 0
    table: _Table | None = None

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)


def lines_of(text: str) -> str:
    """The text with one kind of line break and without a byte order mark.

    Only what an editor breaks lines at counts as a break.
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def front_matter(text: str) -> str:
    """What stands between the rulers at the very top, "" without."""
    found = _FRONT.match(text)
    return found.group() if found else ""


def blocks(text: str) -> Iterator[Block]:
    r"""The blocks of a markdown text in order.

    >>> [(b.line, b.text, b.headings) for b in blocks("# Ports\n\n- api: 8080\n- web: 3000\n")]
    [(3, 'api: 8080', ('Ports',)), (4, 'web: 3000', ('Ports',))]
    """
    text = lines_of(text)
    front = front_matter(text)
    tokens = _PARSER.parse("\n" * front.count("\n") + text[len(front) :])
    place = _Place()
    for number, token in enumerate(tokens):
        if token.type == "inline":
            yield from _inline(tokens, number, place)
        else:
            yield from _step(token, place)


def _step(token: Token, place: _Place) -> Iterator[Block]:
    match token.type:
        case "blockquote_open" | "blockquote_close":
            place.quoted += token.nesting
        case "list_item_open":
            place.items.append(None)
            place.spans.append(_lines(token))
        case "list_item_close":
            place.items.pop()
            place.spans.pop()
        case "table_open":
            place.table = _Table()
        case "table_close":
            place.table = None
        case "thead_open" | "thead_close" if place.table is not None:
            place.table.in_head = token.nesting > 0
        case "tr_open" if place.table is not None:
            place.table.cells, place.table.lines = [], _lines(token)
        case "tr_close" if place.table is not None and not place.quoted:
            yield from _row(place.table, place)
        case _:
            pass


def _inline(tokens: Sequence[Token], number: int, place: _Place) -> Iterator[Block]:
    opened, said = tokens[number - 1], words_of(tokens[number])
    if opened.type == "heading_open":
        level = int(opened.tag[1:])
        place.headings = [one for one in place.headings if one[0] < level] + [(level, " ".join(said.split()))]
    elif opened.type in ("th_open", "td_open") and place.table is not None:
        place.table.cells.append(" ".join(said.split()))
    elif opened.type == "paragraph_open" and not place.quoted and said.strip():
        yield _paragraph(tokens[number], said, place)
        if place.items and place.items[-1] is None:
            place.items[-1] = " ".join(said.split())


def _paragraph(token: Token, said: str, place: _Place) -> Block:
    start, end = _lines(token)
    own = place.spans[-1] if place.spans else (start, end)
    return Block(
        line=start + 1,
        end_line=end,
        text=said,
        form=Form.BULLET if place.items else Form.SENTENCE,
        headings=place.titles,
        parents=tuple(item for item in place.items if item is not None),
        whole=own[0] == start and own[1] <= end + 1,
    )


def _row(table: _Table, place: _Place) -> Iterator[Block]:
    if table.in_head:
        table.heads = table.cells
        return
    for head, cell in zip(table.heads[1:], table.cells[1:], strict=False):
        if cell and head:
            yield Block(
                line=table.lines[0] + 1,
                end_line=table.lines[1],
                text=cell,
                form=Form.CELL,
                headings=place.titles,
                row=table.cells[0],
                column=head,
                whole=len(table.cells) == 2,  # noqa: PLR2004 - a label and its one value
            )


def words_of(inline: Token) -> str:
    """The words of a paragraph without their markup; code keeps its backticks, what is struck out goes."""
    said: list[str] = []
    struck = 0
    for child in inline.children or ():
        struck += child.nesting if child.type in ("s_open", "s_close") else 0
        if child.type in ("softbreak", "hardbreak"):
            said.append("\n")
        elif struck:
            continue
        elif child.type == "code_inline":
            said.append(f"`{child.content}`")
        elif child.type in ("text", "text_special", "image"):
            said.append(child.content)
    return "".join(said)


def _lines(token: Token) -> tuple[int, int]:
    start, end = token.map or (0, 0)
    return start, end
