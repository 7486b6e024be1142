"""Which concrete store and models make an engine? The only file that names them."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from stilltrue.engine import Engine
from stilltrue.errors import InvalidInputError, ModelError
from stilltrue.inference import pair_model as trained
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.model_folder import CONFIG_FILE, MODEL_FILES
from stilltrue.inference.nli import NliPairModel
from stilltrue.settings import Settings
from stilltrue.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Embedder, Expert, PairModel


BUNDLED: Final = "bundled"
OFF: Final = "off"


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
    pair_model: PairModel | Path | str | None = None,
    expert: Expert | None = None,
) -> Engine:
    """An engine on the SQLite file `path` (":memory:" for one that vanishes).

    `pair_model` is what `pair_model_of` takes. Raises StoreError, InvalidInputError, ModelError.
    """
    if "://" in str(path):
        message = f"{path} is not a file; this version keeps memory in SQLite files only, give a path"
        raise InvalidInputError(message)
    chosen = settings or Settings.from_environment(os.environ)
    judge = pair_model_of(pair_model, chosen)
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
        pair_model=judge,
        expert=expert,
    )


def copied(engine: Engine, path: Path, *, expert: Expert | None) -> Engine:
    """The engine on a copy of its store in the new file `path`, with another expert. Raises StoreError."""
    engine.store.copy_to(path)
    store = SqliteStore.open(
        path,
        clock=engine.clock,
        dimensions=engine.embedder.dimensions,
        model_version=engine.embedder.model_version,
        lock_timeout_seconds=engine.settings.lock_timeout_seconds,
    )
    return replace(engine, store=store, expert=expert)


def pair_model_of(named: PairModel | Path | str | None, settings: Settings) -> PairModel | None:
    """The pair model that a caller names; None: the one that the setting `pair_model` names.

    A name is "bundled" (the one that ships; none in an installation without), "off" (none), or a folder: one with
    ``pair_model.json``, or somebody else's NLI cross-encoder. Weights are loaded by the first pair. Raises ModelError.
    """
    chosen = settings.pair_model if named is None else named
    if not isinstance(chosen, (str, Path)):
        return chosen
    if chosen == OFF or (chosen == BUNDLED and not trained.ships()):
        return None
    if chosen == BUNDLED:
        return trained.bundled(settings.pair_model_threads)
    folder = Path(chosen).expanduser()
    if (folder / trained.CARD_FILE).is_file():
        return trained.OnnxPairModel(weights=folder, threads=settings.pair_model_threads)
    if any((folder / name).is_file() for name in (CONFIG_FILE, *MODEL_FILES)):
        return NliPairModel(folder, threads=settings.pair_model_threads)
    message = (
        f"There is no pair model in {str(chosen)!r}: give a folder with {trained.CARD_FILE}, or with {CONFIG_FILE} and "
        f"{MODEL_FILES[0]}, or {BUNDLED!r} or {OFF!r}."
    )
    raise ModelError(message)
