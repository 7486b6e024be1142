"""How does the command end? With an answer and a status, or with one line that says what to do; never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import typer
from typer.main import get_command

from stilltrue.errors import StilltrueError
from stilltrue.faces.cli import (
    agents,
    archive,
    audit,
    background,
    backtest,
    files,
    hook,
    moving,
    notes,
    read,
    retention,
    serve,
    upkeep,
    write,
)
from stilltrue.faces.cli.app import app
from stilltrue.faces.cli.call import print_error
from stilltrue.faces.text import plain

DONE: Final = 0
FINDINGS: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

SHOW_TRACEBACK: Final = "STILLTRUE_TRACEBACK"

_CHECK: Final = "check the file and its folder"
_REMEDIES: Final = {
    errno.ENOENT: "check its name",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "check its name",
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "free some disk space",
    errno.ENAMETOOLONG: "give a shorter name",
}

# typer says what is wrong with the words of a command in this error; which package defines it differs by version.
_UsageError: Final[type[Exception]] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")
_BEFORE_THE_VERB: Final = ("--db", "--space", "--as")

for _verbs in (
    write, read, files, background, upkeep, backtest, retention, archive, moving, notes, audit, serve, agents, hook,
):  # fmt: skip
    _verbs.add_to(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit status (SystemExit)."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_a_character(stream)
    sys.exit(_status(sys.argv[1:] if arguments is None else list(arguments)))


def _status(arguments: list[str]) -> int:
    try:
        status = get_command(app)(arguments, prog_name="stilltrue", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except typer.Exit as left:
        status = left.exit_code
    except (BrokenPipeError, SystemExit) as left:  # the parser leaves so where the pipe broke
        return _reader_left() if _broken(left) else USAGE
    except (StilltrueError, OSError, UnicodeError, RecursionError, MemoryError) as error:
        print_error(_sentence(error))
        return error.exit_status if isinstance(error, StilltrueError) else USAGE
    except _UsageError as error:
        print_error(_usage(error))
        return USAGE
    except Exception as error:
        if os.environ.get(SHOW_TRACEBACK):
            raise
        fault = f"{type(error).__name__}: {error}"
        print_error(f"a fault of stilltrue's own ({fault}); set {SHOW_TRACEBACK}=1 to see where, and report it")
        return USAGE
    if status == INTERRUPTED:
        print_error("interrupted; what was finished is kept")
    return status if isinstance(status, int) else DONE


def _sentence(error: BaseException) -> str:
    """What happened, in a sentence that names the file where there is one."""
    match error:
        case StilltrueError():
            return str(error)
        case OSError(filename=str() | bytes() as name) if error.strerror:
            return f"{os.fsdecode(name)}: {error.strerror}; {_REMEDIES.get(error.errno or 0, _CHECK)}"
        case OSError() if error.strerror:
            return f"{error.strerror}; {_REMEDIES.get(error.errno or 0, _CHECK)}"
        case UnicodeError():
            return f"the input is not UTF-8 text ({error}); convert it and try again"
        case _:
            return str(error) or type(error).__name__


def _usage(error: Any) -> str:  # noqa: ANN401 - see _UsageError
    """The parser's own sentence and where to read on, with a remedy for the likeliest slip."""
    sentence = plain(error.format_message()).replace("Value error, ", "").rstrip(".")
    if getattr(error, "option_name", None) in _BEFORE_THE_VERB:
        return f"{sentence}: --db, --space and --as stand before the verb; see `stilltrue --help`"
    verb = error.ctx.command_path if error.ctx is not None else "stilltrue"
    return f"{sentence}; see `{verb} --help`"


def _broken(error: BaseException) -> bool:
    return isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError)


def _open_what_is_closed() -> None:
    """A standard stream that the caller has closed leads nowhere, and its number goes to no file of ours."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - for as long as we run
            setattr(sys, name, nowhere)


def _never_fail_on_a_character(stream: TextIO) -> None:
    """A stream that cannot write some character shows its escape instead."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _reader_left() -> int:
    """Whoever read our output has gone (`| head`): be quiet, also when Python closes the stream at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE
