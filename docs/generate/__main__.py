"""Which pages are made, and not written? All of them, each by the module that knows how. `make reference` runs this.

    python -m docs.generate

What a page says comes from code, tests or other pages; a test holds the committed pages against them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs.generate import cli_page, errors_page, index_page, python_page, settings_page, spec_rows

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parents[2]
# The index last: it reads the titles of the others.
PAGES: Final[dict[str, Callable[[], str]]] = {
    made.PAGE: made.page for made in (spec_rows, python_page, cli_page, settings_page, errors_page, index_page)
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
