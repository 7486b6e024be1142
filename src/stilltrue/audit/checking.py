"""Which presuppositions of a text do memory files say are stale? The check of `read.check`, over the claims of files.

A claim counts from the date it is given under. Claims of one date that say different things cancel each other: which
of them holds is the audit's question. A citation's `fact_id` is the place, FILE:LINE.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from stilltrue.audit.reading import read_claims
from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import NO_TEXT
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


def check_files(
    text: str, paths: Sequence[Path], *, now: Instant, settings: Settings, pair_model: PairModel | None
) -> Checked:
    """What in `text` the files say is stale, at `now`.

    Raises InvalidInputError for no text, there or in a file, OSError for a file that cannot be read.
    """
    checked_text(text)
    claims: list[Claim] = []
    for path in paths:
        claims += read_claims(str(path), _text(path), saved_at=None, settings=settings)
    taken = presuppositions(text)
    judge = partial(judged_pairs, pair_model)
    found = stale_among(taken, [_known(claim) for claim in claims], judge, now, zone=settings.timezone)
    return Checked(stale=tuple(found), presuppositions=len(taken))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeError:
        raise InvalidInputError(f"{path}: {NO_TEXT}") from None


def _known(claim: Claim) -> Known:
    where = f"{claim.file}:{claim.line}"
    return Known(where, claim.statement, holds=True, since=claim.dated, status=Status.ACTIVE)
