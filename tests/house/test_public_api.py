"""Can a program of somebody else's rely on the public face? On its types, as mypy reads them from the installed wheel,
and on its pages: whatever `__all__` names is annotated and stands in the reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shutil
import sys

import pytest

from stilltrue import AsyncMemory, Memory
from tests.house import built
from tests.house.built import ROOT

CONSUMERS = ROOT / "tests" / "house" / "consumers"
FACES = ("stilltrue", "stilltrue.testing")
"""The modules that are there to be imported by name; what else a page of the documents imports is told there."""


def public():
    return [(face, name) for face in FACES for name in importlib.import_module(face).__all__]


@pytest.fixture(scope="module")
def objections(bare, tmp_path_factory):
    """What mypy says of the two consumers, (file, line): codes, where only the wheel is installed."""
    folder = tmp_path_factory.mktemp("consumers")
    for file in CONSUMERS.glob("*.py"):
        shutil.copy(file, folder)
    strict = ("--strict", "--config-file=", "--cache-dir", folder / "cache", "--no-error-summary")
    checked = ("--python-executable", bare, "uses.py", "misuses.py")
    told = built.output(sys.executable, "-m", "mypy", *strict, *checked, cwd=folder)
    errors = re.findall(r"^(.+?):(\d+): error: .*\[([a-z-]+)\]$", told, re.MULTILINE)
    assert len(errors) == told.count(": error: "), told
    return {(file, int(line), code) for file, line, code in errors}


@pytest.mark.timeout(600)
def test_a_program_that_uses_every_verb_is_well_typed(objections):
    assert {one for one in objections if one[0] != "misuses.py"} == set()


@pytest.mark.timeout(600)
def test_each_misuse_is_objected_to_and_by_its_code(objections):
    lines = (CONSUMERS / "misuses.py").read_text("utf-8").splitlines()
    marked = {
        ("misuses.py", number, line.partition("# error: ")[2])
        for number, line in enumerate(lines, start=1)
        if "# error: " in line
    }
    assert len(marked) > 10
    assert {one for one in objections if one[0] == "misuses.py"} == marked


def test_the_program_uses_every_verb():
    tree = ast.parse((CONSUMERS / "uses.py").read_text("utf-8"))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for name in dir(Memory) if not name.startswith("_")} - used - {"close"} == set()


@pytest.mark.parametrize(("face", "name"), public())
def test_what_is_public_stands_in_the_reference(face, name):
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    assert re.search(rf"^\| `{re.escape(face)}\.{re.escape(name)}` \| \S.{{10,}} \|$", page, re.MULTILINE)


@pytest.mark.parametrize(("face", "name"), public())
def test_what_is_public_is_annotated(face, name):
    told = getattr(importlib.import_module(face), name)
    calls = [told] if inspect.isfunction(told) else [] if not inspect.isclass(told) else list(functions(told))
    assert calls or isinstance(told, str) or face == "stilltrue.testing" or issubclass(told, Exception)
    for call in calls:
        signature = inspect.signature(call)
        given = [item for key, item in signature.parameters.items() if key not in ("self", "cls")]
        bare = [item.name for item in given if item.annotation is item.empty]
        assert bare == [], f"{face}.{name}: {call.__qualname__}"
        assert signature.return_annotation is not signature.empty, f"{face}.{name}: {call.__qualname__}"


def functions(kind):
    """The public verbs of a class, those that it inherits too, and how it is made."""
    for name in dir(kind):
        if name == "__init__" or not name.startswith("_"):
            member = inspect.getattr_static(kind, name)
            function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
            if inspect.isfunction(function):
                yield function


def test_the_verbs_of_both_memories_are_the_same():
    names = [{name for name in dir(kind) if not name.startswith("_")} for kind in (Memory, AsyncMemory)]
    assert names[0] - names[1] - {"engine", "member", "space"} == set()
