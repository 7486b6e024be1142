"""How is a sentence cut into words for reading, and which of them carry nothing?

Words keep their place in the sentence, so that what is read can be quoted. Text is capped: what a sentence claims
stands in its first words, and a hostile one must not cost more than a short one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.patterns import late

MAX_CHARACTERS = 600  # longest part of a sentence that is read for a slot; the longest real ones here have about 300
_MARKUP = late(r"\*\*|__(?=\w)|(?<=\w)__|`|~~|^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s*#{1,6}\s+|^\s*>\s?")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "→": "→", "–": "-", " ": " "})
_WORD = late(
    r"""
    (?:https?://|www\.)[^\s,;)]{1,200}                   # addresses
    | [\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}(?<!\.)     # mail addresses
    | \b(?:AB|A|B|O)[+-](?=\s|\.|,|$)                       # blood groups
    | ->|=>|<=|>=|→|—
    | n't\b | '(?:s|m|re|ve|ll|d)\b
    | \w+n't\b
    | [$€£¥#@/.]?\w+(?:[.,:/+@&_\-](?=\w)\w+)*(?:\+\+|\#|%|/|/\*)?
    | \S
    """,
    re.VERBOSE,
)


class Word(NamedTuple):
    """A word of a sentence: as written, lower case, and where it stands."""

    text: str
    low: str
    start: int
    end: int

    @property
    def named(self) -> bool:
        """Whether it starts like a name: with a capital or a figure."""
        return self.text[:1].isupper() or self.text[:1].isdigit()


def plain(text: str) -> str:
    """The sentence without markdown marks and with straight quotes; every character keeps its place.

    >>> plain("**Coverage target:** 80%")
    '  Coverage target:   80%'
    """
    return _MARKUP.sub(lambda found: " " * len(found.group()), text[:MAX_CHARACTERS].translate(_QUOTES))


def words(text: str) -> list[Word]:
    """The words of plain text.

    >>> [word.low for word in words("Ada's cache isn't at v1.2, it's 5,000 req/s")]
    ['ada', "'s", 'cache', "isn't", 'at', 'v1.2', ',', 'it', "'s", '5,000', 'req/s']
    """
    return [Word(word := found.group(), word.lower(), *found.span()) for found in _WORD.finditer(text)]


@cache
def word_set(lexicon_name: str, table: str) -> frozenset[str]:
    """The words of one table of a lexicon."""
    return frozenset(lexicon(lexicon_name)[table]["words"])


def joined(found: list[Word] | tuple[Word, ...]) -> str:
    """Lower-case words with single spaces; clitics stand with the word before.

    >>> joined(words("Ada's  Dog"))
    "ada's dog"
    """
    return re.sub(r"\s+('(?:s|m|re|ve|ll|d)\b)", r"\1", " ".join(word.low for word in found))
