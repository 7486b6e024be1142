"""What can a Python program call? `docs/reference/python.md`, from signatures, docstrings and the fields of results."""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
import inspect
import re
from types import FunctionType
from typing import TYPE_CHECKING, Final

import stilltrue
from docs.generate.text import EDITED, cell, code, table, told
from stilltrue.memory import Memory
from stilltrue.read.verbs import Reading
from stilltrue.upkeep.verbs import Upkeep

PAGE = "docs/reference/python.md"

OPENING = f"""# Python

{EDITED}
`from stilltrue import {", ".join(sorted(set(stilltrue.__all__) - {"__version__"}))}`.
`AsyncMemory` has the verbs of `Memory`, each awaited.
Times are given as aware `datetime` or as text. Errors are told [here](errors.md), settings [here](settings.md); what
the words mean, in the [glossary](../glossary.md).
"""
if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS: Final = (("Open, tell and act", Memory), ("Ask", Reading), ("Look after it", Upkeep))
FACES: Final = ("stilltrue", "stilltrue.testing")
WITHOUT_DOCSTRING: Final = {
    "__version__": "The version that is installed, as text.",
    "Told": "A confusion as a test writes it: its kind, the texts of its facts, and the question.",
}
_NAME: Final = re.compile(r"\b[A-Z]\w+")


def page() -> str:
    """The whole page."""
    lines = [OPENING, "## What is imported", "", *table(("name", "what it is"), imported())]
    for title, home in GROUPS:
        lines += [f"## {title}", ""]
        for name, verb in verbs(home):
            lines += [f"### {name}", "", "```text", signature(name, verb), "```", "", told(verb), ""]
    lines += ["## What comes back", "", "Frozen values. The fields of each, in their order:", ""]
    for kind in results():
        lines += [f"### {kind.__name__}", ""]
        lines += [told(kind), ""] if told(kind) else []
        lines += _members(kind)
    return "\n".join(lines)


def imported() -> list[tuple[str, str]]:
    """(name, meaning) of all that is public."""
    found = []
    for face in FACES:
        module = importlib.import_module(face)
        for name in module.__all__:
            made = getattr(module, name)
            meaning = WITHOUT_DOCSTRING.get(name) or told(made)
            found.append((code(f"{face}.{name}"), cell(meaning)))
    return found


def verbs(home: type) -> Iterator[tuple[str, object]]:
    """(name, function) of what is public and written down in `home` itself, in its order."""
    for name, member in vars(home).items():
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, function


def signature(name: str, verb: object) -> str:
    """As a caller writes it: a parameter a line where there are many, without `self`."""
    whole = inspect.signature(verb)  # type: ignore[arg-type]
    kept = [parameter for key, parameter in whole.parameters.items() if key not in ("self", "cls")]
    parts, starred = [], False
    for parameter in kept:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(_written(parameter))
    back = str(whole.return_annotation).strip("'")
    call = name if isinstance(getattr(Memory, name, None), property) else f"{name}({', '.join(parts)})"
    line = f"{call} -> {back}"
    if len(line) <= 110:  # noqa: PLR2004 - what fits beside a page's margin
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {back}"


def _written(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    if callable(parameter.default) and default:
        default = " = ..."  # a function has an address, which is another in every run
    return f"{stars}{parameter.name}: {parameter.annotation}{default}"


def results() -> list[type]:
    """The dataclasses and word lists that verbs return, and those that these are made of, by name."""
    found: dict[str, type] = {}
    waiting = [
        (importlib.import_module(home.__module__), str(inspect.signature(verb).return_annotation))  # type: ignore[arg-type]
        for _, home in GROUPS
        for _, verb in verbs(home)
    ]
    while waiting:
        module, annotation = waiting.pop()
        for name in set(_NAME.findall(annotation)) - set(found):
            kind = _named(module, name)
            if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or issubclass(kind, enum.Enum)):
                found[name] = kind
                if dataclasses.is_dataclass(kind) and name not in ("Settings", "Engine"):
                    home = importlib.import_module(kind.__module__)
                    waiting += [(home, str(field.type)) for field in dataclasses.fields(kind)]
    return [found[name] for name in sorted(found) if name not in ("Settings", "Memory", "Engine")]


def _named(module: object, name: str) -> object:
    """What the annotation `name` of a module means, also where only type checkers import it."""
    here = getattr(module, name, None)
    if here is not None:
        return here
    for node in ast.walk(ast.parse(inspect.getsource(module))):  # type: ignore[arg-type]
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("stilltrue"):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return getattr(importlib.import_module(node.module), alias.name, None)
    return None


def _members(kind: type) -> list[str]:
    if issubclass(kind, enum.Enum):
        return [", ".join(code(word.value) for word in kind), ""]
    assert dataclasses.is_dataclass(kind)  # noqa: S101 - `results` gives no other
    fields = [(code(field.name), code(field.type)) for field in dataclasses.fields(kind) if field.name in _public(kind)]
    worked = [(code(name), cell(told(vars(kind)[name].fget))) for name in _of(kind, property)]
    calls = [
        (code(signature(name, vars(kind)[name])), cell(told(vars(kind)[name]))) for name in _of(kind, FunctionType)
    ]
    lines = table(("field", "type"), fields) if fields else []
    lines += table(("worked out", "meaning"), worked) if worked else []
    return lines + (table(("call", "meaning"), calls) if calls else [])


def _public(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")}  # type: ignore[arg-type]


def _of(kind: type, sort: type) -> list[str]:
    return [name for name, member in vars(kind).items() if isinstance(member, sort) and not name.startswith("_")]
