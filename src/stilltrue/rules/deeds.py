"""Which claims of one subject does a sentence tell in one breath ("I left Siemens and joined Bosch last week")?

Answer: the ways to cut it in two, each part told in full. One predicate is read of a sentence, so that without the cut
the first would swallow the second. Cut are deeds that share their subject, and a verb that holds for two occasions
("I get up at 7, but on weekends at 9"); clauses with a subject each are `rules.clauses`. Left to others: whether the
parts say anything, and what they come to (`write.extract`).
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
_SPEAKERS: Final = frozenset({"i", "we", "you", "they"})
"""Subjects whose verbs have no ending in the present."""
_NOW: Final = re.compile(r"\b(?:now|instead)\b", re.IGNORECASE)
_FARTHEST: Final = 40  # words: no breath is longer
_LONGEST: Final = 300  # characters, likewise
_OCCASIONS: Final = re.compile(
    r"(?P<head>[^,;:]+?) (?P<link>at|in|with|by|from) (?P<value>[^,;:]{1,60}), (?:but|and|except|though) "
    r"(?P<when>(?:on|in|at|for|during) [^,;:]{1,40}?) (?P=link) (?P<other>[^,;:]{1,60})",
    re.IGNORECASE,
)


def two_deeds(text: str) -> Iterator[tuple[str, str]]:
    """Each way to cut a sentence into what its subject did first, and next, both told in full.

    >>> list(two_deeds("I left Siemens and joined Bosch last week."))
    [('I left Siemens', 'I joined Bosch last week.')]
    >>> list(two_deeds("We dropped Jenkins and Travis.")), list(two_deeds("She sings and dances."))
    ([], [])
    """
    found = words(text)[:_FARTHEST]
    verb = _first_verb(found)
    if not verb:
        return
    subject = text[found[0].start : found[verb - 1].end]
    bare = not _finite(found[verb].low)
    for at in range(verb + 2, len(found) - 1):
        if found[at].low not in {"and", "but", "then", "to"} or not _acts(text, found, at, bare=bare):
            continue
        first = text[: found[at - 1].start if found[at - 1].low == "," else found[at].start].rstrip()
        yield first, f"{subject} {text[found[at + 1].start :]}"


def two_occasions(text: str) -> tuple[str, str] | None:
    """One verb with a value for each of two occasions, as two claims.

    >>> two_occasions("I get up at 7, but on weekends at 9.")
    ('I get up at 7', 'I get up on weekends at 9.')
    >>> two_occasions("I live in Oslo, but in my heart I am in Rome.")
    """
    found = _OCCASIONS.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None or any(lemma_of(word.low) for word in words(found["when"])[1:]):
        return None
    head, link = found["head"], found["link"]
    return f"{head} {link} {found['value']}", f"{head} {found['when']} {link} {found['other']}"


def _first_verb(found: Sequence[Word]) -> int:
    """Where the first verb stands behind a subject of a few words; 0 where none does."""
    determiners = word_set("verbs", "determiners")
    for at in range(1, min(len(found), 6)):
        if found[at].low in determiners or found[at - 1].low in determiners:
            continue
        if _finite(found[at].low) or (found[at - 1].low in _SPEAKERS and lemma_of(found[at].low)):
            return at
    return 0


def _acts(text: str, found: Sequence[Word], at: int, *, bare: bool) -> bool:
    """Whether a verb of the same subject follows the joint, with something after it. `bare`: as the first one."""
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
    today = bare or bool(told) or _NOW.search(text[found[verb].end :]) is not None
    return being or (today and lemma_of(low) == low)


def _finite(low: str) -> bool:
    """Whether a word can only be a verb that tells something: "left", "joined", "works", not "work" or "working"."""
    lemma = lemma_of(low)
    return lemma is not None and (low != lemma or low == "quit") and not low.endswith("ing")
