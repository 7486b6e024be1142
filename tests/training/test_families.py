"""Do the programmatic families write balanced, reproducible rows whose labels agree with each other?"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from training.families import Row, generate
from training.families.facts import NAMED_NOTES, NOTES
from training.families.pools import MADE, half
from training.families.slots import NEAR, TOPICS, near, slots, unrelated
from training.families.subjects import halves
from training.families.words import POOLS, THINGS

LABELS = {"UPDATE", "CONTRADICTION", "RETRACTION", "DUPLICATE", "OVERLAP", "NONE"}
CONFLICTS = {"UPDATE", "CONTRADICTION", "RETRACTION"}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(generate(seed=11, count=6000))


def test_the_same_seed_writes_the_same_rows(rows):
    assert list(generate(seed=11, count=500)) == rows[:500]
    assert list(generate(seed=12, count=500)) != rows[:500]


def test_as_many_rows_as_asked_for_and_every_label(rows):
    assert len(rows) == 6000
    assert {row.label for row in rows} == LABELS


def test_about_45_in_100_are_conflicts_and_no_label_is_rare(rows):
    counts = Counter(row.label for row in rows)
    assert 0.41 < sum(counts[label] for label in CONFLICTS) / len(rows) < 0.49
    assert min(counts.values()) / len(rows) > 0.04


def test_a_pair_has_one_label_and_never_the_same_text_twice(rows):
    labels = {}
    for row in rows:
        assert labels.setdefault((row.existing, row.new), row.label) == row.label
        assert row.existing.casefold() != row.new.casefold() or row.label == "DUPLICATE"


def test_an_anchor_has_one_existing_statement_and_a_few_new_ones(rows):
    sets = {}
    for row in rows:
        sets.setdefault(row.anchor, []).append(row)
    assert all(len({row.existing for row in group}) == 1 for group in sets.values())
    assert all(len(group) <= 8 for group in sets.values())
    assert sum(len(group) >= 3 for group in sets.values()) / len(sets) > 0.97


def test_there_are_many_attributes_shapes_and_families(rows):
    assert len(slots()) >= 120
    assert len({slot.key for slot in slots()}) == len(slots())
    assert len(NOTES) + len(NAMED_NOTES) >= 10
    assert len({row.family for row in rows}) >= 60
    assert all(slot.nouns or slot.verbs for slot in slots())


def test_every_slot_has_values_in_both_halves_and_they_do_not_meet():
    assert not POOLS.keys() & MADE.keys()
    for pool in {slot.pool for slot in slots()}:
        train, test = ({form for value in half(pool, held) for form in value.forms} for held in (False, True))
        assert len(half(pool, test=False)) > 1
        assert len(half(pool, test=True)) > 1
        assert not train & test, pool


def test_names_of_the_two_halves_do_not_meet():
    for kind in ("person", *THINGS):
        assert not set(halves(kind, test=False)) & set(halves(kind, test=True))


def test_topics_and_near_attributes_name_slots_that_exist():
    keys = {slot.key for slot in slots()}
    for row in (*TOPICS, *NEAR):
        for key in row.rpartition(":")[2].strip().split(", "):
            assert key in keys, key
    assert all(slot not in near(slot) for slot in slots())
    assert all(slot.topic != other.topic for slot in slots() for other in unrelated(slot))


def test_no_placeholder_is_left(rows):
    assert not [row for row in rows if any(mark in row.existing + row.new for mark in "{}")]


def test_the_command_writes_the_rows(tmp_path):
    out = tmp_path / "rows.jsonl"
    command = [sys.executable, "-m", "training.families", "--seed", "3", "--count", "40", "--out", str(out)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], capture_output=True)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 40
    assert set(lines[0]) == {"anchor", "family", "old", "new", "label", "trap", "pool"}
