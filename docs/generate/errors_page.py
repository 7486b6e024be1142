"""What can go wrong? `docs/reference/errors.md`, from the tree in `stilltrue.errors` and the doors' answers to it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from docs.generate.text import EDITED, code, table, told
from stilltrue import errors
from stilltrue.faces.cli import door
from stilltrue.faces.http.problems import status_of

if TYPE_CHECKING:
    from http import HTTPStatus

PAGE = "docs/reference/errors.md"

OPENING = f"""# Errors

{EDITED}
Every error that stilltrue raises on purpose is a `StilltrueError` and stands in `stilltrue.errors`. Its message names
what was wrong, where, and the remedy. The [HTTP API](../how-to/serve-over-http.md) answers with the status in the table
and a problem document; MCP tools with the message.
"""


def page() -> str:
    """The whole page."""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.StilltrueError)]
    kinds.sort(key=lambda kind: [base.__name__ for base in reversed(kind.__mro__)])
    rows = [(_name(kind), told(kind), _status(kind)) for kind in kinds]
    return "\n".join([OPENING, *table(("error", "when", "HTTP"), rows), *_exits()])


def _name(kind: type[errors.StilltrueError]) -> str:
    base = kind.__bases__[0]
    return code(kind.__name__) + (
        "" if base in (Exception, errors.StilltrueError) else f"<br>below {code(base.__name__)}"
    )


def _status(kind: type[errors.StilltrueError]) -> str:
    status: HTTPStatus = status_of(kind(""))
    return f"{status.value} {status.phrase}"


def _exits() -> list[str]:
    rows = [
        (str(door.DONE), "done"),
        (str(door.FINDINGS), "done, and something was found or refused; the verb says what"),
        (
            str(door.USAGE),
            "not done: a wrong option, or one of the errors above; one line on standard error says which",
        ),
        (str(door.INTERRUPTED), "interrupted; what was finished is kept"),
    ]
    opening = ["## How the command line ends", ""]
    closing = f"A traceback is shown only with `{door.SHOW_TRACEBACK}=1`, and only for a fault of stilltrue's own.\n"
    return [*opening, *table(("status", "meaning"), rows), closing]
