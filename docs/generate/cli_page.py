"""Which verbs and options has the command line? `docs/reference/cli.md`, from the parsers themselves."""

from __future__ import annotations

import inspect
from enum import Enum
from pathlib import Path
from typing import Any

from typer.main import get_command

from docs.generate.text import EDITED, cell, code, escaped, table
from stilltrue.faces.cli.door import app

PAGE = "docs/reference/cli.md"

OPENING = f"""# Command line

{EDITED}
`stilltrue [OPTIONS] VERB [ARGUMENTS]`. The options of the first table stand before the verb; `--json` may stand on
either side. How a command ends is told under [errors](errors.md#how-the-command-line-ends).
"""


def page() -> str:
    """The whole page."""
    root = get_command(app)
    lines = [OPENING, *_parameters(root)]
    for name, command in sorted(root.commands.items()):  # type: ignore[attr-defined]
        lines += _command(f"stilltrue {name}", command, level=2)
    return "\n".join(lines)


def _command(path: str, command: Any, level: int) -> list[str]:  # noqa: ANN401 - typer's own kind, which moves
    lines = [f"{'#' * level} {path}", "", escaped(_words(command)), "", *_parameters(command)]
    if command.epilog:
        example = inspect.cleandoc(command.epilog.replace("\b", "")).removeprefix("Example:").removeprefix("Examples:")
        lines += ["```text", inspect.cleandoc(example).strip(), "```", ""]
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        lines += _command(f"{path} {name}", inner, level + 1)
    return lines


def _words(command: Any) -> str:  # noqa: ANN401
    paragraphs = inspect.cleandoc((command.help or "").replace("\b\n", "")).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _parameters(command: Any) -> list[str]:  # noqa: ANN401
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    rows = [(_name(parameter), _meaning(parameter)) for parameter in shown if "--help" not in parameter.opts]
    return table(("argument or option", "meaning"), rows) if rows else []


def _name(parameter: Any) -> str:  # noqa: ANN401
    many = " …" if parameter.nargs == -1 or getattr(parameter, "multiple", False) else ""
    if parameter.param_type_name == "argument":
        return code(parameter.metavar or parameter.name.upper() + many)
    names = ", ".join(code(name) for name in (*parameter.opts, *parameter.secondary_opts))
    if getattr(parameter, "is_flag", False):
        return names
    return f"{names} {code((parameter.metavar or _kind(parameter)) + many)}"


def _annotation(parameter: Any) -> Any:  # noqa: ANN401
    """The Python type behind a parameter; older typers keep what they made of it in `type`."""
    return getattr(getattr(parameter, "type_descriptor", None), "annotation", None)


def _kind(parameter: Any) -> str:  # noqa: ANN401
    return {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(_annotation(parameter), "TEXT")


def _choices(parameter: Any) -> list[str]:  # noqa: ANN401
    annotation = _annotation(parameter)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(choice.value) for choice in annotation]
    return [str(choice) for choice in getattr(getattr(parameter, "type", None), "choices", ())]


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    parts = [cell(parameter.help or "")]
    if choices := _choices(parameter):
        parts.append("One of " + ", ".join(code(choice) for choice in choices) + ".")
    default = parameter.default
    if parameter.required:
        parts.append("Required.")
    elif isinstance(default, (str, int, float)) and not isinstance(default, bool):
        parts.append(f"Default {code(getattr(default, 'value', default))}.")
    if isinstance(parameter.envvar, str):
        parts.append(f"Environment: {code(parameter.envvar)}.")
    return " ".join(part for part in parts if part)
