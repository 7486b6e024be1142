"""Where does one claim of a sentence end and the next begin?

Coordinate clauses are cut where each has a subject and a verb of its own; a list after a shared verb stays whole. What
only announces a claim ("A few more preferences:", "Got it — ") is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stilltrue.rules.departures import corrects_at
from stilltrue.rules.verbs import lemma_of
from stilltrue.rules.words import word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|yet|though|however,?|so)\s+(?:now\s+|then\s+|also\s+)?|\s+(?:and|but)\s+(?:now\s+|then\s+|also\s+)?|\s+[—–]\s+"
)
_SUBJECTS = frozenset({"i", "we", "user", "he", "she", "they", "it", "you", "this", "that", "there"})
_LEADING = frozenset(
    {"the", "my", "our", "his", "her", "their", "its", "a", "an", "all", "every", "each", "users", "orders", "no"}
)
_MAX = 2_000  # longer sentences are left whole: what is joined there is no prose
_SUBORDINATE = re.compile(
    r"^\s*(?:if|when|whenever|while|unless|although|because|since|after|before|until|once|as soon as|not|either|both|"
    r"between|from)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\s*(?:(?:also|and|plus|note|remember|reminder|tip|important|fyi|confirmed|got it|gotcha|done|yes|yep|yeah|sure|"
    r"ok|okay|right|correct|exactly|noted|understood|perfect|great|good|nice|agreed|added)\s*(?::|\s[—–-]|[—–])\s+"
    r"|(?:a few|some|several|one|two|three|four|another|\d)(?: more| other| last| quick)? (?:things?|preferences?|"
    r"notes?|reasons?|points?|rules?|conventions?|requests?)\b[^:.!?;`]{0,60}:\s+"
    r"|for (?:future |your )?reference:\s+)+",
    re.IGNORECASE,
)
_OPEN = '([{"“'
_CLOSE = ')]}"”'


def clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the claims in the sentence [start, end) of `text`.

    >>> line = "I live in Oslo and I work at Equinor, but we use FastAPI, Redis and Postgres."
    >>> [line[a:b] for a, b in clauses(line, 0, len(line))]
    ['I live in Oslo', 'I work at Equinor', 'we use FastAPI, Redis and Postgres.']
    >>> line = "A few more preferences to add: named exports for all components"
    >>> [line[a:b] for a, b in clauses(line, 0, len(line))]
    ['named exports for all components']
    """
    if end - start > _MAX:
        yield start, end
        return
    announced = _ANNOUNCES.match(text, start, end)
    first = announced.end() if announced and announced.end() < end else start
    for hit in _JOINT.finditer(text, start, end):
        if hit.start() <= first or _inside(text, first, hit.start()):
            continue
        before, after = text[first : hit.start()], text[hit.end() : end]
        if (
            _stands(before)
            and _opens(after, strict=not hit.group().startswith((";", ",")))
            and not _SUBORDINATE.match(before)
            and not corrects_at(text[first:end], hit.start() - first)
        ):
            yield first, hit.start()
            first = hit.end()
    if first < end:
        yield first, end


def _inside(text: str, first: int, at: int) -> bool:
    part = text[first:at]
    return (
        any(part.count(o) > part.count(c) for o, c in zip(_OPEN[:3], _CLOSE[:3], strict=True))
        or part.count('"') % 2 == 1
        or part.count("`") % 2 == 1
    )


def _verb_at(found: list[str]) -> int | None:
    auxiliaries = word_set("verbs", "auxiliaries")
    determiners = word_set("verbs", "determiners")
    for at, low in enumerate(found[:9]):
        if at == 0 or found[at - 1] in determiners:
            continue
        if (low in auxiliaries and low not in {"to", "'s", "let", "lets"}) or (
            low == "'s" and found[at - 1] in _SUBJECTS
        ):
            return at
        lemma = lemma_of(low)
        if lemma and (low != lemma or found[at - 1] in _SUBJECTS or found[at - 1].endswith("s")):
            return at
    return None


def _stands(before: str) -> bool:
    """Whether the words before a joint are a claim: a subject and a verb, or "KEY: VALUE", or an order."""
    found = [word.low for word in words(before[-300:])]
    return len(found) > 1 and (_verb_at(found) is not None or lemma_of(found[0]) is not None)


def _opens(after: str, *, strict: bool) -> bool:
    """Whether the words after a joint begin with a subject and its verb."""
    found = [word.low for word in words(after[:160])]
    if len(found) < 2:  # noqa: PLR2004 - a subject and a verb
        return False
    at = _verb_at(found)
    if at is None or any(low in {",", "so", "that", "which", "who", "when", "if"} for low in found[:at]):
        return False
    head = words(after[:60])[0]
    named = found[0] in _SUBJECTS or found[0] in _LEADING or head.text[:1].isupper()
    return named or (not strict and at <= 3)  # noqa: PLR2004 - "orders are …" after a semicolon or comma
