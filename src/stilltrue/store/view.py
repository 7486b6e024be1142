"""What does an index show one reader? The facts of a space at one revision, as arrays that never change.

How views are made and kept up to date is `store.vectors`' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from stilltrue.model.timeline import to_micros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from stilltrue.model.ids import FactId
    from stilltrue.ports import Filter

    Mask = NDArray[np.bool_]
    Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class View:
    """The facts of a space at one revision. Position i is the i-th fact ever added; arrays end at `count`.

    `authors` are numbers, which `speakers` names; it may know more names than this view.
    """

    revision: int
    count: int
    ids: Sequence[FactId]
    docs: Integers
    words: Integers
    valid_from: Integers
    valid_until: Integers
    served: Mask
    authors: Integers
    mean_words: float
    speakers: Mapping[str | None, int]

    def admits(self, where: Filter) -> Mask:
        """The facts that the filter admits, for the present of the recorded clock."""
        mask = self.served.copy()
        if not where.include_superseded:
            at = to_micros(where.valid_at)
            mask &= self.valid_from <= at
            mask &= self.valid_until > at
        if where.author is not None:
            mask &= self.authors == self.speakers.get(where.author, NOBODY)
        return mask

    def positions(self, docs: Integers) -> Integers:
        """Row numbers to positions; both ascend, numbers newer than this view are left out."""
        if not self.count:
            return np.empty(0, dtype=np.int64)
        known = docs[docs <= self.docs[-1]]
        return np.asarray(np.searchsorted(self.docs, known), dtype=np.int64)


_NOTHING: Final = np.empty(0, dtype=np.int64)
NOBODY: Final = -1
EMPTY: Final = View(
    0, 0, (), _NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, dtype=np.bool_), _NOTHING, 0.0, MappingProxyType({})
)
