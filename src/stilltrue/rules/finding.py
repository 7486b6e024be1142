"""What does one rule of the cascade report? A relation by name, or that it looked and found nothing.

How much a rule is worth is not the rule's own business: `rules.measured` holds what was measured of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.model.verdict import EvidenceSource, Relation


@dataclass(frozen=True, slots=True)
class Finding:
    """`signal` names the rule (a key of `rules.measured`); `note` says in words what a person can check."""

    source: EvidenceSource
    signal: str
    relation: Relation
    note: str
    corrects: bool = False
    narrows: bool = False
