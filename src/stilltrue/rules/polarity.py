"""Which way round is it said? Negations with what they deny, opposites, and words that say the same.

Pure word knowledge over one or two texts: `denied` (the stems that a negation reaches), `polarity`, `canonical_stems`
(synonyms brought to one word) and `opposites`. Whether a flip is a conflict is `rules.signals`' question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.shapes import shape
from stilltrue.rules.text import stem, tokens

_RECENT: Final = 4096
_REACH: Final = 4
"""Content words that a negation reaches: "doesn't really like very spicy food" denies up to "food"."""

_LIGHT: Final = frozenset({"have", "use", "be", "do", "make", "take", "get", "ani", "ever", "own", "keep"})
"""Verbs without content of their own: a negation passes through them to the object."""


_EMPTY_VALUES: Final = frozenset({"no", "none", "never", "not", "nil", "n/a", "nobodi", "noth"})
"""Values of a label that deny the label: "Diabetes: none"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text with synonyms brought together: `stems` in order, `content` without stop-words, `denied` the stems that
    a negation reaches, `negatives` the negations as found.
    """

    stems: tuple[str, ...]
    content: frozenset[str]
    denied: frozenset[str]
    negatives: tuple[str, ...]

    @property
    def negative(self) -> bool:
        """Whether an odd number of negations stands in it."""
        return len(self.negatives) % 2 == 1


@lru_cache(maxsize=_RECENT)
def reading(text: str) -> Reading:
    """How a text reads once its synonyms are one and its negations are told.

    >>> reading("User doesn’t eat pork.").denied == {"eat", "pork"}
    True
    >>> reading("No later than Friday").negatives, reading("User can't stand jazz").negatives
    ((), ())
    """
    words = _canonical_words(text)
    stop = all_words("stopwords")
    content = frozenset(stem(word) for word in words if word not in stop and (word[-1].isalnum() or len(word) > 1))
    denied, negatives = _denials(words)
    form = shape(text)
    if form.label and form.body and set(form.body) <= _EMPTY_VALUES:
        denied, negatives = denied | content, negatives or (form.body[0],)
    return Reading(tuple(stem(word) for word in words), content, denied, negatives)


def canonical_stems(text: str) -> tuple[str, ...]:
    """The stems of a reading alone, for the parts of a text of which nothing else is asked.

    >>> canonical_stems("the current camera") == reading("the current camera").stems
    True
    """
    return tuple(stem(word) for word in _canonical_words(text))


def _canonical_words(text: str) -> list[str]:
    return _canonical(_harmless().sub(" ", " " + " ".join(tokens(text)) + " ")).split()


def _denials(words: list[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    stop, negations = all_words("stopwords"), _negations()
    denied: set[str] = set()
    negatives: list[str] = []
    for index, word in enumerate(words):
        if word not in negations:
            continue
        negatives.append(word)
        left = _REACH
        for later in words[index + 1 :]:
            if left == 0 or later in negations:
                break
            if later not in stop:
                denied.add(stem(later))
                left -= stem(later) not in _LIGHT
    return frozenset(denied), tuple(negatives)


@cache
def _negations() -> frozenset[str]:
    tables = lexicon("negations")
    return frozenset([*tables["verbal"]["words"], *tables["nominal"]["words"]])


@cache
def _harmless() -> re.Pattern[str]:
    phrases = [phrase for phrase in lexicon("negations")["harmless"]["phrases"] if phrase[-1].isalpha()]
    return re.compile(r"(?<= )(?:" + "|".join(re.escape(phrase) for phrase in phrases) + r")(?= )")


@cache
def _synonyms() -> tuple[re.Pattern[str], dict[str, str]]:
    to = {
        " ".join(tokens(phrase)): table["to"] for table in lexicon("synonyms").values() for phrase in table["phrases"]
    }
    longest_first = sorted(to, key=len, reverse=True)
    return re.compile(r"(?<= )(?:" + "|".join(re.escape(phrase) for phrase in longest_first) + r")(?= )"), to


def _canonical(spaced: str) -> str:
    pattern, to = _synonyms()
    return pattern.sub(lambda match: to[match.group()], spaced)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for table in lexicon("antonyms").values():
        for one, other in table["pairs"]:
            left, right = {_stem_of(word) for word in one.split()}, {_stem_of(word) for word in other.split()}
            for word in left:
                found.setdefault(word, set()).update(right - left)
            for word in right:
                found.setdefault(word, set()).update(left - right)
    return {word: frozenset(others) for word, others in found.items()}


def _stem_of(word: str) -> str:
    return stem(word.replace("-", ""))


def opposites(a: Reading, b: Reading) -> tuple[tuple[str, str], ...]:
    """Pairs of opposite words, one from each text, where neither text holds both (a text that does is about choice).

    >>> opposites(reading("Telemetry is enabled"), reading("Disable telemetry"))
    (('enabl', 'disabl'),)
    >>> opposites(reading("Open it, then close it"), reading("It is open"))
    ()
    """
    left, right = _joined(a.stems), _joined(b.stems)
    return tuple(
        (word, other)
        for word in dict.fromkeys(left)
        for other in sorted(_opposites().get(word, ()))
        if other in right and other not in left and word not in right
    )


@lru_cache(maxsize=_RECENT)
def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """The stems, and each two neighbours written as one where that may have an opposite ("part time", "parttime")."""
    pairs = (a + b for a, b in pairwise(words) if a.isalpha() and b.isalpha())
    return words + tuple(stem(word) for word in pairs if _may_have_opposite(word))


_SURE: Final = 9
"""Letters of a word from which on its stem has its first three letters, a y being an i, or is its first two: the
longest ending that falls at once has five letters and an s, and after it only later syllables do."""


def _may_have_opposite(word: str) -> bool:
    """As far as its first letters tell: most joined words need no stemming then."""
    return len(word) < _SURE or _beginning(word) in _beginnings() or word[:2] in _beginnings()


def _beginning(word: str) -> str:
    return word[:3].replace("y", "i")


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(_beginning(word) for word in _opposites())
