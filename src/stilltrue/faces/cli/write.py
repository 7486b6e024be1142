"""Which verbs change what is remembered? remember, drain, forget, erase, undo, resolve: each one call of `Memory`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stilltrue.errors import InvalidInputError
from stilltrue.faces.cli.call import STANDARD_INPUT, Call, given, lens_of, parse_pairs, print_lines
from stilltrue.faces.cli.options import FactArgument, Json, Reason
from stilltrue.model.conflict import Answer
from stilltrue.model.fact import Category, Kind
from stilltrue.model.slot import Cardinality

if TYPE_CHECKING:
    from stilltrue.memory import Memory
    from stilltrue.model.decision import Decision

SHARE: dict[str, Any] = {"min": 0.0, "max": 1.0}


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog='Example: stilltrue remember "Our rate limit is 600 requests per minute." --author ines')(
        remember
    )
    app.command(epilog="Example: stilltrue drain")(drain)
    app.command(epilog="Example: stilltrue forget 5f0c21ab --never-true --reason 'a mix-up'")(forget)
    app.command(epilog="Example: stilltrue erase 5f0c21ab --yes")(erase)
    app.command(epilog="Example: stilltrue undo 9be07d13")(undo)
    app.command(epilog="Example: stilltrue resolve 77aa01fe keep --keep 5f0c21ab --reason 'asked the team'")(resolve)


def remember(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said; `-` reads it from standard input.")],
    author: Annotated[
        str | None, typer.Option("--author", help="Who said it; the first person is taken for them.")
    ] = None,
    topic: Annotated[str | None, typer.Option("--topic", help="The area it belongs to.")] = None,
    said_at: Annotated[
        str | None, typer.Option("--said-at", metavar="TIME", help="When it was said; else now.")
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", help="Who or what it is about; else read from the text.")
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="Which side of the subject; else read from the text.")
    ] = None,
    value: Annotated[str | None, typer.Option("--value", help="What it says of it; else read from the text.")] = None,
    qualifier: Annotated[
        list[str] | None, typer.Option("--qualifier", metavar="NAME=VALUE", help="A condition; may be repeated.")
    ] = None,
    cardinality: Annotated[
        Cardinality | None, typer.Option("--cardinality", help="How many values hold at a time.")
    ] = None,
    valid_from: Annotated[str | None, typer.Option("--valid-from", metavar="TIME", help="Since when it holds.")] = None,
    valid_until: Annotated[
        str | None, typer.Option("--valid-until", metavar="TIME", help="Until when it holds.")
    ] = None,
    kind: Annotated[Kind | None, typer.Option("--kind", help="A constraint is never superseded by itself.")] = None,
    category: Annotated[Category | None, typer.Option("--category", help="How memory keeps it.")] = None,
    importance: Annotated[float | None, typer.Option("--importance", help="From 0 to 1.", **SHARE)] = None,
    confidence: Annotated[float | None, typer.Option("--confidence", help="From 0 to 1.", **SHARE)] = None,
    trust: Annotated[
        float | None, typer.Option("--trust", help="How much the author's word weighs, 0 to 1.", **SHARE)
    ] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", metavar="FACT", help="A fact it replaces; may be repeated.")
    ] = None,
    depends_on: Annotated[
        list[str] | None, typer.Option("--depends-on", metavar="FACT", help="A fact it rests on; may be repeated.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Keep it durably, and judge it later.")] = False,
    as_json: Json = False,
) -> None:
    """Remember a text, and tell what was decided.

    Every fact in it is judged against what is known already.
    """
    call = Call.of(context, as_json=as_json)
    said = _standard_input() if text == STANDARD_INPUT else text
    with call.memory(creates=True) as memory:
        decisions = memory.remember(
            said,
            author=author,
            topic=topic,
            said_at=said_at,
            subject=subject,
            attribute=attribute,
            value=value,
            qualifiers=parse_pairs(qualifier, "NAME=VALUE, like environment=staging") if qualifier else None,
            cardinality=cardinality,
            valid_from=valid_from,
            valid_until=valid_until,
            kind=kind,
            category=category,
            importance=importance,
            confidence=confidence,
            trust=trust,
            supersedes=tuple(supersedes or ()),
            depends_on=tuple(depends_on or ()),
            wait=not no_wait,
        )
        _show_decisions(call, memory, decisions)


def drain(
    context: typer.Context,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only tell what an LLM would be asked, and about how many tokens.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge what was left for later: by `remember --no-wait`, and to an LLM, if one is configured."""
    from stilltrue.faces import reports, wire

    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        if estimate:
            told = memory.estimate()
            call.show(lambda: wire.estimate(told), lambda: reports.estimate(told))
            return
        with call.progress("judging") as progress:
            decisions = memory.drain(progress)
        if decisions or call.as_json:
            _show_decisions(call, memory, decisions)
        else:
            waiting = memory.stats().counts["jobs"]
            print_lines([f"{waiting} jobs wait for an LLM" if waiting else "there is nothing left to judge"])


def forget(
    context: typer.Context,
    fact: FactArgument,
    reason: Reason = "",
    never_true: Annotated[
        bool, typer.Option("--never-true", help="It never was so: the past does not serve it either.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Stop serving a fact. Its text stays in the history, and `undo` brings it back."""
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        _show_decisions(call, memory, [memory.forget(fact, reason=reason, never_true=never_true)])


def erase(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="FACT|EPISODE", help="Id of a fact or of an episode.")],
    reason: Reason = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    as_json: Json = False,
) -> None:
    """Remove a text everywhere, the history included. This cannot be undone."""
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        if not yes:
            _confirm(f"Erase {what} everywhere? This cannot be undone.")
        _show_decisions(call, memory, [memory.erase(what, reason=reason)])


def undo(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="DECISION|BATCH", help="Id of a decision, or of the batch of an import.")
    ],
    as_json: Json = False,
) -> None:
    """Take back a decision or a whole batch, exactly."""
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        _show_decisions(call, memory, [memory.undo(what)])


def resolve(
    context: typer.Context,
    conflict: Annotated[str, typer.Argument(metavar="CONFLICT", help="Id of a conflict; see `stilltrue conflicts`.")],
    answer: Annotated[Answer, typer.Argument(help="How it is settled.")],
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep", metavar="FACT", help="With keep: the fact that stays. With never_true: the one that never was."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="With rewrite: what is so instead.")] = None,
    condition: Annotated[
        str | None, typer.Option("--condition", metavar="NAME=VALUE", help="With both: what tells them apart.")
    ] = None,
    reason: Reason = "",
    author: Annotated[str | None, typer.Option("--author", help="Who settles it.")] = None,
    as_json: Json = False,
) -> None:
    """Answer the question of a conflict."""
    call = Call.of(context, as_json=as_json)
    with call.memory() as memory:
        options = given(keep=keep, text=text, condition=condition, author=author)
        _show_decisions(call, memory, [memory.resolve(conflict, answer, reason=reason, **options)])


def _show_decisions(call: Call, memory: Memory, decisions: Sequence[Decision]) -> None:
    from stilltrue.faces import render, wire

    asking = any(decision.conflict_id for decision in decisions) and not call.as_json
    questions = {card.conflict.id: card.conflict.question for card in memory.conflicts()} if asking else {}
    lens = lens_of(memory)
    call.show(lambda: wire.decisions(decisions), lambda: render.decisions(decisions, lens, questions))


def _standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8")


def _confirm(question: str) -> None:
    """Go on only if a person says so. Raises InvalidInputError where nobody can be asked or the answer is no."""
    if not _someone_is_here():
        raise InvalidInputError("this cannot be undone and nobody is here to be asked; repeat it with --yes")
    if not typer.confirm(question, err=True):
        raise InvalidInputError("nothing was erased, as you wished")


def _someone_is_here() -> bool:
    return sys.stdin.isatty()
