"""Does every row of the threat model name tests, and is each of them there?"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows_of(page):
    """The rows under "Attacks", as their cells."""
    part = page.partition("## Attacks")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def names_in(file):
    """The names of the tests in a file, those in classes too; pytest collects functions of these names alone."""
    tree = ast.parse((ROOT / file).read_text("utf-8")) if (ROOT / file).is_file() else ast.Module([], [])
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = [
        one
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        for one in node.body
    ]
    return {node.name for node in [*tree.body, *inside] if isinstance(node, kinds) and node.name.startswith("test")}


@pytest.mark.parametrize("row", rows_of(PAGE), ids=lambda row: row[0][:40])
def test_each_attack_has_a_control_and_tests_that_are_there(row):
    attack, control, tests = row
    assert attack
    assert control
    named = NAMED.findall(tests)
    assert named
    assert NAMED.sub("", tests).strip(" ,") == ""
    assert [f"{file}::{name}" for file, name in named if name not in names_in(file)] == []


def test_every_test_of_the_folder_serves_a_row():
    rows = " ".join(row[2] for row in rows_of(PAGE))
    files = sorted((ROOT / "tests" / "security").glob("test_*.py"))
    assert files
    assert [file.name for file in files if file.name not in rows] == []


def test_a_name_that_is_nowhere_is_found():
    assert names_in("tests/docs/test_security.py") >= {"test_a_name_that_is_nowhere_is_found"}
    assert "test_nobody_wrote" not in names_in("tests/docs/test_security.py")
    assert names_in("tests/docs/none.py") == set()
