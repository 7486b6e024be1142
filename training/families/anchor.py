"""What is an anchor: an existing statement and all that can be said next?"""

from __future__ import annotations

from dataclasses import dataclass

from training.families.candidates import Draft


@dataclass(frozen=True)
class Anchor:
    """One existing statement with its drafts; ``clause`` says whether it can stand inside a longer sentence."""

    key: str
    existing: str
    drafts: list[Draft]
    clause: bool = True
