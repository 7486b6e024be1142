"""What restricts a statement: an environment, a day, a device, an audience, a condition?

Answers with qualifiers and with the spans they stand in, so that they are not read as part of a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from stilltrue.model.episode import Span
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

_TABLES = ("environment", "weekday", "time_of_day", "season", "platform", "situation")
_BEFORE = (
    r"(?:(?:only|just|mostly|except|even)\s+)?(?:(?:in|on|for|at|during|by|every|each|over)\s+(?:the\s+)?(?:our\s+)?)?"
)
_DAYS_AND_SEASONS = frozenset({"weekday", "season"})
_CONDITION = re.compile(
    r"(?:^|[,;]?\s)(?P<word>if|when|whenever|while|unless|except (?:for|on|in|when)|as long as|in case|"
    r"provided(?: that)?)"
    r"\s+(?P<rest>[^,;.—()]{3,90}?)(?=[,;.—()]|$|(?<=\w\w\w)\s(?:i|we|user)\s(?:always|never|use|prefer|just|only|"
    r"usually)\b)",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(r"[a-z]+")
_WORD = re.compile(r"\w+")
_CONDITIONS = frozenset({"if", "when", "whenever", "while", "unless", "except", "long", "case", "provided"})
"""A condition opens with one of these, or with words that one of them ends."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One restriction and where it stands."""

    name: str
    value: str
    span: Span


@cache
def _listed() -> tuple[tuple[re.Pattern[str], dict[str, tuple[str, str]], frozenset[str]], ...]:
    found = []
    for table in _TABLES:
        values = {
            phrase: (table, value)
            for value, phrases in lexicon("scopes")[table].items()
            if value != "why"
            for phrase in phrases
        }
        options = "|".join(re.escape(phrase) for phrase in sorted(values, key=len, reverse=True))
        before = _BEFORE if table in {"environment", "weekday"} else r""
        pattern = re.compile(rf"(?<![\w/.\-]){before}(?P<phrase>{options})(?![\w/\-]|\.\w|'s)", re.IGNORECASE)
        found.append((pattern, values, _first_words(values)))
    return tuple(found)


@cache
def _audience() -> re.Pattern[str]:
    groups, systems = ("|".join(lexicon("scopes")[table]["words"]) for table in ("audience", "systems"))
    return re.compile(
        rf"(?<!\w)(?<!allergic\s)(?<!afraid\s)(?<!married\s)(?:only\s+)?(?:for|to|with|in|on)\s+(?:all\s+|the\s+|"
        rf"our\s+|my\s+|any\s+)?"
        rf"(?P<who>(?:(?!\d)[\w/\-+#]{{1,25}}\s+){{0,2}}?(?:{groups}))(?!\w)(?!\s+(?:{systems})(?!\w))",
        re.IGNORECASE,
    )


@cache
def _per() -> re.Pattern[str]:
    things = "|".join(lexicon("scopes")["per"]["words"])
    return re.compile(rf"(?<!\w)(?:per|for each|for every)[\s-](?P<thing>{things})(?!\w)", re.IGNORECASE)


def find_scopes(text: str) -> list[Scope]:
    """The restrictions in plain text.

    >>> [(s.name, s.value) for s in find_scopes("On staging the limit is 50 per IP for premium users")]
    [('environment', 'staging'), ('per', 'ip'), ('audience', 'premium users')]
    >>> find_scopes("The staging-db is slow")
    []
    """
    found: list[Scope] = []
    there = _WORD.findall(text.lower())
    for pattern, values, words in _listed():
        for hit in pattern.finditer(text) if _may_hold(text, there, words) else ():
            name, value = values[hit["phrase"].lower()]
            if name in _DAYS_AND_SEASONS and _names_a_place(text, hit.end()):
                continue
            found.append(Scope(name, value, Span(hit.start(), hit.end())))
    for name, group, named in (("per", "thing", _per()), ("audience", "who", _audience())):
        hits = named.finditer(text) if _may_hold(text, there, _opening(name)) else ()
        found += [Scope(name, " ".join(hit[group].lower().split()), Span(hit.start(), hit.end())) for hit in hits]
    for hit in _CONDITION.finditer(text) if _may_hold(text, there, _CONDITIONS) else ():
        condition = " ".join(hit["rest"].lower().split())
        found.append(Scope("condition", f"{_kind(hit['word'])} {condition}", Span(hit.start("word"), hit.end())))
    return _apart(found)


def _names_a_place(text: str, at: int) -> bool:
    """As in "Winter Park", "Friday Street": what goes on as the name of a place restricts nothing."""
    word = _WORD.match(text, at + 1)
    return (
        word is not None
        and word.group()[:1].isupper()
        and word.group().lower() in word_set("word_classes", "place_nouns")
    )


def _may_hold(text: str, there: list[str], words: frozenset[str]) -> bool:
    """Whether a text has one of `words`; asked first, as most texts have none and a search costs ten times as much.

    Letters that only case-folding makes equal ("ſ") are left to the search.
    """
    return not text.isascii() or not words.isdisjoint(there)


@cache
def _opening(table: str) -> frozenset[str]:
    return _first_words(lexicon("scopes")[table]["words"])


def _first_words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(_WORD.findall(phrase)[0] for phrase in phrases)


def _kind(word: str) -> str:
    first = _ONE_WORD.match(word.lower())
    word = first.group() if first else word
    return {"whenever": "when", "while": "when", "provided": "if", "as": "if", "in": "if"}.get(word, word)


def _apart(found: list[Scope]) -> list[Scope]:
    """The longest of overlapping restrictions, in order of place."""
    kept: list[Scope] = []
    for scope in sorted(found, key=lambda s: (s.span.start - s.span.end, s.span.start)):
        if all(scope.span.end <= other.span.start or other.span.end <= scope.span.start for other in kept):
            kept.append(scope)
    return sorted(kept, key=lambda s: s.span.start)
