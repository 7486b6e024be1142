"""Who has a job in hand, for how long, and whose lease counts no more?

Answer: each thread that works on jobs signs for itself: with the machine, the process, and words of chance that the
process and the thread drew. A server's worker and its requests are as strange to each other as two processes. A lease
lasts half an hour, longer than a slow language model takes; but where its owner ran on this machine and is seen to be
gone, it counts no more, so that what a dead process left is done at once. A write that fails lets go itself.

Who was away for longer than the lease finds in `still_held`, within the transaction of each step, that the job is
another's now, and writes nothing.

Left to others: the rows (`store`), what is done about a job (`upkeep.worker`).
"""

from __future__ import annotations

import os
import platform
import secrets
import threading
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from stilltrue.errors import StilltrueError, TakenOverError
from stilltrue.model.job import Lease

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Transaction

LASTS: Final = timedelta(minutes=30)
"""A hundred facts put to a slow server take minutes; only a lease of another machine is ever waited for."""

_CHANCE: Final = secrets.token_hex(4)
_BETWEEN: Final = "/"
_HERE: Final = threading.local()
_THREADS: Final[WeakValueDictionary[str, threading.Thread]] = WeakValueDictionary()
"""Who drew which word. A thread's number would not do: the next thread gets it."""


def owner() -> str:
    """This thread, as it signs."""
    word: str | None = getattr(_HERE, "word", None)
    if word is None:
        word = _HERE.word = f"{_CHANCE}.{secrets.token_hex(4)}"
        _THREADS[word] = threading.current_thread()
    return _BETWEEN.join((platform.node(), str(os.getpid()), word))


def lease(now: Instant, lasts: timedelta = LASTS) -> Lease:
    """This thread's lease from now on."""
    return Lease(owner(), now + lasts)


def gone(owners: Sequence[str]) -> tuple[str, ...]:
    """Those of some owners that ran on this machine and are no more."""
    return tuple(one for one in owners if one != owner() and _is_gone(one))


def _is_gone(signed: str) -> bool:
    place, _, word = signed.rpartition(_BETWEEN)
    machine, _, process = place.rpartition(_BETWEEN)
    if machine != platform.node() or not process.isdecimal() or os.name != "posix":
        return False
    if int(process) == os.getpid():
        thread = _THREADS.get(word)  # none: also an earlier process that had our number
        return thread is None or not thread.is_alive()
    try:
        os.kill(int(process), 0)  # sends nothing: it only asks whether there is such a process
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def still_held(transaction: Transaction, space: SpaceId, job_id: str) -> None:
    """Raises TakenOverError where the job is another's by now, or done."""
    if not transaction.held(space, job_id, owner()):
        message = (
            f"another worker has taken over a job of space {space!r} meanwhile; nothing was written, let it finish"
        )
        raise TakenOverError(message)


@contextmanager
def at_work(engine: Engine, space: SpaceId, job_id: str | None) -> Iterator[None]:
    """Lets go of a job that the block was to finish and could not, so that the next worker need not wait."""
    try:
        yield
    except TakenOverError:
        raise  # the lease is not ours to give up
    except BaseException:
        if job_id is not None:
            # What went wrong is told; that a lease stays until it ends is not.
            with suppress(StilltrueError), engine.store.write(space) as transaction:
                let_go(transaction, space, job_id)
        raise


def let_go(transaction: Transaction, space: SpaceId, job_id: str) -> None:
    """Anybody may take the job in hand, unless another has it already."""
    if transaction.held(space, job_id, owner()):
        transaction.let_go(space, job_id)
