"""Which verbs look after a memory? settings, members, check-store, detect, doctor, demo: each one call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, get_type_hints

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import IN_MEMORY, Call, parse_pairs, print_lines
from stilltrue.faces.cli.options import Json
from stilltrue.faces.cli.story import tell
from stilltrue.formats.targets import refuse_taken
from stilltrue.settings import Settings

FINDINGS = 1
_FLAGS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog="Example: stilltrue settings contradiction_threshold=0.8")(settings)
    app.command(epilog="Example: stilltrue --space crew members mara ines")(members)
    app.command(name="check-store", epilog="Example: stilltrue check-store --json")(check_store)
    app.command(epilog="Example: stilltrue detect --plan")(detect)
    app.command(epilog="Example: stilltrue doctor")(doctor)
    app.command(epilog="Example: stilltrue demo --keep story.db")(demo)


def settings(
    context: typer.Context,
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Settings for this space; an empty value takes its own away."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show every setting and what it means, or set some.

    What is set here holds for this space; `stilltrue --space NAME settings` is for another.
    """
    from stilltrue.faces import reports, wire

    call = Call.of(context, as_json=as_json)
    wanted = parse_pairs(changes or (), "KEY=VALUE, like contradiction_threshold=0.8")
    with call.memory(creates=bool(wanted)) as memory:
        if wanted:
            memory.configure(**{name: read_knob(name, text) for name, text in wanted.items()})
        in_force = memory.settings
    call.show(lambda: wire.settings(in_force), lambda: reports.settings(in_force, only=wanted))


def read_knob(name: str, text: str) -> object:
    """A value as typed, by the type of the knob; empty for the default. What does not fit is `Settings`' to refuse."""
    kind = get_type_hints(Settings).get(name)
    if not text:
        return None
    if kind is str:
        return text
    text = _FLAGS.get(text.lower(), text) if kind is bool else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def members(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MEMBER]...", help="The members from now on; none to show them.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Make the space private again.")] = False,
    as_json: Json = False,
) -> None:
    """Show or set who shares this space. Only they read or change it, each with --as."""
    call = Call.of(context, as_json=as_json)
    if names and private:
        raise InvalidInputError("a private space has no members; give names or --private, not both")
    with call.memory(creates=bool(names)) as memory:
        held = memory.set_members(names or ()) if names or private else memory.members()
    call.show(lambda: {"space": call.space, "members": list(held)}, lambda: held or ["a private space"])


def check_store(context: typer.Context, as_json: Json = False) -> None:
    """Check that the store is sound."""
    from stilltrue.faces.text import plain

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        wrong = memory.check_invariants()
    call.show(lambda: {"sound": not wrong, "findings": wrong}, lambda: [plain(line) for line in wrong] or ["sound"])
    raise typer.Exit(FINDINGS if wrong else 0)


def detect(
    context: typer.Context,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would be asked; change nothing.")] = False,
    as_story: Annotated[bool, typer.Option("--story", help="Have the LLM read all of it as one story.")] = False,
    sample: Annotated[
        str | None,
        typer.Option("--sample", metavar="SEED", help="With --story: only what forgetting leaves under this seed."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Look for what leaves open what is true.

    Reversals, ambiguities and stale claims, without an LLM; each becomes a question that `stilltrue conflicts` lists.
    With --story an LLM looks instead.
    """
    from stilltrue.faces import reports, wire

    if plan and as_story:
        raise InvalidInputError("what an LLM finds is not planned; give --plan or --story")
    if sample is not None and not as_story:
        raise InvalidInputError("--sample says what of the story is read; give --story with it")
    call = Call.of(context, as_json=as_json)
    if as_story:
        tell(call, sample)
    with call.memory() as memory:
        told = memory.detect(plan=plan)
    call.show(lambda: wire.detected(told), lambda: reports.detected(told))


def doctor(context: typer.Context, as_json: Json = False) -> None:
    """Check everything that stilltrue needs here.

    Each finding is fine, worth knowing, or wrong with what to do about it.
    """
    from stilltrue.faces import doctor as examination

    call = Call.of(context, as_json=as_json)
    findings = examination.examine(call.where(), call.memory if call.exists() else None)
    call.show(lambda: examination.as_json(findings), lambda: examination.lines(findings))
    raise typer.Exit(0 if examination.well(findings) else FINDINGS)


def demo(
    context: typer.Context,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="PATH", help="Keep the story's memory in this new file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Remember a changing story, and show what is still true.

    It is told to a temporary memory; yours is left alone.
    """
    from stilltrue.faces.demo import tell

    call = Call.of(context, as_json=as_json)
    if keep is not None and keep.exists():
        refuse_taken(keep)
    told = tell(str(keep) if keep is not None else IN_MEMORY)
    if call.as_json:
        call.show(lambda: {"lines": list(told)}, lambda: ())
        return
    print_lines(told)
