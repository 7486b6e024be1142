"""Is there a setting that does nothing? Each has a test named for it, and that test misses it: with the knob ignored by
the program (`ignoring`) it fails."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

from stilltrue.settings import Settings
from tests.house import built
from tests.house.built import ROOT
from tests.house.knobs import KNOBS

SHARES = 4
NAMES = [field.name for field in dataclasses.fields(Settings)]


def test_every_setting_has_a_test_named_for_it_and_no_other_has():
    assert list(KNOBS) == NAMES


@pytest.mark.timeout(900)
@pytest.mark.parametrize("share", range(SHARES))
def test_without_its_effect_the_test_of_a_setting_fails(share):
    chosen = NAMES[share::SHARES]
    where = {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    told = built.output(sys.executable, "-m", "tests.house.ignoring", *chosen, cwd=ROOT, **where)
    (control,) = (json.loads(line) for line in told.splitlines() if line.startswith('{"control"'))
    assert control == {"control": True, "said": []}
    came = [json.loads(line) for line in told.splitlines() if line.startswith('{"knob"')]
    assert [one["knob"] for one in came] == chosen, told
    assert [one for one in came if not one["failed"]] == []


def test_a_knob_that_is_only_read_back_is_found_out():
    code = """
from stilltrue import Memory
from stilltrue.settings import Settings
from tests.house.ignoring import ignored
with ignored("search_limit"), Memory.open(":memory:") as memory:
    memory.configure(search_limit=3)
    kept = memory.settings.search_limit
    assert kept == 3, kept
    for number in range(4):
        memory.remember(f"Box {number} is green.")
    assert len(memory.search("green boxes").results) == 4
"""
    built.run(sys.executable, "-c", code, cwd=ROOT, PYTHONPATH=f"{ROOT / 'src'}:{ROOT}")
