"""How are processes had by the hundred? One that has imported everything forks them: a child costs milliseconds.

`Nursery` is the test's end; the module run as a program is the other. They speak in lines of JSON. A child runs one
function, `module:name`, with plain arguments; it is killed by its number, and its parent tells how it ended.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

from tests.faults.companion import Companion

PRELOADED = ("tests.faults.workers", "stilltrue.write.remember", "stilltrue.write.undo", "stilltrue.write.forget",
             "stilltrue.upkeep.worker", "stilltrue.upkeep.detective", "stilltrue.store.writer")  # fmt: skip


class Nursery(Companion):
    module = "tests.faults.nursery"

    def start(self, function, *arguments):
        """The number of a child that runs the function."""
        return self.ask({"run": function, "with": [str(one) if isinstance(one, Path) else one for one in arguments]})

    def kill(self, child):
        os.kill(child, signal.SIGKILL)

    def wait(self, child):
        """How it ended: 0, the status it left with, or minus the signal that ended it."""
        return self.ask({"wait": child})


def _run(function, arguments):
    module, name = function.split(":")
    try:
        getattr(importlib.import_module(module), name)(*arguments)
    except BaseException:  # noqa: BLE001 - it is told, and the status says so
        traceback.print_exc()
        return 1
    return 0


def main():
    for module in PRELOADED:
        importlib.import_module(module)
    alive = set()
    for line in sys.stdin:
        asked = json.loads(line)
        if "wait" in asked:
            status = os.waitpid(asked["wait"], 0)[1]
            alive.discard(asked["wait"])
            print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201
            continue
        child = os.fork()
        if not child:
            os.close(0)
            os._exit(_run(asked["run"], asked["with"]))
        alive.add(child)
        print(child, flush=True)  # noqa: T201
    for child in alive:  # of a test that failed
        os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
