"""Which values are there for a slot, and which of them are kept for the test?"""

from __future__ import annotations

from functools import cache
from typing import Final

from training.families.amounts import (
    Value,
    celsius,
    clock,
    count,
    day,
    days,
    gigabytes,
    grams,
    metres,
    millis,
    minutes,
    money,
    month,
    percent,
    phone,
    rate,
    seconds,
    semver,
    version,
)
from training.families.words import POOLS


def _nice(top: int) -> list[int]:
    """Round numbers and odd ones up to a top, each once."""
    bases = (1, 2, 3, 4, 5, 6, 8, 12, 15, 20, 24, 25, 30, 35, 40, 45, 50, 60, 64, 75, 80, 90, 95)
    return sorted({b * 10**e for b in bases for e in range(7) if 1 < b * 10**e <= top})


@cache
def values(pool: str) -> tuple[Value, ...]:
    """All values of a pool, by its name."""
    if pool in POOLS:
        return tuple(Value((word,)) for word in POOLS[pool].split(", "))
    return tuple(MADE[pool]())


def half(pool: str, test: bool) -> tuple[Value, ...]:  # noqa: FBT001 -- the two halves of a pool
    """The values for training, or those kept for the test."""
    return values(pool)[int(test) :: 2]


MADE: Final = {
    "seconds": lambda: [
        seconds(n)
        for n in (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120, 150, 180, 240, 300, 600)
    ],
    "minutes": lambda: [
        minutes(n) for n in (3, 5, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 75, 90, 105, 120, 150, 180, 240, 300)
    ],
    "millis": lambda: [
        millis(n)
        for n in (20, 25, 40, 50, 80, 100, 120, 150, 180, 200, 250, 300, 350, 400, 450, 500, 600, 750, 800, 900)
    ],
    "gigabytes": lambda: [
        gigabytes(n) for n in (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 50, 64, 80, 100, 128, 200, 256, 500, 512)
    ],
    "percent": lambda: [
        percent(n)
        for n in (
            2,
            3,
            4,
            5,
            7,
            8,
            10,
            12,
            15,
            18,
            20,
            22,
            25,
            30,
            33,
            35,
            40,
            45,
            50,
            55,
            60,
            65,
            70,
            75,
            80,
            85,
            90,
            95,
            99,
        )
    ],
    "days": lambda: [days(n) for n in (3, 5, 7, 10, 12, 14, 20, 21, 28, 30, 35, 42, 45, 60, 70, 84, 90, 120, 180, 365)],
    "rate": lambda: [rate(n) for n in _nice(9000) if n >= 10],
    "count": lambda: [count(n) for n in _nice(9_000_000) if n > 90],
    "small": lambda: [count(n) for n in range(2, 60)],
    "users": lambda: [count(n, " users") for n in _nice(900_000) if n >= 20],
    "rows": lambda: [count(n, " rows") for n in _nice(5_000_000) if n >= 100],
    "money": lambda: [money(n, i % 3) for i, n in enumerate(_nice(9_000)) if n >= 5],
    "salary": lambda: [money(n * 500, i % 3) for i, n in enumerate(range(48, 190, 3))],
    "budget": lambda: [money(n, i % 3) for i, n in enumerate(_nice(950_000)) if n >= 2000],
    "celsius": lambda: [celsius(n) for n in (*range(5, 100, 5), 120, 160, 180, 200, 220)],
    "metres": lambda: [metres(n) for n in range(150, 205)],
    "grams": lambda: [grams(n * 100) for n in (*range(3, 30), 35, 40, 45, 52, 65, 78, 83)],
    "clock": lambda: [clock(n) for n in range(5 * 60, 23 * 60 + 1, 15) if n != 720],
    "morning": lambda: [clock(n) for n in range(5 * 60, 11 * 60, 10)],
    "evening": lambda: [clock(n) for n in range(20 * 60, 24 * 60, 10)],
    "date": lambda: [day(n) for n in range(0, 2200, 17)],
    "day": lambda: [day(n, year=False) for n in range(0, 365, 5)],
    "month": lambda: [month(n) for n in range(120, 310, 3)],
    "year": lambda: [Value((str(n),)) for n in range(1951, 2024)],
    "version": lambda: [version(n) for n in range(126)],
    "semver": lambda: [semver(n) for n in range(0, 420, 5)],
    "port": lambda: [
        Value((str(n),))
        for n in (
            1883,
            3000,
            3001,
            3306,
            4000,
            4200,
            5000,
            5173,
            5432,
            5672,
            6379,
            7000,
            8000,
            8080,
            8081,
            8443,
            8888,
            9000,
            9090,
            9200,
            9443,
            10080,
        )
    ],
    "number": lambda: [phone(n) for n in range(60)],
    "code": lambda: [Value((f"{chr(65 + n % 26)}{n * 37 % 90 + 10}",)) for n in range(60)],
    "email": lambda: [
        Value((f"{n.lower()}@{d}",))
        for n, d in zip(
            ["info", "billing", "mail", "team", "ops", "help", "contact", "desk", "hello", "me"] * 4,
            ["nordpost.example", "quill.example", "fjord.example", "mailbox.example", "lantern.example"] * 8,
            strict=True,
        )
    ],
    "kmh": lambda: [count(n, " km/h") for n in range(10, 85, 5)],
    "age": lambda: [count(n) for n in range(19, 88)],
    "shoe": lambda: [Value((str(n),)) for n in range(35, 49)],
}
