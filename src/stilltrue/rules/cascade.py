"""What does the local judge say of an existing and a new statement, and on what grounds?

Runs the ordered steps (guards, same words, ends, typed values, signals, wording): the first that settles wins, the rest
is recorded as not needed. Where none settles it says so openly: the trained pair model and an LLM come after, in the
write path, and policy decides what a verdict does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from stilltrue.model.verdict import Evidence, EvidenceSource, Judgement, Relation, Undecided, Verdict
from stilltrue.rules import alike, ends, guards, habits, signals, typed
from stilltrue.rules.measured import worth
from stilltrue.rules.pair import Pair, pair_of
from stilltrue.rules.sentences import bounded, split
from stilltrue.rules.slots import read_statement
from stilltrue.rules.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.rules.finding import Finding

Rule: TypeAlias = Callable[[Pair], "Finding | None"]


@dataclass(frozen=True, slots=True)
class Step:
    """Rules that are asked together. `first`: the first that speaks settles; else the strongest one does (SPEC E4)."""

    name: str
    source: EvidenceSource
    rules: tuple[Rule, ...]
    first: bool = True


STEPS: Final[tuple[Step, ...]] = (
    Step("same words", EvidenceSource.TYPED, (typed.same_text, typed.same_words)),
    Step("plans", EvidenceSource.WORDING, (ends.carried_out,)),
    Step("withdrawal", EvidenceSource.WORDING, (ends.withdrawal,)),
    Step("habits", EvidenceSource.WORDING, (habits.broken,)),
    Step("narrowing", EvidenceSource.GUARD, (guards.narrowed,)),
    Step(
        "guards",
        EvidenceSource.GUARD,
        (
            guards.not_asserted,
            guards.other_subject,
            guards.other_time,
            guards.other_condition,
            guards.exception,
            guards.unrelated,
        ),
    ),
    Step("ends", EvidenceSource.WORDING, (ends.implied_end, ends.left_behind, ends.ended)),
    Step("corrections", EvidenceSource.WORDING, (ends.corrected,)),
    Step("typed values", EvidenceSource.TYPED, (typed.same_slot,)),
    Step(
        "signals",
        EvidenceSource.SIGNAL,
        (signals.negation, signals.antonym, signals.value_conflict, signals.temporal),
        first=False,
    ),
    Step("wording", EvidenceSource.WORDING, (ends.changed,)),
    Step("twins", EvidenceSource.SIGNAL, (alike.denied_twin, alike.other_figure, alike.label_and_sentence)),
)

SETTLES: Final = "settles: "
"""Opens the note of the one evidence entry that settled the verdict, so that stored evidence can be replayed."""
CORRECTS: Final = f"{SETTLES}never true, "
"""The same, and the existing statement was never true."""
NARROWS: Final = f"{SETTLES}narrowed, "
"""The same, and the new statement puts a condition on the existing one."""

PRIOR_CONFLICT: Final = 0.25
"""Share of conflicts among the terse pairs that no rule settled (624 of 2,525); candidates nominated by likeness alone
conflict less often, long statements more (2,198 of 5,694)."""

EVEN: Final = 0.5
"""Below it a rule's conflicts are wrong more often than right."""

DEFAULT_INSTANT: Final = datetime(2025, 1, 1, tzinfo=UTC)
"""When the older of two undated texts counts as said; the newer one counts as said a day and an hour later."""
_LATER: Final = timedelta(hours=25)


_RECENT: Final = 4096  # pairs kept: a sweep meets each once to ask the model beforehand, and once to decide

LEAST_CLAUSE: Final = 3
"""Words of a clause; with a shorter part ("Dr.") a text is judged whole."""


@lru_cache(maxsize=_RECENT)
def judge(existing: Statement, new: Statement) -> Judgement:
    """The verdict of the local rules, or openly none."""
    evidence = settle(existing, new)
    settled = _settling(evidence)
    if settled is None or settled.relation is None:
        return Undecided("no local rule settles this pair", evidence, PRIOR_CONFLICT)
    conflict = settled.weight if settled.relation.is_conflict else 1 - settled.weight
    corrects, narrows = (settled.note.startswith(mark) for mark in (CORRECTS, NARROWS))
    return Verdict(
        settled.relation, settled.weight, conflict, evidence, settled.signal, corrects=corrects, narrows=narrows
    )


def settle(existing: Statement, new: Statement, steps: tuple[Step, ...] | None = None) -> tuple[Evidence, ...]:
    """The evidence of every step in order, by default of all `STEPS`; at most one entry settles."""
    steps = STEPS if steps is None else steps
    pair = pair_of(existing, new)
    evidence: list[Evidence] = []
    for number, step in enumerate(steps):
        found = _ask(step, pair)
        evidence.extend(found)
        if _settling(found) is not None:
            rest = ", ".join(later.name for later in steps[number + 1 :])
            if rest:
                evidence.append(Evidence(step.source, "not needed", None, 0.0, rest))
            break
        if not found:
            evidence.append(Evidence(step.source, step.name, None, 0.0, "nothing found"))
    return tuple(evidence)


def _ask(step: Step, pair: Pair) -> list[Evidence]:
    found: list[tuple[Finding, float]] = []
    for rule in step.rules:
        finding = rule(pair)
        if finding is None:
            continue
        found.append((finding, _weight(finding, pair)))
        if step.first and _can_settle(*found[-1]):
            break
    able = [index for index, entry in enumerate(found) if _can_settle(*entry)]
    best = max(able, key=lambda index: (found[index][1], -index), default=None)
    return [_evidence(finding, weight, settles=index == best) for index, (finding, weight) in enumerate(found)]


def _can_settle(finding: Finding, weight: float) -> bool:
    """A conflict that is wrong more often than right is evidence for the next judge, no verdict."""
    return not finding.relation.is_conflict or weight >= EVEN


def _weight(finding: Finding, pair: Pair) -> float:
    conflict = worth(finding.signal, pair.common, finding.relation).conflict
    return conflict if finding.relation.is_conflict else 1 - conflict


def _evidence(finding: Finding, weight: float, *, settles: bool) -> Evidence:
    note = _mark(finding) + finding.note if settles else finding.note
    return Evidence(finding.source, finding.signal, finding.relation, weight, note)


def _mark(finding: Finding) -> str:
    if finding.relation.is_conflict and finding.corrects:
        return CORRECTS
    return NARROWS if finding.relation.is_conflict and finding.narrows else SETTLES


def _settling(evidence: Iterable[Evidence]) -> Evidence | None:
    return next((entry for entry in evidence if entry.note.startswith(SETTLES)), None)


def replay(evidence: Iterable[Evidence]) -> Relation | None:
    """The relation that stored evidence leads to; None where nothing settled."""
    settled = _settling(evidence)
    return settled.relation if settled is not None else None


def replay_marks(evidence: Iterable[Evidence]) -> tuple[bool, bool]:
    """Whether stored evidence says that the existing statement was never true, and whether it is narrowed.

    >>> from stilltrue.model.verdict import Evidence, EvidenceSource, Relation
    >>> def told(note): return [Evidence(EvidenceSource.WORDING, "corrected", Relation.CONTRADICTION, 0.9, note)]
    >>> replay_marks(told("settles: never true, a typo")), replay_marks(told("settles: flipped"))
    ((True, False), (False, False))
    """
    settled = _settling(evidence)
    note = settled.note if settled is not None else ""
    return note.startswith(CORRECTS), note.startswith(NARROWS)


def judge_texts(old: str, new: str, old_at: Instant | None = None, new_at: Instant | None = None) -> Judgement:
    """The judgement of two texts (FORMATS, `judge`); without instants the old one was said 25 hours before the new.

    A text of several clauses is judged by the part that the other touches: any conflict makes a conflict (LABELS 17).
    """
    old_at, new_at = _instants(old_at, new_at)
    existing, fresh = _statements(bounded(old), old_at), _statements(bounded(new), new_at)
    judged = [judge(one, other) for one in existing for other in fresh]
    return max(judged, key=_rank)


def read_texts(
    old: str, new: str, old_at: Instant | None = None, new_at: Instant | None = None
) -> tuple[Statement, Statement]:
    """The two texts whole, each as one statement, said when `judge_texts` takes them to be said."""
    old_at, new_at = _instants(old_at, new_at)
    return read_statement(bounded(old), said_at=old_at), read_statement(bounded(new), said_at=new_at)


def _instants(old_at: Instant | None, new_at: Instant | None) -> tuple[Instant, Instant]:
    if old_at is None:
        old_at = new_at - _LATER if new_at else DEFAULT_INSTANT
    return old_at, new_at or old_at + _LATER


@lru_cache(maxsize=_RECENT)
def _statements(text: str, said_at: Instant) -> tuple[Statement, ...]:
    parts = [part.text for part in split(text)]
    whole = len(parts) < 2 or any(len(tokens(part)) < LEAST_CLAUSE for part in parts)  # noqa: PLR2004
    return tuple(read_statement(part, said_at=said_at) for part in ([text] if whole else parts))


def _rank(judgement: Judgement) -> tuple[int, float]:
    """Conflicts before what is open, then DUPLICATE, OVERLAP and NONE."""
    if isinstance(judgement, Undecided):
        return (2, judgement.conflict)
    if judgement.relation.is_conflict:
        return (5, judgement.conflict)
    return ({Relation.DUPLICATE: 4, Relation.OVERLAP: 3}.get(judgement.relation, 1), judgement.confidence)
