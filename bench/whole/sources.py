"""Which bench makes which numbers, by which command, and is what it wrote still what a new run would measure?

Answers: `SOURCES`, one row a bench, and `gathered`, what lies in a folder of results: the entries, when and on what
they were measured, and what a reader has to know of their age. Age is read from the files alone, so that the same files
give the same report everywhere: another pair model than the one that ships, no word of the pair model, no date, or a
date long before the newest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import stilltrue
from bench.whole import readers, tables
from bench.whole.entries import Entry

ROOT: Final = Path(__file__).resolve().parents[2]
RESULTS: Final = ROOT / "bench" / "results"
CARD: Final = Path(stilltrue.__file__).parent / "weights" / "pair_model.json"
LONG: Final = 30
"""Days before the newest result after which one is called old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One bench. `arguments`: what follows `python -m` (with `module` false, the whole command), with `{place}` where
    it wants a folder or an address that the reader has to have; `judges`: whether the pair model has a say in it.
    """

    name: str
    title: str
    section: str
    script: str
    arguments: tuple[str, ...]
    file: str
    read: Callable[[str], Iterable[Entry]]
    judges: bool = True
    module: bool = True

    @property
    def command(self) -> str:
        """As one would type it."""
        words = ("python", "-m", *self.arguments) if self.module else self.arguments
        return " ".join(words).replace("{place}", "PLACE")


MAIN_PATH: Final = ("search", "writes", "memory", "import", "size")
SECTIONS: Final = {
    "quality": "Quality: is it right?",
    "cost": "Cost: how often is an LLM asked?",
    "latency": "Latency and weight: what does one call take?",
    "scale": "Scale: how does it grow?",
    "reliability": "Reliability: what withstood faults?",
}
SOURCES: Final = (
    Source(
        name="judge",
        title="The judge, on pairs kept from training",
        section="quality",
        script="training/evaluate.py",
        arguments=("training", "evaluate", "--parts", "test"),
        file="judge_test.json",
        read=readers.judge,
    ),
    Source(
        name="stories",
        title="Stories told to a whole memory, and coding sessions",
        section="quality",
        script="bench/stories.py",
        arguments=("bench.stories",),
        file="stories.json",
        read=readers.stories,
    ),
    Source(
        name="false_alarms",
        title="Questions where nobody needs to be asked",
        section="quality",
        script="bench/false_alarms.py",
        arguments=("bench.false_alarms",),
        file="false_alarms.md",
        read=readers.false_alarms,
    ),
    Source(
        name="audit_stores",
        title="Findings in exports of other memories",
        section="quality",
        script="bench/audit_stores.py",
        arguments=("bench.audit_stores",),
        file="audit_stores.md",
        read=readers.audit_stores,
    ),
    Source(
        name="audit_real_files",
        title="Findings in real memory files",
        section="quality",
        script="bench/audit_real_files.py",
        arguments=("bench.audit_real_files", "{place}"),
        file="audit_real_files.md",
        read=readers.audit_real_files,
    ),
    Source(
        name="llm_cost",
        title="Calls of an LLM",
        section="cost",
        script="bench/llm_cost.py",
        arguments=("bench", "--only", "llm"),
        file="llm_cost.json",
        read=readers.llm_cost,
    ),
    Source(
        name="main_path",
        title="Searches and writes",
        section="latency",
        script="bench/__main__.py",
        arguments=("bench", *(word for part in MAIN_PATH for word in ("--only", part))),
        file="main_path.json",
        read=readers.main_path,
    ),
    Source(
        name="judging",
        title="Judging",
        section="latency",
        script="bench/judging.py",
        arguments=("bench", "--only", "judging"),
        file="judging.json",
        read=readers.judging,
    ),
    Source(
        name="sweeps",
        title="Sweeps",
        section="scale",
        script="bench/sweeps.py",
        arguments=("bench.sweeps",),
        file="sweeps.json",
        read=readers.sweeps,
    ),
    Source(
        name="sweep_beside",
        title="A sweep in a large memory",
        section="scale",
        script="bench/sweep_beside.py",
        arguments=("bench.sweep_beside",),
        file="sweep_beside.json",
        read=readers.sweep_beside,
    ),
    Source(
        name="audits",
        title="Audits of large files",
        section="scale",
        script="bench/audits.py",
        arguments=("bench.audits",),
        file="audits.md",
        read=readers.audits,
    ),
    Source(
        name="postgres",
        title="A server beside a file",
        section="scale",
        script="bench/postgres.py",
        arguments=("bench.postgres", "{place}"),
        file="postgres.json",
        read=readers.postgres,
        judges=False,
    ),
    Source(
        name="workers",
        title="Several workers on one server",
        section="scale",
        script="bench/workers.py",
        arguments=("bench.workers", "{place}"),
        file="workers.json",
        read=readers.workers,
    ),
    Source(
        name="soak",
        title="A long run of faults",
        section="reliability",
        script="tests/faults/proof.py",
        arguments=("make", "soak"),
        file="soak.md",
        read=readers.soak,
        judges=False,
        module=False,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What one bench has left: nothing (`absent`), or entries, what they were measured on, and remarks on their age."""

    source: Source
    absent: bool
    entries: tuple[Entry, ...] = ()
    about: dict[str, str]
    remarks: tuple[str, ...] = ()


def gathered(folder: Path, shipped: str | None = None) -> list[Gathered]:
    """What every bench has left in the folder. `shipped`: the pair model that ships; asked of the package if None."""
    shipped = shipped or json.loads(CARD.read_text(encoding="utf-8"))["model_version"]
    texts = {
        source.name: (folder / source.file).read_text(encoding="utf-8")
        for source in SOURCES
        if (folder / source.file).is_file()
    }
    told = {name: _about(texts[name]) for name in texts}
    newest = max((one["date"] for one in told.values() if "date" in one), default=None)
    return [
        Gathered(
            source=source,
            absent=False,
            entries=tuple(source.read(texts[source.name])),
            about=told[source.name],
            remarks=tuple(_remarks(source, told[source.name], newest, shipped)),
        )
        if source.name in texts
        else Gathered(source=source, absent=True, about={}, remarks=("absent: never measured, or not kept",))
        for source in SOURCES
    ]


def _about(text: str) -> dict[str, str]:
    if not text.startswith("{"):
        return tables.about(text)
    told = json.loads(text)
    about: dict[str, str] = dict(told.get("about", {}))
    if "model" in told:
        about.setdefault("pair model", told["model"])
    return about


def _remarks(source: Source, about: dict[str, str], newest: str | None, shipped: str) -> Iterable[str]:
    model = about.get("pair model")
    if source.judges and model is None:
        yield "old: it does not say which pair model judged"
    elif source.judges and model != shipped:
        yield f"old: with the pair model {model}; what ships is {shipped}"
    if "date" not in about:
        yield "undated: it says neither when nor on what commit it was measured"
    elif newest and (date.fromisoformat(newest) - date.fromisoformat(about["date"])).days > LONG:
        yield f"old: more than {LONG} days before the newest result"
    if about.get("commit", "").endswith("with changes"):
        yield "measured on a tree that differed from its commit"
