"""Has stilltrue everything that it needs here, and if not, what is to be done?

One finding a check: fine, worth knowing, or wrong with a remedy. Nothing is repaired or created by looking.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from stilltrue.errors import StilltrueError
from stilltrue.faces.text import plain
from stilltrue.settings import Settings
from stilltrue.upkeep.worker import LONGEST_PAUSE

if TYPE_CHECKING:
    from stilltrue.memory import Memory

LEAST_PYTHON: Final = (3, 11)

TRIAL: Final = ("You are being tried out.", 'Answer with {"well": true} and nothing else.')
"""All that a language model's server is sent here: nothing out of a memory."""

TRIAL_SCHEMA: Final = {
    "type": "object",
    "properties": {"well": {"type": "boolean"}},
    "required": ["well"],
    "additionalProperties": False,
}
FORMS: Final = {"schema": "with a strict schema", "json": "in JSON mode", "free": "in no form of its own"}


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, what was found, and what to do about it where something is to be done."""

    level: Level
    about: str
    said: str
    remedy: str = ""


def examine(place: str, opened: Callable[[], AbstractContextManager[Memory]] | None) -> list[Finding]:
    """All checks, in order. `opened` gives the memory at `place`; None: there is none yet."""
    findings = [_python(), *_sqlite(), _environment(), _weights(), *_pair_model(), *_llm()]
    if opened is None:
        return [*findings, Finding(Level.NOTE, "memory", f"none at {place} yet; `stilltrue remember` begins it")]
    return [*findings, *_memory(place, opened)]


def as_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """Every finding, and whether all is well."""
    told = [{"level": f.level.value, "about": f.about, "said": f.said, "remedy": f.remedy} for f in findings]
    return {"well": well(findings), "findings": told}


def lines(findings: Sequence[Finding]) -> Iterator[str]:
    """One line a finding."""
    for finding in findings:
        remedy = f"; {finding.remedy}" if finding.remedy else ""
        yield f"{finding.level.value:<5}  {plain(f'{finding.about}: {finding.said}{remedy}')}"


def well(findings: Sequence[Finding]) -> bool:
    """Whether nothing is wrong."""
    return all(finding.level is not Level.WRONG for finding in findings)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < LEAST_PYTHON:
        return Finding(Level.WRONG, "Python", version, "install Python 3.11 or newer")
    return Finding(Level.OK, "Python", version)


def _sqlite() -> Iterator[Finding]:
    yield Finding(Level.OK, "SQLite", sqlite3.sqlite_version)
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.Error as error:
            yield Finding(Level.WRONG, "full-text search", str(error), "use a Python whose sqlite3 has FTS5")
        else:
            yield Finding(Level.OK, "full-text search", "FTS5 is there")


def _environment() -> Finding:
    try:
        Settings.from_environment(os.environ)
    except StilltrueError as error:
        return Finding(Level.WRONG, "environment", str(error))
    return Finding(Level.OK, "environment", "every STILLTRUE_ variable can be read")


def _weights() -> Finding:
    """The embedder checks its files against their hashes when it reads its first text."""
    from stilltrue.inference.embed import MiniLMEmbedder

    try:
        embedder = MiniLMEmbedder()
        embedder.embed(["all is well"])
    except StilltrueError as error:
        return Finding(Level.WRONG, "embedder", str(error))
    return Finding(Level.OK, "embedder", f"{embedder.model_version}, its files are those it was built with")


def _pair_model() -> Iterator[Finding]:
    """The models that the environment names; each checks its files when it judges its first pair."""
    from stilltrue.rules.cascade import read_texts
    from stilltrue.wiring import line_judge_of, pair_model_of

    try:
        settings = Settings.from_environment(os.environ)
    except StilltrueError:
        return  # told already, as a finding about the environment
    for name, chosen in (("pair model", partial(pair_model_of, None)), ("judge of audits", line_judge_of)):
        try:
            model = chosen(settings)
            if model is None:
                yield Finding(Level.NOTE, name, f"off (setting pair_model: {settings.pair_model})")
                continue
            model.relations([read_texts("All is well.", "All is well.")])
            yield Finding(Level.OK, name, f"{model.model_version}, it judges")
        except StilltrueError as error:
            yield Finding(Level.WRONG, name, str(error))


def _llm() -> Iterator[Finding]:
    """The language model that the environment names; it is asked one thing of no consequence."""
    from stilltrue.wiring import chat_of

    try:
        settings = Settings.from_environment(os.environ)
    except StilltrueError:
        return  # told already, as a finding about the environment
    try:
        chat = chat_of(settings, os.environ)
        if chat is None:
            yield Finding(Level.NOTE, "language model", "off (setting llm); nothing is sent anywhere")
            return
        chat.complete(*TRIAL, TRIAL_SCHEMA)
        yield Finding(Level.OK, "language model", f"{chat.model} at {chat.host} answers {FORMS[chat.form]}")
    except StilltrueError as error:
        yield Finding(Level.WRONG, "language model", str(error))


def _memory(place: str, opened: Callable[[], AbstractContextManager[Memory]]) -> Iterator[Finding]:
    try:
        with opened() as memory:
            yield Finding(Level.OK, "memory", f"{place} opens")
            yield from _soundness(memory)
            yield from state(memory)
    except StilltrueError as error:
        yield Finding(Level.WRONG, "memory", str(error))


def _soundness(memory: Memory) -> Iterator[Finding]:
    broken = memory.check_invariants()
    for sentence in broken:
        yield Finding(Level.WRONG, "store", sentence, "restore a copy, or export what is readable and report it")
    if not broken:
        yield Finding(Level.OK, "store", "sound")


def state(memory: Memory) -> Iterator[Finding]:
    """What there is to say about a space that opens: settings, jobs, tiers, marks, judges."""
    stats = memory.stats()
    for name, value in stats.changed_settings.items():
        default = getattr(Settings(), name)
        yield Finding(Level.NOTE, "setting", f"{name} is {value} here; its default is {default}")
    if not stats.changed_settings:
        yield Finding(Level.OK, "settings", "all as they come; `stilltrue settings` lists them")
    failed = stats.counts.get("jobs_failed", 0)
    if failed:
        said = f"{failed} failed so often that they are not tried again by themselves: {_why_failed(memory)}"
        yield Finding(Level.WRONG, "jobs", said, "mend that, then `stilltrue drain` tries them again")
    yield from _kept(stats.counts)
    for name, word in stats.judges.items():
        model = stats.models.get(name)
        said = f"{word}: {model}" if word == "on" and model else word
        yield Finding(Level.OK if word == "on" else Level.NOTE, f"judge {name}", said)


def _why_failed(memory: Memory) -> str:
    """The last failure of the oldest job that failed for good."""
    engine = memory.engine
    with engine.store.read() as reader:
        found = reader.jobs(memory.space, engine.clock.now() + LONGEST_PAUSE, 1, failed=True)
    return found[0].failure if found else "see `stilltrue stats`"


def _kept(counts: Mapping[str, int]) -> Iterator[Finding]:
    """In which tiers the facts are, and which of them need a look."""
    tiers = ", ".join(f"{counts.get(f'tier_{word}', 0)} {word}" for word in ("hot", "cold", "stub"))
    passes = counts.get("passes", 0)
    remedy = "" if passes else "`stilltrue maintain` makes one; a pass a day is meant"
    level = Level.OK if passes or not counts.get("facts") else Level.NOTE
    yield Finding(level, "retention", f"{tiers}; passes made: {passes}", remedy)
    if counts.get("rechecks"):
        said = f"facts that rest on what no longer holds: {counts['rechecks']}"
        yield Finding(Level.NOTE, "re-check", said, "`stilltrue rechecks` lists them")
