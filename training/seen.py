"""On which sets of the corpus were the rules' weights counted?

Answer: ``counted`` names them: ``tests/rules/measure.py`` counts each rule on whole files, on every fourth set of
others and on a sample of the judged pairs among statements. That happened before the corpus was cut into parts, so some
of the sets are in ``dev`` and ``test``; figures without them say what the rules do on sets that they owe nothing to. A
test holds the numbers below against that script.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Final

from training.pairs import matrix, sets

WHOLE: Final = ("pn", "pm", "pq")
SAMPLED: Final = ("pl", "tm", "sw", "cv", "hd")
EVERY: Final = 4
TOPICS, SEED = 220, 7


@cache
def counted() -> frozenset[str]:
    """The ids of the sets whose labels a rule's weight was counted on."""
    found, numbers = set[str](), Counter[str]()
    for contrast in sets():
        file = contrast["id"][:2]
        if file in WHOLE or (file in SAMPLED and numbers[file] % EVERY == 0):
            found.add(contrast["id"])
        numbers[file] += 1
    anchors = sorted({pair.anchor for pair in matrix()})
    return frozenset(found).union(random.Random(SEED).sample(anchors, min(TOPICS, len(anchors))))
