"""Is the version that a claim names the one that the repository asks for? And is the framework there at all?

Wrong is only what no file supports and a file refutes: a CI matrix is a set, a bound allows what lies above it, and
the minimum that a claim names is compared with the minimum that a manifest names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.bounds import Version, allows, begins, least, parsed
from stilltrue.audit.repository.pins import is_tool
from stilltrue.audit.repository.proof import Proof
from stilltrue.audit.repository.tree import folder_of, nearest_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.audit.repository.pins import Pin
    from stilltrue.audit.repository.saying import Saying

_NAMES: Final = {
    "node.js": "node",
    "nodejs": "node",
    "node": "node",
    "python": "python",
    "go": "go",
    "golang": "go",
    "rust": "rust",
    "ruby": "ruby",
    "terraform": "terraform",
    "react": "react",
    "react native": "react-native",
    "next.js": "next",
    "nextjs": "next",
    "vue": "vue",
    "nuxt": "nuxt",
    "angular": "@angular/core",
    "svelte": "svelte",
    "sveltekit": "@sveltejs/kit",
    "express": "express",
    "typescript": "typescript",
    "vite": "vite",
    "vitest": "vitest",
    "jest": "jest",
    "eslint": "eslint",
    "tailwind": "tailwindcss",
    "tailwind css": "tailwindcss",
    "tailwindcss": "tailwindcss",
    "prisma": "prisma",
    "electron": "electron",
    "django": "django",
    "flask": "flask",
    "fastapi": "fastapi",
    "pydantic": "pydantic",
    "sqlalchemy": "sqlalchemy",
    "pytest": "pytest",
    "numpy": "numpy",
    "pandas": "pandas",
}
_ALTERNATIVES: Final = (
    frozenset({"react", "vue", "svelte", "@angular/core", "preact", "solid-js"}),
    frozenset({"jest", "vitest", "mocha", "ava"}),
    frozenset({"django", "flask", "fastapi"}),
    frozenset({"express", "fastify", "koa", "@nestjs/core", "hono"}),
)
_USED_AS: Final = frozenset(
    {"ui_framework", "framework", "test_framework", "web_framework", "frontend_framework", "test_runner"}
)
_NAMED: Final = re.compile(
    r"(?<![\w./@-])("
    + "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))
    + r")`?\s*(?:version\s+)?(>=|≥|==|=|~|\^|v)?\s*(\d{1,4}(?:\.\d{1,4}){0,2})(?:\.x)?"
    r"(?P<up>\s*\+|\s+(?:or|and)\s+(?:later|newer|higher|above|up))?(?!\w)(?!\.\d)(?!-)"
    r"(?P<more>\s*(?:[,/–-]|\b(?:and|or|to|through)\b)\s*`?v?\d)?",
    re.IGNORECASE,
)
_FOR_PROSE: Final = frozenset({"go", "express", "node", "rust", "react", "flask", "vite", "jest", "electron"})
"""Words that are also plain English: as a name they begin with a capital letter."""

_YEARS: Final = 1000
"""From here on a number behind a name is a year ("the Rust 2021 edition") or a port, no version."""


@dataclass(frozen=True, slots=True)
class _Named:
    tool: str
    version: Version
    least: bool
    words: str


def prove(saying: Saying, pins: Sequence[Pin]) -> Iterator[Proof]:
    """What the pins say of the versions and frameworks that a claim names."""
    if not saying.outright:
        return
    for named in _versions(saying.words):
        about = [pin for pin in pins if pin.tool == named.tool and pin.constraint]
        yield from _judged(named, about, saying.folder)
    yield from _framework(saying, pins)


def _versions(words: str) -> Iterator[_Named]:
    for found in _NAMED.finditer(words):
        name = found[1]
        if found["more"] or parsed(found[3])[0] >= _YEARS or (name.lower() in _FOR_PROSE and name.islower()):
            continue
        up = found["up"] is not None or found[2] in (">=", "≥")
        yield _Named(_NAMES[name.lower()], parsed(found[3]), up, " ".join(found[0].split()).strip("`"))


def _judged(named: _Named, about: Sequence[Pin], folder: str) -> Iterator[Proof]:
    bounds = [pin for pin in about if named.least and least(pin.constraint) is not None]
    told = [(pin, _agrees(named, pin)) for pin in bounds or about]
    holds = next((pin for pin, agrees in told if agrees), None)
    if holds is not None:
        yield Proof(holds=True, topic="version", said=named.words, witness=holds.witness)
        return
    against = [pin for pin, agrees in told if agrees is False]
    if not against or len(against) < len(told):
        return
    pin = _nearest(folder, against)
    if pin is None:
        return
    because = f"{pin.witness.file} asks for {pin.constraint}, which rules out {named.words}"
    if named.least:
        because = f"{pin.witness.file} asks for {pin.constraint}, another least version than {named.words}"
    sure = 0.95 if is_tool(named.tool) else 0.9
    yield Proof(holds=False, topic="version", said=named.words, witness=pin.witness, because=because, confidence=sure)


def _agrees(named: _Named, pin: Pin) -> bool | None:
    """Whether a pin allows what is named; None where it does not tell."""
    if not named.least:
        return allows(pin.constraint, named.version)
    bound = least(pin.constraint)
    if bound is not None:
        return begins(bound, named.version)
    if not pin.exact:
        return None
    return allows(f">={'.'.join(map(str, named.version))}", parsed(pin.constraint))


def _nearest(folder: str, against: Sequence[Pin]) -> Pin | None:
    for place in nearest_first(folder):
        for pin in against:
            if folder_of(pin.witness.file) == place:
                return pin
    # In one package further down, where all of them agree, it can only be that one.
    return against[0] if len({pin.constraint for pin in against}) == 1 else None


def _framework(saying: Saying, pins: Sequence[Pin]) -> Iterator[Proof]:
    slot, value = saying.claim.statement.slot, saying.claim.statement.value
    if slot.attribute not in _USED_AS or value is None or slot.qualifiers:
        return
    name = _NAMES.get(re.sub(r"(?<![\s`])[\s`]++v?\d[\d.]*\+?(?:\.x)?$", "", value.text.strip("` ").lower()))
    family = next((one for one in _ALTERNATIVES if name in one), None)
    if name is None or family is None:
        return
    said = f"{value.text} is used"
    there = [pin for pin in pins if pin.tool in family]
    own = next((pin for pin in there if pin.tool == name), None)
    if own is not None:
        yield Proof(holds=True, topic="framework", said=said, witness=own.witness)
    elif len({pin.tool for pin in there}) == 1:
        pin = there[0]
        because = f"{pin.witness.file} depends on {pin.tool}, and no manifest on {name}"
        yield Proof(holds=False, topic="framework", said=said, witness=pin.witness, because=because, confidence=0.9)
