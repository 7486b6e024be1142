"""What does a file prove of a claim: that it is right, or that it is wrong? With the file as the witness."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """The line of a file that tells; line 0: the whole file, by what is not in it or by being there."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Proof:
    """`holds`: the witness proves the claim right, else wrong. `topic` and `said` name what it is about, `because` why.

    `confidence` (0..1): that what was proved is what the claim means.
    """

    holds: bool
    topic: str
    said: str
    witness: Witness
    because: str = ""
    confidence: float = 0.95
