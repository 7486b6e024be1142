"""In which voice is it said: is it claimed, ordered, remembered, planned, supposed, asked or heard?

The patterns and why they are there stand in lexicon/modality.toml. What is claimed is `rules.slots`' question.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.model.fact import Modality
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.patterns import late

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS = late(r"\*\*|`|^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s*#{1,6}\s+")
_SPACE = late(r"\s+")
_MAX = 600  # the voice of a sentence shows in its first words
_VOICES = {"decision": Modality.ASSERTION}
_PIECES = late(r"(?:(?<!\s)\s++)?+(?<![,.!;])[,.!;]++\s++|(?<!\s)\s++[—–-]++\s++")
_ATOMS = late(r"\\.|\[(?:\\.|[^\]\\])*\]")  # escaped characters and classes
_BRACKETS = late(r"\([^()]*\)")
_QUOTED = late(r"`[^`]{0,200}`|\"[^\"]{0,200}\"|“[^”]{0,200}”")


def _flat(sentence: str) -> str:
    text = sentence[:_MAX].replace("’", "'").replace("‘", "'").lower()
    return _SPACE.sub(" ", _MARKS.sub(" ", text)).strip()


class _Table(NamedTuple):
    """The patterns of a voice by where they may begin, which spares most places most of them."""

    opening: re.Pattern[str] | None
    at_a_word: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None
    look_alikes: re.Pattern[str] | None


@cache
def _table(name: str) -> _Table:
    entry = lexicon("modality")[name]
    single = [pattern for pattern in entry["patterns"] if _is_single(pattern)]
    opening = [pattern for pattern in single if pattern.startswith("^")]
    at_a_word = [pattern for pattern in single if pattern.startswith(r"\b")]
    rest = [pattern for pattern in entry["patterns"] if pattern not in {*opening, *at_a_word}]
    begun = [pattern.removeprefix(r"\b") for pattern in at_a_word]
    return _Table(_any_of(opening), _any_of(begun, r"\b"), _any_of(rest), _any_of(entry["not"]))


def _any_of(patterns: Sequence[str], before: str = "") -> re.Pattern[str] | None:
    return re.compile(f"{before}(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})") if patterns else None


def _is_single(pattern: str) -> bool:
    r"""Whether no "or" stands outside brackets, so that what a pattern begins with holds for all of it.

    >>> _is_single(r"^(?:if|in case)\b[|(]"), _is_single(r"\b(?:a|b)|c")
    (True, False)
    """
    bare = _ATOMS.sub("", pattern)
    while (shorter := _BRACKETS.sub("", bare)) != bare:
        bare = shorter
    return "|" not in bare


def _fires(name: str, text: str) -> bool:
    table = _table(name)
    if table.look_alikes is not None:
        text = table.look_alikes.sub(" \x00 ", text)
    return bool(
        (table.opening and table.opening.match(text))
        or (table.at_a_word and table.at_a_word.search(text))
        or (table.anywhere and table.anywhere.search(text))
    )


def modality(sentence: str) -> Modality:
    """The voice of a sentence's main clause.

    >>> modality("I used to live in Paris").value, modality("I'm used to the noise").value
    ('past', 'assertion')
    >>> modality("I'm thinking of moving to Rome").value, modality("Let's switch to Postgres").value
    ('plan', 'assertion')
    """
    text = _flat(sentence)
    unquoted = _QUOTED.sub(" x ", text)
    for table in lexicon("modality")["order"]:
        if _fires(table, text if table == "question" else unquoted):
            return _VOICES.get(table) or Modality(table)
    return Modality.ASSERTION


def is_chatter(sentence: str) -> bool:
    """Whether a sentence says nothing worth keeping (greetings, thanks, acknowledgements, announcements).

    A sentence of several such pieces says no more than each of them.

    >>> is_chatter("Sounds good, thanks!"), is_chatter("Sure, sounds good."), is_chatter("Good coffee is my vice")
    (True, True, False)
    >>> is_chatter("Sure, we use Postgres.")
    False
    """
    text = _flat(sentence).strip(" .!?:;,—-*_")
    if not any(char.isalnum() for char in text) or _fires("chatter", text):
        return True
    pieces = _PIECES.split(text)
    return len(pieces) > 1 and all(not piece or _fires("chatter", piece) for piece in pieces)
