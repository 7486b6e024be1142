"""What is one number of the report? A figure with its interval or its noise, which way is better, and what made it.

`key` names the same quantity in every report, whatever the wording. Left to others: where a number is found
(`.readers`), which script made it (`.sources`), and what a difference means (`.comparing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

EXACT: Final = 1.0
"""Counts of the same inputs: the same program gives the same number."""
MEDIANS: Final = 1.4
TAILS: Final = 4.0
"""By which factor two runs of the main path differed on one machine, one on busy and one on quiet cores (commits
c1912c9 and 2ef0c29): medians against a floor of the same run by 0.67 to 1.27, 95th percentiles, first calls, waits for
the disk and times against a fixed limit by 0.36 to 3.96."""


class Better(StrEnum):
    """Which way is better; OPEN where neither is, or where it depends."""

    HIGHER = "higher"
    LOWER = "lower"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One number. `low` and `high`: its 95% interval, where there is one; else `noise` is the factor by which two runs
    of the same thing may differ. `demanded`: the most (with better HIGHER the least) that meets the demand.
    """

    key: str
    source: str
    what: str
    number: float
    unit: str = ""
    n: int
    low: float | None = None
    high: float | None = None
    noise: float = EXACT
    better: Better = Better.LOWER
    demanded: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the demand is met; None where there is none."""
        if self.demanded is None:
            return None
        return self.number >= self.demanded if self.better is Better.HIGHER else self.number <= self.demanded

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def shown(number: float, unit: str) -> str:
    """A number for readers.

    >>> shown(0.90123, ""), shown(18, ""), shown(13.64, "×"), shown(5229.2, " bytes")
    ('0.90', '18', '13.6×', '5,229 bytes')
    """
    if number == int(number) or abs(number) >= 1000:
        return f"{number:,.0f}{unit}"
    return f"{number:.2f}{unit}" if abs(number) < 10 else f"{number:.3g}{unit}"
