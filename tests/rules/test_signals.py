"""E4: four signals without a model, each tied to the same predicate, each seen in the evidence."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stilltrue.model.fact import Statement
from stilltrue.model.slot import Slot
from stilltrue.rules import signals
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.pair import pair_of
from stilltrue.rules.polarity import opposites, reading
from stilltrue.rules.wording import wording

CASES = json.loads((Path(__file__).parent / "signal_cases.json").read_text(encoding="utf-8"))
NOW = datetime(2025, 3, 1, tzinfo=UTC)
SIGNALS = {
    "negation": signals.negation,
    "antonym": signals.antonym,
    "value": signals.value_conflict,
    "temporal": signals.temporal,
}


def said(text, at=NOW):
    """A statement whose slot could not be told, as the signals must cope with it."""
    return Statement(text=text, slot=Slot("user", None), said_at=at)


def fired(name, old, new, hours=48):
    return SIGNALS[name](pair_of(said(old), said(new, NOW + timedelta(hours=hours))))


@pytest.mark.parametrize("case", CASES["fires"], ids=lambda case: f"{case['signal']}: {case['old']} / {case['new']}")
def test_e4_fires(case):
    finding = fired(case["signal"], case["old"], case["new"])
    assert finding is not None, case["why"]
    assert finding.relation.is_conflict


@pytest.mark.parametrize(
    "case", CASES["holds_still"], ids=lambda case: f"{case['signal']}: {case['old']} / {case['new']}"
)
def test_e4_holds_still(case):
    finding = fired(case["signal"], case["old"], case["new"])
    assert finding is None or not finding.relation.is_conflict, case["why"]


def antonyms():
    return [pair for table in lexicon("antonyms").values() for pair in table["pairs"]]


def test_e4_knows_many_antonyms():
    assert len(antonyms()) >= 60


@pytest.mark.parametrize("sides", antonyms(), ids=lambda sides: f"{sides[0].split()[0]}/{sides[1].split()[0]}")
def test_e4_antonyms_work_in_both_directions(sides):
    one, other = (side.split()[0].replace("-", "") for side in sides)
    a, b = reading(f"thing {one}"), reading(f"thing {other}")
    if {one, other} & {"never", "nobody", "nothing", "none", "no"}:
        pytest.skip("negations are compared as polarity")
    assert opposites(a, b), sides
    assert opposites(b, a), sides
    assert not opposites(reading(f"{one} or {other}"), b), "a text that holds both is about choice"


def test_e4_a_day_must_have_passed():
    old, new = "User lives in Portland with Ada", "User just moved from Portland to Seattle with Ada"
    assert fired("temporal", old, new, hours=25)
    assert fired("temporal", old, new, hours=24) is None
    assert fired("temporal", old, new, hours=0) is None


@pytest.mark.parametrize("case", CASES["wording"], ids=lambda case: case["text"])
def test_wording_tells_what_is_announced(case):
    found = wording(case["text"])
    for family in ("change", "correction", "end", "withdrawal", "restatement", "exception", "returning"):
        assert bool(getattr(found, family)) == (family in case["announces"]), (family, found)


HOSTILE = ["not ", "never ", "from a to b ", "no longer ", "a: ", "= ", "is ", "on off ", "x's ", "("]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_strings_cost_linear_time(unit):
    text = unit * (8192 // len(unit))
    pair_of(said("warm up"), said("the lexicons"))
    started = time.thread_time()
    pair = pair_of(said(text), said(text + "x", NOW + timedelta(days=2)))
    for signal in SIGNALS.values():
        signal(pair)
    assert time.thread_time() - started < 1.0
