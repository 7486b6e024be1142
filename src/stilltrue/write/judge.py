"""What do the judges say of a new statement and each of its neighbours? An ordered cascade: the first to settle wins.

Repeats are told by hash and likeness (C10), the rest goes through the local rules, then the pair model where one is
configured; what is left is openly undecided. A pair is always read in the order of valid time, so that the outcome
does not depend on the order of arrival. What an LLM could still change is `ask_expert`'s to find.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules import cascade
from stilltrue.rules.combining import wants_model
from stilltrue.rules.reaching_back import reaches_back, undated
from stilltrue.rules.text import exact_hash, normal_hash
from stilltrue.write.ask_model import with_model
from stilltrue.write.judged import Judged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.fact import Statement
    from stilltrue.ports import PairModel
    from stilltrue.settings import Settings
    from stilltrue.write.judged import Neighbour

RULES_VERSION = "rules-3"
RESOLVED = 0.85  # all five "That fixed it" in the coding sessions are about the latest trouble; five are few


def judge_version(engine: Engine) -> str:
    """What judged: the version of the rules and of the pair model, part of every kept judgement."""
    return RULES_VERSION if engine.pair_model is None else f"{RULES_VERSION}+{engine.pair_model.model_version}"


def judge(engine: Engine, settings: Settings, new: Statement, neighbours: Sequence[Neighbour]) -> list[Judged]:
    """Each neighbour with its judgement. A judge that fails leaves its pairs undecided, with the reason."""
    judged = [_by_rules(settings, new, neighbour) for neighbour in neighbours]
    judgements = with_model(
        engine.pair_model, [item.judgement for item in judged], lambda place: ordered(new, judged[place])
    )
    return [replace(item, judgement=judgement) for item, judgement in zip(judged, judgements, strict=True)]


def judge_resolved(neighbours: Sequence[Neighbour]) -> list[Judged]:
    """Reports of a trouble that the speaker says is over: retracted, on the strength of topic and time."""
    note = f"{cascade.SETTLES}the talk says that the trouble is over"
    evidence = Evidence(EvidenceSource.WORDING, "resolved", Relation.RETRACTION, RESOLVED, note)
    verdict = Verdict(Relation.RETRACTION, RESOLVED, RESOLVED, (evidence,), "resolved")
    return [Judged(neighbour, verdict) for neighbour in neighbours]


def _by_rules(settings: Settings, new: Statement, neighbour: Neighbour) -> Judged:
    repeat = _repeat(settings, new, neighbour)
    late = _is_late(new, neighbour)
    if repeat is not None:
        return Judged(neighbour, repeat, late)
    item = Judged(neighbour, Undecided("not judged yet"), late)
    existing, newer = ordered(new, item)
    return replace(item, judgement=cascade.judge(existing, newer))


def _is_late(new: Statement, neighbour: Neighbour) -> bool:
    """Whether the new statement is the older of the two; an open start is placed by when it was said last.

    News that lies back is the newer one, whichever of the two arrives first (`rules.reaching_back`).
    """
    fact = neighbour.fact
    held_from = fact.belief.valid.start if fact.belief is not None else None
    said = max((source.said_at for source in neighbour.sources), default=fact.statement.said_at)
    if undated(neighbour.sources) and reaches_back(new, fact.statement, held_from, said):
        return False
    if reaches_back(fact.statement, new, new.valid.start, new.said_at):
        return True
    return (new.valid.start or new.said_at) < (held_from or said)


def for_model(
    model: PairModel, settings: Settings, new: Statement, neighbour: Neighbour
) -> tuple[Statement, Statement] | None:
    """The (existing, new) that the pair model would be asked about; None where the rules settle it without."""
    item = _by_rules(settings, new, neighbour)
    return ordered(new, item) if wants_model(item.judgement, model.combination) else None


def ordered(new: Statement, item: Judged) -> tuple[Statement, Statement]:
    """(existing, new) in the order of valid time."""
    stored = item.fact.statement
    if item.fact.belief is not None:
        stored = replace(stored, valid=Interval(item.fact.belief.valid.start, stored.valid.end))
    return (new, stored) if item.late else (stored, new)


def _repeat(settings: Settings, new: Statement, neighbour: Neighbour) -> Verdict | None:
    """The first rungs of the deduplication ladder (C10): text, normalised hash, near-identical vector."""
    old = neighbour.fact.statement
    alike = old.slot == new.slot and old.negated == new.negated and old.modality == new.modality
    old_key = old.value.key if old.value is not None else None
    new_key = new.value.key if new.value is not None else None
    if not alike or old_key != new_key:
        return None
    if exact_hash(old.text) == exact_hash(new.text):
        return _duplicate("exact_text", 1.0, "the very same words")
    if settings.fuzzy_dedupe and normal_hash(old.text) == normal_hash(new.text):
        return _duplicate("normal_hash", 0.99, "the same words but for case, articles and punctuation")
    score = neighbour.similarity
    if score is not None and score >= settings.near_identical and new_key is not None:
        return _duplicate("near_identical", 0.95, f"same slot and value, cosine {score:.3f}")
    return None


def _duplicate(signal: str, weight: float, note: str) -> Verdict:
    evidence = Evidence(EvidenceSource.TYPED, signal, Relation.DUPLICATE, weight, cascade.SETTLES + note)
    return Verdict(Relation.DUPLICATE, weight, 1 - weight, (evidence,), signal)
