"""Which words does a paragraph of Markdown hold, and on which of its lines does each stand?

Words lose their markup on the way, and some of it goes over the end of a line: a comment, code, the address of a link.
So the places are kept at which the file goes on to the next line although the words do not show it. Left to others:
which paragraphs there are (`audit.structure`), where one statement ends and another begins (`audit.paragraphs`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import backtick, html_inline, image, link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_LOST: Final = "lost"  # line breaks of the source that no text of a token shows
_SOURCE: Final = "source"  # the words of a code span with the line breaks in them
_BREAKS: Final = frozenset({"softbreak", "hardbreak"})


@dataclass(frozen=True, slots=True)
class Words:
    """`text` has a line break where the file goes to the next line between words; `unseen` holds other such places.

    `links`: where the links and pictures lead to, each with its place in the text.
    """

    text: str
    unseen: tuple[int, ...] = ()
    links: tuple[tuple[int, str], ...] = ()

    def line_of(self, start: int) -> int:
        """On which line (0 is the first) what begins at a place stands."""
        return self.text.count("\n", 0, start) + bisect_right(self.unseen, start)

    def line_before(self, end: int) -> int:
        """On which line what ends before a place stands."""
        return self.text.count("\n", 0, end) + bisect_left(self.unseen, end)

    def links_in(self, start: int, end: int) -> tuple[str, ...]:
        """Where the links between two places lead to."""
        return tuple(goal for place, goal in self.links if start <= place < end)

    def part(self, start: int, end: int) -> Words:
        """The words between two places."""
        unseen = tuple(place - start for place in self.unseen if start < place < end)
        links = tuple((place - start, goal) for place, goal in self.links if start <= place < end)
        return Words(self.text[start:end], unseen, links)


def words_of(children: Iterable[Token]) -> Words:
    r"""The words of a paragraph without their markup; code keeps its backticks, what is struck out goes.

    >>> said = words_of(tokens_of("Uses `a\nb` <!--\n--> here.")[1].children)
    >>> said.text, said.unseen, said.line_of(said.text.index("here"))
    ('Uses `a b`  here.', (7, 11), 2)
    """
    said, length, struck = [], 0, 0
    unseen: list[int] = []
    links: list[tuple[int, str]] = []
    for child in children:
        struck += child.nesting if child.type in ("s_open", "s_close") else 0
        shown = _shown(child, struck=bool(struck))
        source = child.meta.get(_SOURCE)
        if source is not None and shown:
            unseen += [length + 1 + place for place, char in enumerate(source) if char == "\n"]
        elif lost := child.meta.get(_LOST, 0) + (source or "").count("\n"):
            unseen += [length] * lost
        if goal := child.attrGet("href" if child.type == "link_open" else "src"):
            links.append((length, str(goal)))
        said.append(shown)
        length += len(shown)
    return Words("".join(said), tuple(unseen), tuple(links))


def _shown(child: Token, *, struck: bool) -> str:
    if child.type in _BREAKS:
        return "\n"
    if struck:
        return "\n" * child.content.count("\n") if child.type == "image" else ""
    if child.type == "code_inline":
        return f"`{child.content}`"
    return child.content if child.type in ("text", "text_special", "image") else ""


def tokens_of(text: str) -> Sequence[Token]:
    """What a text of Markdown is made of."""
    return _PARSER.parse(text)


def _counting(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """A rule of the parser whose tokens also tell which line breaks went into them."""

    def counted(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent and len(state.tokens) > before:
            _count(state, start, state.tokens[before:])
        return True

    return counted


def _count(state: StateInline, start: int, made: Sequence[Token]) -> None:
    last = made[-1]
    lost = state.src.count("\n", start, state.pos) - sum(map(_told, made))
    if not lost:
        return
    if last.type == "code_inline":
        inner = state.src[start + len(last.markup) : state.pos - len(last.markup)]
        last.meta[_SOURCE] = inner if len(inner) == len(last.content) else inner[1:-1]
        lost -= last.meta[_SOURCE].count("\n")
    last.meta[_LOST] = last.meta.get(_LOST, 0) + lost


def _told(token: Token) -> int:
    if token.type in _BREAKS:
        return 1
    held = token.content.count("\n") if token.type == "image" else 0
    return int(held + token.meta.get(_LOST, 0) + token.meta.get(_SOURCE, "").count("\n"))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name, rule in (("backticks", backtick), ("link", link), ("image", image), ("html_inline", html_inline)):
        parser.inline.ruler.at(name, _counting(rule))
    return parser


_PARSER: Final = _parser()
