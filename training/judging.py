"""What does each way of judging say of labelled pairs: the rules alone, the pair model alone, both as the product does?

Answer: ``judge_all`` gives a ``Case`` for every pair with what each way ``Said``. The rules run once a pair and write
down which of them spoke; the model runs once a pair, because ``Remembered`` keeps its answers; so ``without`` can judge
again with a rule switched off, and only where that rule had spoken.

Left to others: which pairs (``training.evaluate``), figures from cases (``training.figures``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from unittest import mock

from stilltrue.connect.scores import UNDECIDED
from stilltrue.model.combination import Combination
from stilltrue.model.fact import Statement
from stilltrue.model.verdict import CONFLICTS, Judgement, Relation, Verdict
from stilltrue.ports import PairModel
from stilltrue.rules import cascade
from stilltrue.rules.cascade import STEPS, Step, judge_texts, read_texts
from stilltrue.rules.policy import Policy
from stilltrue.write.ask_model import with_model
from training.pairs import Pair

WAYS: Final = ("rules", "model", "both")
CHUNK: Final = 128
POLICY: Final = Policy()
"""The product's thresholds: the defaults of its settings."""

Tick: TypeAlias = Callable[[int], object]
"""Hears how many more pairs are done."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one way says of a pair: a relation or ``UNDECIDED``, how surely, how probable a conflict is, and by whom."""

    relation: str
    confidence: float
    conflict: float
    by: str = ""

    @property
    def alarm(self) -> bool:
        """Whether a conflict is said strongly enough to be raised at all."""
        return self.relation in CONFLICTS and self.conflict >= POLICY.ask_threshold

    @property
    def retires(self) -> bool:
        """Whether the existing statement would be retired without asking anybody."""
        return self.alarm and self.confidence >= max(POLICY.supersession_min_confidence, POLICY.contradiction_threshold)

    @property
    def reinforces(self) -> bool:
        """Whether the new statement would be taken for a restatement, and not be stored."""
        return self.relation == Relation.DUPLICATE and self.confidence >= POLICY.reinforce_threshold


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled pair, its kind (hard, plain, families), the file or family it is from, and what was said of it."""

    pair: Pair
    kind: str
    source: str
    said: Mapping[str, Said]
    spoke: frozenset[str] = frozenset()

    @property
    def conflict(self) -> bool:
        """Whether it is one, by its label."""
        return self.pair.label in CONFLICTS


@dataclass(slots=True)
class Remembered:
    """A pair model that is never asked twice about the same two texts."""

    model: PairModel
    model_version: str
    combination: Combination | None
    answers: dict[tuple[str, str], Mapping[Relation, float]]

    @classmethod
    def of(cls, model: PairModel) -> Remembered:
        """The same model, with nothing to remember yet."""
        return cls(model, model.model_version, model.combination, {})

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """As the model answers, or answered before."""
        keys = [(old.text, new.text) for old, new in pairs]
        asked = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self.answers}
        if asked:
            self.answers.update(zip(asked, self.model.relations(list(asked.values())), strict=True))
        return [self.answers[key] for key in keys]


def judge_all(found: Iterable[tuple[Pair, str, str]], model: PairModel, tick: Tick = lambda _: None) -> list[Case]:
    """The cases of (pair, kind, source) triples, in their order."""
    triples, cases = list(found), list[Case]()
    for start in range(0, len(triples), CHUNK):
        chunk = triples[start : start + CHUNK]
        cases += _judged(chunk, model)
        tick(len(chunk))
    return cases


def _judged(chunk: Sequence[tuple[Pair, str, str]], model: PairModel) -> list[Case]:
    heard: set[str] = set()
    by_rules, spoke = list[Judgement](), list[frozenset[str]]()
    texts = [read_texts(pair.old, pair.new) for pair, _, _ in chunk]
    with steps_are(_listening(heard)):
        for (pair, _, _), whole in zip(chunk, texts, strict=True):
            heard.clear()
            by_rules.append(judge_texts(pair.old, pair.new))
            cascade.judge(
                *whole
            )  # the product may look at the bare texts whole as well, when it weighs rules and model
            spoke.append(frozenset(heard))
    by_both = with_model(model, by_rules, texts.__getitem__)
    rows = zip(chunk, by_rules, model.relations(texts), by_both, spoke, strict=True)
    return [
        Case(*triple, {"rules": told(rules), "model": of_model(answer), "both": told(both)}, names)
        for triple, rules, answer, both, names in rows
    ]


def told(judgement: Judgement) -> Said:
    """A judgement as one row's words and numbers."""
    if isinstance(judgement, Verdict):
        return Said(judgement.relation.value, judgement.confidence, judgement.conflict, judgement.settled_by)
    return Said(UNDECIDED, 0.0, judgement.conflict)


def of_model(answer: Mapping[Relation, float]) -> Said:
    """The model's own word: the likeliest relation of the side that is the likelier, conflict or not.

    As in the product, it is as sure of a conflict as it is that there is one, whichever of the three it names.

    >>> said = of_model({Relation.UPDATE: 0.25, Relation.CONTRADICTION: 0.5, Relation.NONE: 0.25})
    >>> said.relation, said.confidence, said.conflict
    ('CONTRADICTION', 0.75, 0.75)
    """
    conflict = sum(answer.get(name, 0.0) for name in CONFLICTS)
    hot = conflict >= POLICY.ask_threshold
    best = max((name for name in Relation if name.is_conflict is hot), key=lambda name: answer.get(name, 0.0))
    return Said(best.value, conflict if hot else answer.get(best, 0.0), conflict)


@contextmanager
def steps_are(steps: tuple[Step, ...]) -> Iterator[None]:
    """For a while the rules run these steps, and nothing found before is remembered. Not for several threads."""
    cascade.judge.cache_clear()
    try:
        with mock.patch.object(cascade, "STEPS", steps):
            yield
    finally:
        cascade.judge.cache_clear()


def _listening(heard: set[str]) -> tuple[Step, ...]:
    """The product's steps, whose rules also write down that they found something."""

    def noting(name: str, rule: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(rule)
        def asked(pair: object) -> object:
            finding = rule(pair)
            if finding is not None:
                heard.add(name)
            return finding

        return asked

    return tuple(
        replace(step, rules=tuple(noting(rule.__name__, rule) for rule in step.rules))  # type: ignore[misc]
        for step in STEPS
    )


@dataclass(frozen=True, slots=True)
class Ablation:
    """Something switched off: its name, the rules that fall away, the steps that are left."""

    name: str
    rules: frozenset[str]
    steps: tuple[Step, ...]


def ablations() -> Iterator[Ablation]:
    """Every step off in turn and, where a step has several rules, every rule off in turn."""
    for step in STEPS:
        names = frozenset(rule.__name__ for rule in step.rules)
        yield Ablation(step.name, names, tuple(one for one in STEPS if one is not step))
        for rule in step.rules if len(step.rules) > 1 else ():
            fewer = replace(step, rules=tuple(one for one in step.rules if one is not rule))
            steps = tuple(fewer if one is step else one for one in STEPS)
            yield Ablation(f"{step.name}: {rule.__name__.replace('_', ' ')}", frozenset({rule.__name__}), steps)


def without(ablation: Ablation, cases: Sequence[Case], model: PairModel) -> list[Said]:
    """What both together say of each case with something switched off."""
    places = [place for place, case in enumerate(cases) if case.spoke & ablation.rules]
    pairs = [cases[place].pair for place in places]
    with steps_are(ablation.steps):
        by_rules = [judge_texts(pair.old, pair.new) for pair in pairs]
        judged = with_model(model, by_rules, lambda place: read_texts(pairs[place].old, pairs[place].new))
    said = [case.said["both"] for case in cases]
    for place, judgement in zip(places, judged, strict=True):
        said[place] = told(judgement)
    return said
