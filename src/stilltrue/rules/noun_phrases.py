"""Which slot does a noun phrase name? "Ada's phone number", "the rate limit of the auth API", "cache TTL".

Answers with the subject's words, the attribute and what is known of it. Where the phrase names no owner, the lexicon
says whose it is; where the lexicon does not know the noun, the phrase itself becomes the attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.rules.attributes import MAX_NAME_WORDS, Attribute, attributes, noun_index
from stilltrue.rules.words import Word, joined, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

_POSSESSIVE = frozenset({"my", "our", "your", "his", "her", "their", "its"})
_ARTICLES = frozenset({"the", "a", "an", "this", "these", "that", "those", "and", "new", "current", "currently", "now"})
_FUNCTIONAL = frozenset({"main", "primary", "only", "sole", "preferred", "usual", "default"})
FAVOURITE = {"favorite": "favourite", "favourite": "favourite", "fav": "favourite", "fave": "favourite"}
_PEOPLE = frozenset({"user", "i", "he", "she"})


@dataclass(frozen=True, slots=True)
class Named:
    """A slot named by a phrase. `owner` empty: nobody is named. `known` is the lexicon's entry, if it has one.

    `functional`: a word such as main or favourite makes it hold one value.
    """

    owner: tuple[Word, ...]
    attribute: str
    known: Attribute | None
    functional: bool = False


def name_slot(found: Sequence[Word]) -> Named | None:
    """The slot that a noun phrase names, or None for an empty one.

    >>> from stilltrue.rules.words import words
    >>> def shown(text):
    ...     named = name_slot(words(text))
    ...     return joined(named.owner), named.attribute
    >>> shown("The rate limit of the auth API"), shown("cache TTL"), shown("Ada's work email")
    (('the auth api', 'rate_limit'), ('cache', 'ttl'), ('ada', 'work email'))
    >>> shown("my favorite colour"), shown("Default branch")
    (('my', 'favourite colour'), ('', 'branch'))
    """
    owner, rest = _owner(list(found))
    while rest and rest[0].low in _ARTICLES:
        rest = rest[1:]
    if not rest:
        return None
    favourite = next((at for at, word in enumerate(rest[:2]) if word.low in FAVOURITE), None)
    if favourite is not None and len(rest) > favourite + 1:
        return Named(
            tuple(owner or rest[:favourite]),
            "favourite " + _british(joined(rest[favourite + 1 :])),
            None,
            functional=True,
        )
    exact = noun_index().get(tuple(word.low for word in rest))
    functional = len(rest) > 1 and rest[0].low in _FUNCTIONAL
    if functional and not exact:
        rest = rest[1:]
    return _known(owner, rest, functional=functional) or Named(tuple(owner), joined(rest), None, functional)


def _owner(found: list[Word]) -> tuple[list[Word], list[Word]]:
    """Who possesses what: "my X", "Ada's X", "the X of Y" (also "for Y" after a known noun)."""
    while found and found[0].low in _ARTICLES:
        found = found[1:]
    clitics = [at for at, word in enumerate(found) if word.low == "'s" and 0 < at < len(found) - 1]
    if clitics:
        return found[: clitics[-1]], found[clitics[-1] + 1 :]
    of = next(
        (at for at, word in enumerate(found) if word.low in {"of", "for", "in"} and 0 < at < len(found) - 1), None
    )
    if of is not None and (found[of].low == "of" or tuple(w.low for w in found[:of]) in noun_index()):
        inner, rest = found[of + 1 :], found[:of]
        return ([*rest[:1]] if rest[0].low in _POSSESSIVE else inner), (
            rest[1:] if rest[0].low in _POSSESSIVE else rest
        )
    if found and found[0].low in _POSSESSIVE:
        return found[:1], found[1:]
    return [], found


def _known(owner: list[Word], rest: list[Word], *, functional: bool) -> Named | None:
    for length in range(min(MAX_NAME_WORDS, len(rest)), 0, -1):
        noun = tuple(word.low for word in rest[-length:])
        name = noun_index().get(noun) or noun_index().get((*noun[:-1], noun[-1].removesuffix("s")))
        if name:
            entry = attributes()[name]
            single = functional or (noun[-1] == "day" and length > 1)  # a gym day is one day, gym days may be several
            return _with_modifier(owner, rest[:-length], " ".join(noun), entry, functional=single)
    return None


def _with_modifier(owner: list[Word], modifier: list[Word], noun: str, entry: Attribute, *, functional: bool) -> Named:
    """A modifier is whose it is ("cache TTL"), or, of people's attributes, another attribute ("work email")."""
    name = noun if entry.named else entry.name
    if modifier and not owner and noun in word_set("word_classes", "thing_nouns"):
        return Named((*modifier, Word(noun, noun, 0, 0)), name, entry, functional)
    if entry.owner == "noun":
        return Named((*owner, *modifier, Word(noun, noun, 0, 0)), entry.name, entry, functional)
    if not modifier:
        return Named(tuple(owner), name, entry, functional)
    if entry.owner != "person":
        if owner and owner[0].low not in _POSSESSIVE and joined(owner) not in _PEOPLE:
            return Named(tuple(owner), f"{joined(modifier)} {name}", entry, functional)
        return Named(tuple(modifier), name, entry, functional)
    if not owner and all(word.text[:1].isupper() for word in modifier) and modifier[0].low == "user":
        return Named(tuple(modifier), name, entry, functional)
    return Named(tuple(owner), f"{joined(modifier)} {name}", entry, functional)


def _british(noun: str) -> str:
    return noun.replace("color", "colour").replace("flavor", "flavour")


def is_kin(found: Sequence[Word]) -> bool:
    """Whether a phrase names somebody by a tie: "my sister", "her best friend".

    >>> from stilltrue.rules.words import words
    >>> is_kin(words("my best friend")), is_kin(words("my rent"))
    (True, False)
    """
    kin = word_set("word_classes", "kin")
    return bool(found) and (found[-1].low in kin or joined(list(found[-2:])) in kin)


def is_relational(found: Sequence[Word]) -> bool:
    """Whether a phrase names an attribute of something, so that "PHRASE is V" gives V of it.

    >>> from stilltrue.rules.words import words
    >>> is_relational(words("the wifi password")), is_relational(words("the house"))
    (True, False)
    """
    if not found or found[-1].low in {"i", "we", "user", "it"}:
        return False
    lows = [word.low for word in found]
    if any(low in FAVOURITE or low == "of" for low in lows[:-1]):
        return True
    if lows[-1].removesuffix("s") in word_set("word_classes", "relational_nouns") or lows[-1] in word_set(
        "word_classes", "relational_nouns"
    ):
        return True
    named = name_slot(found)
    return bool(named and named.known)
