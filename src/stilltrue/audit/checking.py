"""Which presuppositions of a text do memory files say are stale? The check of `read.check`, over the claims of files.

A claim counts from the date it is given under. Claims of one date that say different things cancel each other: which
of them holds is the audit's question. A citation's `fact_id` is the place, FILE:LINE.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from stilltrue.audit.reading import read_claims
from stilltrue.audit.sources import read_sources
from stilltrue.errors import InvalidInputError
from stilltrue.model.fact import Status
from stilltrue.read.check import Known, checked_text, stale_among
from stilltrue.read.checked import Checked
from stilltrue.rules.presuppositions import presuppositions
from stilltrue.write.ask_model import judged_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stilltrue.audit.claims import Claim
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import PairModel
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True)
class CheckedByFiles:
    """What was found. `skipped`: (file, why) for what could not be read."""

    checked: Checked
    skipped: tuple[tuple[str, str], ...] = ()


def check_files(
    text: str, paths: Sequence[Path], *, now: Instant, settings: Settings, pair_model: PairModel | None
) -> CheckedByFiles:
    """What in `text` the files say is stale, at `now`. What cannot be read is skipped, and told why.

    Raises InvalidInputError for no text, and where none of the files can be read.
    """
    checked_text(text)
    sources = read_sources((str(path), path) for path in paths)
    if not sources.read:
        raise InvalidInputError("; ".join(f"{name}: not read: {why}" for name, why in sources.skipped))
    claims: list[Claim] = []
    for source in sources.read:
        claims += read_claims(source.name, source.text, saved_at=None, settings=settings)
    taken = presuppositions(text)
    judge = partial(judged_pairs, pair_model)
    found = stale_among(taken, [_known(claim) for claim in claims], judge, now, zone=settings.timezone)
    return CheckedByFiles(Checked(stale=tuple(found), presuppositions=len(taken)), sources.skipped)


def _known(claim: Claim) -> Known:
    where = f"{claim.file}:{claim.line}"
    return Known(where, claim.statement, holds=True, since=claim.dated, status=Status.ACTIVE)
