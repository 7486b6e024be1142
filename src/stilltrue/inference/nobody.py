"""Who stands in for a language model while only its cost is asked for?

Answer: `Nobody`, an expert (`ports.Expert`) who never answers. Where it stands, writes leave open pairs for later, and
`estimate` says what asking about them would take: in the words of the expert it stands in for, whose cache counts,
or, where none is configured, by the same requests that one would be sent.

Left to others: for whom it stands in (`stilltrue.wiring`), what is counted (`write.jobs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stilltrue.inference.batches import foreseen
from stilltrue.inference.prompts import pair_view
from stilltrue.model.expert import Claims, Usage, Votes, Written
from stilltrue.model.verdict import Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Allowance, Exhibit
    from stilltrue.model.fact import Statement
    from stilltrue.model.ids import SpaceId
    from stilltrue.ports import Expert

REASON: Final = "only an estimate is made; nobody is asked"


class Nobody:
    """An expert who never answers, in the place of another or of none."""

    model_version = "nobody"

    def __init__(self, instead_of: Expert | None = None) -> None:
        """`instead_of` is asked what it would take, and nothing else."""
        self._instead_of = instead_of

    def classify(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Votes:  # noqa: ARG002
        """No vote."""
        return Votes(tuple(Undecided(REASON) for _ in pairs), Usage())

    def estimate(self, space: SpaceId, pairs: Sequence[tuple[Statement, Statement]], allowance: Allowance) -> Usage:
        """What the other would take; without one, a request for each `allowance.pairs_per_request` different pairs."""
        if self._instead_of is not None:
            return self._instead_of.estimate(space, pairs, allowance)
        views = {str(view): view for view in (pair_view(existing, new) for existing, new in pairs)}
        return foreseen(views, allowance.pairs_per_request)

    def extract(self, episode: Episode, allowance: Allowance) -> Claims:  # noqa: ARG002
        """No claim."""
        return Claims((), Usage(), REASON)

    def answer(self, space: SpaceId, question: str, exhibits: Sequence[Exhibit], allowance: Allowance) -> Written:  # noqa: ARG002
        """No answer."""
        return Written("", (), Usage(), REASON)
