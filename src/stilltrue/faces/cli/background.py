"""Which verbs run or review what happens in the background? worker, sweep, proposals: each one call of `Memory`."""

from __future__ import annotations

import signal
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import Call, decision_lines, lens_of
from stilltrue.faces.cli.options import Json
from stilltrue.faces.text import plain

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.upkeep.proposals import Precision
    from stilltrue.upkeep.thread import Done

FINDINGS = 1
_GRADES = {"r": True, "right": True, "w": False, "wrong": False}
_SKIP = frozenset({"s", "skip", ""})
_QUIT = frozenset({"q", "quit"})


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog="Example: stilltrue worker --once")(worker)
    app.command(epilog="Example: stilltrue sweep --plan")(sweep)
    app.command(epilog="Example: stilltrue proposals --review")(proposals)


def worker(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    poll: Annotated[float, typer.Option("--poll", min=0.05, metavar="SECONDS", help="Rest between two looks.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Do what writes leave for later, in every space of this memory, until you press Ctrl-C.

    Several workers may run; no job is done twice. What fails is tried again later and stops nothing else.
    """
    from stilltrue.upkeep.thread import work_everywhere

    if not once:
        # As at Ctrl-C it lets its jobs go. Without this, a container's first process would not end at all.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        while True:
            done = work_everywhere(memory.engine)
            if done or once:
                _tell(call, done)
            if once:
                raise typer.Exit(FINDINGS if any(one.failed for one in done) else 0)
            time.sleep(poll)


def _tell(call: Call, done: list[Done]) -> None:
    data = [{"space": one.space, "jobs": one.jobs, "decisions": one.decisions, "failed": one.failed} for one in done]
    call.show(lambda: {"done": data}, lambda: [_done_line(one) for one in done] or ["there is nothing due"])


def _done_line(one: Done) -> str:
    failed = f", {one.failed} failed, to be tried again: {one.failure}" if one.failed else ""
    return plain(f"space {one.space}: {one.jobs} jobs, {one.decisions} decisions{failed}")


def sweep(
    context: typer.Context,
    plan: Annotated[bool, typer.Option("--plan", help="Only print what would change; nothing is touched.")] = False,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Only write proposals; see `stilltrue proposals --review`.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge what was never judged, left undecided, or can be judged better now.

    A sweep that was cut short goes on; a second one changes nothing, and `undo` takes it back as one.
    """
    from stilltrue.faces import wire
    from stilltrue.model.ids import short

    if plan and shadow:
        raise InvalidInputError("--plan writes nothing and --shadow writes proposals; give one of them")
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        with call.progress("sweeping") as progress:
            report = memory.sweep(progress, shadow=shadow, plan=plan)
        made = report.decisions if report.shadow else report.changing
        lines = list(decision_lines(memory, made, plan=plan))
    verb = "would change" if plan else "proposed" if report.shadow else "changed"
    lines.append(f"{report.facts} facts looked at, {report.pairs} pairs judged, {len(made)} {verb}")
    if made and not plan and not report.shadow:
        lines.append(f"take it back with: stilltrue undo {short(report.batch_id)}")
    call.show(lambda: wire.swept(report, plan=plan), lambda: lines)


def proposals(
    context: typer.Context,
    which: Annotated[
        list[str] | None, typer.Argument(metavar="[PROPOSAL]...", help="With --apply: only these, by their ids.")
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Grade each: right, wrong or skip; prints the precision.")
    ] = False,
    carry_out: Annotated[
        bool, typer.Option("--apply", help="Carry them out, all but those graded wrong, or those named.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List what shadow mode would have done, grade it, carry it out."""
    from stilltrue.faces import render, wire

    if review and carry_out:
        raise InvalidInputError("first --review, then --apply; give one of them")
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        if review:
            _review(call, memory)
        elif carry_out:
            _apply(call, memory, which or [])
        else:
            rows, lens = memory.proposals(), lens_of(memory)
            call.show(lambda: wire.proposals(rows), lambda: render.rows(rows, lens))


def _review(call: Call, memory: Memory) -> None:
    """One proposal after the other; the questions go to standard error, so that the figures can be piped."""
    from stilltrue.faces import wire

    hands = memory.review()
    for proposal in hands.open():
        for line in decision_lines(memory, [proposal]):
            sys.stderr.write(line + "\n")
        told = _answer()
        if told is None:
            break
        if told in _GRADES:
            hands.grade(proposal.id, right=_GRADES[told])
    precision = hands.precision()
    call.show(lambda: wire.precision(precision), lambda: [_precision_line(precision)])


def _answer() -> str | None:
    """What was typed: a grade, or skip; None at the end."""
    while True:
        sys.stderr.write("right, wrong, skip or quit? ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in _QUIT:
            return None
        if word in _GRADES or word in _SKIP:
            return word


def _precision_line(told: Precision) -> str:
    if told.share is None:
        return f"nothing is graded yet; {told.ungraded} proposals wait"
    low, high = told.interval
    total = told.right + told.wrong
    return (
        f"precision {told.share:.2f} ({told.right} of {total} right; 95% Wilson interval {low:.2f} to {high:.2f}), "
        f"wrong {1 - told.share:.2f}; {told.ungraded} not graded"
    )


def _apply(call: Call, memory: Memory, which: list[str]) -> None:
    from stilltrue.faces import wire
    from stilltrue.model.ids import short

    told = memory.review().apply(*which)
    lines = list(decision_lines(memory, told.decisions))
    lines += [f"refused   {short(name)}: {plain(reason)}" for name, reason in told.refused]
    if told.decisions:
        lines.append(f"take it back with: stilltrue undo {short(told.batch_id)}")
    call.show(lambda: wire.applied(told), lambda: lines or ["nothing to do"])
    raise typer.Exit(FINDINGS if told.refused else 0)
