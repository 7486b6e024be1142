"""What do 500 facts look like that are all true together? Made up by a seed, with as many look-alikes as strangers.

Answer: `unrelated` gives sentences that never say two things of one slot: each form of words meets each subject once.
What tempts a detective is in it on purpose: one attribute of many subjects, many attributes of one subject, things that
several may be had of, other environments, weekdays and years, plans, questions, opinions of two people.

Left to others: telling them to a memory and listing what it asks (`bench.false_alarms`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGUN: Final = datetime(2024, 1, 8, 8, tzinfo=UTC)
SPAN: Final = timedelta(days=540)
AUTHORS: Final = ("ana", "ben", "carla", "deniz", "api-agent", "ops-agent", "docs-agent", None)
TOPICS: Final = ("api", "infra", "billing", "people", "office", "docs", "release", "travel", "home", None)

PEOPLE: Final = ("Mara", "Jonas", "Priya", "Tomasz", "Leila", "Oskar", "Ines", "Kofi", "Yuki", "Sven", "Dana", "Emeka")
SERVICES: Final = ("cart", "auth", "search", "billing", "email", "image", "report", "export", "chat", "stock")
PLACES: Final = (
    "north gym",
    "old library",
    "town museum",
    "school kitchen",
    "harbour cafe",
    "east garage",
    "city pool",
)

OF_PEOPLE: Final = (
    "{0} lives in {city}.",
    "{0} works as a {job}.",
    "{0} was born in {year}.",
    "{0} is allergic to {food}.",
    "{0} plays the {instrument}.",
    "{0} has a {pet} called {name}.",
    "{0}'s phone is a {phone}.",
    "{0} speaks {language}.",
    "{0} prefers {taste}.",
    "{0} plans to move to {city} next year.",
    "{0} visited {city} in {month}.",
    "{0}'s sister lives in {city}.",
    "{0} thinks the new logo is {opinion}.",
    "{0} wakes up at {hour}:30 on weekdays.",
    "{0} sleeps until {late} on Sundays.",
    "{0} used to live in {city}.",
    "{0} drives a {car}.",
    "{0} is learning {craft}.",
    "{0} has {count} nephews.",
    "{0}'s birthday is in {month}.",
    "{0} joined the choir in {month}.",
    "{0} takes the {line} to work.",
    "{0} heard that the school kitchen may close.",
    "If it rains, {0} stays at home.",
)
OF_SERVICES: Final = (
    "The {0} service listens on port {port}.",
    "The {0} service has a timeout of {seconds} seconds.",
    "The {0} service is written in {code}.",
    "The {0} service stores its data in {database}.",
    "On staging the {0} service runs {count} pods.",
    "In production the {0} service runs {more} pods.",
    "The rate limit of the {0} service is {rate} requests per second.",
    "{person} owns the {0} service.",
    "Version {version} of the {0} service was released in {month}.",
    "The {0} service retries a failed call {count} times.",
    "We want to rewrite the {0} service in {code} some day.",
    "Does the {0} service need a cache?",
    "The {0} service had an outage in {month}.",
    "Errors of the {0} service are logged at level {level}.",
    "Backups of the {0} service are kept for {days} days.",
)
OF_PLACES: Final = (
    "The {0} opens at {hour} am.",
    "The {0} closes at {evening} pm.",
    "The {0} is closed on {weekday}.",
    "The {0} was built in {year}.",
    "The {0} has {count} doors.",
    "A ticket for the {0} costs {count} euros.",
    "The {0} is run by {person}.",
    "The {0} will get a new roof in {month}.",
    "The {0} sells {food} and {drink}.",
    "The walls of the {0} are {colour}.",
)
FILLED: Final = {
    "city": ("Oslo", "Graz", "Porto", "Lyon", "Kyoto", "Accra", "Lima", "Turin", "Leeds", "Riga"),
    "job": ("nurse", "baker", "pilot", "teacher", "plumber", "lawyer", "gardener"),
    "year": ("1978", "1984", "1991", "1996", "2003"),
    "food": ("peanuts", "shellfish", "strawberries", "sesame", "wheat", "soup"),
    "drink": ("tea", "cider", "lemonade"),
    "instrument": ("cello", "drums", "flute", "piano"),
    "pet": ("dog", "cat", "parrot", "tortoise"),
    "name": ("Bo", "Ada", "Rex", "Momo", "Kiwi"),
    "phone": ("Pixel 8", "Fairphone 5", "iPhone 13"),
    "car": ("Skoda", "Volvo", "Fiat", "Toyota"),
    "craft": ("pottery", "weaving", "juggling", "chess"),
    "line": ("tram", "bus", "ferry", "train"),
    "language": ("Dutch", "Welsh", "Korean", "Twi", "Polish"),
    "taste": ("tea to coffee", "tabs", "spaces", "trains to planes", "dark mode", "light mode"),
    "month": ("March", "May", "June", "September"),
    "opinion": ("ugly", "great", "too dark", "a bit loud"),
    "hour": ("6", "7", "8", "9"),
    "late": ("9", "10", "11"),
    "evening": ("5", "6", "7", "9"),
    "weekday": ("Mondays", "Tuesdays", "Sundays"),
    "port": ("8080", "8081", "9000", "5005", "7070"),
    "seconds": ("2", "5", "10", "30", "60"),
    "code": ("Go", "Rust", "Python", "Kotlin"),
    "database": ("Postgres", "MySQL", "MongoDB", "SQLite"),
    "count": ("2", "3", "4", "5", "6"),
    "more": ("8", "12", "16", "20"),
    "rate": ("50", "100", "500", "1,000"),
    "version": ("1.4", "2.0", "2.7", "3.1"),
    "level": ("error", "warning", "info"),
    "days": ("7", "14", "30", "90"),
    "person": PEOPLE,
    "colour": ("white", "green", "red", "yellow"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence with who said it, under what, and when."""

    text: str
    author: str | None
    topic: str | None
    at: datetime


def unrelated(count: int = 500, seed: int = 7) -> list[Told]:
    """`count` facts of which none bears on another, in the order of their times; the same for the same seed."""
    drawn = random.Random(seed)
    texts = list(_sentences(drawn))
    drawn.shuffle(texts)
    if count > len(texts):
        raise ValueError(f"there are {len(texts)} such facts, not {count}")
    times = sorted(BEGUN + SPAN * drawn.random() for _ in range(count))
    return [Told(text, drawn.choice(AUTHORS), drawn.choice(TOPICS), at) for text, at in zip(texts, times, strict=False)]


def _sentences(drawn: random.Random) -> Iterator[str]:
    for forms, subjects in ((OF_PEOPLE, PEOPLE), (OF_SERVICES, SERVICES), (OF_PLACES, PLACES)):
        for form, subject in product(forms, subjects):
            yield form.format(subject, **{name: drawn.choice(words) for name, words in FILLED.items()})
