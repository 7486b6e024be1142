"""Which versions do a repository's files ask for? Tools (Node, Python, Go, Rust, …) and the main dependencies.

A pin is one file's word: `.nvmrc`, `engines`, `requires-python`, `go.mod`, a Dockerfile's FROM, a CI matrix, the
dependencies of package.json, pyproject.toml and requirements.txt. What a claim makes of it is `versions`' question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.proof import Witness
from stilltrue.audit.repository.tree import part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.repository.tree import Tree

_PLAIN_FILES: Final = {
    ".nvmrc": "node",
    ".node-version": "node",
    ".python-version": "python",
    ".ruby-version": "ruby",
    ".go-version": "go",
    ".terraform-version": "terraform",
}
_ASDF: Final = {"nodejs": "node", "golang": "go"}
_IMAGES: Final = {"golang": "go"}
_VERSION: Final = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,2})$")
_FROM: Final = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)?"
    r"(?:\S+/)?([a-z]+):(\d{1,4}(?:\.\d{1,4}){0,2})(?:[-\s]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_GO: Final = re.compile(r"^(?:go|toolchain)[ \t]++(?:go)?(\d+\.\d+(?:\.\d+)?)(?:rc\d+)?[ \t]*(?://.*)?$", re.MULTILINE)
"""The language version and the toolchain of a module: both are the least that builds it, newer ones do too."""
_MATRIX: Final = re.compile(r"^[ \t]*(?:-[ \t]*)?(python|node|go|ruby)[-_]version:[ \t]*(.*)$", re.MULTILINE)
_ITEM: Final = re.compile(r"^\s*-\s*[\"']?(\d+(?:\.\d+){0,2})[\"']?\s*(?:#.*)?$")
_IN_LIST: Final = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){0,2})(?:\.x)?(?![\w.])")
_PEP_508: Final = re.compile(r"^\s*([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([<>=!~^][^;#)]*)?")
_TOOLS: Final = frozenset({"node", "python", "go", "rust", "ruby", "terraform"})


@dataclass(frozen=True, slots=True)
class Pin:
    """`tool` is asked for as `constraint`. `exact`: it is that version, not a bound; `matrix`: one of a tested set."""

    tool: str
    constraint: str
    witness: Witness
    exact: bool = False
    matrix: bool = False


def pins(tree: Tree) -> list[Pin]:
    """All pins, the outermost files first."""
    return [*_plain(tree), *_node(tree), *_python(tree), *_others(tree), *_images(tree), *_matrices(tree)]


def _plain(tree: Tree) -> Iterator[Pin]:
    for file in tree.named(*_PLAIN_FILES):
        tool = _PLAIN_FILES[file.rpartition("/")[2]]
        for number, line in enumerate((tree.text(file) or "").splitlines(), start=1):
            told = _VERSION.match(line.strip().removeprefix(f"{tool}-"))
            if told:
                yield Pin(tool, told[1], Witness(file, number, line.strip()[:80]), exact=True)
    for file in tree.named(".tool-versions"):
        for number, line in enumerate((tree.text(file) or "").splitlines(), start=1):
            words = line.split("#")[0].split()
            for one in filter(None, map(_VERSION.match, words[1:])):
                tool = _ASDF.get(words[0], words[0])
                yield Pin(tool, one[1], Witness(file, number, line.strip()[:80]), exact=True)


def _node(tree: Tree) -> Iterator[Pin]:
    for file in tree.named("package.json"):
        held = tree.table(file)
        for keys, exact in ((("engines", "node"), False), (("volta", "node"), True)):
            told = part(held, *keys)
            if isinstance(told, str):
                yield _pin(tree, file, "node", told, keys, exact=exact)
        for group in ("dependencies", "devDependencies", "peerDependencies"):
            named = part(held, group)
            for name, told in named.items() if isinstance(named, dict) else ():
                yield _pin(tree, file, name, told if isinstance(told, str) else "", (group, name))


def _pin(tree: Tree, file: str, tool: str, told: str, keys: tuple[str, ...], *, exact: bool = False) -> Pin:
    line = tree.line_of(file, *(f'"{key}"' for key in keys))
    return Pin(tool, told, Witness(file, line, f'"{keys[-1]}": "{told[:80]}"'), exact=exact)


def _python(tree: Tree) -> Iterator[Pin]:
    for file in tree.named("pyproject.toml"):
        held = tree.table(file)
        told = part(held, "project", "requires-python")
        if isinstance(told, str):
            yield Pin(
                "python", told, Witness(file, tree.line_of(file, "requires-python"), f'requires-python = "{told[:80]}"')
            )
        poetry = part(held, "tool", "poetry", "dependencies")
        for name, bound in poetry.items() if isinstance(poetry, dict) else ():
            told = bound if isinstance(bound, str) else part(bound, "version")
            line = tree.line_of(file, "tool.poetry.dependencies", f"\n{name}") + 1
            yield Pin(
                name.lower(), told if isinstance(told, str) else "", Witness(file, line, f'{name} = "{told}"'[:80])
            )
        listed = part(held, "project", "dependencies")
        extras = part(held, "project", "optional-dependencies")
        groups = [listed, *(extras.values() if isinstance(extras, dict) else ())]
        for group in groups:
            for one in group if isinstance(group, list) else ():
                yield from _requirement(tree, file, one)
    for file in tree.named("requirements*.txt"):
        for one in (tree.text(file) or "").splitlines():
            yield from _requirement(tree, file, one)


def _requirement(tree: Tree, file: str, told: object) -> Iterator[Pin]:
    found = _PEP_508.match(told) if isinstance(told, str) else None
    if found:
        line = tree.line_of(file, str(told))
        yield Pin(
            found[1].lower().replace("_", "-"), (found[2] or "").strip(), Witness(file, line, str(told).strip()[:80])
        )


def _others(tree: Tree) -> Iterator[Pin]:
    for file in tree.named("go.mod", "go.work"):
        text = tree.text(file) or ""
        for one in _GO.finditer(text):
            line = text.count("\n", 0, one.start()) + 1
            yield Pin("go", f">={one[1]}", Witness(file, line, one[0].strip()[:80]))
    for file in tree.named("rust-toolchain.toml"):
        channel = part(tree.table(file), "toolchain", "channel")
        if isinstance(channel, str) and _VERSION.match(channel):
            yield Pin(
                "rust", channel, Witness(file, tree.line_of(file, "channel"), f'channel = "{channel}"'), exact=True
            )
    for file in tree.named("rust-toolchain"):
        told = _VERSION.match((tree.text(file) or "").strip())
        if told:
            yield Pin("rust", told[1], Witness(file, 1, told[0]), exact=True)
    for file in tree.named("Cargo.toml"):
        bound = part(tree.table(file), "package", "rust-version")
        if isinstance(bound, str):
            yield Pin(
                "rust", f">={bound}", Witness(file, tree.line_of(file, "rust-version"), f'rust-version = "{bound}"')
            )


def _images(tree: Tree) -> Iterator[Pin]:
    for file in tree.named("Dockerfile", "Dockerfile.*", "*.Dockerfile", "Containerfile"):
        text = tree.text(file) or ""
        for found in _FROM.finditer(text):
            tool = _IMAGES.get(found[1].lower(), found[1].lower())
            line = text.count("\n", 0, found.start(1)) + 1
            yield Pin(tool, found[2], Witness(file, line, found[0].strip()[:80]), exact=True)


def _matrices(tree: Tree) -> Iterator[Pin]:
    flows = [
        file for file in tree.named("*.yml", "*.yaml") if ".github/workflows/" in f"{file}" or "ci" in file.lower()
    ]
    for file in flows:
        text = tree.text(file) or ""
        for found in _MATRIX.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            for told in _values(found[2], text[found.end() :]):
                yield Pin(found[1], told, Witness(file, line, found[0].strip()[:80]), exact=True, matrix=True)


def _values(inline: str, below: str) -> list[str]:
    """The versions of a YAML value that stands behind its key, or as a list below it."""
    if "${{" in inline or ("[" in inline) != ("]" in inline):
        return []
    if inline.split("#", maxsplit=1)[0].strip():
        return _IN_LIST.findall(inline.split("#", maxsplit=1)[0])
    found = []
    for line in below.lstrip("\n").splitlines():
        item = _ITEM.match(line)
        if item is None:
            break
        found.append(item[1])
    return found


def is_tool(name: str) -> bool:
    """Whether a name is that of a language or a tool, not of a dependency."""
    return name in _TOOLS
