"""Who or what is a statement about? Brings the many ways of naming one thing to one name.

I, me and my are the speaker; User is "user"; we, our team and the project are "we". Articles fall away, and so does a
trailing service, server, system or module after a name: "the auth service" and "auth" are one thing. An API, an app, a
site or an endpoint keeps its noun, for "the checkout API" may have another limit than the checkout service.
Pronouns of the third person stay: who they are is for the reader of the whole episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.rules.words import Word, joined, word_set, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.fact import Statement

US = "we"
USER = "user"
_FIRST = frozenset({"i", "me", "myself", "mine", "i'm"})
_WE = frozenset({"we", "us", "ourselves", "ours"})
_OURS = frozenset(
    {"team", "project", "codebase", "repo", "repository", "code base", "stack", "company", "app", "organisation"}
)
_PERSONS = frozenset({"i", "we", "user", "he", "she", "they", "it"})
_THINGS = frozenset({"service", "server", "system", "module", "component", "microservice", "application"})
"""What people add to the name of a thing or leave out ("auth", "the auth service")."""
_POSSESSIVES = {"my": None, "our": US, "your": USER}
_LEADING = frozenset(
    {"the", "a", "an", "this", "that", "these", "those", "all", "every", "each", "both", "some", "any", "no", "and",
     "but", "so", "also", "yes", "ok", "okay", "well", "then", "existing", "current", "now", "dear", "new"}
)  # fmt: skip
_PRESENT = frozenset({"new", "current"})
"""Of a person's: "my new tutor" has taken the place of the tutor; a team's new service stands beside the old one."""
MAX_WORDS = 8  # a subject with more words is a clause; its first words name it


def speaker_name(speaker: str | None) -> str:
    """The speaker's canonical name; "user" where nobody is named."""
    return " ".join(speaker.lower().split()) if speaker and speaker.strip() else USER


def canonical(text: str | Sequence[Word], speaker: str | None = None) -> str:
    """The one name of a subject; the empty string where nothing is left of it.

    >>> [canonical(text) for text in ("The auth service", "auth", "I", "my sister Ada", "our team")]
    ['auth', 'auth', 'user', 'ada', 'we']
    >>> canonical("User's manager"), canonical("my sister", "ben"), canonical("Ada’s dog"), canonical("the user")
    ("user's manager", "ben's sister", "ada's dog", 'user')
    """
    found = words(text.replace("’", "'")) if isinstance(text, str) else list(text)
    found = [word for word in found if word.low not in {",", '"', "(", ")", ":", ";", "*", "."}]
    while len(found) > 1 and found[0].low in _LEADING:
        found = found[1:]
    if not found:
        return ""
    if len(found) == 1:
        return _single(found[0].low, speaker)
    if found[-1].low in _PERSONS:
        return _single(found[-1].low, speaker)
    head = found[0].low
    if head in _POSSESSIVES:
        return _possessed(_POSSESSIVES[head] or speaker_name(speaker), found[1:])
    if len(found) > 2 and found[1].low == "'s":  # noqa: PLR2004 - a name, 's and what is named
        return _possessed(_single(head, speaker), found[2:])
    return _thing(found[:MAX_WORDS])


def introduces(earlier: Statement, later: Statement) -> bool:
    """Whether one says who the other is about: "I have a dog called Rex", "Rex died"."""
    told = f"{earlier.text.lower()} "
    return any(f" {word} {later.slot.subject}{end}" in told for word in ("called", "named") for end in ".,;! ")


def _single(low: str, speaker: str | None) -> str:
    if low in _FIRST or low == "my":
        return speaker_name(speaker)
    if low in _WE or low in _OURS or low == "our":
        return US
    return USER if low == "users" and speaker is None else low


def _possessed(owner: str, rest: list[Word]) -> str:
    """As in "my sister Ada" is ada, "my sister" is the speaker's sister, "our auth service" is auth."""
    while owner != US and len(rest) > 1 and rest[0].low in _PRESENT:
        rest = rest[1:]
    if not rest:
        return owner
    for length in (2, 1):
        kin = " ".join(word.low for word in rest[:length])
        if kin in word_set("word_classes", "kin"):
            named = [word for word in rest[length:] if word.text[:1].isupper()]
            return joined(named) if named and len(named) == len(rest[length:]) else f"{owner}'s {joined(rest)}"
    if owner == US:
        return _single(rest[0].low, None) if len(rest) == 1 else _thing(rest)
    return f"{owner}'s {joined(rest[:MAX_WORDS])}"


def _describes(low: str) -> bool:
    return low in word_set("word_classes", "descriptive")


def _thing(found: list[Word]) -> str:
    while len(found) > 1 and found[-1].low in _THINGS and not _describes(found[-2].low):
        found = found[:-1]
    return _single(found[0].low, None) if len(found) == 1 else joined(found)
