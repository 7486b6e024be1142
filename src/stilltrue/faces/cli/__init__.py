"""What does the command line do? It reads words, calls one verb of `Memory`, prints the answer: no rule lives here.

`main` is the whole door: it runs a verb and turns whatever goes wrong into one line on standard error and an exit
status (0 done, 1 findings or failed checks, 2 usage or environment, 130 interrupted). The verbs are in `read`, `write`,
`files`, `archive`, `moving`, `notes`, `background`, `retention`, `upkeep`, `backtest`, `serve`, `agents` and `hook`, by
what they do to a memory; `faces.wire` and `faces.render` say what answers look like. A coding agent's hook is answered
without loading any of it (`quick`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stilltrue.faces.cli.quick import calls_hook, hook_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit status (SystemExit)."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if (hook := hook_of(words)) is not None:
        from stilltrue.faces.hooks import run

        sys.exit(run(hook))
    from stilltrue.faces.cli import door

    try:
        door.main(words)
    except SystemExit:
        if calls_hook(words) and "--help" not in words:
            sys.exit(0)  # another status may block what the person was about to do
        raise
