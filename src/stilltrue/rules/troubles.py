"""Does a sentence report that something is wrong? So that "That fixed it." can end what was reported in the same talk.

Answers from named data (`lexicon/troubles.toml`). Which reports a fix is about, by topic and time, is `write.recall`'s.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.text import tokens

_INTRODUCES: Final = "doing"
"""Verbs that introduce a trouble are none by themselves: "we are seeing good numbers"."""


def reports_trouble(text: str) -> bool:
    """Whether the sentence reports a trouble that could be fixed.

    >>> reports_trouble("The Stripe webhook is failing in production")
    True
    >>> reports_trouble("Errors are logged with structlog and never raised") or reports_trouble("No errors so far")
    False
    """
    words = tokens(text)
    found = [place for place, word in enumerate(words) if word in trouble_words()]
    if not found or any(_is_denied(words, place) for place in found):
        return False
    return any(_is_present(words, place) for place in found)


@cache
def trouble_words() -> frozenset[str]:
    """All words that name a trouble."""
    families = lexicon("troubles")
    return frozenset(word for name, family in families.items() if name != _INTRODUCES for word in family["words"])


@cache
def _introducing() -> frozenset[str]:
    return frozenset(lexicon("troubles")[_INTRODUCES]["words"])


_DENIALS: Final = frozenset({"no", "not", "never", "without", "zero", "if", "when", "whenever", "avoid", "prevent"})
_REACH: Final = 3  # words before a trouble word in which a denial or condition is about it
_STATES: Final = frozenset(
    {"is", "are", "was", "were", "be", "been", "has", "have", "starts", "started", "keeps", "kept"}
)


def _is_denied(words: tuple[str, ...], place: int) -> bool:
    return any(word in _DENIALS for word in words[max(0, place - _REACH) : place])


def _is_present(words: tuple[str, ...], place: int) -> bool:
    """Said of something here and now: after a form of be/have/keep, an introducing verb, or as the predicate itself."""
    before = words[:place]
    introduced = any(word in _introducing() for word in before)
    predicated = any(word in _STATES for word in before)
    return introduced or predicated or (words[place] in {"fails", "crashes", "hangs", "breaks"} and place > 0)
