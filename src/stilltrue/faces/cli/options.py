"""Which options mean the same in several verbs? Their names, help and types stand here once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        help="What was true then: a date (its end, in your zone), an ISO date and time, epoch seconds, or yesterday.",
    ),
]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="What this memory believed then, right or wrong.")
]
Superseded = Annotated[
    bool, typer.Option("--include-superseded", help="Also what is no longer, or not yet, so, with its dates.")
]
SaidBy = Annotated[
    str | None, typer.Option("--author", metavar="NAME", help="Only what they said, the name as results show it.")
]
FactArgument = Annotated[
    str, typer.Argument(metavar="FACT", help="Id of a fact: the whole, or at least 6 characters of its start or end.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the history.")]
Access = Annotated[
    Path | None,
    typer.Option(
        "--access",
        metavar="FILE",
        envvar="STILLTRUE_ACCESS",
        help="Where tokens lie; else beside the memory, if that is a file.",
    ),
]
