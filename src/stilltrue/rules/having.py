"""What does "X has a NOUN of VALUE" say? The same as "the NOUN of X is VALUE", and is brought to the same slot.

So are "X has a VALUE NOUN" ("has a 30 second timeout") and, without a value, "X has no NOUN", "no longer has a NOUN".
Only nouns of measured attributes are read so; what else somebody has is `rules.predicates`' question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.slot import Cardinality
from stilltrue.rules.noun_phrases import Named, name_slot
from stilltrue.rules.predicates import SEARCH_WORDS, before_verb
from stilltrue.rules.reading import NUMERIC, Claim, Frame, number_at, value_of, value_words
from stilltrue.rules.verbs import is_past, lemma_of
from stilltrue.rules.words import Word, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.slot import Value

_NOUN_WORDS = 5  # longest noun between "a" and "of"


def having(claim: Claim) -> Frame | None:
    """The slot of a measured attribute that something is said to have.

    >>> from stilltrue.rules.claims import claim_of
    >>> from datetime import UTC, datetime
    >>> def read(text):
    ...     return having(claim_of(text, datetime(2025, 1, 1, tzinfo=UTC), "UTC", None).claim)
    >>> read("The auth API has a rate limit of 5 req/s").attribute, read("It has a 5 s timeout").value.key
    ('rate_limit', '5 s')
    >>> read("Ada has a dog") is None
    True
    """
    words = claim.core
    at = next(
        (n for n, w in enumerate(words[:SEARCH_WORDS]) if n and lemma_of(w.low) == "have" and w.low != "'s"), None
    )
    if at is None:
        return None
    subject = before_verb(words, at)
    rest = _without_determiners(words[at + 1 :])
    if not subject or not rest or (is_past(rest[0].low) and lemma_of(rest[0].low)):
        return None
    return _of_value(claim, subject, rest) or _value_first(claim, subject, rest) or _without(claim, subject, rest)


def _without_determiners(found: Sequence[Word]) -> list[Word]:
    passed = word_set("verbs", "determiners") | word_set("verbs", "fillers") | word_set("verbs", "negations")
    start = next((n for n, word in enumerate(found) if word.low not in passed), len(found))
    return list(found[start:])


def _measured(subject: Sequence[Word], noun: Sequence[Word]) -> Named | None:
    """The slot of a noun as in "SUBJECT's NOUN", if it is listed as a measured attribute."""
    named = name_slot([*subject, Word("'s", "'s", 0, 0), *noun])
    return named if named and named.known and named.known.type in NUMERIC else None


def _of_value(claim: Claim, subject: list[Word], rest: list[Word]) -> Frame | None:
    of = next((n for n, word in enumerate(rest[: _NOUN_WORDS + 1]) if n and word.low == "of"), None)
    named = _measured(subject, rest[:of]) if of else None
    if of is None or named is None:
        return None
    value = value_of(claim, rest[of + 1 :], named.known)
    return _frame(named, subject, value) if value else None


def _value_first(claim: Claim, subject: list[Word], rest: list[Word]) -> Frame | None:
    number = number_at(claim, rest[0].start, rest[0].end)
    place = next((span for span in claim.numbers if span[2] is number), None) if number else None
    if number is None or place is None:
        return None
    noun = value_words([word for word in rest if word.start >= place[1]], name=True)[:_NOUN_WORDS]
    named = _measured(subject, noun) if noun else None
    return _frame(named, subject, number) if named else None


def _without(claim: Claim, subject: list[Word], rest: list[Word]) -> Frame | None:
    noun = value_words(rest, name=True)[:_NOUN_WORDS]
    named = _measured(subject, noun) if claim.negated and noun else None
    return _frame(named, subject, None, negated=True) if named else None


def _frame(named: Named, subject: list[Word], value: Value | None, *, negated: bool | None = None) -> Frame:
    return Frame(list(named.owner) or subject, named.attribute, value, Cardinality.ONE, named.known, negated)
