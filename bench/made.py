"""Which facts fill a large memory, and which questions are asked of it? Made up from word lists, the same every time.

Subjects, attributes and values are varied so that words have the spread of real ones: few are everywhere, most are
rare. What it costs to store or to find them is measured elsewhere.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST: Final = _words(
    "Ada Ben Cleo Dev Ema Finn Gita Hugo Ines Jon Kaya Liam Mara Nils Olga Pia Quinn Rosa Sven Tara Uma Vera Wim Xenia "
    "Yara Zoe Arlo Bela Chen Dina Emre Faye Goran Hana Ivo Jana Kofi Lena Milo Nora Otto Priya Rafi Sara Timo Ugo"
)
LAST: Final = _words(
    "Abbott Baker Castro Dumont Egan Fischer Gomez Hansen Ito Jansen Kovacs Lindt Moreau Novak Okafor Petrov Quist "
    "Rossi Sato Tanaka Ulrich Vance Weber Xu Young Zeller Amari Brandt Costa Dahl Eriksen Fontaine Gupta Horvat Iyer"
)
CITIES: Final = _words(
    "Lisbon Porto Milan Turin Lyon Ghent Oslo Bergen Malmo Krakow Brno Graz Basel Vienna Leeds Cork Dublin Athens "
    "Split Riga Vilnius Tallinn Osaka Kyoto Busan Lima Quito "
    "Bogota Denver Austin Boston Toronto Nairobi Accra Tunis Cairo"
)
FOODS: Final = _words(
    "peanuts shellfish strawberries lactose gluten sesame soy walnuts mustard celery kiwi mango eggs cashews almonds "
    "coriander garlic mushrooms olives liquorice ginger tofu lentils okra papaya"
)
JOBS: Final = _words(
    "nurse carpenter pilot teacher baker chemist plumber librarian surveyor translator welder florist dentist actuary "
    "locksmith geologist cellist judge curator paramedic brewer optician"
)
HOBBIES: Final = _words(
    "rowing chess pottery climbing archery knitting birdwatching fencing sailing origami astronomy cycling gardening "
    "calligraphy beekeeping bouldering juggling orienteering woodcarving kayaking"
)
PETS: Final = _words("cat dog parrot rabbit tortoise hamster gecko goldfish ferret canary")
SERVICES: Final = _words(
    "billing checkout ledger gateway search catalogue inventory shipping mailer scheduler ingest report audit session "
    "profile media export webhook pricing quota mirror relay"
)
TEAMS: Final = _words("red blue green amber teal violet coral olive indigo crimson")
DATABASES: Final = _words("PostgreSQL MySQL SQLite MongoDB Redis Cassandra DynamoDB MariaDB CockroachDB ClickHouse")
TOOLS: Final = _words("pytest ruff mypy webpack vite gradle bazel terraform ansible jenkins grafana sentry")


@dataclass(frozen=True, slots=True)
class Made:
    """A statement, where it belongs, and a question that it answers."""

    text: str
    subject: str
    attribute: str
    value: str
    question: str


_PERSONAL: Final = (
    ("residence", CITIES, "{s} lives in {v}.", "Where does {s} live?"),
    ("allergy", FOODS, "{s} is allergic to {v}.", "What is {s} allergic to?"),
    ("occupation", JOBS, "{s} works as a {v}.", "What is the job of {s}?"),
    ("hobby", HOBBIES, "{s} took up {v} last spring.", "Which hobby does {s} have?"),
    ("pet", PETS, "{s} has a {v} called {w}.", "What is the name of the {v} of {s}?"),
    ("birthplace", CITIES, "{s} was born in {v} and grew up near {w}.", "Where was {s} born?"),
)
_SOFTWARE: Final = (
    ("database", DATABASES, "The {s} service stores its data in {v}.", "Which database does {s} use?"),
    ("tool", TOOLS, "We run {v} in the pipeline of {s}.", "Which tool runs in the pipeline of {s}?"),
    ("port", tuple(map(str, range(3000, 9000, 37))), "{s} listens on port {v}.", "Which port does {s} listen on?"),
    ("timeout", tuple(f"{n} seconds" for n in range(5, 95)), "The timeout of {s} is {v}.", "What timeout has {s}?"),
    ("owner", FIRST, "{v} owns the {s} service.", "Who owns the {s} service?"),
)


def facts(count: int, seed: int = 2) -> list[Made]:
    """So many different facts."""
    chance = random.Random(seed)
    found: dict[str, Made] = {}
    while len(found) < count:
        made = _person(chance) if chance.random() < 0.6 else _service(chance)
        found.setdefault(made.text, made)
    return list(found.values())


def _person(chance: random.Random) -> Made:
    subject = f"{chance.choice(FIRST)} {chance.choice(LAST)}"
    if chance.random() < 0.5:
        subject = f"{subject} {chance.choice(LAST)}"
    return _made(subject, chance.choice(_PERSONAL), chance)


def _service(chance: random.Random) -> Made:
    team = chance.choice(TEAMS)
    subject = f"{team} {chance.choice(SERVICES)} {chance.choice(CITIES).lower()}{chance.randrange(1, 40)}"
    return _made(subject, chance.choice(_SOFTWARE), chance)


def _made(subject: str, kind: tuple[str, tuple[str, ...], str, str], chance: random.Random) -> Made:
    attribute, values, telling, asking = kind
    words = {"s": subject, "v": chance.choice(values), "w": chance.choice(CITIES)}
    return Made(telling.format(**words), subject.lower(), attribute, words["v"], asking.format(**words))
