"""Which figures do judged pairs give? Pure functions from cases to what goes into the JSON of an evaluation.

Shares come as ``hits`` ``of`` trials with Wilson's 95% interval; the bound on wrong retirements is Clopper and
Pearson's, one-sided, at 95%: it holds whatever the true share is, and says something even where no error was seen.

Left to others: who judged what (``training.judging``), how a reader sees the figures (``training.report``).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from stilltrue.connect.scores import UNDECIDED, f1_rate, wilson
from training.judging import POLICY, Case, Said
from training.languages import LANGUAGES, of_pair
from training.pairs import CONFLICTS, RELATIONS, Pair
from training.score import area, calibration_error, macro_f1

Json: TypeAlias = dict[str, Any]
BINS: Final = 10
SURE: Final = 0.95
THRESHOLDS: Final = tuple(number / 100 for number in range(30, 100, 5))
FIRST_TRAPS: Final = ("set_valued", "other_subject", "temporal_past", "other_time")
"""Shown first: here a false alarm hides something that is true."""


def share(hits: int, trials: int) -> Json:
    """A share with what it was counted from and its interval; ``share`` is None without trials."""
    rate = wilson(hits, trials)
    interval = {"low": round(rate.low, 6), "high": round(rate.high, 6)}
    return {"hits": hits, "of": trials, "share": _rounded(rate.share)} | interval


def _rounded(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else round(number, 6)


def upper_bound(errors: int, trials: int, sure: float = SURE) -> float:
    """The largest share of errors that still gives so few in one of twenty samples (Clopper-Pearson, one-sided).

    >>> round(upper_bound(0, 59), 4), upper_bound(3, 3)
    (0.0495, 1.0)
    """
    if errors >= trials:
        return 1.0
    low, high = errors / trials, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(errors, trials, middle) > 1 - sure else (low, middle)
    return high


def _at_most(errors: int, trials: int, chance: float) -> float:
    """The probability of at most so many errors."""
    whole, hit, miss = math.lgamma(trials + 1), math.log(chance), math.log1p(-chance)
    return sum(
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * hit + (trials - k) * miss)
        for k in range(errors + 1)
    )


def figures(cases: Sequence[Case], said: Sequence[Said]) -> Json:
    """Everything about one way of judging some cases, at the product's thresholds."""
    truth = np.array([case.conflict for case in cases], dtype=bool)
    chance = np.array([one.conflict for one in said], dtype=float)
    labels = [case.pair.label for case in cases]
    return {
        "pairs": len(cases),
        "conflicts": int(truth.sum()),
        **conflict_shares(cases, said, lambda one: one.alarm),
        "macro_f1": _rounded(macro_f1([one.relation for one in said], labels)),
        "auc": _rounded(area(chance, truth)) if len(cases) else None,
        "ece": _rounded(calibration_error(chance, truth, BINS)) if len(cases) else None,
        "bins": bins(chance.tolist(), truth.tolist()),
        "confusion": confusion(cases, said),
        "retire": retirements(cases, said),
        "reinforce": reinforcements(cases, said),
        "asked": share(sum(one.alarm and not one.retires for one in said), len(said)),
    }


def conflict_shares(cases: Sequence[Case], said: Sequence[Said], positive: Callable[[Said], bool]) -> Json:
    """Precision, recall, F1 and the share of false alarms, where ``positive`` says that a conflict was said."""
    pairs = Counter((case.conflict, positive(one)) for case, one in zip(cases, said, strict=True))
    hits, alarms, misses, quiet = (pairs[key] for key in ((True, True), (False, True), (True, False), (False, False)))
    rate = f1_rate(hits, alarms, misses)
    return {
        "precision": share(hits, hits + alarms),
        "recall": share(hits, hits + misses),
        "f1": {"share": _rounded(rate.share), "low": round(rate.low, 6), "high": round(rate.high, 6)},
        "false_alarms": share(alarms, alarms + quiet),
    }


def retirements(cases: Sequence[Case], said: Sequence[Said]) -> Json:
    """How often a retirement without asking is right, and how many wrong ones there may be at most."""
    found = conflict_shares(cases, said, lambda one: one.retires)
    right, all_of_them = found["precision"]["hits"], found["precision"]["of"]
    bound = upper_bound(all_of_them - right, all_of_them)
    return {**found, "wrong": share(all_of_them - right, all_of_them), "wrong_at_most": round(bound, 6)}


def reinforcements(cases: Sequence[Case], said: Sequence[Said]) -> Json:
    """How often a statement that is taken for a restatement is one, or is a conflict that gets lost."""
    labels = [case.pair.label for case, one in zip(cases, said, strict=True) if one.reinforces]
    lost = sum(label in CONFLICTS for label in labels)
    every = sum(case.pair.label == "DUPLICATE" for case in cases)
    right = labels.count("DUPLICATE")
    return {"precision": share(right, len(labels)), "recall": share(right, every), "lost": share(lost, len(labels))}


def bins(chance: Sequence[float], truth: Sequence[bool]) -> list[Json]:
    """Ten equal bins of the probability of conflict: how many pairs, the mean that was said, the share that was so."""
    rows = []
    for number in range(BINS):
        inside = [i for i, value in enumerate(chance) if min(BINS - 1, int(value * BINS)) == number]
        mean = sum(chance[i] for i in inside) / len(inside) if inside else None
        seen = share(sum(truth[i] for i in inside), len(inside))
        rows.append({"low": number / BINS, "high": (number + 1) / BINS, "said": _rounded(mean), "seen": seen})
    return rows


def confusion(cases: Sequence[Case], said: Sequence[Said]) -> dict[str, dict[str, int]]:
    """How often each relation (or none) was said of each label."""
    counts = Counter((case.pair.label, one.relation) for case, one in zip(cases, said, strict=True))
    return {label: {word: counts[label, word] for word in (*RELATIONS, UNDECIDED)} for label in RELATIONS}


def brief(cases: Sequence[Case], said: Sequence[Said]) -> Json:
    """The few figures of a row in a table by trap, language or source."""
    found = conflict_shares(cases, said, lambda one: one.alarm)
    retired = retirements(cases, said)
    kept = {name: found[name] for name in ("precision", "recall", "f1", "false_alarms")}
    return {"pairs": len(cases), **kept, "wrong_retirements": retired["false_alarms"], "retired": retired["precision"]}


def grouped(cases: Sequence[Case], key: Callable[[Case], str], order: Sequence[str] = ()) -> list[Json]:
    """``brief`` for each value of ``key``: those of ``order`` first, then the larger ones first."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    place = {name: number for number, name in enumerate(order)}
    names = sorted(groups, key=lambda name: (place.get(name, len(place)), -len(groups[name]), name))
    return [{"name": name, **brief(groups[name], said_by("both", groups[name]))} for name in names]


def said_by(way: str, cases: Iterable[Case]) -> list[Said]:
    """What one way said of some cases."""
    return [case.said[way] for case in cases]


def by_trap(cases: Sequence[Case]) -> list[Json]:
    """Each trap on its own, the dangerous ones first."""
    return grouped([case for case in cases if case.pair.trap], lambda case: case.pair.trap, FIRST_TRAPS)


def by_language(cases: Sequence[Case]) -> list[Json]:
    """Each language on its own, English first."""
    return grouped(cases, lambda case: of_pair(case.pair.old, case.pair.new), LANGUAGES)


def by_threshold(cases: Sequence[Case]) -> list[Json]:
    """What would be retired, and asked, if the probability of conflict alone decided at some threshold."""
    said, ask = said_by("both", cases), POLICY.ask_threshold
    rows = []
    for threshold in THRESHOLDS:
        found = conflict_shares(cases, said, lambda one, least=threshold: one.conflict >= least)  # type: ignore[misc]
        asked = share(sum(ask <= one.conflict < threshold for one in said), len(said))
        rows.append({"threshold": threshold, **found, "asked": asked})
    return rows


def key_of(pair: Pair) -> str:
    """A name for a pair that stays when others come or go."""
    return hashlib.sha256(f"{pair.old}\0{pair.new}".encode()).hexdigest()


def worst(cases: Sequence[Case], count: int) -> list[Json]:
    """The surest errors of both together, half of them false alarms and half misses."""
    wrong = [case for case in cases if case.said["both"].alarm != case.conflict]
    wrong.sort(key=lambda case: (-abs(case.said["both"].conflict - case.conflict), key_of(case.pair)))
    alarms = [case for case in wrong if not case.conflict][: count // 2]
    misses = [case for case in wrong if case.conflict][: count - count // 2]
    return [_error(case) for case in (*alarms, *misses)]


def _error(case: Case) -> Json:
    said = case.said["both"]
    words = {"old": case.pair.old, "new": case.pair.new, "label": case.pair.label, "said": said.relation}
    numbers = {"conflict": round(said.conflict, 4), "confidence": round(said.confidence, 4), "by": said.by}
    return words | numbers | {"trap": case.pair.trap, "kind": case.kind, "source": case.source}
