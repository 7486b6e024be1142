"""What is the canonical form of a name, a text or a switch?

Answer: `name_key`, `text_key` and `state_key`, over `lexicon/aliases.toml`. Numbers and dates have their keys from
`rules.value_finding`; whether two keys agree is `rules.comparison`'s business.
"""

from __future__ import annotations

from functools import cache

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.numerals import fold

_ARTICLES = ("a", "an", "the")
_EDGE = " \t\r\n.,;:!?\"'`“”«»()[]{}*_"
_LONGEST_ALIAS = 4  # words; "united states of america"


@cache
def _aliases() -> dict[str, str]:
    table = lexicon("aliases")
    return {**table["technology"]["names"], **table["places"]["names"]}


@cache
def _spelled() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for alias, name in _aliases().items():
        found.setdefault(name, []).append(alias)
    return {name: tuple(sorted(aliases)) for name, aliases in found.items()}


def spellings(name: str) -> tuple[str, ...]:
    """Other names of what has this canonical name.

    >>> "postgres" in spellings("postgresql"), spellings("nothing of note")
    (True, ())
    """
    return _spelled().get(name, ())


@cache
def _alone() -> dict[str, str]:
    return dict(lexicon("aliases")["alone"]["names"])


@cache
def _states() -> dict[str, str]:
    table = lexicon("aliases")["states"]
    return {word: state for state in ("on", "off") for word in table[state]}


def state_key(text: str) -> str | None:
    """The state, "on" or "off", for a switch or an answer, else None.

    >>> state_key("Enabled"), state_key("turned off."), state_key("on holiday")
    ('on', 'off', None)
    """
    return _states().get(" ".join(strip_edges(fold(text)).casefold().split()))


def strip_edges(text: str) -> str:
    """Without the punctuation, quotes and white space around it; "C++" and ".NET" keep theirs.

    >>> strip_edges(' "Acme Corp." '), strip_edges(".NET")
    ('Acme Corp', '.NET')
    """
    stripped = text.strip(_EDGE)
    dotted = text.strip(_EDGE.replace(".", ""))
    return f".{stripped}" if dotted.startswith(".") and dotted[1:2].isalpha() else stripped


def name_key(text: str) -> str:
    """Casefolded, white space folded, without article and edges, aliases resolved.

    >>> name_key("the Postgres 17."), name_key("NYC"), name_key("Nyctal")
    ('postgresql 17', 'new york city', 'nyctal')
    """
    words = strip_edges(fold(text)).casefold().split()
    if len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(_resolve(words))


def text_key(text: str) -> str:
    """As `name_key`, and without punctuation and articles inside.

    >>> text_key("Dark mode, in the evening!"), text_key("C++ and C#")
    ('dark mode in evening', 'c++ and c#')
    """
    words = [strip_edges(word) for word in fold(text).casefold().split()]
    kept = [word for word in words if word and word not in _ARTICLES]
    return " ".join(_resolve(kept or [word for word in words if word]))


def _resolve(words: list[str]) -> list[str]:
    """Each run of words that is an alias, replaced by its canonical name; the longest run wins.

    >>> _resolve(["node", "20"]), _resolve(["tell", "us"])  # short words are aliases only by themselves
    (['node.js', '20'], ['tell', 'us'])
    """
    if words and words[0] in _alone() and not any(word[0].isalpha() for word in words[1:]):
        return [*_alone()[words[0]].split(), *words[1:]]
    resolved: list[str] = []
    at = 0
    while at < len(words):
        lengths = range(min(_LONGEST_ALIAS, len(words) - at), 0, -1)
        length = next((length for length in lengths if " ".join(words[at : at + length]) in _aliases()), 0)
        resolved += _aliases()[" ".join(words[at : at + length])].split() if length else [words[at]]
        at += length or 1
    return resolved
