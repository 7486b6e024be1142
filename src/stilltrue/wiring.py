"""Which concrete store and models make an engine? The only file that names them."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from stilltrue.engine import Engine, Tally
from stilltrue.errors import InvalidInputError, ModelError, StoreError
from stilltrue.settings import Settings
from stilltrue.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stilltrue.inference.chat import OpenAIChat
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Clock, Embedder, Expert, PairModel, Store
    from stilltrue.store.moving_file import FileSource, FileTarget
    from stilltrue.store.postgres.moving import ServerSource, ServerTarget


BUNDLED: Final = "bundled"
OFF: Final = "off"
OPENAI: Final = "openai"
_CONNECTION: Final = re.compile(r"(?:^|\s)(?:host|hostaddr|port|dbname|user|service|password)=\S")
"""What libpq also takes for an address, and what would else become the name of a new file."""
POSTGRES_SCHEMES: Final = ("postgresql", "postgres")

KEY_VARIABLE: Final = "STILLTRUE_LLM_API_KEY"
"""Holds the key of whichever server the setting `llm` names."""

OPENAI_KEY_VARIABLE: Final = "OPENAI_API_KEY"
"""Read only where `llm` is `openai`: it is OpenAI's key, and no other host is to see it."""


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
    """An engine on the SQLite file `path` (":memory:" for one that vanishes) or the server at a postgresql:// address.

    `pair_model` is what `pair_model_of` takes; `expert` wins over the setting `llm` (`expert_of`). Raises StoreError,
    InvalidInputError, ModelError.
    """
    chosen = settings or Settings.from_environment(os.environ)
    judge = pair_model_of(pair_model, chosen)
    ticking = clock or SystemClock()
    embeds = embedder or embedder_of(chosen)
    store = store_at(path, chosen, ticking, embeds)
    try:
        asked = expert or expert_of(chosen, store, ticking, os.environ)
    except Exception:
        store.close()
        raise
    return Engine(
        store=store,
        embedder=embeds,
        clock=ticking,
        entropy=os.urandom,
        settings=chosen,
        pair_model=judge,
        expert=asked,
    )


def store_at(path: str | Path, settings: Settings, clock: Clock, embedder: Embedder) -> Store:
    """The store that a path or address names. Raises StoreError, InvalidInputError."""
    shape: _Shape = {
        "clock": clock,
        "dimensions": embedder.dimensions,
        "model_version": embedder.model_version,
        "lock_timeout_seconds": settings.lock_timeout_seconds,
    }
    if not is_address(path):
        return SqliteStore.open(path, **shape)
    with _psycopg():
        from stilltrue.store.postgres.store import PostgresStore
    return PostgresStore.open(str(path), **shape)


def moving_source(path: str | Path, patience: float) -> FileSource | ServerSource:
    """What a memory is moved out of; close it. Raises StoreError, InvalidInputError."""
    if not is_address(path):
        from stilltrue.store.moving_file import FileSource

        return FileSource.open(Path(path))
    with _psycopg():
        from stilltrue.store.postgres.moving import ServerSource
    return ServerSource(str(path), patience)


def moving_target(path: str | Path, patience: float) -> FileTarget | ServerTarget:
    """What a memory is moved into; close it. Raises StoreError, InvalidInputError."""
    if not is_address(path):
        from stilltrue.store.moving_file import FileTarget

        return FileTarget.open(Path(path), patience)
    with _psycopg():
        from stilltrue.store.postgres.moving import ServerTarget
    return ServerTarget(str(path), patience)


def is_address(path: str | Path) -> bool:
    """Whether memory lies on a server. Raises InvalidInputError for another kind of server or of address."""
    scheme, found, _ = str(path).partition("://")
    if not found and _CONNECTION.search(str(path)) and not Path(path).exists():
        message = "words of a connection are no path of a memory; write them as postgresql://USER@HOST:PORT/DATABASE"
        raise InvalidInputError(message)
    if found and scheme not in POSTGRES_SCHEMES:
        message = f"memory cannot be kept at {scheme}://…; give the path of a file, or postgresql://USER@HOST/DATABASE"
        raise InvalidInputError(message)
    return bool(found)


@contextmanager
def _psycopg() -> Iterator[None]:
    """Where the client's library is imported. Raises StoreError that says how to get it."""
    try:
        yield
    except ImportError as error:
        message = "memory on PostgreSQL needs psycopg: install it with `pip install 'stilltrue[postgres]'`"
        raise StoreError(message) from error


class _Shape(TypedDict):
    """What either store is told of the engine."""

    clock: Clock
    dimensions: int
    model_version: str
    lock_timeout_seconds: float


def unasked(engine: Engine) -> Engine:
    """The engine with nobody in its LLM's place, who only tells what asking would take, also where none is there."""
    from stilltrue.inference.nobody import Nobody

    return replace(engine, expert=Nobody(engine.expert))


def copied(engine: Engine, path: Path) -> Engine:
    """The engine on a copy of its store in the new file `path`. Raises StoreError."""
    engine.store.copy_to(path)
    store = SqliteStore.open(
        path,
        clock=engine.clock,
        dimensions=engine.embedder.dimensions,
        model_version=engine.embedder.model_version,
        lock_timeout_seconds=engine.settings.lock_timeout_seconds,
    )
    return replace(engine, store=store, tally=Tally())


def beside(engine: Engine, clock: Clock) -> Engine:
    """The engine on an empty store in this process's memory, with a clock of its own: nothing written there is kept."""
    store = SqliteStore.open(
        ":memory:", clock=clock, dimensions=engine.embedder.dimensions, model_version=engine.embedder.model_version
    )
    return replace(engine, store=store, clock=clock, tally=Tally())


def pair_model_of(named: PairModel | Path | str | None, settings: Settings) -> PairModel | None:
    """The pair model that a caller names; None: the one that the setting `pair_model` names.

    A name is "bundled" (the one that ships; none in an installation without), "off" (none), or a folder: one with
    ``pair_model.json``, or somebody else's NLI cross-encoder. Weights are loaded by the first pair. Raises ModelError.
    """
    chosen = settings.pair_model if named is None else named
    if not isinstance(chosen, (str, Path)):
        return chosen
    if chosen == OFF:
        return None
    from stilltrue.inference import pair_model as trained

    if chosen == BUNDLED and not trained.ships():
        return None
    if chosen == BUNDLED:
        return trained.bundled(settings.pair_model_threads)
    from stilltrue.inference.model_folder import CONFIG_FILE, MODEL_FILES

    folder = Path(chosen).expanduser()
    if (folder / trained.CARD_FILE).is_file():
        return trained.OnnxPairModel(weights=folder, threads=settings.pair_model_threads)
    if any((folder / name).is_file() for name in (CONFIG_FILE, *MODEL_FILES)):
        from stilltrue.inference.nli import NliPairModel

        return NliPairModel(folder, threads=settings.pair_model_threads)
    message = (
        f"there is no pair model in {str(chosen)!r}: give a folder with {trained.CARD_FILE}, or with {CONFIG_FILE} and "
        f"{MODEL_FILES[0]}, or {BUNDLED!r} or {OFF!r}"
    )
    raise ModelError(message)


def line_judge_of(settings: Settings) -> PairModel | None:
    """What an audit asks about two lines of files: the packaged judge of lines, unless `pair_model` names another one.

    Raises ModelError.
    """
    from stilltrue.inference import pair_model as trained

    if settings.pair_model == BUNDLED and trained.ships():
        return trained.bundled_for_lines(settings.pair_model_threads)
    return pair_model_of(None, settings)


def embedder_of(settings: Settings) -> Embedder:
    """The embedder that ships, as the settings want it. Weights are loaded by the first text."""
    from stilltrue.inference.embed import MiniLMEmbedder

    return MiniLMEmbedder(threads=settings.embedder_threads)


def expert_of(settings: Settings, store: Store, clock: Clock, environ: Mapping[str, str]) -> Expert | None:
    """The LLM that the setting `llm` names, with its prompts, checks, cache and budget; None: it is off.

    Raises InvalidInputError for a setting or key that cannot be used, ModelError where something is missing.
    """
    chat = chat_of(settings, environ)
    if chat is None:
        return None
    from stilltrue.inference.expert import LlmExpert

    return LlmExpert(chat, store, clock, concurrency=settings.llm_concurrency)


def expert_alone(settings: Settings, embedder: Embedder, environ: Mapping[str, str]) -> Expert:
    """The LLM that the setting `llm` names, for who has no store: it remembers no reply beyond this process.

    Raises InvalidInputError where the setting names none, ModelError as above.
    """
    clock = SystemClock()
    expert = expert_of(settings, store_at(":memory:", settings, clock, embedder), clock, environ)
    if expert is None:
        message = "no LLM is set up: set STILLTRUE_LLM to the address of a server, or to openai, or leave out --llm"
        raise InvalidInputError(message)
    return expert


def chat_of(settings: Settings, environ: Mapping[str, str]) -> OpenAIChat | None:
    """The server and model that the settings name, with the key out of the environment; None: off. Raises as above."""
    named = settings.llm.strip()
    if named.lower() == OFF:
        return None
    from stilltrue.inference.chat import OPENAI_URL, OpenAIChat

    key = environ.get(KEY_VARIABLE, "").strip()
    if named.lower() == OPENAI:
        key = key or environ.get(OPENAI_KEY_VARIABLE, "").strip()
        if not key:
            message = (
                f"Setting llm is {OPENAI}, but there is no key: put it into {KEY_VARIABLE} or {OPENAI_KEY_VARIABLE}."
            )
            raise ModelError(message)
    return OpenAIChat(
        model=settings.llm_model,
        url=OPENAI_URL if named.lower() == OPENAI else named,
        key=key or None,
        timeout=settings.llm_timeout_seconds,
        retries=settings.llm_retries,
        concurrency=settings.llm_concurrency,
    )
