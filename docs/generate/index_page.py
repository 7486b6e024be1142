"""Which pages are there? `docs/README.md`, from the titles of the pages themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = "docs/README.md"
OPENING: Final = """# Documents

Made by `make reference` from the titles of the pages; do not edit.

Begin with the [tutorial](tutorial.md). The words have one meaning each, and the [glossary](glossary.md) has them all.
"""
FOLDERS: Final = (("", "Read"), ("how-to", "Do"), ("reference", "Look up"))
FIRST: Final = ("tutorial.md", "why-was-this-retired.md", "limits.md")


def page(root: Path = ROOT) -> str:
    """The whole page."""
    docs = root / "docs"
    lines = [OPENING]
    for folder, title in FOLDERS:
        pages = [path.relative_to(docs).as_posix() for path in (docs / folder).glob("*.md") if path.name != "README.md"]
        pages.sort(key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
        lines += [f"## {title}", "", *(f"- [{_title(docs / name)}]({name})" for name in pages), ""]
    return "\n".join([*lines, "Why the house is built as it is: the [decision records](decisions/README.md).\n"])


def _title(path: Path) -> str:
    return path.read_text("utf-8").partition("\n")[0].removeprefix("# ").strip()
