"""When is the work that writes leave done, where nobody calls `drain`?

Answer: a daemon thread looks at every space again and again, and does what is due there. `Worker.stop` waits for the
job in hand and no longer; what is left is durable. A store that is busy or full at one look is tried at the next.

Left to others: the work itself (`upkeep.worker`).
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StilltrueError
from stilltrue.upkeep import retention, sweep
from stilltrue.upkeep.recalls import count_when_due
from stilltrue.upkeep.worker import work

if TYPE_CHECKING:
    from stilltrue.engine import Engine
    from stilltrue.model.ids import SpaceId

POLL_SECONDS: Final = 1.0
"""A look at a store without work is a few reads: a fraction of a millisecond for each space."""


@dataclass(frozen=True, slots=True)
class Done:
    """What one look did in a space: how many jobs, how many decisions, and why the first failed, if one did."""

    space: SpaceId
    jobs: int
    decisions: int
    failed: int
    failure: str = ""


def work_everywhere(engine: Engine, stop: threading.Event | None = None) -> list[Done]:
    """Do what is due in every space, count what was read there, and see to it that maintenance and sweeps are to come.

    An entry for each space where there was something to do.
    """
    with engine.store.read() as reader:
        spaces = reader.spaces()
    for space in spaces:
        count_when_due(engine, space)
        retention.appoint(engine, space)
        sweep.appoint(engine, space)
    rounds = [work(engine, space, stop=stop) for space in spaces]
    return [
        Done(one.space, one.done, len(one.decisions), len(one.tried), str(one.failure or ""))
        for one in rounds
        if one.done
    ]


class Worker:
    """A thread that does what is due in every space of a memory, as long as it runs."""

    def __init__(self, engine: Engine, poll_seconds: float = POLL_SECONDS) -> None:
        """Start it. Between two looks it rests `poll_seconds`."""
        self._engine = engine
        self._poll = poll_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stilltrue-worker", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it, once the job in hand is done."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            with suppress(StilltrueError):
                work_everywhere(self._engine, stop=self._stop)
            self._stop.wait(self._poll)
