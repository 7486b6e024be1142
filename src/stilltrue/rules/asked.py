"""Which slots does a question ask about? So that "I moved to Milan" answers "Where do I live?" in a memory of any size.

Answer: `asked`, the attributes (by the nouns of the attribute lexicons and the question forms of `lexicon/asked.toml`)
and the subjects a question may mean. It nominates and lifts in the ranking; nothing is left out for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from stilltrue.rules.attributes import noun_index
from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.subjects import US, USER
from stilltrue.rules.text import normalise, tokens

LONGEST_QUESTION: Final = 1_000
"""Characters looked at."""

MOST_SUBJECTS: Final = 8
"""A question names few; the rest of a long text is no subject. Each costs a look-up of 0.05 ms."""

_LONGEST_NOUN: Final = 4
_LONGEST_SUBJECT: Final = 2
_FIRST: Final = frozenset({"i", "me", "my", "mine", "myself", "user", "users"})
_WE: Final = frozenset({"we", "us", "our", "ours"})


@dataclass(frozen=True, slots=True)
class Asked:
    """Canonical names, most likely first; empty where nothing could be told."""

    subjects: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


def asked(question: str) -> Asked:
    """The slots that `question` may mean: any of its subjects with any of its attributes.

    >>> asked("Where does Ben live?")
    Asked(subjects=('ben', 'we'), attributes=('residence',))
    >>> asked("Who is in?")
    Asked(subjects=(), attributes=())
    """
    text = question[:LONGEST_QUESTION]
    words = tokens(text)
    nouns, taken = _nouns(words)
    attributes = dict.fromkeys((*_forms(normalise(text)), *nouns))
    if not attributes:
        return Asked()
    return Asked(_subjects(words, taken if len(nouns) == 1 else set()), tuple(attributes))


def _nouns(words: tuple[str, ...]) -> tuple[list[str], set[int]]:
    """Attributes named by a noun, the longest noun at each place, and the places taken."""
    found: list[str] = []
    taken: set[int] = set()
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_NOUN, len(words) - at), 0, -1):
            name = _noun(words[at : at + length])
            if name is not None:
                found.append(name)
                taken.update(range(at, at + length))
                at += length
                break
        else:
            at += 1
    return found, taken


def _noun(words: tuple[str, ...]) -> str | None:
    singular = (*words[:-1], words[-1].removesuffix("s"))
    return noun_index().get(words) or noun_index().get(singular)


def _forms(text: str) -> list[str]:
    return [name for pattern, names in _patterns() if pattern.search(text) for name in names]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    entries = lexicon("asked").values()
    return tuple((re.compile(entry["pattern"]), tuple(entry["attributes"])) for entry in entries)


def _subjects(words: tuple[str, ...], taken: set[int]) -> tuple[str, ...]:
    """Whom it may be about: the speaker, what the other words name, and the project."""
    found: list[str] = [USER] if _FIRST.intersection(words) else []
    stop = all_words("stopwords")
    content = [at for at, word in enumerate(words) if word not in stop and word[-1].isalnum() and at not in taken]
    # of several nouns one may be the subject of another ("the cache TTL"), so then none of them is taken
    for length in range(_LONGEST_SUBJECT, 0, -1):
        runs = [range(at, at + length) for at in content if all(place in content for place in range(at, at + length))]
        found += [" ".join(words[place] for place in run) for run in runs if not _verbs(words, run)]
    project = [US] if _WE.intersection(words) or USER not in found else []
    return tuple(dict.fromkeys((*found[:MOST_SUBJECTS], *project)))


def _verbs(words: tuple[str, ...], run: range) -> bool:
    return any(words[place] in _form_words() for place in run)


@cache
def _form_words() -> frozenset[str]:
    """Words of the question forms: they name what is asked, not whom it is about."""
    return frozenset(word for entry in lexicon("asked").values() for word in re.findall(r"[a-z]{3,}", entry["pattern"]))
