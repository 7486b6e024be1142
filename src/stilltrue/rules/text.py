"""When are two texts the same words? Normal form, tokens, stems, hashes and the overlap of content words.

Nothing here knows what a text means: polarity, values and cues are left to signals, quantities and wording. What may
never get lost on the way is what can turn a sentence round: negations (contracted ones too), numbers, versions,
one-character tokens and the question mark.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

from stilltrue.rules.endings import is_own_stem
from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.patterns import late

_QUOTES: Final = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "ʼ": "'", "`": "'", "´": "'",
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-",
    }
)  # fmt: skip
_SPACE: Final = late(r"\s+")

_TOKEN: Final = late(
    r"""
      (?<![^\W_])-(?=\d)\d+(?:[.,:/]\d+)*[^\W\d_]*   # a negative figure: -5, -40c
    | [^\W\d_]*\d+(?:[.,:/]\d+)*[^\W_]*              # figures, versions, times, codes: 1.0.0, v2, 10:30, t4, 3.11
    | [^\W_]+(?:'[^\W_]+)?[+\#]*                     # words, contractions, c++, c#
    | <=|>=|->|→|[<>≤≥%€$£¥?]                        # signs that carry meaning
    | [\u2600-\u27bf\U0001f300-\U0001faff]           # marks such as a tick or a cross
    """,
    re.VERBOSE,
)

_CONTRACTIONS: Final = {
    # irregular stems, and those that people type without the apostrophe
    "won't": ("will", "not"), "can't": ("can", "not"), "cannot": ("can", "not"), "shan't": ("shall", "not"),
    "ain't": ("is", "not"), "dont": ("do", "not"), "doesnt": ("does", "not"), "didnt": ("did", "not"),
    "isnt": ("is", "not"), "arent": ("are", "not"), "wasnt": ("was", "not"), "werent": ("were", "not"),
    "hasnt": ("has", "not"), "havent": ("have", "not"), "hadnt": ("had", "not"), "wont": ("will", "not"),
    "cant": ("can", "not"), "couldnt": ("could", "not"), "wouldnt": ("would", "not"), "shouldnt": ("should", "not"),
    "mustnt": ("must", "not"), "let's": ("let", "us"), "'twas": ("it", "was"), "y'all": ("you", "all"),
}  # fmt: skip
_ENDINGS: Final = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_IS_AFTER: Final = frozenset(
    {"it", "he", "she", "that", "there", "here", "what", "who", "where", "how", "when", "why", "everything", "one"}
)
"""Words after which 's is a verb; after any other it is a possessive and falls away."""

RECENT_TEXTS: Final = 4_096
"""Texts whose words are kept: a write and a search ask for those of each candidate dozens of times."""

_COMMON_STEMS: Final = 50_000  # words kept in the cache of stems: about 10 MB at most


def normalise(text: str) -> str:
    """Unicode-compatible form (NFKC), plain quotes and dashes, lower case, single spaces.

    >>> normalise("User  doesn’t   like Zürich")
    "user doesn't like zürich"
    """
    if text.isascii():  # the same, at a tenth of the time
        return " ".join(text.replace("`", "'").lower().split())
    composed = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES)
    return _SPACE.sub(" ", composed.casefold()).strip()


@lru_cache(maxsize=RECENT_TEXTS)
def tokens(text: str) -> tuple[str, ...]:
    """The words, figures and telling signs of a text, contractions spelled out and possessives cut (BAR defect 7).

    >>> tokens("It doesn’t run v1.0.0")
    ('it', 'does', 'not', 'run', 'v1.0.0')
    >>> tokens("User's cat: 5 kg"), tokens("C# or C++?")
    (('user', 'cat', '5', 'kg'), ('c#', 'or', 'c++', '?'))
    """
    found: list[str] = []
    for match in _TOKEN.finditer(normalise(text)):
        found.extend(_expand(match.group()))
    return tuple(found)


def _expand(token: str) -> tuple[str, ...]:
    if token in _CONTRACTIONS:
        return _CONTRACTIONS[token]
    if "'" not in token:
        return (token,)
    for ending, word in _ENDINGS.items():
        if token.endswith(ending):
            return (token.removesuffix(ending), word)
    word, _, rest = token.partition("'")
    if rest == "s":
        return (word, "is") if word in _IS_AFTER else (word,)
    return (word, rest)


_STEMMERS: Final = threading.local()
"""One stemmer a thread: it keeps the word it works on in itself."""


@lru_cache(maxsize=_COMMON_STEMS)
def stem(word: str) -> str:
    """The Snowball stem of one lower-case word; words with figures or signs stay as they are.

    >>> stem("switched"), stem("allergies"), stem("1.0.0")
    ('switch', 'allergi', '1.0.0')
    """
    if not word.isalpha() or is_own_stem(word):
        return word
    if not hasattr(_STEMMERS, "english"):
        from stilltrue.rules.stemming import Stemmer

        _STEMMERS.english = Stemmer()
    stemmed: str = _STEMMERS.english.stemWord(word)
    return stemmed


def stems(text: str) -> tuple[str, ...]:
    """The stems of all tokens, in order."""
    return tuple(stem(token) for token in tokens(text))


@lru_cache(maxsize=RECENT_TEXTS)
def content_words(text: str) -> tuple[str, ...]:
    """The tokens that carry content, in order: stop-words and signs are out."""
    stop = all_words("stopwords")
    return tuple(token for token in tokens(text) if token not in stop and (token[-1].isalnum() or len(token) > 1))


@lru_cache(maxsize=RECENT_TEXTS)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the content words.

    >>> sorted(content_stems("The cats are not sleeping on a sofa"))
    ['cat', 'sleep', 'sofa']
    """
    return frozenset(stem(word) for word in content_words(text))


def overlap(a: str, b: str) -> float:
    """Shared content stems over those of the shorter text, 0..1; 0 where one has none.

    >>> overlap("User likes coffee", "User likes coffee with milk"), overlap("Tea", "Lunch is at noon")
    (1.0, 0.0)
    """
    left, right = content_stems(a), content_stems(b)
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def exact_hash(text: str) -> str:
    """Equal for equal texts, outer white space aside."""
    return _digest(text.strip())


def normal_hash(text: str) -> str:
    """Equal for texts that differ in case, punctuation, articles, contraction or white space alone (C10).

    Negations, figures, signs and question marks stay in, so that what says something else never falls together.

    >>> normal_hash("The user doesn't like tea.") == normal_hash("User does not like tea")
    True
    >>> normal_hash("User likes tea") == normal_hash("User likes tea?")
    False
    """
    articles = frozenset(lexicon("stopwords")["articles"]["words"])
    kept = [token for token in tokens(text) if token not in articles]
    return _digest(" ".join(kept) if kept else normalise(text))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
