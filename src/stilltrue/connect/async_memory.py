"""How does a program that runs on asyncio use a Memory? `AsyncMemory`: the same verbs, each awaited, each in a thread.

The engine is synchronous, and SQLite and the models let other threads run while they work; so an event loop only needs
somebody else to wait. One small pool of threads does it for a memory and all spaces opened from it. What a verb means,
takes, returns and raises is written at `Memory`.

Cancelling: a call that has not begun is dropped; one that has is carried through in its thread, so a write is there
whole or not at all. Callbacks (`progress`) are called in that thread.
"""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar

from stilltrue.errors import StateError
from stilltrue.memory import DEFAULT_SPACE, Memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
    from pathlib import Path

    from stilltrue.engine import Engine
    from stilltrue.model.ids import BatchId, SpaceId
    from stilltrue.ports import Clock, Embedder, Expert, PairModel
    from stilltrue.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")

THREADS: Final = 4
"""Threads of a pool. Writes to a space wait for each other anyway, and judging takes what cores there are."""


def _awaited(verb: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """The verb of Memory, done in a thread."""

    @functools.wraps(verb)
    async def awaited(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._in_thread(functools.partial(verb, self._memory, *args, **kwargs))

    return awaited


class Opening:
    """What `AsyncMemory.open` returns: await it, or enter it with `async with`."""

    def __init__(self, opened: Coroutine[Any, Any, AsyncMemory]) -> None:
        """Nothing is opened yet."""
        self._opened = opened
        self._memory: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, Any, AsyncMemory]:
        """The memory, open."""
        return self._opened.__await__()

    async def __aenter__(self) -> AsyncMemory:
        """The memory, open."""
        self._memory = await self._opened
        return self._memory

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        if self._memory is not None:
            await self._memory.close()


class AsyncMemory:
    """`Memory` for asyncio: `async with AsyncMemory.open("agent.db") as memory: await memory.remember("…")`."""

    def __init__(self, memory: Memory, pool: ThreadPoolExecutor | None = None) -> None:
        """Over a memory, which it closes when it is closed. `pool`: threads that somebody else ends."""
        self._whole = memory
        self._owned = pool is None
        self._pool = pool or ThreadPoolExecutor(THREADS, thread_name_prefix="stilltrue")
        self._closed = False
        # A batch is a task's own; `Memory.batch` would be that of all tasks which share this memory.
        self._batched: ContextVar[Memory | None] = ContextVar("stilltrue_batched", default=None)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        space: str = DEFAULT_SPACE,
        member: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        pair_model: PairModel | Path | str | None = None,
        expert: Expert | None = None,
        worker: bool = False,
    ) -> Opening:
        """As `Memory.open`, in a thread."""
        opens = functools.partial(
            Memory.open,
            path,
            space=space,
            member=member,
            settings=settings,
            clock=clock,
            embedder=embedder,
            pair_model=pair_model,
            expert=expert,
            worker=worker,
        )

        return Opening(cls._opened(opens))

    @classmethod
    async def _opened(cls, opens: Callable[[], Memory]) -> AsyncMemory:
        return cls(await asyncio.to_thread(opens))

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Wait for what has begun and close the memory, which one that `in_space` gave leaves to the first."""
        if self._closed:
            return
        self._closed = True
        if self._owned:
            # Shielded: a program that is being cancelled closes its memory all the same.
            await asyncio.shield(asyncio.to_thread(self._end))

    def _end(self) -> None:
        self._pool.shutdown(wait=True)
        self._whole.close()

    @property
    def engine(self) -> Engine:
        """The engine below."""
        return self._whole.engine

    @property
    def space(self) -> SpaceId:
        """The space that it speaks for."""
        return self._whole.space

    @property
    def member(self) -> str | None:
        """As whom."""
        return self._whole.member

    @property
    def settings(self) -> Awaitable[Settings]:
        """`Memory.settings`, to be awaited."""
        return self._in_thread(lambda: self._memory.settings)

    async def start_worker(self) -> Self:
        """As `Memory.start_worker`; returns itself."""
        await self._in_thread(self._whole.start_worker)
        return self

    async def in_space(self, space: str, member: str | None = None, *, vouched: bool | None = None) -> AsyncMemory:
        """As `Memory.in_space`, with the same threads."""
        opened = await self._in_thread(lambda: self._whole.in_space(space, member, vouched=vouched))
        return AsyncMemory(opened, self._pool)

    @asynccontextmanager
    async def batch(self, *, ask_later: bool = False) -> AsyncIterator[BatchId]:
        """As `Memory.batch`, for this task and those it starts inside; others write on outside of it."""
        outer = self._memory
        own = await self._in_thread(lambda: Memory(outer.engine, outer.space, outer.member, vouched=outer.vouched))
        own._batch, own._asks_later = outer._batch, outer._asks_later  # noqa: SLF001 - a batch inside a batch is the same
        with own.batch(ask_later=ask_later) as batch_id:
            token = self._batched.set(own)
            try:
                yield batch_id
            finally:
                self._batched.reset(token)

    @functools.wraps(Memory.configure)
    async def configure(self, **knobs: object) -> Settings:
        return await self._in_thread(lambda: self._memory.configure(**knobs))

    @property
    def _memory(self) -> Memory:
        return self._batched.get() or self._whole

    async def _in_thread(self, call: Callable[[], R]) -> R:
        if self._closed:
            raise StateError("this memory is closed; open it again")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, functools.partial(copy_context().run, call))

    # Writing
    remember = _awaited(Memory.remember)
    resolve = _awaited(Memory.resolve)
    forget = _awaited(Memory.forget)
    erase = _awaited(Memory.erase)
    undo = _awaited(Memory.undo)
    confirm = _awaited(Memory.confirm)
    set_members = _awaited(Memory.set_members)

    # Looking after
    drain = _awaited(Memory.drain)
    sweep = _awaited(Memory.sweep)
    detect = _awaited(Memory.detect)
    maintain = _awaited(Memory.maintain)
    read_story = _awaited(Memory.read_story)
    backtest = _awaited(Memory.backtest)
    review = _awaited(Memory.review)
    estimate = _awaited(Memory.estimate)

    # Reading
    search = _awaited(Memory.search)
    ask = _awaited(Memory.ask)
    lookup = _awaited(Memory.lookup)
    history = _awaited(Memory.history)
    explain = _awaited(Memory.explain)
    conflicts = _awaited(Memory.conflicts)
    proposals = _awaited(Memory.proposals)
    rechecks = _awaited(Memory.rechecks)
    changes = _awaited(Memory.changes)
    check = _awaited(Memory.check)
    stats = _awaited(Memory.stats)
    members = _awaited(Memory.members)
    spaces = _awaited(Memory.spaces)
    check_invariants = _awaited(Memory.check_invariants)
