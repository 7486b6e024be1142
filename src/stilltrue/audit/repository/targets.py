"""Is there a target or script of the name that a claim gives in backticks? (`make x`, `just x`, `npm run x`)

Wrong is a name that no file of its class in the repository holds, where the nearest one could be read whole: one that
includes others, or makes targets by a pattern, proves nothing by absence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.proof import Proof, Witness
from stilltrue.audit.repository.tree import folder_of, nearest_first, part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.repository.saying import Saying
    from stilltrue.audit.repository.tree import Tree

_MAKEFILES: Final = ("Makefile", "makefile", "GNUmakefile", "*.mk")
_JUSTFILES: Final = ("justfile", "Justfile", ".justfile")
_RULE: Final = re.compile(
    r"^((?:[A-Za-z0-9_./@+-]|\\:)++(?:[ \t]++(?:[A-Za-z0-9_./@+-]|\\:)++)*+)[ \t]*+&?::?(?![=:])", re.MULTILINE
)
_OPEN_MAKE: Final = re.compile(
    r"^(?:-?include|sinclude)\b|^(?>[^\t#=\n]*?%)[^=\n]*:|^(?>[^\t#=\n]*?\$[({A-Za-z])[^=\n]*:(?!=)"
    r"|^[ \t]*\$\((?:eval|foreach|call)\b",
    re.MULTILINE,
)
_RECIPE: Final = re.compile(r"^@?([A-Za-z_][\w-]*+)(?:[ \t]++[^:\n]*+)?:(?!=)", re.MULTILINE)
_ALIAS: Final = re.compile(r"^alias[ \t]+([\w-]+)", re.MULTILINE)
_OPEN_JUST: Final = re.compile(r"^(?:import|mod)\b|^set fallback", re.MULTILINE)
_COMMAND: Final = re.compile(
    r"(?:^|&&|;|\|\|)\s*(make|just|npm run(?:-script)?|pnpm run|yarn run|bun run|npm test)(?=\s|$)([^&;|<>]*)"
)
_NAME: Final = re.compile(r"[A-Za-z0-9][\w:./-]*")
_TO_COME: Final = re.compile(
    r"\b(?:add|adds|adding|create|creating|introduce|define|write) (?:a|an|the|new)\b", re.IGNORECASE
)
_TAKES: Final = frozenset(
    {"-C", "-f", "--directory", "--file", "-j", "--prefix", "-w", "--workspace", "--filter", "-F"}
)


def prove(saying: Saying, tree: Tree) -> Iterator[Proof]:
    """What Makefiles, justfiles and package.json say of the targets that a claim names."""
    if not saying.outright or _TO_COME.search(saying.words):
        return
    for code in saying.code:
        for command, rest in _COMMAND.findall(code):
            yield from _command(command, rest, code, saying, tree)


def _command(command: str, rest: str, code: str, saying: Saying, tree: Tree) -> Iterator[Proof]:
    if command in ("make", "just"):
        patterns = _MAKEFILES if command == "make" else _JUSTFILES
        for name in _names(rest, several=command == "make"):
            yield from _in_files(command, name, patterns, saying, tree)
    else:
        for name in ["test"] if command == "npm test" else _names(rest, several=False):
            if not _runs_without(command, name):
                yield from _in_scripts(name, code, saying, tree)


def _runs_without(command: str, name: str) -> bool:
    """Whether a runner may find something of that name which is no script: its own, a file, or a dependency's program,
    whose name has no colon.
    """
    return name == "env" or (command in ("yarn run", "bun run") and ":" not in name)


def _names(rest: str, *, several: bool) -> list[str]:
    """The names among the words behind a command; none where one of them is a placeholder or a pattern."""
    words, found = rest.split(), []
    while words:
        word = words.pop(0)
        if word in _TAKES:
            words = words[1:]
        elif word.startswith("-") or "=" in word:
            continue
        elif _NAME.fullmatch(word) is None:
            return []
        else:
            found.append(word)
    return found if several else found[:1]


def _in_files(command: str, name: str, patterns: tuple[str, ...], saying: Saying, tree: Tree) -> Iterator[Proof]:
    said = f"`{command} {name}` runs"
    files = tree.named(*patterns)
    for file in files:
        found = _definition(command, name, tree.text(file) or "")
        if found is not None:
            line = (tree.text(file) or "").count("\n", 0, found) + 1
            yield Proof(holds=True, topic="target", said=said, witness=Witness(file, line, f"{name}:"))
            return
    near = _nearest(saying.folder, [file for file in files if not file.endswith(".mk")])
    opened = _OPEN_MAKE if command == "make" else _OPEN_JUST
    if near is None or not tree.whole or tree.text(near) is None:
        return
    if any(tree.text(file) is None or opened.search(tree.text(file) or "") for file in files):
        return
    witness = Witness(near, 0, f"no target {name}")
    yield Proof(holds=False, topic="target", said=said, witness=witness, because=f"{near} has no target {name}")


def _definition(command: str, name: str, text: str) -> int | None:
    """Where a target, a recipe or its alias is defined."""
    if command == "just":
        return next(
            (found.start() for rule in (_RECIPE, _ALIAS) for found in rule.finditer(text) if found[1] == name), None
        )
    joined = text.replace("\\\n", "  ")  # as long as before: places stay
    named = ((found.start(), found[1].replace("\\:", ":").split()) for found in _RULE.finditer(joined))
    return next((start for start, names in named if name in names), None)


def _in_scripts(name: str, code: str, saying: Saying, tree: Tree) -> Iterator[Proof]:
    said = f"`{code[:80]}` runs"
    files = tree.named("package.json")
    for file in files:
        scripts = part(tree.table(file), "scripts")
        if isinstance(scripts, dict) and name in scripts:
            line = tree.line_of(file, '"scripts"', f'"{name}"')
            yield Proof(holds=True, topic="script", said=said, witness=Witness(file, line, f'"{name}": …'))
            return
    near = _nearest(saying.folder, files)
    if near is None or not tree.whole or any(not _readable(tree, file) for file in files):
        return
    witness = Witness(near, tree.line_of(near, '"scripts"'), f"no script {name}")
    yield Proof(holds=False, topic="script", said=said, witness=witness, because=f"{near} has no script {name}")


def _readable(tree: Tree, file: str) -> bool:
    """Whether a package.json lists its scripts, or plainly has none."""
    return file not in tree.skipped and isinstance(tree.table(file).get("scripts", {}), dict)


def _nearest(folder: str, files: list[str]) -> str | None:
    for place in nearest_first(folder):
        for file in files:
            if folder_of(file) == place:
                return file
    return None
