"""Does a sentence report that something is wrong, or that it is over? So that "That fixed it." ends what was reported.

Answers from named data (`lexicon/troubles.toml`). Which reports a fix is about, by talk, speaker and time, is
`write.recall`'s.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.text import tokens

_INTRODUCES: Final = "doing"
"""Verbs that introduce a trouble are none by themselves: "we are seeing good numbers"."""
_SHOWING: Final = "showing"
"""Verbs that tell a symptom only beside a report."""


def reports_trouble(text: str) -> bool:
    """Whether the sentence reports a trouble that could be fixed.

    >>> reports_trouble("The Stripe webhook is failing in production")
    True
    >>> reports_trouble("Errors are logged with structlog and never raised") or reports_trouble("No errors so far")
    False
    """
    words = tokens(text)
    if words[:1] and words[0] in _CONDITIONS:
        return False
    found = [place for place, word in enumerate(words) if word in trouble_words()]
    if not found or any(_is_denied(words, place) for place in found):
        return False
    return any(_is_present(words, place) for place in found)


def is_symptom(text: str) -> bool:
    """Whether a sentence, said along with a report, goes on telling what is wrong: it happens now, where it should not.

    >>> is_symptom("Events are showing up on the previous day"), is_symptom("We're using Redis 7")
    (True, False)
    """
    words = tokens(text)
    shown = frozenset(lexicon("troubles")[_SHOWING]["words"])
    return reports_trouble(text) or any(
        word in shown and words[place - 1] in _PRESENT for place, word in enumerate(words) if place
    )


def is_resolution(text: str) -> bool:
    """Whether a sentence says no more than that the trouble under discussion is over.

    >>> is_resolution("That fixed it."), is_resolution("No more timeouts!"), is_resolution("Huge improvement.")
    (True, True, True)
    >>> is_resolution("That fixed price is 5 EUR"), is_resolution("No more meat for me")
    (False, False)
    """
    return _first_of(("fixed", "gone", "eased"), text)


def is_relief(text: str) -> bool:
    """Whether a resolution only says that things go better: it ends a report of slowness and no other.

    >>> is_relief("Huge improvement."), is_relief("That fixed it.")
    (True, False)
    """
    return _first_of(("eased",), text)


def reports_slowness(text: str) -> bool:
    """Whether the trouble reported is that something takes too long.

    >>> reports_slowness("The product list is slow"), reports_slowness("The webhook is failing")
    (True, False)
    """
    return bool(frozenset(lexicon("troubles")["slow"]["words"]) & set(tokens(text))) and reports_trouble(text)


def hindrance(text: str) -> str | None:
    """What a sentence says stands in the way of something else, as it names it; None where it says no such thing.

    >>> hindrance("The Stripe integration is the main blocker for the checkout"), hindrance("The port is blocked")
    ('The Stripe integration', None)
    """
    plain = text.replace("’", "'").strip()
    hit = next((found for pattern in _patterns("hindering") if (found := pattern.match(plain.lower()))), None)
    return plain[: hit.end("what")] if hit else None


def _first_of(tables: tuple[str, ...], text: str) -> bool:
    plain = text.replace("’", "'").strip().lower()
    return any(pattern.match(plain) for table in tables for pattern in _patterns(table))


@cache
def _patterns(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in lexicon("troubles")[table]["patterns"])


@cache
def trouble_words() -> frozenset[str]:
    """All words that name a trouble."""
    families = lexicon("troubles")
    return frozenset(
        word
        for name, family in families.items()
        if name not in {_INTRODUCES, _SHOWING}
        for word in family.get("words", ())
    )


@cache
def _introducing() -> frozenset[str]:
    return frozenset(lexicon("troubles")[_INTRODUCES]["words"])


_DENIALS: Final = frozenset({"no", "not", "never", "without", "zero", "if", "when", "whenever", "avoid", "prevent"})
_CONDITIONS: Final = frozenset({"if", "when", "whenever", "unless", "should", "once"})
_PRESENT: Final = frozenset({"is", "are", "am", "keeps", "keep", "still", "also", "now", "just"})
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
