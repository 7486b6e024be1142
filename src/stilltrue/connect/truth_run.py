"""Does a memory believe what a truth test demands, and if not, what does it believe instead, and why?

Answer: `opened` makes the memory of a file: an empty one, or a copy of the store that it names (which is left alone),
told what the file has to say. `failure_of` runs one check through `connect.checks` and makes of a failure a message
that can be acted upon: what was asked, expected and served, and the decision that made it so. `run_file` does both.

Left to others: what a file may say (`connect.truths`), collecting the tests of a project (`stilltrue.testing.plugin`).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from stilltrue.connect import checks
from stilltrue.connect.checks import Failure, World
from stilltrue.connect.replay import ReplayReport, StoryClock, StoryResult, tell
from stilltrue.connect.truths import read_truths
from stilltrue.errors import StateError, StoreError
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.memory import Memory
from stilltrue.model.fact import Status
from stilltrue.model.timeline import iso
from stilltrue.settings import Settings
from stilltrue.wiring import copied

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.connect.checks import Kept
    from stilltrue.connect.truths import Truth, Truths
    from stilltrue.model.decision import Decision
    from stilltrue.ports import Embedder

MOST_REASONS = 3
"""Facts that a message explains; a text that fits more of them is too short to be one expectation."""


@dataclass(slots=True)
class Models:
    """What the tests of a run share: the embedder, loaded once, and the settings that files lay theirs over."""

    settings: Settings = field(default_factory=Settings)
    embedder: Embedder = field(default_factory=MiniLMEmbedder)


@contextmanager
def opened(truths: Truths, models: Models) -> Iterator[World]:
    """The world of a file's checks; a store is copied, and the copy is thrown away.

    Raises StoreError where there is no such store, StateError for what could not be remembered, AccessError.
    """
    with TemporaryDirectory(prefix="stilltrue-") as folder:
        clock = StoryClock(truths.events[0].at if truths.events else truths.now or datetime.now(UTC))
        memory = _memory(truths, models, clock, Path(folder))
        try:
            failed = tell(memory, clock, truths.events) if truths.events else []
            if failed:
                raise StateError(f"{truths.path.name}: {failed[0].wrong}")
            clock.at = truths.now or clock.at
            yield World(memory)
        finally:
            memory.close()


def _memory(truths: Truths, models: Models, clock: StoryClock, folder: Path) -> Memory:
    settings = models.settings.replace(truths.settings)
    if truths.store is None:
        return Memory.open(":memory:", space=truths.space, settings=settings, clock=clock, embedder=models.embedder)
    if not truths.store.is_file():
        raise StoreError(f"{truths.path.name}: there is no store at {truths.store}; 'store' is read beside the file")
    with Memory.open(
        truths.store,
        space=truths.space,
        member=truths.member,
        settings=settings,
        clock=clock,
        embedder=models.embedder,
    ) as original:
        copy = copied(original.engine, folder / "truth.db")
    return Memory(copy, truths.space, truths.member)


def run_file(path: Path, models: Models | None = None) -> ReplayReport:
    """All checks of a file, as the report of one story. Raises what reading and opening it raise."""
    truths = read_truths(path)
    with opened(truths, models or Models()) as world:
        found = [Failure(_check(one), told) for one in truths.checks if (told := failure_of(world, truths, one))]
    total = len(truths.checks)
    return ReplayReport((StoryResult(path.name, total - len(found), total, tuple(found)),))


def failure_of(world: World, truths: Truths, truth: Truth) -> str | None:
    """What is wrong with a check, in lines for a person; None where it holds."""
    failed = checks.failure_of(world, _check(truth))
    if failed is None:
        return None
    told = [
        f"{truths.path.name}:{truth.line}: {_shown(truth.name)}",
        f"  asked:    {_asked(truth)}",
        *(f"  expected: {line}" for line in _expected(truth)),
        f"  wrong:    {_shown(failed.wrong)}",
        *_block(
            "served" if truth.must_ask is None else "open", [f'"{_shown(text)}"' for text in failed.got] or ["nothing"]
        ),
        *_block("because", list(_reasons(world, truth))),
    ]
    return "\n".join(told)


def _check(truth: Truth) -> dict[str, Any]:
    """The check in the form of a scenario's, which `connect.checks` reads."""
    slot = {"subject": truth.subject, "attribute": truth.attribute} if truth.subject is not None else {}
    asked = slot | ({"query": truth.query} if truth.query is not None else {})
    if truth.must_ask is not None:
        more = {"conflict_kind": truth.conflict_kind} if truth.conflict_kind is not None else {}
        return {"kind": "conflict_open", "involving": list(truth.must_ask), **asked, **more}
    kind = "slot" if truth.subject is not None else "active" if truth.as_of is None else "as_of"
    when = {"at": truth.as_of} if truth.as_of is not None else {}
    demanded = {"must_include": list(truth.must_be_current), "must_exclude": list(truth.must_not_serve)}
    return {"kind": kind, **asked, **when, **demanded}


def _asked(truth: Truth) -> str:
    if truth.subject is not None:
        asked = f"slot {_shown(truth.subject)} / {_shown(truth.attribute or '(all)')}"
    else:
        asked = f'"{_shown(truth.query)}"' if truth.query is not None else "which questions are open"
    return asked if truth.as_of is None else f"{asked} as of {_shown(truth.as_of)}"


def _expected(truth: Truth) -> Iterator[str]:
    held = "current" if truth.as_of is None else "held then"
    yield from (f'a fact that says "{_shown(text)}" is {held}' for text in truth.must_be_current)
    yield from (f'no fact that says "{_shown(text)}" is {held}' for text in truth.must_not_serve)
    if truth.must_ask is not None:
        kind = f"{_shown(truth.conflict_kind)} " if truth.conflict_kind else ""
        about = " and ".join(f'"{_shown(text)}"' for text in truth.must_ask)
        yield f"an open {kind}question about {about}"


def _reasons(world: World, truth: Truth) -> Iterator[str]:
    """Why the facts that a check is about stand as they do."""
    texts = (*truth.must_be_current, *truth.must_not_serve, *(truth.must_ask or ()))
    told: dict[str, Kept] = {}
    for text in texts:
        found = world.containing(text)
        told.update((kept.fact.id, kept) for kept in found)
        if not found:
            yield f'nothing that was remembered says "{_shown(text)}"'
    for kept in list(told.values())[:MOST_REASONS]:
        yield _stands(world, kept)
    if len(told) > MOST_REASONS:
        yield f"and {len(told) - MOST_REASONS} more facts say so"


def _stands(world: World, kept: Kept) -> str:
    """How a fact stands, and the last decision about it."""
    belief, text = kept.fact.belief, _shown(kept.fact.statement.text)
    start, end = (belief.valid.start, belief.valid.end) if belief is not None else (None, None)
    since = f" since {iso(start)[:10]}" if start is not None and kept.status is Status.ACTIVE else ""
    until = f" since {iso(end)[:10]}" if end is not None and kept.status is not Status.ACTIVE else ""
    return f'"{text}" is {kept.status.value}{since}{until}: {_last_word(world, kept)}'


def _last_word(world: World, kept: Kept) -> str:
    fact_id = kept.fact.id
    about = [one for one in world.decisions if fact_id in (one.fact_id, *one.targets) or _weighs(one, kept)]
    if not about:
        return "no decision was made about it"
    weighed = [one for one in about if _weighs(one, kept)]
    last = (weighed or about)[-1]
    explained = world.memory.explain(last.id).decisions[0]
    outcomes: Sequence[str] = [item.outcome for item in explained.considered if item.fact_id == fact_id]
    why = outcomes[0] if outcomes else explained.reason or explained.rule
    said = f'"{_shown(last.text)}"' if weighed else "it"
    return f"{last.action.value} when {said} was said; {_shown(why)}"


def _weighs(decision: Decision, kept: Kept) -> bool:
    return any(item.fact_id == kept.fact.id for item in decision.receipt.considered)


def _block(name: str, lines: Sequence[str]) -> list[str]:
    heads = [f"  {name + ':':<10}", *[" " * 12] * len(lines)]
    return [f"{head}{line}" for head, line in zip(heads, lines, strict=False)]


def _shown(text: str | None) -> str:
    r"""One line in which every character shows: what was remembered may have been written by anybody.

    >>> _shown("two\nlines \x1b[31mred")
    'two\\nlines \\x1b[31mred'
    """
    said = text or ""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in said)
