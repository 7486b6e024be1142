"""How is a short statement built: who or what, which predicate, and what is said?

A shallow reading by word order, for comparing two statements side by side where the slot of one could not be told:
"Camera: Nikon Z6" and "User's camera is a Fuji X-T4" have one head and predicate and two objects. What the head is in
the world, which attribute it has and how a value is typed are `rules.slots`' and `rules.quantities`' business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.text import normalise, stem, tokens

_RECENT: Final = 4096  # shapes kept: a sweep meets each statement in several pairs

_LABEL: Final = re.compile(r"^[-*•\s]*+([^:=→]{1,60}?)\s*(?::(?!\d)|=|→|->)\s*(\S.*)$")
_LABEL_WORDS: Final = 7  # a longer lead-in is a clause, not a label
_OPENING_LENGTH: Final = 60  # letters in which an opening stands
_HEAD_WORDS: Final = 9  # how far into a sentence its predicate is looked for

_MOMENT: Final = (
    r"(?:next|last|this|early|late|mid|the|of|end|now on|today|tomorrow|spring|summer|autumn|fall|winter|q[1-4]"
    r"|week|month|quarter|year"
    r"|jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d{1,4}(?:st|nd|rd|th)?(?:[-/.]\d{1,4}){0,2})"
)
_OPENING: Final = re.compile(
    r"^(?:(?:from|starting|as of|effective|beginning|since|until|in|on|by|with effect from)"
    rf"(?: {_MOMENT}){{1,5}}(?:, | )"
    r"|(?:correction|actually|sorry|update|oops|hey|ok|okay|btw|note|i was wrong|my mistake|my bad)(?:, |: | - ))"
)
"""When something holds, or that it is a correction: no part of who or what is spoken of."""

SPEAKER: Final = "user"
_SELF: Final = frozenset({"i", "me", "my", "mine", "user", "users", "we", "us", "our"})
_PRONOUNS: Final = frozenset({"i", "we", "you", "user", "he", "she", "they", "it", "this", "that", "there"})
_BE: Final = frozenset({"is", "are", "was", "were", "am", "be", "been", "being"})
_FINITE: Final = _BE | {"has", "have", "had", "does"}
_AUXILIARY: Final = frozenset(
    {"do", "does", "did", "will", "would", "can", "could", "may", "might", "must", "should", "shall"}
)
_ADVERBS: Final = frozenset(
    {
        "also", "always", "never", "just", "now", "currently", "still", "usually", "mostly", "really", "not", "often",
        "only", "actually", "already", "sometimes", "rarely", "generally", "typically", "normally", "recently", "no",
        "longer", "even", "both", "mainly", "primarily", "quite", "very", "presently", "again", "probably", "all",
        "exclusively", "solely", "ever", "hardly", "regularly", "officially", "today", "strictly", "automatically",
    }
)  # fmt: skip
_LEADING: Final = _FINITE | _ADVERBS | _AUXILIARY
_BEFORE_CONTENT: Final = _ADVERBS | {"please", "do", "and", "but"}
_PREPOSITIONS: Final = frozenset(
    {
        "in", "on", "at", "by", "to", "with", "from", "as", "for", "via", "under", "into", "about", "after", "every",
        "of", "up", "through", "over", "within", "behind", "against", "near",
    }
)  # fmt: skip
_DETERMINERS: Final = frozenset({"a", "an", "the", "my", "our", "your", "his", "her", "their", "its", "this", "some"})
_NOT_OBJECT: Final = _DETERMINERS | _ADVERBS | frozenset({"is", "are", "was", "were", "be", "been"})


@dataclass(frozen=True, slots=True)
class Shape:
    """`head` and `body`: stems in order, without articles and adverbs; `predicate`: a base verb with its preposition.

    `head` is empty where the speaker, or nobody, is named. `label`: written as "name: value". `order`: an imperative.
    """

    head: tuple[str, ...]
    predicate: str | None
    body: tuple[str, ...]
    label: bool = False
    order: bool = False
    plural: bool = False
    passive: bool = False


@lru_cache(maxsize=_RECENT)
def shape(text: str) -> Shape:
    """The parts of one clause; `predicate` None where none was found.

    >>> form = shape("User's camera is a Fuji X-T4")
    >>> form.head, form.predicate, form.body
    (('camera',), 'be', ('fuji', 'x', 't4'))
    >>> shape("Camera: Nikon Z6").head, shape("Ada lives in Oslo").predicate, shape("Never squash commits").order
    (('camera',), 'live in', True)
    """
    text = _without_opening(text)
    label = _LABEL.match(normalise(text))
    if label and len(tokens(label[1])) <= _LABEL_WORDS and "://" not in label[0]:
        words = tokens(label[1])
        return Shape(_head(words), "be", _body(tokens(label[2])), label=True, plural=_is_plural(words))
    return _clause(tokens(text), text)


def _without_opening(text: str) -> str:
    """The clause without a leading date or word of correction.

    >>> _without_opening("From 1 July 2025 the Team plan costs $15"), _without_opening("In Rome it rains")
    ('Team plan costs $15', 'In Rome it rains')
    """
    opening = text[:_OPENING_LENGTH]
    found = _OPENING.match(opening.lower())
    if not found or len(opening.lower()) != len(opening):
        return text
    rest = text[found.end() :]
    return rest if " " in rest.strip() else text


def _clause(words: tuple[str, ...], text: str) -> Shape:
    start = _first_content(words)
    if start < len(words) and _is_order(words, start):
        base, after = _predicate(words, start)
        return Shape((), base, _body(words[after:]), order=True)
    found = _find_verb(words, text)
    if found is None:
        return Shape((), None, _body(words))
    base, after = _predicate(words, found)
    singular = any(
        word.endswith("s") and word != words[0]
        for word in words[1 : found + 1]
        if word in _FINITE or word == words[found]
    )
    return Shape(
        _head(_noun_phrase(words[:found])),
        base,
        _body(words[after:]),
        plural=_is_plural(_noun_phrase(words[:found])) and not singular,
        passive=base_form(words[found]) == "be" and not base.startswith("be"),
    )


def _noun_phrase(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the auxiliaries and adverbs that lead to the verb."""
    end = len(words)
    while end > 1 and words[end - 1] in _LEADING:
        end -= 1
    return words[:end]


def _first_content(words: tuple[str, ...]) -> int:
    index = 0
    while index < len(words) and words[index] in _BEFORE_CONTENT:
        index += 1
    return index


def _is_order(words: tuple[str, ...], start: int) -> bool:
    """An imperative opens with a base form and has no further verb ("Use tabs"; "Tests run" is none)."""
    word = words[start]
    if word in _PRONOUNS or word in _BE or base_form(word) != word or word not in _bases():
        return False
    return not any(later in _BE or later == "has" for later in words[start + 1 : start + 4])


def _find_verb(words: tuple[str, ...], text: str) -> int | None:
    if not words:
        return None
    if words[0] in _PRONOUNS and not _is_possessive_start(text):
        return _skip(words, 1) if _skip(words, 1) < len(words) else None
    for index in range(1, min(len(words), _HEAD_WORDS)):
        word = words[index]
        if word in _BE or word in _AUXILIARY or word in {"has", "have", "had"}:
            return _skip(words, index)
        finite = (
            word.endswith(("s", "ed"))
            or word in _irregular()
            or (words[index - 1].endswith("s") and not word.endswith("ing"))
        )
        if finite and base_form(word) in _bases() and words[index - 1] not in _DETERMINERS:
            return index
    if len(words) > 1 and text[:1].isupper() and words[1].endswith(("s", "ed")):
        return 1
    return None


def _is_possessive_start(text: str) -> bool:
    first = normalise(text).split(" ", 1)[0]
    return "'s" in first and first not in {"it's", "he's", "she's"}


def _skip(words: tuple[str, ...], index: int) -> int:
    """Past adverbs and auxiliaries, to the verb that carries the meaning."""
    while index + 1 < len(words) and (words[index] in _ADVERBS or words[index] in _AUXILIARY):
        index += 1
    return index


def _predicate(words: tuple[str, ...], index: int) -> tuple[str, int]:
    """The base form with its preposition, and where its object starts."""
    base, after = base_form(words[index]), index + 1
    while after < len(words) and words[after] in _ADVERBS:
        after += 1
    if base in {"be", "have", "get"} and after < len(words) and _is_participle(words, after):
        base, after = _called(base_form(words[after])), after + 1
        while after < len(words) and words[after] in _ADVERBS:
            after += 1
    particle = words[after] if after < len(words) and words[after] in _PREPOSITIONS else None
    if particle is None:
        return base, after
    second = (
        words[after + 1] if after + 1 < len(words) and words[after + 1] in {"to", "at", "with", "by", "in"} else None
    )
    if particle == "up" and second:
        return f"{base} up {second}", after + 2
    return f"{base} {particle}", after + 1


def _called(base: str) -> str:
    """The predicate of a participle: "is called" names somebody, "calls" does not."""
    return "name" if base in {"call", "name", "title"} else base


def _is_participle(words: tuple[str, ...], index: int) -> bool:
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    verb = base_form(word) in _bases() and base_form(word) != word
    if word.endswith("ing"):
        return verb
    return verb and (following in _PREPOSITIONS or base_form(word) in {"call", "name", "title", "be", "bear"})


def _head(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = [stem(word) for word in words if word not in _NOT_OBJECT and word not in _SELF and word[-1:].isalnum()]
    return tuple(word for word in kept if word not in {"of", "that", "which"})


def _body(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(stem(word) for word in words if word not in _NOT_OBJECT and word not in _SELF)
    return kept or tuple(stem(word) for word in words)


def _is_plural(words: tuple[str, ...]) -> bool:
    last = words[-1] if words else ""
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "ness", "address", "status"))


def base_form(word: str) -> str:
    """The base of a verb form, as far as the lexicon knows it; else its stem.

    >>> base_form("drove"), base_form("lives"), base_form("smoked")
    ('drive', 'live', 'smoke')
    """
    irregular = _irregular().get(word)
    if irregular:
        return irregular
    return _base_of_stem().get(stem(word), stem(word))


@cache
def _irregular() -> dict[str, str]:
    forms: dict[str, str] = lexicon("predicates")["irregular"]["forms"]
    return forms


@cache
def _bases() -> frozenset[str]:
    verbs = lexicon("predicates")
    groups = ("one", "many", "event", "fixed", "other")
    return frozenset(phrase.split()[0] for group in groups for phrase in verbs[group]["verbs"])


@cache
def _base_of_stem() -> dict[str, str]:
    return {stem(base): base for base in sorted(_bases(), reverse=True)}


@cache
def predicates(group: str) -> frozenset[str]:
    """The predicates of a group of the predicate lexicon: one, many, event or fixed.

    >>> "live in" in predicates("one"), "speak" in predicates("one")
    (True, False)
    """
    return frozenset(lexicon("predicates")[group]["verbs"])


@cache
def _classes() -> dict[str, str]:
    return {verb: group[0] for group in lexicon("predicates")["synonyms"]["classes"] for verb in group}


def canonical(predicate: str) -> str:
    """One name for predicates that say the same: "reside in" is "live in"."""
    base, _, rest = predicate.partition(" ")
    return f"{_classes().get(base, base)} {rest}".strip()


def is_stop(word: str) -> bool:
    """Whether a stem carries no content."""
    return word in all_words("stopwords")
