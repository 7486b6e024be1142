"""Who has a job in hand, for how long, and whose lease counts no more?

Answer: whoever works on jobs signs with the machine, the process and a word of chance that the process drew. A lease
lasts half an hour, longer than a slow language model takes; but where its owner ran on this machine and is seen to be
gone, it counts no more, so that what a dead process left is done at once. A write that fails lets go itself.

Who was away for longer than the lease finds in `still_held`, within the transaction of each step, that the job is
another's now, and writes nothing. What pauses a thread for so long pauses its process, so the process signs for all.

Left to others: the rows (`store`), what is done about a job (`upkeep.worker`).
"""

from __future__ import annotations

import os
import platform
import secrets
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

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


def owner() -> str:
    """This process, as it signs."""
    return _BETWEEN.join((platform.node(), str(os.getpid()), _CHANCE))


def lease(now: Instant) -> Lease:
    """This process's lease from now on."""
    return Lease(owner(), now + LASTS)


def gone(owners: Sequence[str]) -> tuple[str, ...]:
    """Those of some owners that ran on this machine and are no more."""
    return tuple(one for one in owners if one != owner() and _is_gone(one))


def _is_gone(signed: str) -> bool:
    machine, _, rest = signed.rpartition(_BETWEEN)[0].rpartition(_BETWEEN)
    if machine != platform.node() or not rest.isdecimal() or os.name != "posix":
        return False
    if int(rest) == os.getpid():
        return not signed.endswith(_CHANCE)  # an earlier process that had our number
    try:
        os.kill(int(rest), 0)  # sends nothing: it only asks whether there is such a process
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
            with suppress(StilltrueError):  # what went wrong is told; that a lease stays until it ends is not
                _let_go(engine, space, job_id)
        raise


def _let_go(engine: Engine, space: SpaceId, job_id: str) -> None:
    with engine.store.write(space) as transaction:
        transaction.let_go(space, job_id)
