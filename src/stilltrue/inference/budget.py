"""May this space ask once more today?

Answer: as long as what it has spent since midnight (UTC), with what is under way in this process and what the request
is estimated to take, stays inside its allowance. The ledger in the store is what counts, so processes share a budget;
each may exceed it by no more than the requests it had under way when another one spent the rest. A request that brought
no reply is not charged: else an hour without a server would use up the day. A reply that is of no use is.

Left to others: what the allowance is (``stilltrue.settings``), writing the ledger (``.asking``).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stilltrue.errors import BudgetError
from stilltrue.model.expert import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from stilltrue.model.expert import Allowance
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Store


class Budget:
    """The allowances of all spaces, and what this process has under way. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._under_way: dict[SpaceId, Usage] = {}

    def take(self, space: SpaceId, day: date, allowance: Allowance, tokens: int) -> None:
        """Set one call of about so many tokens aside. Raises BudgetError where that is more than is left."""
        with self._guard:
            with self._store.read() as reader:
                spent = reader.usage(space, day) + self._under_way.get(space, Usage())
            _refuse_beyond(spent, allowance, tokens)
            self._add(space, 1, tokens)

    def give_back(self, space: SpaceId, tokens: int) -> None:
        """What `take` set aside was not spent."""
        with self._guard:
            self._add(space, -1, -tokens)

    @contextmanager
    def spending(self, space: SpaceId, tokens: int) -> Iterator[None]:
        """Inside, the caller writes into the ledger what `take` set aside; nobody sees it counted twice meanwhile."""
        with self._guard:
            try:
                yield
            finally:
                self._add(space, -1, -tokens)

    def _add(self, space: SpaceId, calls: int, tokens: int) -> None:
        left = self._under_way.get(space, Usage()) + Usage(calls, tokens)
        if left == Usage():
            self._under_way.pop(space, None)
        else:
            self._under_way[space] = left


def _refuse_beyond(spent: Usage, allowance: Allowance, tokens: int) -> None:
    """Raises BudgetError, naming the setting."""
    if spent.calls >= allowance.calls_per_day:
        raise BudgetError(
            f"budget: {spent.calls} of {allowance.calls_per_day} calls are spent today (UTC); "
            "raise llm_calls_per_day, or wait for tomorrow"
        )
    if spent.tokens + tokens > allowance.tokens_per_day:
        raise BudgetError(
            f"budget: about {tokens} tokens are needed, and {spent.tokens} of {allowance.tokens_per_day} are spent "
            "today (UTC); raise llm_tokens_per_day, or wait for tomorrow"
        )
