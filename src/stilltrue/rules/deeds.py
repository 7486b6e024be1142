"""Who ended something: what did they do next, in the same breath ("I left Siemens and joined Bosch last week")?

Answer: the sentence as two of one subject, the end and the deed after it. One predicate is read of a sentence, so that
without the cut an end would swallow what was told along with it. Cut are clauses that share their subject; those with a
subject each are `rules.clauses`. Left to others: whether the first is an end, and what the two come to
(`write.extract`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.rules.verbs import lemma_of
from stilltrue.rules.words import word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.rules.words import Word

_ADVERBS: Final = frozenset({"now", "then", "instead", "also", "finally", "just", "already", "recently", "since"})
_BE_HAVE: Final = frozenset({"am", "is", "are", "'m", "'re", "'ve", "have", "has"})
_PURPOSES: Final = frozenset({"join", "start", "work", "become", "use"})
"""Base forms that after "to" tell a deed that came with the end ("left Siemens to join Bosch")."""
_NOW: Final = re.compile(r"\b(?:now|instead)\b", re.IGNORECASE)
_FARTHEST: Final = 40  # words: no breath is longer


def end_and_deed(text: str) -> Iterator[tuple[str, str]]:
    """Each way to cut a sentence into what its subject did first, and next, both told in full.

    >>> list(end_and_deed("I left Siemens and joined Bosch last week."))
    [('I left Siemens', 'I joined Bosch last week.')]
    >>> list(end_and_deed("We dropped Jenkins and Travis.")), list(end_and_deed("She sings and dances."))
    ([], [])
    """
    found = words(text)[:_FARTHEST]
    verb = _first_verb(found)
    if not verb:
        return
    subject = text[found[0].start : found[verb - 1].end]
    for at in range(verb + 2, len(found) - 1):
        if found[at].low not in {"and", "but", "then", "to"} or not _acts(text, found, at):
            continue
        first = text[: found[at - 1].start if found[at - 1].low == "," else found[at].start].rstrip()
        yield first, f"{subject} {text[found[at + 1].start :]}"


def _first_verb(found: Sequence[Word]) -> int:
    """Where the first verb stands behind a subject of a few words; 0 where none does."""
    determiners = word_set("verbs", "determiners")
    for at in range(1, min(len(found), 6)):
        if found[at].low not in determiners and found[at - 1].low not in determiners and _finite(found[at].low):
            return at
    return 0


def _acts(text: str, found: Sequence[Word], at: int) -> bool:
    """Whether a verb of the same subject follows the joint, with something after it."""
    verb = at + 1
    if found[at].low == "to":
        return lemma_of(found[verb].low) in _PURPOSES and found[verb].low == lemma_of(found[verb].low)
    while verb < len(found) - 1 and found[verb].low in _ADVERBS | _BE_HAVE:
        verb += 1
    if verb == len(found) - 1:
        return False
    low, told = found[verb].low, found[at + 1 : verb]
    if _finite(low):
        return True
    being = any(word.low in _BE_HAVE for word in told) and (low.endswith("ing") or lemma_of(low) is not None)
    today = bool(told) or _NOW.search(text[found[verb].end :]) is not None
    return being or (today and lemma_of(low) == low)


def _finite(low: str) -> bool:
    """Whether a word can only be a verb that tells something: "left", "joined", "works", not "work" or "working"."""
    lemma = lemma_of(low)
    return lemma is not None and (low != lemma or low == "quit") and not low.endswith("ing")
