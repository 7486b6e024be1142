"""Which claims of a language model's reply stand in the episode?

Answer: those whose quote is in the episode letter for letter and whose value, if any, is too. Each claim is checked by
itself; one that fails is dropped, never mended.

Left to others: finding the JSON (``.replies``), what becomes of a claim (``stilltrue.write``).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from stilltrue.inference.replies import ReplyError, items_in, shown
from stilltrue.model.episode import Span
from stilltrue.model.expert import Claim
from stilltrue.model.fact import Modality

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant

LONGEST_CLAIM: Final = 500  # characters of a statement; the longest sentence of a person is shorter
LONGEST_NAME: Final = 120  # characters of a subject, attribute or value
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def claims(text: str, episode: str) -> tuple[Claim, ...]:
    """The claims that hold up, in the order given. Raises ReplyError where the reply is unusable or none holds up.

    >>> item = '"subject": "User", "attribute": "home", "value": null, "modality": "assertion", "negated": false'
    >>> reply = '{"claims": [{"text": "User lives in Graz.", "quote": "live in Graz", %s, ' % item
    >>> reply += '"valid_from": null, "valid_until": null}]}'
    >>> [claim.span for claim in claims(reply, "I live in Graz.")]
    [Span(start=2, end=14)]
    >>> claims(reply, "I live in Linz.")
    Traceback (most recent call last):
    ...
    stilltrue.inference.replies.ReplyError: no claim had a quote that is in the message letter for letter, and every \
field in its form
    """
    items = items_in(text, "claims")
    taken: dict[str, int] = {}
    read = [_claim(item, episode, taken) for item in items]
    clean = tuple(claim for claim in read if claim is not None)
    if items and not clean:
        raise ReplyError("no claim had a quote that is in the message letter for letter, and every field in its form")
    return clean


def _claim(item: dict[str, Any], episode: str, taken: dict[str, int]) -> Claim | None:
    """The claim, or None. `taken` remembers where the search for each quote goes on, for words said twice."""
    try:
        made = Claim(
            text=_words(item["text"], LONGEST_CLAIM),
            span=_span(item["quote"], episode, taken),
            subject=_words(item["subject"], LONGEST_NAME),
            attribute=_words(item["attribute"], LONGEST_NAME),
            value=_value(item["value"], episode),
            modality=Modality(item["modality"]),
            negated=_truth(item["negated"]),
            valid_from=_date(item["valid_from"]),
            valid_until=_date(item["valid_until"]),
        )
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
    backwards = made.valid_from is not None and made.valid_until is not None and made.valid_until < made.valid_from
    return None if backwards else made


def _words(value: object, longest: int) -> str:
    """A text of visible characters that is neither empty nor endless. Raises ValueError."""
    if not isinstance(value, str) or not shown(value) or len(value) > longest:
        raise ValueError
    return shown(value, longest)


def _span(quote: object, episode: str, taken: dict[str, int]) -> Span:
    """Where the quote stands; of several places the first that no earlier claim took. Raises ValueError."""
    if not isinstance(quote, str) or not quote.strip():
        raise ValueError
    exact = quote.strip()
    start = episode.find(exact, taken.get(exact, 0))
    if start < 0:
        start = episode.index(exact)
    taken[exact] = start + len(exact)
    return Span(start, start + len(exact))


def _value(value: object, episode: str) -> str | None:
    """A value in the message's words, whatever their case. Raises ValueError for one that is not there."""
    if value is None:
        return None
    exact = _words(value, LONGEST_NAME)
    if exact.casefold() not in episode.casefold():
        raise ValueError
    return exact


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _date(value: object) -> Instant | None:
    """A day or a moment in ISO 8601, UTC where it names no zone. Raises ValueError."""
    if value is None:
        return None
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        raise ValueError
    moment = datetime.fromisoformat(value)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
