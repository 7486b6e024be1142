"""Which values can be said in several ways: quantities, versions, dates, times, sums?

Each function makes one ``Value``; its first form is the plainest, all forms mean the same.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
EPOCH: Final = dt.date(2021, 1, 4)


@dataclass(frozen=True)
class Value:
    """One value: its forms, finer values inside it, and a bound below and above it (both with the unit),
    and the same figure in another unit, which is another value.
    """

    forms: tuple[str, ...]
    finer: tuple[str, ...] = ()
    below: str = ""
    above: str = ""
    decoy: str = ""


def _step(number: int) -> int:
    """A round step that keeps a bound clear of the number."""
    return int("1" + "0" * (len(str(number)) - 1))


def _bounds(number: int, unit: str) -> tuple[str, str]:
    """A rounder number below and above; no bound below when there is no room."""
    step = _step(number)
    low = (number - 1) // step * step
    return (f"{low:,}{unit}" if low > 0 else ""), f"{(number // step + 1) * step:,}{unit}"


def _short(number: int) -> list[str]:
    """The number with a k or an M, where that is exact."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size and number % (size // 10) == 0:
            return [f"{number / size:g}{letter}"]
    return []


def count(number: int, unit: str = "") -> Value:
    plain = [f"{number:,}"] + ([str(number)] if number >= 1000 else []) + _short(number)
    below, above = _bounds(number, unit)
    return Value(tuple(f"{p}{unit}" for p in plain), below=below, above=above)


def seconds(number: int) -> Value:
    forms = [f"{number} s", f"{number}s", f"{number} seconds", f"{number * 1000:,} ms", f"{number * 1000} ms"]
    if number % 60 == 0:
        minutes = number // 60
        forms += [f"{minutes} min", f"{minutes} minute" + "s" * (minutes > 1)]
    below, above = _bounds(number, " seconds")
    return Value(tuple(forms), below=below, above=above, decoy=f"{number} ms" if number > 60 else f"{number} min")


def minutes(number: int) -> Value:
    forms = [f"{number} minutes", f"{number} min", f"{number}m"]
    if number % 60 == 0:
        forms += [f"{number // 60} h", f"{number // 60} hour" + "s" * (number > 60)]
    if number % 30 == 0 and number > 60:
        forms.append(f"{number / 60:g} hours")
    below, above = _bounds(number, " minutes")
    return Value(tuple(dict.fromkeys(forms)), below=below, above=above, decoy=f"{number} seconds")


def millis(number: int) -> Value:
    forms = [f"{number} ms", f"{number}ms", f"{number} milliseconds", f"{number / 1000:g} s", f"{number / 1000:g} sec"]
    below, above = _bounds(number, " ms")
    return Value(tuple(forms), below=below, above=above, decoy=f"{number} s")


def gigabytes(number: int) -> Value:
    forms = [f"{number} GB", f"{number}GB", f"{number} gigabytes", f"{number * 1000:,} MB", f"{number * 1000} MB"]
    below, above = _bounds(number, " GB")
    return Value(tuple(forms), below=below, above=above, decoy=f"{number} MB")


def percent(number: int) -> Value:
    below, above = _bounds(number, "%")
    return Value((f"{number}%", f"{number} %", f"{number} percent", f"{number} per cent"), below=below, above=above)


def days(number: int) -> Value:
    forms = [f"{number} days"] + ([f"{number // 7} week" + "s" * (number > 7)] if number % 7 == 0 else [])
    forms += [f"{number}d"]
    below, above = _bounds(number, " days")
    return Value(tuple(forms), below=below, above=above, decoy=f"{number} weeks")


def rate(number: int) -> Value:
    forms = [
        f"{number:,} req/s",
        f"{number} requests per second",
        f"{number} rps",
        f"{number * 60:,} requests a minute",
    ]
    forms += [f"{s} requests per second" for s in _short(number)]
    below, above = _bounds(number, " requests per second")
    return Value(tuple(forms), below=below, above=above, decoy=f"{number:,} requests a minute")


def money(number: int, currency: int) -> Value:
    sign, word = (("€", "euros"), ("$", "dollars"), ("£", "pounds"))[currency]
    forms = [f"{sign}{number:,}", f"{number} {word}", f"{number:,} {word}"] + [f"{sign}{s}" for s in _short(number)]
    low, high = _bounds(number, "")
    return Value(
        tuple(dict.fromkeys(forms)), below=low and f"{sign}{low}", above=f"{sign}{high}", decoy=f"{number:,} francs"
    )


def celsius(number: int) -> Value:
    fahrenheit = number * 9 // 5 + 32
    forms = [f"{number} °C", f"{number}°C", f"{number} degrees Celsius", f"{fahrenheit} °F"]
    low, high = _bounds(number, " °C")
    return Value(tuple(forms), below=low, above=high, decoy=f"{number} °F")


def metres(number: int) -> Value:
    forms = [f"{number / 100:g} m", f"{number} cm", f"{number} centimetres", f"{number / 100:g} metres"]
    low, high = _bounds(number, " cm")
    return Value(tuple(forms), below=low, above=high)


def grams(number: int) -> Value:
    forms = [f"{number / 1000:g} kg", f"{number / 1000:g} kilos", f"{number:,} g", f"{number} grams"]
    low, high = _bounds(number, " g")
    return Value(tuple(forms), below=low, above=high)


def clock(number: int) -> Value:
    hour, minute = divmod(number, 60)
    half = "am" if hour < 12 else "pm"
    twelve = (hour - 1) % 12 + 1
    forms = [f"{hour:02d}:{minute:02d}"]
    forms += (
        [f"{twelve}:{minute:02d} {half}", f"{twelve}.{minute:02d} {half}"]
        if minute
        else [f"{twelve} {half}", f"{twelve}{half}"]
    )
    return Value(tuple(forms))


def day(number: int, *, year: bool = True) -> Value:
    date = EPOCH + dt.timedelta(days=number)
    month, tail = MONTHS[date.month - 1], f" {date.year}" if year else ""
    comma = f", {date.year}" if year else ""
    forms = [f"{date.day} {month}{tail}", f"{month} {date.day}{comma}", f"{date.day} {month[:3]}{tail}"]
    return Value((*forms, date.isoformat()) if year else tuple(forms))


def month(number: int) -> Value:
    name, year = MONTHS[number % 12], 2000 + number // 12
    forms = (f"{name} {year}", f"{name[:3]} {year}", f"{year}-{number % 12 + 1:02d}", f"{number % 12 + 1:02d}/{year}")
    return Value(forms, finer=tuple(f"{d} {name} {year}" for d in (3, 14, 21, 27)))


def version(number: int) -> Value:
    major, minor = number % 9 + 1, number // 9 % 14
    plain = f"{major}.{minor}"
    return Value((plain, f"v{plain}", f"version {plain}"), finer=tuple(f"{plain}.{p}" for p in (1, 2, 4, 7, 11)))


def semver(number: int) -> Value:
    plain = f"{number % 7 + 1}.{number // 7 % 12}.{number // 84 % 5}"
    return Value((plain, f"v{plain}", f"version {plain}"))


def phone(number: int) -> Value:
    one, two, three = 200 + number * 37 % 700, 1000 + number * 7919 % 9000, 100 + number * 53 % 900
    return Value((f"{one} {three} {two}", f"{one}-{three}-{two}", f"({one}) {three}-{two}"))
