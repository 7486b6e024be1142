"""How does a report read, on a space or on work done in it? Lines of plain text, as `faces.render` gives of answers.

Figures, settings, what an LLM would cost, how a look for confusion went: what a person reads who tends a memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import TYPE_CHECKING

from stilltrue.faces.render import Lines
from stilltrue.faces.text import columns, plain
from stilltrue.faces.wire import default_of

if TYPE_CHECKING:
    from stilltrue.model.story import StoryRun
    from stilltrue.read.results import Stats
    from stilltrue.settings import Settings
    from stilltrue.upkeep.detective import Detected
    from stilltrue.write.jobs import Estimate


def stats(told: Stats) -> Lines:
    """The state of a space, one figure a line."""
    named = {
        **told.counts,
        "pairs judged": told.pairs_judged,
        "undecided": told.undecided,
        "LLM calls": told.llm_calls,
        "LLM tokens": told.llm_tokens,
        "cache hits": told.cache_hits,
    }
    left = {"LLM calls left today": told.llm_calls_left, "LLM tokens left today": told.llm_tokens_left}
    named.update((name, number) for name, number in left.items() if number is not None)
    yield from columns([(name.replace("_", " "), str(figure)) for name, figure in named.items()])
    yield from columns([(f"judge: {name}", word) for name, word in told.judges.items()])
    yield from columns([(f"model: {name}", plain(word or "none")) for name, word in told.models.items()])
    for name, held in told.changed_settings.items():
        yield f"setting: {name} = {plain(str(held))}"


def estimate(told: Estimate) -> Lines:
    """What asking an LLM would take, as a sentence; and what cannot be told yet."""
    yield (
        f"an LLM would be asked about {told.pairs} pairs of {told.facts} facts, in {told.requests} requests of "
        f"about {told.tokens:,} tokens together; nothing was asked"
    )
    if told.cache_hits:
        yield f"{told.cache_hits} of the pairs were asked about before, and their answers are kept"
    if told.unjudged:
        yield f"{told.unjudged} episodes are not judged yet and may leave more"


def story_run(run: StoryRun) -> Lines:
    """How a reading of the story went, as sentences."""
    yield f"{run.told} of {run.facts} facts were read as one story, in {run.chapters} parts"
    known = f", {run.known} were asked about before" if run.known else ""
    dropped = f", {run.dropped} were no question for a person" if run.dropped else ""
    yield f"{run.found} places are confused: {run.opened} questions were opened{known}{dropped}"
    if run.failure:
        yield f"not all could be read: {plain(run.failure)}"


def settings(in_force: Settings, only: Collection[str] = ()) -> Lines:
    """Every knob, or `only` some: what it is, what it means, what it trades, where its default comes from."""
    for item in dataclasses.fields(in_force):
        if only and item.name not in only:
            continue
        held, default = getattr(in_force, item.name), default_of(item)
        changed = "" if held == default else f" (default {plain(str(default))})"
        yield f"{item.name} = {plain(str(held))}{changed}"
        about = [item.metadata["meaning"], item.metadata["trade"], f"from {item.metadata['source']}"]
        yield f"    {'; '.join(part for part in about if part)}"


def detected(told: Detected) -> Lines:
    """What the local detective has found, and what became of it."""
    for item in told.found:
        yield f"{item.kind.value}: {plain(item.question)}"
    was = f"{told.known} asked before" if told.known else "nothing asked before"
    yield f"{told.facts} facts read: {len(told.found)} new questions, {was}"
    yield f"{len(told.opened)} opened, {len(told.closed)} closed, settled by what was said since"
