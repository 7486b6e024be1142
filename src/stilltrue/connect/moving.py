"""How does a memory move house, from a file to a server or back? All its spaces at once: `migrate`.

What arrives is what left: ids, both clocks, history, decisions, erasures, work that is left, vectors. An interrupted
move goes on where it ended, and what is half moved opens for nobody. Writers of the source are to be ended first; if
one was missed, the move says so and the target stays closed.

Left to others: rows and digests (`store.moving`), which store a name means (`wiring`). A single space travels as a file
by `connect.archive`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue import wiring
from stilltrue.errors import InvalidInputError
from stilltrue.settings import Settings
from stilltrue.store.moving import move

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.store.moving import Moved


def migrate(
    source: str | Path,
    target: str | Path,
    *,
    settings: Settings | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Moved:
    """Move the memory at `source` into the empty or missing `target`; either a path or a postgresql:// address.

    Nothing of the source changes. `progress` is told how many rows are done, of how many. Raises StateError for a
    target that holds something else, InvalidInputError, StoreError.
    """
    chosen = settings or Settings.from_environment(os.environ)
    _refuse_vanishing(source, target)
    patience = chosen.lock_timeout_seconds
    with wiring.moving_source(source, patience) as there, wiring.moving_target(target, patience) as here:
        if _same(source, target) or there.place == here.place:
            raise InvalidInputError(f"{there.place} cannot be moved onto itself; name another target")
        moved = move(there, here, progress)
    wiring.store_at(target, chosen, wiring.SystemClock(), wiring.embedder_of(chosen)).close()
    return moved


def _refuse_vanishing(*places: str | Path) -> None:
    if ":memory:" in map(str, places):
        raise InvalidInputError("a memory that vanishes with its process cannot be moved; name a file or an address")


def _same(source: str | Path, target: str | Path) -> bool:
    return not (wiring.is_address(source) or wiring.is_address(target)) and (
        Path(source).resolve() == Path(target).resolve()
    )
