"""Which verbs look after what is kept? maintain and rechecks: each one call of Memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stilltrue.faces.cli.call import Call, lens_of
from stilltrue.faces.cli.options import Json, Reason

if TYPE_CHECKING:
    from stilltrue.faces.render import Lines
    from stilltrue.faces.text import Lens
    from stilltrue.read.results import Recheck
    from stilltrue.upkeep.retention import Maintenance


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog="Example: stilltrue maintain --plan")(maintain)
    app.command(epilog="Example: stilltrue rechecks --keep 5f0c21ab")(rechecks)


def maintain(
    context: typer.Context,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would be archived.")] = False,
    as_json: Json = False,
) -> None:
    """Archive what has faded or is over.

    Nothing that is true changes; what was asked for again comes back. `undo` with the batch takes a pass back.
    """
    from stilltrue.faces import wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory, call.progress("facts", memory.stats().counts["facts"]) as progress:
        told = memory.maintain(progress, plan=plan)
        lens = lens_of(memory)
    call.show(lambda: wire.maintenance(told), lambda: _maintenance(told, lens))


def _maintenance(told: Maintenance, lens: Lens) -> Lines:
    from stilltrue.faces.render import quoted
    from stilltrue.upkeep.tiers import told as counted

    would = "would move: " if told.planned else "moved: "
    yield f"looked at {told.looked} facts; {would}{counted(told.moves) or 'none'}"
    for move in told.moves:
        yield f"  {move.before.value} to {move.after.value}  {lens.name(move.fact_id)}  {quoted(move.text)}"
    if told.moves and not told.planned:
        yield f"`stilltrue undo {lens.name(told.batch_id)}` takes it back"


def rechecks(
    context: typer.Context,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="FACT", help="This one is still true: lift its mark.")
    ] = None,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """List facts that rest on what no longer holds.

    None of them was changed: somebody should look.
    """
    from stilltrue.faces import render, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        lens = lens_of(memory)
        if keep is not None:
            made = [memory.confirm(keep, reason=reason)]
            call.show(lambda: wire.decisions(made), lambda: render.decisions(made, lens))
            return
        cards = memory.rechecks()
    call.show(lambda: wire.rechecks(cards), lambda: _rechecks(cards, lens))


def _rechecks(cards: Sequence[Recheck], lens: Lens) -> Lines:
    from stilltrue.faces.render import sentence, state

    if not cards:
        yield "there is nothing to look at"
    for card in cards:
        yield f"{lens.name(card.fact.id)}  {sentence(card.fact)}"
        for basis in card.bases:
            yield f"  rests on {lens.name(basis.id)}  {sentence(basis)}: {', '.join(state(basis, lens))}"
        yield f"  still true: stilltrue rechecks --keep {lens.name(card.fact.id)}"
