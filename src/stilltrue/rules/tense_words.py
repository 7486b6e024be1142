"""Does a sentence speak of what was or of what will be, as far as its dates go?

Answer: `leans`, for each token of a text, and `is_perfect`, which tells "has lived here for two years" from "lived here
for two years". The voice of a statement (plan, past, hearsay) is `rules.modality`'s business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.rules.civil import word_at
from stilltrue.rules.periods import Lean

if TYPE_CHECKING:
    from stilltrue.rules.civil import Token

_LOOK_BACK = 15  # tokens between "has" and "for two years" in the longest clause that people write
_STOPS = (".", "!", "?", ";")
_FUTURE = frozenset(
    (
        *("will", "shall", "gonna", "going", "plan", "plans", "planned", "planning", "scheduled", "upcoming", "intend"),
        *("intends", "expects", "expected", "due", "tomorrow", "soon", "won't", "aims", "hope", "hopes", "must"),
        *("should", "would"),
    )
)
_PAST = frozenset(
    (
        *("was", "were", "had", "did", "didn't", "went", "got", "took", "began", "became", "met", "came", "made"),
        *("said", "told", "saw", "ate", "bought", "left", "gave", "found", "quit", "sold", "wrote", "ran", "flew"),
        *("drove", "won", "lost", "built", "sent", "spent", "thought", "taught", "felt", "fell", "grew", "knew"),
        *("spoke", "broke", "chose", "woke", "rode", "swam", "paid", "kept", "held", "heard", "wasn't", "weren't"),
        *("hadn't", "used", "ago", "yesterday", "born", "been", "gone", "done"),
    )
)
_NOT_PAST_ED = frozenset(
    (
        *("need", "speed", "feed", "seed", "breed", "embed", "exceed", "proceed", "succeed", "based", "indeed"),
        *("hundred", "married", "interested", "excited", "allowed", "required", "banned", "scheduled", "planned"),
        *("expected", "supposed", "deprecated", "limited", "located", "called", "named"),
    )
)
_BE = ("am", "is", "are", "i'm", "we're", "they're", "you're", "he's", "she's", "it's")
_HAVE = ("has", "have", "haven't", "hasn't", "having")
_PARTICIPLES = _PAST | {"known", "run", "worn", "taken", "seen", "given", "driven", "written", "spoken", "slept"}


def leans(tokens: list[Token]) -> list[Lean]:
    """Which way the sentence around each token leans: a word of the future outweighs those of the past.

    >>> from stilltrue.rules.civil import tokenize
    >>> [lean.value for lean in leans(tokenize("Moved in. Will leave."))]
    ['past', 'past', 'past', 'future', 'future', 'future']
    >>> {lean.value for lean in leans(tokenize("We need the red bed in May"))}
    {'neither'}
    """
    found: list[Lean] = []
    begin = 0
    while begin < len(tokens):
        end = next((at + 1 for at in range(begin, len(tokens)) if tokens[at].word in _STOPS), len(tokens))
        found += [_lean(tokens, begin, end)] * (end - begin)
        begin = end
    return found


def _lean(tokens: list[Token], begin: int, end: int) -> Lean:
    lean = Lean.NEITHER
    for at in range(begin, end):
        word = tokens[at].word
        if word in _FUTURE or word.endswith("'ll") or (word in _BE and word_at(tokens, at + 1).endswith("ing")):
            return Lean.FUTURE
        if word in _PAST or (len(word) > 4 and word.endswith("ed") and word not in _NOT_PAST_ED):  # noqa: PLR2004 - need
            lean = Lean.PAST
    return lean


def is_perfect(tokens: list[Token], at: int) -> bool:
    """Whether the clause before token `at` is in the present perfect: what it tells of reaches up to now.

    >>> from stilltrue.rules.civil import tokenize
    >>> is_perfect(tokenize("She's worked there for"), 3), is_perfect(tokenize("I have been here for"), 4)
    (True, True)
    >>> is_perfect(tokenize("She has a contract for"), 4), is_perfect(tokenize("I lived there for"), 3)
    (False, False)
    """
    for place in range(at - 1, max(at - _LOOK_BACK, 0) - 1, -1):
        word = tokens[place].word
        if word in _STOPS:
            return False
        if word in _HAVE or word.endswith(("'ve", "'s")):
            nearby = [word_at(tokens, place + step) for step in (1, 2, 3)]
            if any(_is_participle(near) for near in (nearby[:1] if word.endswith("'s") else nearby)):
                return True
    return False


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith(("ed", "en")))  # noqa: PLR2004 - "need", "open"
