"""Which settings are there? `docs/reference/settings.md`, from the fields of `Settings`."""

from __future__ import annotations

import dataclasses

from docs.generate.text import EDITED, cell, code, table
from stilltrue.settings import ENVIRONMENT_PREFIX, Settings

PAGE = "docs/reference/settings.md"

OPENING = f"""# Settings

{EDITED}
A setting holds for a whole memory where the program gives it (`Memory.open(path, settings=Settings(...))`) or the
environment does (`{ENVIRONMENT_PREFIX}` and the name in capitals), and for one space where it is set there:
`stilltrue settings NAME=VALUE`, `memory.configure(NAME=VALUE)`. What a space sets outranks the rest. Tables of names
and values, such as `author_trust`, are not read from the environment. A value of another kind, or out of its range, is
refused with the name of the setting.

*From* names what a default rests on: a row of the specification, or a measurement. The rows stand
[on a page of their own](../spec-rows.md).
"""


def page() -> str:
    """The whole page."""
    rows = [_row(field) for field in dataclasses.fields(Settings)]
    return "\n".join([OPENING, *table(("setting", "default", "range", "meaning", "from"), rows)])


def _row(field: dataclasses.Field[object]) -> tuple[str, ...]:
    kept = field.metadata
    meaning = cell(kept["meaning"]) + (f"<br>*Trade-off:* {cell(kept['trade'])}" if kept["trade"] else "")
    default = getattr(Settings(), field.name)
    return code(field.name), code(repr(default)), _range(field), meaning, cell(kept["source"])


def _range(field: dataclasses.Field[object]) -> str:
    low, high = field.metadata["low"], field.metadata["high"]
    match low, high:
        case None, None:
            return {"bool": "yes or no", "str": "text"}.get(str(field.type), "names and values")
        case _, None:
            return f"from {low:g}"
        case _:
            return f"{low:g} to {high:g}"
