"""Does a line clash with this one, or with another one more surely?

Whoever changes a fact and forgets the old line leaves two lines that clash. What stands near either of them, a cell of
the same table or another rule on the same thing, looks like a clash too, and is none. So a pair gives way to a pair of
either of its lines that is surer: its log-odds fall with that one's sureness. Pairs that are as sure stay, and one that
stands alone is as sure as before. Left to others: how sure a pair is by itself (`audit.weighing`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeVar

from stilltrue.audit.weighing import chance
from stilltrue.model.combination import log_odds

if TYPE_CHECKING:
    from collections.abc import Mapping

Line = TypeVar("Line")
RIVALRY: Final = 2.0
"""What a pair loses, in log-odds, to one that is sure. By cross-validation over the plain files of `training.lines`:
from 1.5 to 3 it makes no difference, without it fewer of the same clashes are found at the same precision."""


def given_way(sure: Mapping[tuple[Line, Line], float]) -> dict[tuple[Line, Line], float]:
    """How sure each pair of lines is, 0..1, once it gave way to the surer pairs of its lines.

    >>> {pair: round(one, 2) for pair, one in given_way({(1, 9): 0.9, (2, 9): 0.6, (3, 4): 0.6}).items()}
    {(1, 9): 0.9, (2, 9): 0.2, (3, 4): 0.6}
    """
    of_line: dict[Line, list[float]] = defaultdict(list)
    for pair, one in sure.items():
        for line in pair:
            of_line[line].append(one)
    best = {line: max(all_of_it) for line, all_of_it in of_line.items()}
    found = {}
    for pair, one in sure.items():
        rival = max(best[line] for line in pair)
        found[pair] = chance(log_odds(one) - RIVALRY * rival) if rival > one else one
    return found
