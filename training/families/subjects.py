"""Who or what do the statements speak of?"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from training.families.words import HUMANS, POOLS, RELATIVES, THINGS


@dataclass(frozen=True)
class Subject:
    """One subject: as the subject of a clause, as an owner, after a preposition, and its grammatical person."""

    kind: str
    text: str
    owner: str
    after: str
    person: str = "3"
    name: str = ""

    @property
    def user(self) -> bool:
        return self.name == "user"

    @property
    def mine(self) -> str:
        """The possessive that refers back to the subject."""
        return {"1": "my", "pl": "our"}.get(self.person, "their" if self.kind == "person" else "its")


def _owner(text: str) -> str:
    return f"{text}'s"


def named(kind: str, name: str) -> Subject:
    return Subject(kind, name, _owner(name), name, name=name)


USER = Subject("person", "User", "User's", "User", name="user")
THE_USER = Subject("person", "the user", "the user's", "the user", name="user")
SPEAKER = Subject("person", "I", "my", "me", "1", name="user")


def halves(kind: str, *, test: bool) -> list[str]:
    """The names of a kind for one half."""
    return (HUMANS if kind == "person" else THINGS[kind]).split(", ")[int(test) :: 2]


def draw(rng: random.Random, kind: str, *, test: bool) -> Subject:
    """A subject of a kind; of people every second is the user."""
    if kind != "person":
        return named(kind, rng.choice(halves(kind, test=test)))
    roll = rng.random()
    if roll < 0.36:
        return USER if roll < 0.3 else THE_USER
    if roll < 0.5:
        return SPEAKER
    first = rng.choice(halves(kind, test=test))
    if roll < 0.62:
        return named(kind, f"{first} {rng.choice(POOLS['surname'].split(', ')[int(test) :: 2])}")
    return named(kind, first)


def again(rng: random.Random, subject: Subject) -> Subject:
    """The same subject, said once more and perhaps otherwise."""
    if subject.user:
        pick = rng.random()
        return subject if pick < 0.75 else rng.choice((USER, THE_USER, SPEAKER))
    if subject.kind == "person" and " " in subject.name and rng.random() < 0.3:
        return replace(named("person", subject.name.split(" ")[0]), name=subject.name)
    return subject


def other(rng: random.Random, subject: Subject, *, test: bool) -> Subject:
    """Another subject of the same kind, often one close to it."""
    if subject.kind == "person" and rng.random() < 0.35:
        relative = rng.choice(RELATIVES.split(", "))
        return named("person", f"{subject.owner} {relative}")
    while True:
        found = named(subject.kind, rng.choice(halves(subject.kind, test=test)))
        namesake = subject.kind == "person" and found.name.split(" ")[0] == subject.name.split(" ")[0]
        if not namesake and found.name != subject.name:
            return found
