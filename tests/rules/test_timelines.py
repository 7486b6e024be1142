"""The fold of dated mentions into runs, by a table of cases (C13, F6, BAR 3, 10, 12, 17) and by property."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.model.ids import FactId
from stilltrue.model.timeline import Interval
from stilltrue.rules.timelines import Placement, Run, end_at, place

CASES = json.loads((Path(__file__).parent / "timelines.json").read_text())["cases"]


def month(number):
    return None if number is None else datetime(2025, number, 1, tzinfo=UTC)


def run_of(row):
    fact_id, start, end, seen = row
    return Run(fact_id=FactId(fact_id), valid=Interval(month(start), month(end)), seen=tuple(month(m) for m in seen))


def told(placement: Placement) -> dict[str, object]:
    """The placement in the table's words."""

    def pair(interval):
        return [None if moment is None else moment.month for moment in (interval.start, interval.end)]

    out: dict[str, object] = {}
    if placement.same is not None:
        out["same"] = placement.same.fact_id
        if placement.same_valid is not None:
            out["same_valid"] = pair(placement.same_valid)
    else:
        out["valid"] = pair(placement.valid)
    if placement.reopen is not None:
        out["reopens"] = [placement.reopen.run.fact_id, *pair(placement.reopen.valid)]
    elif isinstance(placement.next_run, Run):
        out["next"] = placement.next_run.fact_id
    if placement.closes:
        out["closes"] = [[close.run.fact_id, close.at.month, close.by] for close in placement.closes]
    if placement.clashes:
        out["clashes"] = [run.fact_id for run in placement.clashes]
    return out


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_C13_place(case):
    stated = Interval(*(month(number) for number in case["stated"]))
    same = [run_of(row) for row in case["same"]]
    replaced = [run_of(row) for row in case["replaced"]]
    assert told(place(stated, same, replaced)) == case["expect"]


def test_retraction_ends_what_holds_and_leaves_the_rest():
    runs = [run_of(row) for row in (["a", 1, None, []], ["b", 1, 2, []], ["c", 8, None, []])]
    closes, part = end_at(month(4), runs)
    assert [(close.run.fact_id, close.at) for close in closes] == [("a", month(4))]
    assert part is None


def test_retraction_told_late_lets_a_later_mention_resume():
    closes, part = end_at(month(4), [run_of(["a", 1, None, [7]])])
    assert [close.run.fact_id for close in closes] == ["a"]
    assert part is not None
    assert part.valid == Interval(month(7), None)


@dataclass
class Shelf:
    """Runs of one slot, folded by `place` alone: what a store would hold, without a store."""

    runs: list[tuple[str, Run]] = field(default_factory=list)

    def put(self, value: str, day: int) -> None:
        start = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=day)
        same = [run for name, run in self.runs if name == value]
        replaced = [run for name, run in self.runs if name != value]
        placed = place(Interval(start, None), same, replaced)
        if placed.same is None:
            new = Run(fact_id=FactId(f"{value}{len(self.runs)}"), valid=placed.valid)
            self.runs.append((value, new))
        else:
            valid = placed.same_valid or placed.same.valid
            first = placed.same.valid.start if placed.same_valid else start
            seen = tuple(sorted({*placed.same.seen, *([first] if first else [])} - {valid.start}))
            self._swap(placed.same, Run(fact_id=placed.same.fact_id, valid=valid, seen=seen))
        if placed.reopen is not None:
            part = placed.reopen
            name = next(name for name, run in self.runs if run == part.run)
            resumed = Run(fact_id=FactId(f"{name}{len(self.runs)}"), valid=part.valid, seen=part.seen[1:])
            self.runs.append((name, resumed))
        for close in placed.closes:
            seen = tuple(moment for moment in close.run.seen if moment < close.at)
            shorter = Run(fact_id=close.run.fact_id, valid=Interval(close.run.valid.start, close.at), seen=seen)
            self._swap(close.run, shorter)

    def _swap(self, old: Run, new: Run) -> None:
        self.runs = [(name, new if run.fact_id == old.fact_id else run) for name, run in self.runs]

    def stays(self) -> list[tuple[str, Interval]]:
        held = [(name, run.valid) for name, run in self.runs if not run.valid.empty]
        return sorted(held, key=lambda stay: stay[1].start or datetime.min.replace(tzinfo=UTC))


@given(st.dictionaries(st.integers(0, 300), st.sampled_from("ABC"), min_size=1, max_size=5))
def test_F6_any_order_of_arrival_gives_the_same_runs(mentions):
    outcomes = []
    for order in permutations(mentions.items()):
        shelf = Shelf()
        for day, value in order:
            shelf.put(value, day)
        outcomes.append(shelf.stays())
    assert all(outcome == outcomes[0] for outcome in outcomes)
    stays = outcomes[0]
    for (value, held), (following, after) in pairwise(stays):
        assert held.end == after.start, "one ends where the next begins"
        assert value != following, "neighbours say different things"
    assert stays[-1][1].end is None
