"""How does a check look, and what does one against files need that no memory was opened for?"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from stilltrue.faces.text import Lens, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from stilltrue.audit.checking import CheckedByFiles
    from stilltrue.read.checked import Checked, Ground

NOTHING_STALE: Final = "nothing in it is known to be stale"


def against_files(text: str, paths: Sequence[Path]) -> tuple[CheckedByFiles, Lens]:
    """The check of a text against files, with the settings of the environment, and the lens to show it in."""
    from stilltrue.audit.checking import check_files
    from stilltrue.settings import Settings
    from stilltrue.wiring import pair_model_of

    settings = Settings.from_environment(os.environ)
    model = pair_model_of(None, settings)
    told = check_files(text, paths, now=datetime.now(UTC), settings=settings, pair_model=model)
    return told, Lens.of_zone(settings.timezone)


def checked(told: Checked, lens: Lens) -> Iterator[str]:
    """Two lines a stale stretch, what memory says instead under it, and the facts that it rests on."""
    if not told.stale:
        yield NOTHING_STALE
    for one in told.stale:
        since = f", since {lens.day(one.since)}" if one.since is not None else ""
        yield f"{one.start + 1}-{one.end}: “{plain(one.words)}” is stale ({one.confidence:.2f})"
        yield f"  instead: “{plain(one.instead)}”{since}"
        for ground in one.citations:
            yield f"  {_name(ground, lens)}  {_quoted(ground)} ({ground.status.value})"


def _name(ground: Ground, lens: Lens) -> str:
    return lens.name(ground.fact_id) if ground.sources else plain(ground.fact_id)


def _quoted(ground: Ground) -> str:
    quotes = [source.quote for source in ground.sources[:1]] or [ground.text]
    return f"“{plain(quotes[0])}”"
