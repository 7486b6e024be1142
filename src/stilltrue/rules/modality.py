"""In which voice is it said: is it claimed, ordered, remembered, planned, supposed, asked or heard?

The patterns and why they are there stand in lexicon/modality.toml. What is claimed is `rules.slots`' question.
"""

from __future__ import annotations

import re
from functools import cache

from stilltrue.model.fact import Modality
from stilltrue.rules.lexicons import lexicon

_MARKS = re.compile(r"\*\*|`|^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s*#{1,6}\s+")
_SPACE = re.compile(r"\s+")
_MAX = 600  # the voice of a sentence shows in its first words
_VOICES = {"decision": Modality.ASSERTION}
_PIECES = re.compile(r"\s*[,.!;]+\s+|\s+[—–-]+\s+")
_QUOTED = re.compile(r"`[^`]{0,200}`|\"[^\"]{0,200}\"|“[^”]{0,200}”")


def _flat(sentence: str) -> str:
    text = sentence[:_MAX].replace("’", "'").replace("‘", "'").lower()
    return _SPACE.sub(" ", _MARKS.sub(" ", text)).strip()


@cache
def _patterns(table: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    entry = lexicon("modality")[table]
    look_alikes = "|".join(f"(?:{pattern})" for pattern in entry["not"])
    return re.compile("|".join(f"(?:{p})" for p in entry["patterns"])), re.compile(look_alikes) if look_alikes else None


def _fires(table: str, text: str) -> bool:
    pattern, look_alikes = _patterns(table)
    if look_alikes is not None:
        text = look_alikes.sub(" \x00 ", text)
    return pattern.search(text) is not None


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
