"""Is this word a noun here, though it looks like a verb? "The orders API", "the launch date is", "deploys need".

Many words are both, and a noun read as a verb puts a statement into a slot that has nothing to do with it. The
neighbours decide: what stands before a noun, and the finite verb that follows one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.rules.verbs import is_past, lemma_of
from stilltrue.rules.words import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.rules.words import Word

_FINITE = frozenset(
    {"is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "has", "have", "had", "hasn't", "haven't",
     "must", "may", "should", "will", "can", "cannot", "can't", "won't", "mustn't", "shouldn't", "do", "does", "don't",
     "doesn't", "did", "didn't", "need", "needs", "went", "becomes", "became"}
)  # fmt: skip
"""After a noun these carry the claim, so the word before them does not: "the launch date is", "deploys need"."""

_BEFORE_NOUN = frozenset(
    {"a", "an", "the", "this", "these", "those", "my", "our", "your", "his", "her", "their", "its", "of", "each",
     "every", "some", "any", "new", "old", "current", "daily", "weekly", "monthly", "first", "last", "next", "best",
     "main", "default", "favourite", "favorite"}
)  # fmt: skip
"""Determiners and adjectives: what follows them is no finite verb."""

_IS = frozenset({"it", "that", "there", "he", "she", "here", "this", "what", "everything", "who"})
"""After these 's is a verb: "it's", "there's"; after any other word it is a possessive …"""
_IS_BEFORE = frozenset(
    {
        "been",
        "not",
        "a",
        "an",
        "the",
        "now",
        "on",
        "at",
        "in",
        "no",
        "called",
        "my",
        "our",
        "still",
        "moved",
        "back",
        "gone",
    }
)
"""… unless one of these follows: "Ada's on call", "Ben's moved"."""


def is_noun_here(words: Sequence[Word], at: int) -> bool:
    """Whether the word at `at`, which may be a form of a verb, stands where only a noun can.

    >>> from stilltrue.rules.words import words
    >>> is_noun_here(words("The orders API is REST-based"), 1), is_noun_here(words("The launch date is 5 May"), 2)
    (True, True)
    >>> is_noun_here(words("Ada orders books"), 1), is_noun_here(words("Ada's dog is six"), 1)
    (False, True)
    """
    word = words[at]
    before = words[at - 1].low if at else ""
    after = words[at + 1].low if at + 1 < len(words) else ""
    if word.low == "'s":
        return before not in _IS and after not in _IS_BEFORE
    lemma = lemma_of(word.low)
    if lemma in {None, "be", "have", "do"}:
        return False
    if before in _BEFORE_NOUN or (before == "'s" and is_noun_here(words, at - 1)):
        return not _quantified(words, at)
    if at == 0 and _heads_a_phrase(words):
        return True
    bare = not is_past(word.low) or word.low == lemma
    follower = words[_after_fillers(words, at + 1)].low if _after_fillers(words, at + 1) < len(words) else ""
    return bare and not word.low.endswith("ing") and follower in _FINITE and not (at and follower in {"do", "have"})


def _heads_a_phrase(words: Sequence[Word]) -> bool:
    """As in "Code reviews need one approval", "Releases go out on Thursdays": the verb comes after the noun."""
    lows = [word.low for word in words[:3]]
    if len(lows) > 2 and lows[2] in _FINITE - {"have", "do", "can"} and lows[1] not in word_set("verbs", "determiners"):  # noqa: PLR2004
        return lows[0] == lemma_of(lows[0]) and lows[1].isalpha()
    return (
        len(lows) > 1
        and lows[0].endswith("s")
        and lows[1] in {"go", "run", "come", "take", "require", "start", "expire"}
    )


def _quantified(words: Sequence[Word], at: int) -> bool:
    """As in "each runs on", "some use vim": a pronoun of number before a verb is its subject."""
    return words[at - 1].low in {"each", "some", "this"} and at == 1


def _after_fillers(words: Sequence[Word], at: int) -> int:
    while at < len(words) and words[at].low in word_set("verbs", "fillers"):
        at += 1
    return at
