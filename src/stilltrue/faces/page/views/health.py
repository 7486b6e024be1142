"""Is this memory well? What the health page shows: counts, judges, questions, what an LLM may still cost, failures.

The figures are `Memory.stats`', the words about them `faces.doctor`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stilltrue.faces.doctor import Finding
from stilltrue.faces.page.views.words import When, moment
from stilltrue.faces.text import Lens, plain
from stilltrue.model.story import StoryRun
from stilltrue.read.results import Stats

_HEADLINE: Final = ("current", "facts", "episodes")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and what it counts."""

    name: str
    shown: str


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge: whether it works, and its version."""

    name: str
    on: bool
    said: str
    version: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A reading of the story that went wrong."""

    at: When
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthPage:
    """The state of a space. `left`: what the LLM's budget allows today, empty without an LLM."""

    headline: tuple[Figure, ...]
    questions: tuple[Figure, ...]
    kept: tuple[Figure, ...]
    work: tuple[Figure, ...]
    judges: tuple[Judge, ...]
    llm: tuple[Figure, ...]
    left: tuple[Figure, ...]
    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...]


def health_page(stats: Stats, findings: Sequence[Finding], runs: Sequence[StoryRun], lens: Lens) -> HealthPage:
    """`findings`: what there is to say about it; `runs`: the last readings of the story, newest first."""
    counts = dict(stats.counts)
    used = {*_HEADLINE, "undecided"}
    questions = {name: n for name, n in counts.items() if name.startswith("conflicts")}
    used.update(questions)
    used.update(f"decisions_{action}" for action in stats.actions)
    left = [("LLM calls left today", stats.llm_calls_left), ("LLM tokens left today", stats.llm_tokens_left)]
    return HealthPage(
        headline=tuple(Figure(name, f"{counts.get(name, 0):,}") for name in _HEADLINE),
        questions=_figures({name.removeprefix("conflicts_"): n for name, n in questions.items()}),
        kept=_figures({name: n for name, n in counts.items() if name not in used}),
        work=_figures({"pairs judged": stats.pairs_judged, "undecided": stats.undecided, **stats.actions}),
        judges=tuple(
            Judge(name, word.startswith("on"), plain(word), plain(stats.models.get(name) or ""))
            for name, word in stats.judges.items()
        ),
        llm=_figures({"calls": stats.llm_calls, "tokens": stats.llm_tokens, "from the cache": stats.cache_hits}),
        left=_figures({name: n for name, n in left if n is not None}),
        findings=tuple(one for one in findings if not one.about.startswith("judge ")),  # told above, with versions
        failures=tuple(Failure(moment(run.at, lens), plain(run.failure)) for run in runs if run.failure),
    )


def _figures(held: dict[str, int]) -> tuple[Figure, ...]:
    return tuple(Figure(name.replace("_", " "), f"{number:,}") for name, number in held.items())
