"""Which concrete store and models make an engine? The only file that names them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from stilltrue.engine import Engine
from stilltrue.errors import InvalidInputError
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.settings import Settings
from stilltrue.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Chat, Clock, Embedder, PairModel


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """The present instant, UTC."""
        return datetime.now(UTC)


def build_engine(
    path: str | Path,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    pair_model: PairModel | None = None,
    chat: Chat | None = None,
) -> Engine:
    """An engine on the SQLite file `path` (":memory:" for one that vanishes). Raises StoreError, InvalidInputError."""
    if "://" in str(path):
        message = f"{path} is not a file; this version keeps memory in SQLite files only, give a path"
        raise InvalidInputError(message)
    chosen = settings or Settings.from_environment(os.environ)
    ticking = clock or SystemClock()
    embeds = embedder or MiniLMEmbedder(threads=chosen.embedder_threads)
    store = SqliteStore.open(
        path,
        clock=ticking,
        dimensions=embeds.dimensions,
        model_version=embeds.model_version,
        lock_timeout_seconds=chosen.lock_timeout_seconds,
    )
    return Engine(
        store=store,
        embedder=embeds,
        clock=ticking,
        entropy=os.urandom,
        settings=chosen,
        pair_model=pair_model,
        chat=chat,
    )
