"""How is it asked from the command line what other settings would have decided? `backtest`: one call of `Memory`.

What was found before an interruption is printed all the same, with the date from which to go on. Left to others: what
a flip is (`stilltrue.upkeep.backtest`), how it reads (`faces.turns`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stilltrue.faces.cli.call import Call, lens_of, parse_pairs
from stilltrue.faces.cli.options import Json
from stilltrue.faces.cli.upkeep import read_knob

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.upkeep.flips import Backtest

INTERRUPTED = 130


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command(epilog="Example: stilltrue backtest --set contradiction_threshold=0.9")(backtest)


def backtest(
    context: typer.Context,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting to try; may be given again for others."),
    ] = None,
    pair_model: Annotated[
        str | None, typer.Option("--pair-model", metavar="MODEL", help="The pair model to try: bundled, off, a folder.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only decisions made from then on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List which decisions would be others under changed settings or another pair model.

    Nothing is changed, and no LLM is asked. Without --set and --pair-model: what this version would decide otherwise.
    """
    from stilltrue.faces import turns, wire

    call = Call.of(context, as_json=as_json)
    knobs = {name: read_knob(name, text) for name, text in parse_pairs(changes or (), "KEY=VALUE").items()}
    with call.memory() as memory:
        lens = lens_of(memory)
        found = _found(call, memory, knobs, pair_model, since)
    call.show(lambda: wire.backtest(found), lambda: turns.lines(found, lens))
    raise typer.Exit(0 if found.complete else INTERRUPTED)


def _found(call: Call, memory: Memory, knobs: dict[str, object], pair_model: str | None, since: str | None) -> Backtest:
    """All that is found, or what was found before somebody pressed Ctrl-C."""
    seen: list[Backtest] = []
    with call.progress("deciding again") as bar:

        def note(found: Backtest) -> None:
            seen[:] = [found]
            bar(found.done, found.decisions)

        try:
            return memory.backtest(knobs, pair_model=pair_model, since=since, progress=note)
        except KeyboardInterrupt:
            if not seen:
                raise
            return seen[0]
