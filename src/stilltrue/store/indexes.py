"""Which index does a space have in this process? `IndexCache` makes one when it is first asked for, and keeps few.

The indexes themselves are `store.vectors`': numpy is loaded with the first of them, not with the store.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stilltrue.store.vectors import SpaceIndex

_ROWS_KEPT = 200_000  # over all spaces of the process: about 350 MB with 384 dimensions


class IndexCache:
    """The indexes of the spaces in use; the ones not used for longest go first."""

    def __init__(self, model_version: str, dimensions: int) -> None:
        self.model_version = model_version
        self.vector_bytes = 4 * dimensions
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, SpaceIndex] = OrderedDict()

    def fresh(self, space: str) -> SpaceIndex:
        """An index of its own, shared with nobody: for a transaction that has written."""
        from stilltrue.store.vectors import SpaceIndex

        return SpaceIndex(space, self.model_version, self._dimensions)

    def of(self, space: str) -> SpaceIndex:
        """The shared index of a space."""
        with self._lock:
            index = self._spaces.get(space)
            if index is None:
                index = self._spaces[space] = self.fresh(space)
            self._spaces.move_to_end(space)
            while len(self._spaces) > 1 and sum(map(len, self._spaces.values())) > _ROWS_KEPT:
                self._spaces.popitem(last=False)
            return index
