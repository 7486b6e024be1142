"""Programmatic families of pairs for the pair judge: cases in which the wording is not the point.

``generate`` yields small contrastive sets: rows that share an existing statement and differ in the new one.
"""

from __future__ import annotations

from training.families.build import Row, generate

__all__ = ["Row", "generate"]
