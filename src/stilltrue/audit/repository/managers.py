"""Which package manager does a project use? Its lockfiles and the field `packageManager` tell.

A claim is wrong where another manager of the same kind has its lockfile nearest to the claim's file, and the one that
is named has none in the whole repository.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.proof import Proof, Witness
from stilltrue.audit.repository.tree import folder_of, nearest_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.repository.saying import Saying
    from stilltrue.audit.repository.tree import Tree

_LOCKS: Final = {
    "javascript": {
        "package-lock.json": "npm",
        "npm-shrinkwrap.json": "npm",
        "pnpm-lock.yaml": "pnpm",
        "yarn.lock": "yarn",
        "bun.lockb": "bun",
        "bun.lock": "bun",
    },
    "python": {"uv.lock": "uv", "poetry.lock": "poetry", "Pipfile.lock": "pipenv", "pdm.lock": "pdm"},
    "rust": {"Cargo.lock": "cargo"},
    "go": {"go.sum": "go modules"},
}
_KIND: Final = {manager: kind for kind, locks in _LOCKS.items() for manager in locks.values()}
_INSTALLS: Final = re.compile(
    r"^(npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm) (?:install|ci|add|sync|lock)\b(?!.*(?:\s-g\b|--global))"
)
_NAMED: Final = re.compile(
    r"\b(?:use|uses|using|with|via|managers?(?: is|:)?|managed (?:by|with))\s+`?"
    r"(npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm)`?"
    r"(?=[\s.,;:)]|$)(?!\s+(?:workspaces?|scripts?|run|audit|publish|registry)\b)",
    re.IGNORECASE,
)
_COMMANDS: Final = re.compile(r"`[^`\s]+\s[^`]*`")
_COMMAND: Final = re.compile(r"`(?:npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm)\s")
_CHOICE: Final = re.compile(r"\b(?:or|either|any|both)\b|\w/\w", re.IGNORECASE)
_OTHERWISE: Final = re.compile(
    r"\b(?:publish\w*|distribut\w+|releas\w+|available|registry|ships?|shipped)\b", re.IGNORECASE
)
"""Words by which a manager's name is where something is had from."""
_PACKAGES: Final = re.compile(
    r"\b(?:packages?|managers?|managed|manages?|dependenc\w+|install\w*|lock\w*|we use|always use)\b", re.IGNORECASE
)
"""Words by which a runtime's name is that of its manager."""
_FIELD: Final = re.compile(r"^(npm|pnpm|yarn|bun)@")


def prove(saying: Saying, tree: Tree) -> Iterator[Proof]:
    """What lockfiles say of the managers that a claim names."""
    if not saying.outright or _CHOICE.search(saying.words):
        return
    for manager in dict.fromkeys(_managers(saying)):
        evidence = _evidence(tree, _KIND[manager])
        holds = [witness for name, witness in evidence if name == manager]
        said = f"the package manager is {manager}"
        if holds:
            yield Proof(holds=True, topic="package manager", said=said, witness=holds[0])
            continue
        near = _nearest(saying.folder, evidence)
        names = sorted({name for name, _ in near})
        if len(names) == 1:
            because = f"{near[0][1].file} is there and no lockfile of {manager}, so {names[0]} manages the packages"
            yield Proof(holds=False, topic="package manager", said=said, witness=near[0][1], because=because)


def _managers(saying: Saying) -> Iterator[str]:
    """The managers that a claim names; a runtime of that name only where it speaks of packages."""
    if not _OTHERWISE.search(saying.words):
        of_packages = _PACKAGES.search(saying.words) is not None
        yield from (name for name in _named(saying) if name != "bun" or of_packages)


def _named(saying: Saying) -> Iterator[str]:
    slot, value = saying.claim.statement.slot, saying.claim.statement.value
    if (
        slot.attribute == "package_manager"
        and value is not None
        and not slot.qualifiers
        and not _COMMAND.search(saying.words)
    ):
        word = value.text.strip("`").split()[0].lower() if value.text.strip("` ") else ""
        if word in _KIND:
            yield word
    for found in _NAMED.finditer(_COMMANDS.sub(" ", saying.words)):
        yield found[1].lower()
    for code in saying.code:
        installs = _INSTALLS.match(code.strip())
        if installs:
            yield installs[1]


def _evidence(tree: Tree, kind: str) -> list[tuple[str, Witness]]:
    """(manager, witness) of all that tell of a kind of packages, outermost first."""
    found = []
    locks = _LOCKS[kind]
    for file in tree.named(*locks):
        name = file.rpartition("/")[2]
        found.append((locks[name], Witness(file, 0, f"{name} is there")))
    if kind == "javascript":
        for file in tree.named("package.json"):
            field = tree.table(file).get("packageManager")
            told = _FIELD.match(field) if isinstance(field, str) else None
            if told:
                line = tree.line_of(file, '"packageManager"')
                found.append((told[1], Witness(file, line, f'"packageManager": "{field}"')))
    return found


def _nearest(folder: str, evidence: list[tuple[str, Witness]]) -> list[tuple[str, Witness]]:
    for place in nearest_first(folder):
        here = [(name, witness) for name, witness in evidence if folder_of(witness.file) == place]
        if here:
            return here
    return []
