"""What does a sentence announce: a change, a correction, an end, a restatement, an exception, a way back?

Answers with the cues it found, word for word, so that a note can show them. A cue is no verdict: whether it is about
the same thing as the other statement is asked by the signals and the typed comparison. Phrases live in `lexicon/`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Final

from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.text import stem, tokens

_GAP: Final = "..."
_GAP_PATTERN: Final = r"(?: \S+){0,4}?"
_CODE: Final = re.compile(
    r"`[^`]*`|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b`?[ *]*/[^\s]*"
    r"|\b(?:per|an?|each|every|\d\S{0,40}) seconds?\b"
)
"""Code, routes and the unit of time hold words that announce nothing ("DELETE /cart", "5 requests a second")."""

_RECENT: Final = 4096  # sentences whose wording is kept: a sweep meets each of them in several pairs


@dataclass(frozen=True, slots=True)
class Wording:
    """The cues of each family, as found; empty where there is none. `weak_*`: words that only lean that way."""

    change: tuple[str, ...] = ()
    weak_change: tuple[str, ...] = ()
    correction: tuple[str, ...] = ()
    weak_correction: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    withdrawal: tuple[str, ...] = ()
    restatement: tuple[str, ...] = ()
    exclusivity: tuple[str, ...] = ()
    exception: tuple[str, ...] = ()
    addition: tuple[str, ...] = ()
    returning: tuple[str, ...] = ()
    degree: tuple[str, ...] = ()

    @property
    def announces(self) -> bool:
        """Whether it says outright that something is not as it was."""
        return bool(self.change or self.correction or self.end or self.withdrawal or self.returning)

    def note(self) -> str:
        """The cues in one line, for evidence."""
        found = [
            f"{item.name}: {', '.join(getattr(self, item.name))}" for item in fields(self) if getattr(self, item.name)
        ]
        return "; ".join(found) or "no cue"


_FAMILIES: Final = {
    "change": (("changes", "move"), ("changes", "switch"), ("changes", "grow"), ("changes", "rename"),
               ("changes", "reschedule")),
    "weak_change": (("changes", "now"), ("changes", "status"), ("changes", "ranges")),
    "correction": (("corrections", "opening"), ("corrections", "never"), ("corrections", "always")),
    "weak_correction": (("corrections", "actually"), ("corrections", "contrast")),
    "end": (("retractions", "end"), ("retractions", "removal"), ("retractions", "loss")),
    "withdrawal": (("retractions", "withdrawal"),),
    "restatement": (("cues", "restatement"),),
    "exclusivity": (("cues", "exclusivity"),),
    "exception": (("cues", "exception"),),
    "addition": (("cues", "addition"),),
    "returning": (("cues", "return"),),
    "degree": (("cues", "degree"),),
}  # fmt: skip


@lru_cache(maxsize=_RECENT)
def wording(text: str) -> Wording:
    """What `text` announces.

    >>> wording("We switched from vim to Helix").change
    ('switched',)
    >>> wording("The switch is in the hall").announces
    False
    >>> wording("It was never Postgres").correction, wording("User doesn't smoke any more").end
    (('was never',), ('not smoke any more',))
    """
    line = _Line(tokens(_CODE.sub(" ", text)))
    return Wording(**{family: line.find(_cues(family)) for family in _FAMILIES})


@dataclass(frozen=True, slots=True)
class _Cues:
    """The phrases of a family as one pattern. `openings`: what they begin with, without which none can stand there."""

    pattern: re.Pattern[str]
    openings: frozenset[str]


class _Line:
    """Tokens and their stems side by side, each as one spaced line, so that a cue can ask for either."""

    def __init__(self, words: tuple[str, ...]) -> None:
        stems = [stem(word) for word in words]
        self._joined = "".join(f" {form}={word}" for form, word in zip(stems, words, strict=True))
        self._openings = {*stems, *(f"={word}" for word in words)}

    def find(self, cues: _Cues) -> tuple[str, ...]:
        found: list[str] = []
        if cues.openings.isdisjoint(self._openings):
            return ()
        for match in cues.pattern.finditer(self._joined):
            phrase = " ".join(pair.rpartition("=")[2] for pair in match.group().split())
            if phrase not in found:
                found.append(phrase)
        return tuple(found)


@cache
def _cues(family: str) -> _Cues:
    phrases = [phrase for name, table in _FAMILIES[family] for phrase in lexicon(name)[table]["phrases"]]
    longest_first = sorted(phrases, key=len, reverse=True)
    pattern = re.compile("(?:" + "|".join(_compiled(phrase) for phrase in longest_first) + r")(?= |$)")
    return _Cues(pattern, frozenset(_opening(phrase.split()[0]) for phrase in phrases))


def _opening(word: str) -> str:
    return word if word.startswith("=") else stem((tokens(word) or (word,))[0])


def _compiled(phrase: str) -> str:
    parts: list[str] = []
    for word in phrase.split():
        if word == _GAP:
            parts.append(_GAP_PATTERN)
        elif word.startswith("="):
            parts.append(rf" [^ =]*={re.escape(word[1:])}(?= |$)")
        else:
            parts.extend(rf" {re.escape(stem(token))}=[^ ]*" for token in tokens(word) or (word,))
    return "".join(parts)
