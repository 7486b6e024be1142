"""Which regular expressions does the package use, where, and how? Found by importing all of it with `re` watched.

`used` gives each expression once with the places that make it and the methods called on it there; `call_sites` reads
the same places out of the source, so that a test can tell whether one was never made.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "stilltrue"
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


@dataclass
class Expression:
    source: str | bytes
    flags: int
    places: set[tuple[str, int]] = field(default_factory=set)
    methods: tuple[str, ...] = ()

    def name(self) -> str:
        return ", ".join(f"{file}:{line}" for file, line in sorted(self.places)[:3])


class Watch:
    """Notes every expression that a module of the package makes, with the line."""

    def __init__(self):
        self.found = {}
        self._real = re._compile

    def __enter__(self):
        re._compile = self._compile
        return self

    def __exit__(self, *_):
        re._compile = self._real

    def _compile(self, pattern, flags):
        compiled = self._real(pattern, flags)
        self.note(compiled.pattern, compiled.flags & ~re.UNICODE, sys._getframe(1))
        return compiled

    def note(self, source, flags, frame):
        here = {re.__file__, __file__, str(SOURCE / "rules" / "patterns.py")}
        while frame is not None and frame.f_code.co_filename in here:
            frame = frame.f_back
        if frame is None or not Path(frame.f_code.co_filename).is_relative_to(SOURCE):
            return
        place = (Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix(), frame.f_lineno)
        self.found.setdefault((source, flags), Expression(source, int(flags))).places.add(place)

    def late(self, source, flags=0):
        """In the place of `rules.patterns.late`: compiled at once."""
        compiled = self._real(source, flags)
        self.note(compiled.pattern, compiled.flags & ~re.UNICODE, sys._getframe(1))
        return compiled


def modules():
    import stilltrue

    for found in pkgutil.walk_packages(stilltrue.__path__, "stilltrue."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def _call_what_is_cached(module):
    """Tables are compiled with their first use."""
    for made in list(vars(module).values()):
        if not hasattr(made, "cache_info") or getattr(made, "__module__", "") != module.__name__:
            continue
        needed = [one for one in inspect.signature(made).parameters.values() if one.default is one.empty]
        if not needed:
            made()


def used(exercise=lambda: None):
    """Every expression of the package. Wants a process in which none of it was imported."""
    from stilltrue.rules import patterns

    with Watch() as watch:
        patterns.late = watch.late
        for module in list(modules()):
            _call_what_is_cached(module)
        exercise()
    return list(watch.found.values())


def call_sites():
    """(file, first line, last line) of every call in the source that makes an expression."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _makes(node.func):
                yield path.relative_to(SOURCE).as_posix(), node.lineno, node.end_lineno


def _makes(func):
    if isinstance(func, ast.Name):
        return func.id == "late"
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.value.id == "re"
        and func.attr in ("compile", *METHODS)
    )


def inline():
    """The expressions that are written out in a call: `re.sub(r"...", ...)`."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and _makes(node.func) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr in METHODS and node.args and isinstance(node.args[0], ast.Constant):
                flags = next((ast.unparse(one) for one in node.args if ast.unparse(one).startswith("re.")), "0")
                named = next((ast.unparse(one.value) for one in node.keywords if one.arg == "flags"), flags)
                place = (path.relative_to(SOURCE).as_posix(), node.lineno)
                yield Expression(node.args[0].value, int(eval(named, {"re": re})), {place}, (node.func.attr,))
