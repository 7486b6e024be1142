"""Does the file or folder exist that a claim names in backticks?

Wrong is a name that is surely a path of this repository and fits nothing in it: its first folder is there, or the
claim says where something lies. Not asked of: addresses, placeholders, what is generated or ignored, what a person
is to make. A name may be relative to the claim's file, to the root, or to any package inside.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.proof import Proof, Witness
from stilltrue.audit.repository.saying import is_made
from stilltrue.audit.repository.tree import nearest_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.audit.repository.saying import Saying
    from stilltrue.audit.repository.tree import Tree

_PATH: Final = re.compile(r"(?:\./)?[\w.@()+-]+(?:/[\w.@()+*-]+)*/?")
_SUFFIX: Final = re.compile(r"\.(?:[a-z][a-z0-9]{0,4}|lock|[a-z]+rc)$")
_NO_NAME: Final = re.compile(
    r"(?:^|[/_.-])(?:foo|bar|baz|example|sample|your|my|xxx+|yyyy|path|to|name|file|some|placeholder|n|x|id|slug)(?=$|[/_.-])",
    re.IGNORECASE,
)
_BUILT: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|coverage|node_modules|target|tmp|temp|logs?|\.venv|venv|\.next|\.cache|__pycache__|vendor|"
    r"generated|\.env(?:\.(?!example|sample)\w+)?|[^/]*\.(?:log|db|sqlite3?|pyc|local\.\w+))(?=/|$)",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    r"\b(?:lives?|located|found|defined|declared|documented|described|kept|configured|resides?|"
    r"entry ?point|see|is in|are in|"
    r"implemented)\b",
    re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(
    r"\b(?!(?:this|the|our|same|whole|entire|your|my|a|one|of|in)\b)[\w-]{1,40}+ (?:repo|repository|submodule)\b"
    r"|\b(?:on|in|into|inside|within|from) (?:the|a|an|its|each|every) (?:[\w-]{1,40}+ ){0,2}"
    r"(?:containers?|images?|clusters?|buckets?|servers?|hosts?|pods?|volumes?|vms?|machines?)\b",
    re.IGNORECASE,
)
"""Words that say of a path that it lies in another place than this repository."""
_VERSIONED: Final = re.compile(
    r"^v?\d+(?:\.\d+)*/|^(?:origin|feature|fix|release|hotfix|application|text|image|audio|video)/"
)
LONGEST: Final = 150


def prove(saying: Saying, tree: Tree) -> Iterator[Proof]:
    """What the file tree says of the paths that a claim names."""
    for code in dict.fromkeys(saying.code):
        name = code.strip().removeprefix("./")
        if not _is_path(name):
            continue
        witness = _found(name, saying.folder, tree)
        said = f"`{name}` exists"
        if witness is not None:
            yield Proof(holds=True, topic="path", said=said, witness=Witness(witness, 0, "it is there"))
        elif saying.outright and not is_made(saying.words) and _must_exist(name, saying, tree):
            file = _parent(name, saying.folder, tree)
            because = f"nothing in the repository has this path; what is there is {file or 'the root'}"
            yield Proof(
                holds=False,
                topic="path",
                said=said,
                witness=Witness(file, 0, f"no {name}"),
                because=because,
                confidence=0.9,
            )


def _is_path(name: str) -> bool:
    if len(name) > LONGEST or "/" not in name or _PATH.fullmatch(name) is None or ".." in name:
        return False
    return not name.startswith(("@", "/", "-")) and "..." not in name and not _VERSIONED.match(name)


def _found(name: str, folder: str, tree: Tree) -> str | None:
    """Where a path leads: beside the claim's file or in a folder above it, at the root, or in a package inside."""
    plain = name.rstrip("/")
    if "*" in plain:
        return next((file for file in tree.files if _fits(file, plain)), None)
    for place in nearest_first(folder):
        whole = posixpath.join(place, plain)
        if tree.holds(whole):
            return whole
    if plain in tree.tails:
        return next(held for held in (*tree.files, *tree.folders) if held == plain or held.endswith(f"/{plain}"))
    if plain in tree.stems and not _SUFFIX.search(plain):
        return next(
            file for file in (*tree.files, *tree.folders) if f"/{file}".rpartition(".")[0].endswith(f"/{plain}")
        )
    return None


def _fits(file: str, pattern: str) -> bool:
    """Whether a file has a place in a pattern, or below a folder that fits it; `**` may stand for no folder at all."""
    ways = {pattern, pattern.replace("/**/", "/")}
    return any(fnmatchcase(file, shape) for way in ways for shape in (way, f"*/{way}", f"{way}/*", f"*/{way}/*"))


def _must_exist(name: str, saying: Saying, tree: Tree) -> bool:
    if _NO_NAME.search(name) or _BUILT.search(name) or "(" in name or _ignored(name, tree):
        return False
    if _ELSEWHERE.search(saying.words.replace("`", "")) or f"{name.rstrip('/')}.dvc" in tree.tails:
        return False
    places = nearest_first(saying.folder)
    if any(tree.may_hold(posixpath.join(place, name.rstrip("/"))) for place in places):
        return False
    first = name.split("/", maxsplit=1)[0]
    plainly, placed = _SUFFIX.search(name) is not None or name.endswith("/"), _PLACED.search(saying.words) is not None
    if any(posixpath.join(place, first) in tree.folders for place in places):
        return plainly or (placed and "." not in name)
    return placed and plainly


def _parent(name: str, folder: str, tree: Tree) -> str:
    """The deepest folder on the way to it that does exist."""
    for place in nearest_first(folder):
        whole = posixpath.join(place, name.rstrip("/"))
        while "/" in whole:
            whole = whole.rpartition("/")[0]
            if whole in tree.folders and whole != place:
                return whole
    return "."


def _ignored(name: str, tree: Tree) -> bool:
    """Whether git is told to pass it over: then it may be on one machine and not on another."""
    for file in tree.named(".gitignore"):
        for line in (tree.text(file) or "").splitlines()[:500]:
            shape = line.split("#")[0].strip().strip("/").removeprefix("**/")
            if shape and not shape.startswith("!") and _fits(name.rstrip("/"), shape):
                return True
    return False
