"""Which test shows which row of the specification? The page `docs/spec-rows.md`, made from the tests' own names.

A test carries its row (`test_A4_…`), a story names it in its topic. Tests are read as text and none is imported.
Of many tests a row shows a few, at most one a file before a second of any, so that the page stays short and does not
change with every new test. What is no test, and what is shown only in part, stands in `spec_rows.toml`.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = "docs/spec-rows.md"
KEPT: Final = Path(__file__).with_suffix(".toml")
SHOWN: Final = 4
CASES_SHOWN: Final = 2
SECTIONS: Final = {
    "A": "Pairs in conflict",
    "B": "The story, and the local detective",
    "C": "Classified before it is written, and read as of a time",
    "D": "Reconciled, with sources",
    "E": "Superseded afterwards",
    "F": "Beyond the five",
}
_ROWS: Final = re.compile(r"test_((?:[A-Fa-f]\d{1,2}_)+)")
_TAG: Final = re.compile(r"\b[A-F]\d{1,2}\b")
# Tests that go through the public API come first.
_FIRST: Final = ("flow", "read", "faces", "connect", "audit", "llm", "store", "inference", "rules")

OPENING: Final = f"""# Which test shows it

Made by `make reference` from the names of the tests; do not edit.

Each row of the specification, and what shows that it holds. A test that carries the row has its name: `pytest -k A4_`
runs all of row A4. Here stand at most {SHOWN} of a row, those through the public interface first, and up to
{CASES_SHOWN} of the stories that are told to a memory whole. Where a row is shown only in part, the last column says
what is missing.
"""


def kept() -> dict[str, dict[str, Any]]:
    """What is kept by hand: title, `also` and `partly`, by row."""
    return tomllib.loads(KEPT.read_text("utf-8"))


def tests_by_row(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """(file, test) by row, of all tests below `folder`; those that are expected to fail show nothing."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(folder.rglob("test_*.py")):
        for test in _tests(ast.parse(file.read_text("utf-8")), ""):
            named = _ROWS.match(test.rpartition("::")[2])
            for row in named[1].upper().strip("_").split("_") if named else ():
                found[row].append((file.relative_to(folder).as_posix(), test))
    return found


def _tests(tree: ast.AST, inside: str) -> list[str]:
    names: list[str] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            names += _tests(node, f"{inside}{node.name}::")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _counts(node):
            names.append(inside + node.name)
    return names


def _counts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return node.name.startswith("test_") and not any("xfail" in ast.unparse(mark) for mark in node.decorator_list)


def cases_by_row(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """(file, story) by row, of the stories whose topic names it; those that are known to fail show nothing."""
    failing = json.loads((folder / "flow" / "known_failures.json").read_text("utf-8"))
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted((folder / "flow" / "scenarios").glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            story = json.loads(line)
            for row in dict.fromkeys(_TAG.findall(story.get("topic", ""))):
                if story["id"] not in failing:
                    found[row].append((file.relative_to(folder).as_posix(), story["id"]))
    return found


def about(told: dict[str, Any], tests: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those that show the row, without those `apart`."""
    return [(file, test) for file, test in tests if file not in told.get("apart", ())]


def chosen(tests: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A few of many: one of each file before a second of any, in the order of `_FIRST`."""
    turns: dict[str, int] = defaultdict(int)
    ranked = []
    for place, (file, test) in enumerate(tests):
        top = file.partition("/")[0]
        ranked.append((turns[file], _FIRST.index(top) if top in _FIRST else len(_FIRST), place, (file, test)))
        turns[file] += 1
    return [found for *_, found in sorted(ranked)[:SHOWN]]


def page(root: Path = ROOT) -> str:
    """The whole page. Raises FileNotFoundError for a file that is named by hand and gone."""
    tests, cases = tests_by_row(root / "tests"), cases_by_row(root / "tests")
    parts = [OPENING]
    for letter, title in SECTIONS.items():
        parts += [f"## {letter}. {title}", "", "| row | what | shown by | not shown |", "| --- | --- | --- | --- |"]
        for row, told in kept().items():
            if row.startswith(letter):
                shown = [
                    *_links(chosen(about(told, tests[row]))),
                    *_links(cases[row][:CASES_SHOWN], "story "),
                    *links_by_hand(root, told),
                ]
                parts.append(f"| {row} | {told['title']} | {'<br>'.join(shown)} | {told.get('partly', '')} |")
        parts.append("")
    return "\n".join(parts)


def _links(places: list[tuple[str, str]], before: str = "") -> list[str]:
    return [
        f"{before}[`{name}`](../tests/{file})" if before else f"[`{file}::{name}`](../tests/{file})"
        for file, name in places
    ]


def links_by_hand(root: Path, told: dict[str, Any]) -> list[str]:
    """Links to what is kept by hand. Raises FileNotFoundError for a file that is gone."""
    links = []
    for line in told.get("also", ()):
        words, file = (part.strip() for part in line.split("|"))
        if not (root / file).is_file():
            raise FileNotFoundError(file)
        links.append(f"[{words}]({file.removeprefix('docs/') if file.startswith('docs/') else '../' + file})")
    return links
