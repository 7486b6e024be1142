"""Which words are their own stem, as far as their ending tells? Four of ten: for them no stemmer is loaded."""

from __future__ import annotations

from typing import Final

_CUT: Final = (
    *("'", "s", "e", "i", "y", "ed", "ing", "al", "ful", "ll", "ism", "ion", "er", "or", "ic", "ant", "ent", "ogist"),
)
"""Every rule of the algorithm asks for one of these at the end of a word; four words of ten have none of them."""


def is_own_stem(word: str) -> bool:
    """Whether no rule applies to a lower-case word, so that nothing has to be tried.

    >>> is_own_stem("postgres"), is_own_stem("budget")
    (False, True)
    """
    return not word.endswith(_CUT)
