"""Which verbs only look? search, ask, check, lookup, history, explain, conflicts, stats: each a call of Memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from stilltrue.faces.cli.call import Call, lens_of, print_error
from stilltrue.faces.cli.options import AsOf, Json, KnownAt, SaidBy, Superseded
from stilltrue.model.conflict import ConflictStatus

FINDINGS: Final = 1
UNREAD: Final = 2


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog='Example: stilltrue search "where does Mara live" --as-of 2025-01-31')(search)
    app.command(epilog='Example: stilltrue ask "where did Mara live before?"')(ask)
    app.command(epilog='Example: stilltrue check "How do I change the Jenkins config?"')(check)
    app.command(epilog="Example: stilltrue lookup mara --key residence")(lookup)
    app.command(epilog="Example: stilltrue history --subject mara --attribute residence")(history)
    app.command(epilog="Example: stilltrue explain 5f0c21ab")(explain)
    app.command(epilog="Example: stilltrue conflicts --status all")(conflicts)
    app.command(epilog="Example: stilltrue stats --json")(stats)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you want to know, in your own words.")],
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Most results; else the search_limit setting.")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_superseded: Superseded = False,
    author: SaidBy = None,
    as_json: Json = False,
) -> None:
    """Find what is true now, best first.

    Or what was true, or was believed, at another time.
    """
    from stilltrue.faces import render, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        found = memory.search(
            query,
            limit=limit,
            as_of=as_of,
            known_at=known_at,
            include_superseded=include_superseded,
            author=author,
        )
        lens = lens_of(memory)
    call.show(lambda: wire.found(found), lambda: render.found(found, lens))


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question, in your own words.")],
    as_of: AsOf = None,
    known_at: KnownAt = None,
    author: SaidBy = None,
    as_json: Json = False,
) -> None:
    """Answer a question in words.

    With the facts that the answer rests on; where memory holds none it says so.
    """
    from stilltrue.faces import render, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        answer = memory.ask(question, as_of=as_of, known_at=known_at, author=author)
        lens = lens_of(memory)
    call.show(lambda: wire.answered(answer), lambda: render.answered(answer, lens))


def check(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A question, a plan or a draft.")],
    more: Annotated[list[Path] | None, typer.Argument(metavar="[PATH]...", help="More files, with --files.")] = None,
    files: Annotated[
        list[Path] | None, typer.Option("--files", metavar="PATH", help="Check against these files, not the memory.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell what a text takes for granted that is stale.

    With what memory says instead; ends with status 1 where there is something.
    """
    from stilltrue.faces import checks, wire

    if more and not files:
        raise typer.BadParameter("put --files before the files, and a text of several words in quotes")
    call = Call.of(context, as_json=as_json)
    skipped: tuple[tuple[str, str], ...] = ()
    if files:
        by_files, lens = checks.against_files(text, [*files, *(more or ())])
        told, skipped = by_files.checked, by_files.skipped
    else:
        with call.memory() as memory:
            told, lens = memory.check(text), lens_of(memory)
    call.show(lambda: wire.checked(told), lambda: checks.checked(told, lens))
    for name, why in skipped:
        print_error(f"{name}: not read: {why}")
    raise typer.Exit(FINDINGS if told.stale else UNREAD if skipped else 0)


def lookup(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Who or what it is about.")],
    key: Annotated[
        str | None, typer.Option("--key", metavar="ATTRIBUTE", help="Which side of the subject; else all.")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include_superseded: Superseded = False,
    author: SaidBy = None,
    as_json: Json = False,
) -> None:
    """List what is known of a subject."""
    from stilltrue.faces import render, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        facts = memory.lookup(
            subject, key, as_of=as_of, known_at=known_at, include_superseded=include_superseded, author=author
        )
        lens = lens_of(memory)
    then = as_of is not None or known_at is not None
    call.show(
        lambda: wire.results(facts, historical=include_superseded), lambda: render.results(facts, lens, then=then)
    )


def history(
    context: typer.Context,
    fact: Annotated[
        str | None, typer.Argument(metavar="FACT", help="Id of a fact, or at least 6 of its characters.")
    ] = None,
    subject: Annotated[str | None, typer.Option("--subject", help="Instead of a fact: who or what.")] = None,
    attribute: Annotated[str | None, typer.Option("--attribute", help="Which side of the subject.")] = None,
    as_json: Json = False,
) -> None:
    """Show how a fact or a subject changed over time."""
    from stilltrue.faces import render, wire

    if (fact is None) == (subject is None):
        raise typer.BadParameter("give either a FACT, or --subject with or without --attribute")
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        told = memory.history(fact, subject=subject, attribute=attribute)
        lens = lens_of(memory)
    call.show(lambda: wire.history(told), lambda: render.history(told, lens))


def explain(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="ID", help="Id of a fact or of a decision.")],
    as_json: Json = False,
) -> None:
    """Tell why a fact is what it is, or a decision fell.

    Who was considered, what each judge said, which rule decided, and what it cost.
    """
    from stilltrue.faces import waterfall, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        explanation = memory.explain(what)
        lens = lens_of(memory)
    call.show(lambda: wire.explanation(explanation), lambda: waterfall.explanation(explanation, lens))


def conflicts(
    context: typer.Context,
    status: Annotated[
        str, typer.Option("--status", help="open, answered, dismissed or all.")
    ] = ConflictStatus.OPEN.value,
    as_json: Json = False,
) -> None:
    """List the questions that wait for an answer."""
    from stilltrue.faces import render, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        cards = memory.conflicts(status)
        lens = lens_of(memory)
    call.show(lambda: wire.conflicts(cards), lambda: render.conflicts(cards, lens))


def stats(context: typer.Context, as_json: Json = False) -> None:
    """Count what is kept, what it cost, and who judges."""
    from stilltrue.faces import reports, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        told = memory.stats()
    call.show(lambda: wire.stats(told), lambda: reports.stats(told))
