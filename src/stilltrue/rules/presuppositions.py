"""What does a question, a plan or a draft take for granted? Statements, each with the words that give it away.

"Ask Dana, the CTO" takes for granted that Dana is the CTO, "the Postgres 14 cluster" that Postgres 14 is in use, "since
we use REST" what it says. What is asked, denied, told of the past or supposed is not taken for granted. Whether memory
agrees is `read.check`'s question.

Each shape has an example of what it fires on and of what it leaves alone: `presuppositions`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from stilltrue.model.episode import Span
from stilltrue.model.fact import Modality
from stilltrue.rules.attributes import product_at
from stilltrue.rules.modality import modality
from stilltrue.rules.sentences import split
from stilltrue.rules.tense import asks_about_past
from stilltrue.rules.verbs import stem_of
from stilltrue.rules.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST: Final = 8_000
"""Characters that are looked at: a plan of some pages."""
MOST: Final = 60
"""Presuppositions that are looked up: each is judged beside a handful of facts."""
_NEAR_BEFORE: Final = 300
"""Characters before a shape among which a word may deny it: a long clause."""


class Form(StrEnum):
    """By what a text gives away what it takes for granted."""

    ROLE = "role"
    CLAUSE = "clause"
    HABIT = "habit"
    VERSION = "version"
    PLACE = "place"
    FIGURE = "figure"
    THING = "thing"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Presupposition:
    """`says` are the statements taken for granted, likeliest first; `span` and `words` are where the text does so.

    `names`: what memory must speak of for it to be about the same; none where any fact of the slot is.
    """

    form: Form
    span: Span
    words: str
    says: tuple[str, ...]
    names: tuple[str, ...] = ()


_Found: TypeAlias = tuple[Form, int, int, tuple[str, ...], tuple[str, ...]]

_NAME: Final = r"[A-Z][\w'’-]{0,60}(?: [A-Z][\w'’-]{0,60}){0,2}"
_ROLE: Final = r"[a-zA-Z][\w-]*(?: (?:of|for|the|[\w-]+)){0,4}"
_APPOSITION: Final = re.compile(rf"\b({_NAME})(?:, (?:the|our|my)| \((?:the|our|my)?) ?({_ROLE}?)(?=[,.;:!?)]|$)")
_TITLED: Final = re.compile(
    r"\b(?i:(our|my|the))\s+((?:[a-z][\w-]*\s+){0,3}(?:[a-z][\w-]*|[A-Z]{2,4})),?\s+"
    r"([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b(?!['’]s?\b)"
)
_CLAUSE: Final = re.compile(
    r"\b(?:since|because|given that|now that|seeing that|as long as|considering(?: that)?|as)\s+"
    r"((?:we|I|our|my|the|it|[A-Z][\w-]*)\b[^,.;:?!\n]{3,150})",
    re.IGNORECASE,
)
_VERBS: Final = (
    r"is|are|am|use|uses|run|runs|live|lives|have|has|work|works|deploy|deploys|rely|relies|host|hosts|listen|listens|"
    r"prefer|prefers|need|needs|support|supports|own|owns|lead|leads|meet|meets|store|stores|like|likes|eat|eats|drive|"
    r"drives"
)
_CLAUSE_VERB: Final = re.compile(rf"\b(?:{_VERBS})\b")
_STATED: Final = re.compile(
    rf"((?:(?:We|I|Our|My|The|It)\b[^,.;:?!]{{0,60}}?|{_NAME} )\b(?:{_VERBS})\b[^,;:?!\n]*?)\s*"
    r"(?:[.;!]?$|,? (?:so|and|but|which|because|hence|then)\b)"
)
_HABIT: Final = re.compile(
    r"\b(?:keep(?:s| on)?|continue|continues|stop|stops|quit|carry on)\s+([a-z]+ing)\s+([^,.;:?!\n]{2,80})",
    re.IGNORECASE,
)
_INFINITIVE: Final = re.compile(r"\bcontinue(?:s)? to\s+([a-z]+)\s+([^,.;:?!\n]{2,80})", re.IGNORECASE)
_VERSION: Final = re.compile(
    r"\b([A-Za-z][A-Za-z+#.]{0,60}[A-Za-z+#]) (?:version )?v?(\d{1,4}(?:\.\d{1,4}){0,2})\b(?![-:%/\d])"
)
_NEAR: Final = re.compile(
    rf"\b(my|our|{_NAME}['’]s)\s+(?:new |old )?(flat|apartment|house|home|place|job|office|commute|"
    rf"landlord|neighbou?rs?)\s+"
    rf"(in|at|from|with)\s+({_NAME})"
)
_PORT: Final = re.compile(
    r"\b(?:the|our)\s+((?:[\w-]+\s+){0,2}[\w-]+)\s+(?:on|at|behind|listening on)\s+port\s+(\d{2,5})\b", re.IGNORECASE
)
_TIMED: Final = re.compile(
    r"\b(?:the|our|my)\s+(\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m)\s+([a-z][\w-]*)", re.IGNORECASE
)
_AT_TIME: Final = re.compile(
    r"\b(?:the|our|my)\s+([a-z][\w-]*)\s+at\s+(\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m)\b", re.IGNORECASE
)
_MEASURED: Final = re.compile(
    r"\b(?:the|our)\s+(\d[\d,.]*[- ]?(?:ms|s|seconds?|minutes?|hours?|days?|[kmg]b|req/s|%))[- ]+"
    r"((?:[a-z][\w-]*\s+)?(?:timeout|ttl|limit|interval|retention|quota|sla|delay|window))((?:\s+(?:of|for|on)\s+the\s+[\w-]+(?:\s+(?:service|api|server|gateway))?)?)",
    re.IGNORECASE,
)
_THING: Final = re.compile(
    r"\b(?:the|our|a|this|these|your|existing|current|another|my)\s+([A-Za-z][\w.+#-]*(?: [A-Z][\w.+#-]*)?)\s+[a-z]\w+"
)
_BY_MEANS: Final = re.compile(r"\b(?:via|through|using)\s+([A-Z][\w.+#-]*)")
_CALLED: Final = re.compile(r"`([\w.-]{3,60})`")
_PAST_THING: Final = re.compile(
    r"\b(?:old|former|previous(?:ly)?|legacy|ex|retired|decommissioned|"
    r"deprecated|instead of|rather than|no longer|not|never|n[’']t|"
    r"without|remov\w*|delet\w*|dropp\w*|replac\w*|migrat\w*\b.{0,200}\b(?:from|off)|"
    r"mov(?:e|ed|ing) (?:away |off |on )?(?:from|off)|leav\w*|left|switch\w*|"
    r"compar\w*|versus|vs|unlike|"
    r"was|were|had|did|used to|back when|history of|clean ?up|archiv\w*|goodbye|"
    r"rid of|shut\w*|sunset\w*|anything but|whether)\b",
    re.IGNORECASE,
)
_WONDERS: Final = re.compile(
    r"^(?:is|are|do|does|has|have)\b.*\b(?:still|any ?more|yet|already)\b.*\?\s*$", re.IGNORECASE
)
_SUPPOSED: Final = re.compile(
    r"\b(?:if|suppose|imagine|what if|would|could have|unless|whether|in case|hypothetical\w*)\b", re.IGNORECASE
)
_REPORTED: Final = re.compile(r"[\"“][^\"”]*$")
_NO_ROLE: Final = frozenset(
    {"in", "on", "of", "to", "for", "at", "with", "by", "from", "a", "the", "our", "my", "and", "or", "is", "was"}
)
_BE_GONE: Final = frozenset(
    {"the", "our", "my", "a", "an", "this", "that", "next", "last", "same", "whole", "first", "new"}
)
_STATES: Final = frozenset({Modality.ASSERTION, Modality.RULE})


def presuppositions(text: str) -> tuple[Presupposition, ...]:
    """All that `text` takes for granted, in its order.

    >>> [(one.words, one.says[0]) for one in presuppositions("Ask Dana, the CTO, about it.")]
    [('Dana, the CTO', 'Our CTO is Dana.')]
    >>> [(one.words, one.says[0]) for one in presuppositions("Update the Postgres 14 cluster.")]
    [('Postgres 14', 'We use Postgres 14.')]
    >>> [one.says[0] for one in presuppositions("Add a route, since we use REST here.")]
    ['We use REST here.']
    >>> presuppositions("When did we leave Jenkins?"), presuppositions("Do we still use REST?")
    ((), ())
    """
    found: dict[tuple[int, int], Presupposition] = {}
    for sentence in split(text[:LONGEST]):
        start, said = sentence.span.start, text[sentence.span.start : sentence.span.end]
        if asks_about_past(said) is not None or _SUPPOSED.match(said):
            continue
        for form, first, last, says, names in islice(_of_sentence(said), 2 * MOST):
            if not _is_told_of(said, first):
                span = Span(start + first, start + last)
                found.setdefault((span.start, span.end), Presupposition(form, span, said[first:last], says, names))
    ordered = sorted(found.values(), key=lambda one: (one.span.start, -one.span.end))
    return tuple(ordered[:MOST])


def leaves_behind(text: str, name: str) -> bool:
    """Whether a text names a thing as what was left.

    >>> leaves_behind("We moved from Slack to Teams.", "slack"), leaves_behind("We use Slack.", "slack")
    (True, False)
    """
    return (
        re.search(
            rf"\b(?:from|off|drop\w*|replac\w*|left|leav\w*)\s+(?:the\s+)?{re.escape(name)}\b", text, re.IGNORECASE
        )
        is not None
    )


def _of_sentence(said: str) -> Iterator[_Found]:
    wonders = _WONDERS.search(said) is not None
    for shape in _SHAPES:
        yield from (found for found in shape(said) if not (wonders and found[0] in (Form.THING, Form.VERSION)))
    stated = _STATED.match(said)
    if stated and not said.rstrip().endswith("?") and modality(said) in _STATES:
        yield Form.STATEMENT, *stated.span(1), (f"{stated[1]}.",), ()


def _is_told_of(said: str, first: int) -> bool:
    """Whether what stands before it in its clause makes it a thing of the past, denied, supposed or quoted."""
    near = said[max(0, first - _NEAR_BEFORE) : first]
    clause = re.split(r"[,;:]\s", near)[-1]
    return bool(_PAST_THING.search(clause) or _SUPPOSED.search(near) or _REPORTED.search(near))


def _roles(said: str) -> Iterator[_Found]:
    for found in _APPOSITION.finditer(said):
        name, role = found[1], found[2]
        if role and name.split()[0].lower() not in _BE_GONE:
            who = _last_name(name, opens=found.start() == 0)
            first = found.start() + (len(name) - len(who))
            yield Form.ROLE, first, found.end(), (f"Our {role} is {who}.", f"{who} is the {role}."), (role,)
    for found in _TITLED.finditer(said):
        owner, role, name = found[1], " ".join(found[2].split()), found[3]
        if _NO_ROLE & set(role.lower().split()):
            continue
        whose = "My" if owner.lower() == "my" else "Our"
        yield Form.ROLE, *found.span(), (f"{whose} {role} is {name}.", f"{name} is the {role}."), (role,)


def _last_name(name: str, *, opens: bool) -> str:
    """The name without the word that opens the sentence ("Ask Dana")."""
    parts = name.split()
    return " ".join(parts[1:]) if opens and len(parts) > 1 else name


def _clauses(said: str) -> Iterator[_Found]:
    for found in _CLAUSE.finditer(said):
        clause = found[1].strip()
        if _CLAUSE_VERB.search(clause) and not _PAST_THING.search(clause):
            yield Form.CLAUSE, *found.span(1), (f"{clause[0].upper()}{clause[1:]}.",), ()


def _habits(said: str) -> Iterator[_Found]:
    for shape, gerund in ((_HABIT, True), (_INFINITIVE, False)):
        for found in shape.finditer(said):
            verb = stem_of(found[1].lower()) if gerund else found[1].lower()
            yield Form.HABIT, *found.span(), (f"We {verb} {found[2].strip()}.",), ()


def _versions(said: str) -> Iterator[_Found]:
    for found in _VERSION.finditer(said):
        if product_at(words(found[1]), 0) is not None:
            named = f"{found[1]} {found[2]}"
            yield Form.VERSION, *found.span(), (f"We use {named}.", f"We run {named}."), (found[1],)


def _places(said: str) -> Iterator[_Found]:
    for found in _NEAR.finditer(said):
        owner, what, where = found[1], found[2].lower(), found[4]
        who = owner[:-2] if owner[-2:] in ("'s", "’s") else ("We" if owner.lower() == "our" else "I")
        third = "s" if who not in ("I", "We") else ""
        if what == "job":
            says = f"{who} work{third} at {where}."
        elif what == "office":
            says = f"The office is in {where}." if who == "We" else f"{who} work{third} in {where}."
        else:
            says = f"{who} live{third} in {where}."
        yield Form.PLACE, *found.span(), (says,), ()


def _figures(said: str) -> Iterator[_Found]:
    for found in _PORT.finditer(said):
        yield Form.FIGURE, *found.span(), (f"The {found[1]} listens on port {found[2]}.",), ()
    for found in _TIMED.finditer(said):
        yield Form.FIGURE, *found.span(), (f"The {found[2]} is at {found[1]}.",), (found[2],)
    for found in _AT_TIME.finditer(said):
        yield Form.FIGURE, *found.span(), (f"The {found[1]} is at {found[2]}.",), (found[1],)
    for found in _MEASURED.finditer(said):
        yield Form.FIGURE, *found.span(), (f"The {found[2]}{found[3]} is {found[1].replace('-', ' ')}.",), ()


def _things(said: str) -> Iterator[_Found]:
    for found in _THING.finditer(said):
        name = found[1]
        if product_at(words(name), 0) is not None or _is_name(name):
            yield Form.THING, *found.span(1), (f"We use {name}.",), (name,)
    for found in _CALLED.finditer(said):
        yield Form.THING, *found.span(), (f"We use {found[1]}.",), (found[1],)
    for found in _BY_MEANS.finditer(said):
        if product_at(words(found[1]), 0) is not None:
            yield Form.THING, *found.span(1), (f"We use {found[1]}.",), (found[1],)


def _is_name(name: str) -> bool:
    return (name[0].isupper() and name.lower() not in _BE_GONE) or "_" in name


_SHAPES: Final[tuple[Callable[[str], Iterator[_Found]], ...]] = (
    _roles,
    _clauses,
    _habits,
    _versions,
    _places,
    _figures,
    _things,
)
