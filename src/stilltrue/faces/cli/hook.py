"""Which verbs do coding agents call? `hook prompt`, `session-start`, `stop`, `session-end`; `install` sets them up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import Call, print_lines
from stilltrue.faces.hooks import MOST_CHARACTERS, MOST_FACTS, PROMPT, SESSION_END, SESSION_START, STOP, Hook, run

SETTINGS = Path(".claude") / "settings.json"

Facts = Annotated[int, typer.Option("--facts", min=1, help="At most so many facts.")]
Characters = Annotated[int, typer.Option("--characters", min=200, help="At most so many characters in all.")]


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    hooks = typer.Typer(help="Answer the hooks of a coding agent (Claude Code).", rich_markup_mode=None)
    hooks.command(epilog="Example: stilltrue hook install --project")(install)
    hooks.command(PROMPT, epilog='Example: echo \'{"prompt": "our rate limit"}\' | stilltrue hook prompt')(prompt)
    hooks.command(SESSION_START, epilog="Example: echo '{}' | stilltrue hook session-start")(session_start)
    hooks.command(STOP, epilog='Example: echo \'{"transcript_path": "t.jsonl"}\' | stilltrue hook stop')(stop)
    hooks.command(SESSION_END, epilog='Example: echo \'{"transcript_path": "t.jsonl"}\' | stilltrue hook session-end')(
        session_end
    )
    app.add_typer(hooks, name="hook")


def install(
    context: typer.Context,
    project: Annotated[
        bool, typer.Option("--project", help="Write into this project's .claude/settings.json.")
    ] = False,
    user: Annotated[bool, typer.Option("--user", help="Write into .claude/settings.json in your home.")] = False,
) -> None:
    """Print the hooks as settings of Claude Code, or write them where they belong.

    What is in the file already stays; hooks of ours that are there are replaced.
    """
    from stilltrue.connect.hook_settings import hooks, merged
    from stilltrue.formats.targets import replace_file

    if project and user:
        raise InvalidInputError("give --project or --user, not both")
    before = _before(Call.of(context, as_json=False))
    if not (project or user):
        print_lines(json.dumps({"hooks": hooks(before)}, ensure_ascii=False, indent=2).split("\n"))
        return
    file = (Path.home() if user else Path()) / SETTINGS
    old = file.read_text("utf-8") if file.exists() else ""
    try:
        new = merged(old, before)
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: {error}") from None
    if file.parent.exists() and not file.parent.is_dir():
        raise InvalidInputError(f"{file.parent} is no folder, so no settings can lie in it; move it away first")
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, new.encode())
    print_lines([f"hooks written to {file}" if new != old else f"hooks are in {file} already"])


def _before(call: Call) -> list[str]:
    """What stands between the program and the verb, so that the hooks speak to the memory that was named here."""
    given = (("--db", call.db and str(Path(call.db).absolute())), ("--space", call.space), ("--as", call.member))
    return [
        word for name, value in given if value and (name, value) != ("--space", "default") for word in (name, value)
    ]


def prompt(context: typer.Context, facts: Facts = MOST_FACTS, characters: Characters = MOST_CHARACTERS) -> None:
    """Tell the agent the facts that bear on a prompt; reads the hook's JSON on standard input."""
    _run(context, PROMPT, facts, characters)


def session_start(context: typer.Context, facts: Facts = MOST_FACTS, characters: Characters = MOST_CHARACTERS) -> None:
    """Tell the agent the weightiest facts as a session starts."""
    _run(context, SESSION_START, facts, characters)


def stop(context: typer.Context) -> None:
    """Keep what was said since the last time, and judge it."""
    _run(context, STOP, MOST_FACTS, MOST_CHARACTERS)


def session_end(context: typer.Context) -> None:
    """Keep what was said since the last time; it is judged later."""
    _run(context, SESSION_END, MOST_FACTS, MOST_CHARACTERS)


def _run(context: typer.Context, event: str, facts: int, characters: int) -> None:
    call = Call.of(context, as_json=False)
    raise typer.Exit(run(Hook(event, call.db, call.space, call.member, facts, characters)))
