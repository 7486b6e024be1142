"""How do clean sentences get the edges of real ones: carriers, small letters, no stop, a typo, curly quotes?"""

from __future__ import annotations

import random
from typing import Final

from training.families import phrases
from training.families.grammar import sentence
from training.families.words import TOPIC_CLAUSES

NOTE_MARKS: Final = (": ", " = ", " → ", " - ", " / ", ".")


def is_note(text: str) -> bool:
    """Whether this is a terse note ("key: value") and no clause."""
    return any(mark in text for mark in NOTE_MARKS[:5])


def carried(rng: random.Random, text: str, clause: bool = True, *, light: bool = False) -> str:  # noqa: FBT001, FBT002
    """The statement as a sentence, now and then inside a longer one."""
    if is_note(text) and not clause:
        return sentence(text)
    if is_note(text):
        return text[:1].upper() + text[1:] if rng.random() < 0.4 else text
    roll = rng.random()
    if not clause or text.endswith("?") or roll > 0.16:
        return sentence(text)
    table = phrases.LIGHT if light or roll > 0.08 else phrases.LONG
    return sentence(rng.choice(table).format(x=text, y=rng.choice(TOPIC_CLAUSES.split(", "))))


def _typo(rng: random.Random, text: str) -> str:
    """Two letters of a plain word swapped, or one left out."""
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if i and len(word) > 5 and word.isalpha() and word.islower()]
    if not places:
        return text
    place = rng.choice(places)
    word, at = words[place], rng.randrange(1, len(words[place]) - 2)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    words[place] = swapped if rng.random() < 0.6 else word[:at] + word[at + 1 :]
    return " ".join(words)


def roughened(rng: random.Random, text: str) -> str:
    """The sentence with the small faults that people make."""
    if rng.random() < 0.07:
        text = text.lower()
    if rng.random() < 0.12 and text.endswith("."):
        text = text[:-1]
    if rng.random() < 0.03:
        text = _typo(rng, text)
    if "'" in text and rng.random() < 0.25:
        text = text.replace("'", "’")
    return text
