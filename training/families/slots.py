# ruff: noqa: E501 -- a table is read best with one row a line
"""Which attributes do the statements speak of, and how is each said?

One line a slot: ``key | kind of subject | mode | pool | nouns | verb phrases | phrases of change | phrases of an end``.
Modes: ``one`` can change (a second value is newer), ``fixed`` cannot, ``rule`` is an undated convention, ``many`` takes
several values. ``{v}`` is the value, ``{a}`` the value with an article, ``{o}`` the value before. A key up to the first
stop is its topic. A ``*`` after the mode: the value does not depend on conditions. A phrase with ``<`` is in the past.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from training.families.slots_people import PEOPLE
from training.families.slots_things import THINGS

TOPICS: Final = (
    "work: home office day, commute",
    "love: partner, marital status, wedding date, children, roommate",
    "car: car, car colour, first car",
    "food: diet, favourite food, favourite cuisine, foods liked, allergies, medicines, drinks liked, favourite drink",
    "music: favourite band, bands, genres, instruments, piano teacher",
    "study: study place, major, alma mater, degree subject",
    "tongue: mother tongue, languages",
    "mobile: phone model, phone plan, data volume, mobile number, devices",
    "day: wake-up time, bedtime, lunch time",
    "sport: race goal, steps goal, gym, hobbies",
    "animals: pet name, pets, first pet",
    "books: favourite book, books read",
    "code: coding languages, tools, editor, theme",
    "birth: birthday, birth year, birthplace",
    "colour: eye colour, hair colour",
    "time: deadline, launch date, last release, project version, kickoff, project status",
    "code base: main language, framework, libraries, indentation, quote style, naming style, python, linter, ci, coverage",
    "flow: merge strategy, default branch, linter",
    "crew: members, team size, team lead, team room, team scope, team chat, standup",
    "shop hours: opening, closing, closing day",
    "gathering: event date, event start, event place, event room, catering, guests, speakers, host",
    "money: price, discount, supplier, ticket price",
    "sold: first sold, inventor, stock, colours, material",
    "machine: device os, device firmware, device ram, device disk, device room, device user, device maker, device bought",
    "opus: author, work year, work place, work award, work length",
    "limits: rate limit, replicas, worker pool, batch size, page size, retries, memory limit, disk size, upload limit",
    "where: region, regions, database, file store",
    "watch: log level, monitors, error threshold, latency target",
    "release: runtime version, deployed version, service birth, maintenance day, service author, service owner",
    "seat: headquarters, staff, company birth, company founder, markets, ceo, supplier, partners",
    "town: town founded, town country, population, bus fare, parking fee",
    "inn: owner, manager, built, architect, capacity, entry fee",
)
"""Attributes that a careful person might call one topic; between those no row says that they have nothing in common."""
NEAR: Final = (
    "read timeout, write timeout, connect timeout",
    "staging port, production port, metrics port",
    "home phone, work phone, mobile number",
    "email.private, email.work",
    "support line, sales line",
    "dentist, doctor, landlord, piano teacher",
    "birthplace, home.city, favourite city, work.office",
    "wake-up time, lunch time",
    "session lifetime, cache ttl, backup interval",
    "work.salary, savings goal",
    "parking spot, work.desk",
    "favourite colour, car colour",
    "therapy day, cleaning day, home office day",
    "work.manager, mentor, emergency contact, roommate",
    "memory limit, disk size, upload limit",
    "replicas, retries, worker pool, page size",
    "founder, project lead",
    "service author, service owner",
    "device ram, device disk",
    "weight, price",
    "architect, owner",
    "bank, insurer, gym, frequent airline",
    "town founded, population",
    "event room, host",
    "phone model, laptop os",
    "runtime version, deployed version",
    "study place, alma mater",
)
"""Attributes that are easily taken for each other and are not the same: of two of them NONE is said."""


@dataclass(frozen=True)
class Slot:
    """One attribute of one kind of subject."""

    key: str
    kind: str
    mode: str
    pool: str
    nouns: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    scoped: bool = True

    @property
    def lasting(self) -> bool:
        """Whether the value is a state that can begin on a day, and no date or event itself."""
        return self.kind != "event" and self.pool not in ("day", "date")

    @cached_property
    def topic(self) -> str:
        return next((row.split(":")[0] for row in TOPICS if self.key in _members(row)), self.key.split(".")[0])


@cache
def _members(row: str) -> frozenset[str]:
    """The keys that a row of ``TOPICS`` or ``NEAR`` lists."""
    return frozenset(row.rpartition(":")[2].strip().split(", "))


def _parsed(line: str) -> Slot:
    """A slot from its line; columns at the end may be missing."""
    cells = [cell.strip() for cell in line.split("|")]
    key, kind, mode, pool = cells[:4]
    nouns, verbs, change, end = (_listed(cells, column) for column in range(4, 8))
    return Slot(key, kind, mode.rstrip("*"), pool, nouns, verbs, change, end, scoped=not mode.endswith("*"))


def _listed(cells: list[str], column: int) -> tuple[str, ...]:
    """The parts of a cell; columns at the end of a line may be missing."""
    cell = cells[column] if column < len(cells) else ""
    return tuple(filter(None, (part.strip() for part in cell.split(";"))))


@cache
def slots() -> tuple[Slot, ...]:
    """Every slot, in the order of the tables."""
    return tuple(_parsed(line) for line in (PEOPLE + THINGS).splitlines() if line.strip())


@cache
def of_kind(kind: str) -> tuple[Slot, ...]:
    return tuple(slot for slot in slots() if slot.kind == kind)


@cache
def near(slot: Slot) -> tuple[Slot, ...]:
    """The slots of the same kind which are easily taken for this one."""
    keys = {key for row in NEAR if slot.key in _members(row) for key in _members(row)} - {slot.key}
    return tuple(other for other in of_kind(slot.kind) if other.key in keys)


@cache
def unrelated(slot: Slot) -> tuple[Slot, ...]:
    """The slots of the same kind with another topic."""
    return tuple(other for other in of_kind(slot.kind) if other.topic != slot.topic)
