"""What does a question want to know: a value, a place, a beginning, an end, a yes or a no, and about what?

Answer: `inquire`. A question is also read as the statements it might make ("Does Mara still live in Portland?": "Mara
live in Portland"), so that the slot and the value it names are found by the rules that read statements. Whether memory
holds an answer is `rules.grounds`', how it is worded `rules.answering`'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.rules.asked import LONGEST_QUESTION, asked
from stilltrue.rules.dates import find_dates
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.slots import read_statement
from stilltrue.rules.tense import asks_about_past
from stilltrue.rules.text import content_stems, normalise, stem, tokens

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant

MOST_READINGS: Final = 8
"""Statements that one question is read as: where its subject ends is unknown, and a subject has few words."""

_WH: Final = (
    r"what|which|who|whom|whose|where|when|why|how(?: (?:many|much|long|often|old))?|since when|until when|till when"
)
_OPENING: Final = re.compile(
    rf"^(?:(?:so|and|but|well|please|tell me|ok|okay)[, ]+)*(?:(?:{_WH})\b[ ,]*)?", re.IGNORECASE
)
_DO: Final = re.compile(r"^(?:do|does|did)(?:n't|n’t| not)?\s+(.+)", re.IGNORECASE | re.DOTALL)
_BE: Final = re.compile(
    r"^(is|are|am|was|were|has|have|had|can|may|will|should|must)(?:n't|n’t)?\s+(.+)", re.IGNORECASE | re.DOTALL
)
_FILLER: Final = re.compile(
    r"\b(?:still|ever|currently|now|today|nowadays|already|at the moment|these days|any ?more|used? to)\b[ ,]*",
    re.IGNORECASE,
)
_STILL: Final = re.compile(r"\b(?:still|any ?more|no longer)\b")
_AHEAD: Final = re.compile(r"\b(?:will|going to|next|soon|tomorrow|plan|plans|planning|planned)\b")
_FIRST: Final = frozenset({"i", "me", "my", "mine", "myself"})
_USER: Final = frozenset({"user", "users"})
_WE: Final = frozenset({"we", "us", "our", "ours"})
_SOMEBODY: Final = frozenset({"he", "him", "his", "she", "her", "hers"})


class Form(StrEnum):
    """What kind of answer is asked for."""

    UNTIL = "until"
    SINCE = "since"
    NUMBER = "number"
    TIME = "time"
    PLACE = "place"
    PERSON = "person"
    THING = "thing"
    WHETHER = "whether"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A question as memory understands it.

    `past`, `still`, `ahead`: which time it asks about. `stems`: what the answer must speak of; `dated` those of them
    that only date the question. `attributes` and `subjects`: slots that may be meant. `readings`: the statements the
    question would be. `first`, `we`: whose it is. `somebody`: it says he or she.
    """

    form: Form
    past: bool
    still: bool
    ahead: bool
    stems: frozenset[str]
    dated: frozenset[str]
    subjects: tuple[str, ...]
    attributes: tuple[str, ...]
    readings: tuple[Statement, ...]
    first: bool
    we: bool
    somebody: bool


def inquire(question: str, now: Instant, zone: str = "UTC", asker: str | None = None) -> Inquiry:
    """What `question`, put at `now` by `asker` (None: nobody is named), wants to know.

    >>> from datetime import UTC, datetime
    >>> read = inquire("Does Mara still live in Portland?", datetime(2025, 6, 1, tzinfo=UTC))
    >>> read.form.value, read.still, sorted(read.stems), read.readings[0].slot.subject, read.readings[0].value.text
    ('whether', True, ['live', 'mara', 'portland'], 'mara', 'Portland')
    >>> inquire("What used to be my city?", datetime(2025, 6, 1, tzinfo=UTC)).past
    True
    """
    text = question[:LONGEST_QUESTION].strip()
    words = set(tokens(text))
    slots = asked(text)
    return Inquiry(
        form=form_of(text),
        past=asks_about_past(text) is not None,
        still=_STILL.search(normalise(text)) is not None,
        ahead=_AHEAD.search(normalise(text)) is not None,
        stems=content_stems(text) - _generic(),
        dated=_dated(text, now, zone),
        subjects=slots.subjects,
        attributes=slots.attributes,
        readings=tuple(
            read_statement(said, said_at=now, speaker=asker, zone=zone) for said in statements_of(text)[:MOST_READINGS]
        ),
        first=bool(words & (_FIRST | _USER)),
        we=bool(words & _WE),
        somebody=bool(words & _SOMEBODY),
    )


def form_of(question: str) -> Form:
    """The kind of answer a question asks for; a thing where no form fires.

    >>> form_of("Since when do we use Postgres?").value, form_of("Is it so?").value, form_of("Portland?").value
    ('since', 'whether', 'thing')
    """
    text = normalise(question)
    for name, pattern in _patterns():
        if pattern.search(text):
            return Form(name)
    return Form.THING


def statements_of(question: str) -> tuple[str, ...]:
    """The statements that a question would make, likeliest first; without its opening and words such as "still".

    >>> statements_of("Where does Mara live?"), statements_of("Is the staging server called Juno?")
    (('Mara live.',), ('the is staging server called Juno.', 'the staging is server called Juno.', \
'the staging server is called Juno.', 'the staging server called is Juno.'))
    """
    text = " ".join(_FILLER.sub("", _OPENING.sub("", question.rstrip(" ?!.\n"), count=1)).split())
    done = _DO.match(text)
    if done:
        return (f"{done[1]}.",)
    being = _BE.match(text)
    if not being:
        return (f"{text}.",) if text else ()
    verb, rest = being[1].lower(), being[2].split()
    if rest[0].lower() in _FIRST | _WE | {"you", "he", "she", "they", "it"} or len(rest) == 1:
        return (f"{rest[0]} {verb} {' '.join(rest[1:])}.",)
    return tuple(f"{' '.join(rest[:at])} {verb} {' '.join(rest[at:])}." for at in range(1, len(rest)))


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    entries = lexicon("inquiries")
    return tuple((name, re.compile(entry["pattern"])) for name, entry in entries.items() if "pattern" in entry)


@cache
def _generic() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("inquiries")["generic"]["words"])


def _dated(text: str, now: Instant, zone: str) -> frozenset[str]:
    return frozenset(
        found
        for mention in find_dates(text, now, zone)
        for found in content_stems(text[mention.span.start : mention.span.end])
    )
