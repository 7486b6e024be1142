"""How does a backtest read? Each flip with its reasons, then how many there are of each kind.

What a flip is, and what its cause, is `stilltrue.upkeep.flips`' business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.faces.text import plain
from stilltrue.model.timeline import iso

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stilltrue.faces.render import Lines
    from stilltrue.faces.text import Lens
    from stilltrue.upkeep.flips import Backtest, Flip, Outcome


def lines(found: Backtest, lens: Lens) -> Lines:
    """The flips, oldest first, and the count."""
    for flip in found.flips:
        yield from _flip(flip, lens)
    for turn, count in found.turned.items():
        yield f"{count} {turn}"
    drifted = sum(not flip.by_change for flip in found.flips)
    beside = f", {drifted} of them without the change too" if drifted and _is_changed(found) else ""
    yield f"{found.replayed} of {found.decisions} decisions made once more: {len(found.flips)} would flip{beside}"
    for reason, count in sorted(found.left_out.items()):
        yield f"{count} not made once more: {reason}"
    if not found.complete and found.reached is not None:
        yield f"interrupted after {found.done} of {found.decisions}; go on with --since {iso(found.reached)}"


def _is_changed(found: Backtest) -> bool:
    return any(flip.by_change for flip in found.flips) or bool(found.changes)


def _flip(flip: Flip, lens: Lens) -> Iterator[str]:
    yield f"{lens.day(flip.decided_at)} {lens.name(flip.decision_id)}  {plain(flip.text)}"
    yield f"    then {_outcome(flip.old)}"
    yield f"    now  {_outcome(flip.new)}"
    for turn in flip.turns:
        yield f'    {lens.name(turn.fact_id)} "{plain(turn.text)}"'
        yield f"        {plain(turn.then)}" if turn.then == turn.now else f"        then {plain(turn.then)}"
        if turn.then != turn.now:
            yield f"        now  {plain(turn.now)}"


def _outcome(outcome: Outcome) -> str:
    proposal = ", proposed only" if outcome.proposal else ""
    return f"{outcome.action.value}{proposal}: {plain(outcome.rule)}"
