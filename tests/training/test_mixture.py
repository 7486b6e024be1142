"""Is what the passes are made of reproducible, and free of what is held out?"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace

import pytest

from training import mixture, pairs
from training.families import generate
from training.mixture import BROAD, CLOSING, FINAL, SHARP, TINY
from training.pairs import CONFLICTS, Pair

STAGES = [(BROAD, 7), (SHARP, 7), (FINAL, 7), (CLOSING, 7), (TINY, 7)]


@pytest.fixture
def public(tmp_path):
    """Public sets that hold a pair which is held out, and one that is not."""
    held = pairs.pairs_of(pairs.of_part("test"))[0]
    rows = [
        {"id": "1", "source": "med", "old": held.old, "new": f" {held.new.upper()}", "label": held.label},
        {"id": "2", "source": "med", "old": "A dog barks.", "new": "No dog barks.", "label": "CONTRADICTION"},
    ]
    with gzip.open(tmp_path / "med.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row | {"meta": {}}) + "\n" for row in rows)
    return tmp_path


@pytest.mark.parametrize(("stage", "seed"), STAGES, ids=lambda value: getattr(value, "name", value))
def test_nothing_held_out_is_learnt_in_any_pass(stage, seed, public):
    parts = pairs.parts()
    for rows in mixture.epochs(stage, public, seed=seed):
        assert rows
        taught = [row for row in rows if row.weight]
        assert len(rows) - len(taught) <= 20
        assert not {row.words for row in taught} & pairs.withheld()
        own = [row for row in rows if row.source in {"corpus", "matrix", "closure"}]
        assert {parts[row.anchor] for row in own} == {"train"}
        assert all(row.anchor not in parts for row in rows if row.source == "families")


def test_a_held_out_pair_keeps_its_place_and_weighs_nothing():
    held = pairs.pairs_of(pairs.of_part("dev"))[0]
    assert mixture.muted(held) == replace(held, weight=0.0)
    other = Pair("A", "B", frozenset({"NONE"}), "corpus", "zz-1")
    assert mixture.muted(other) is other


def test_the_same_seed_makes_the_same_passes(tmp_path):
    first, again, other = (list(mixture.epochs(TINY, tmp_path, seed=seed)) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert first[0] != first[1]


def test_a_share_keeps_fewer_sets(tmp_path):
    def anchors(share):
        (rows, _) = mixture.epochs(replace(TINY, corpus=0.2), tmp_path, seed=7, share=share)
        return {row.anchor for row in rows if row.source == "corpus"}

    assert len(anchors(0.25)) == pytest.approx(len(anchors(1.0)) / 4, abs=1)


def test_families_come_as_they_are_generated():
    rows = list(generate(seed=7, count=12_000))
    told = {
        pool: [(r.existing, r.new, r.label, r.trap, r.anchor) for r in rows if r.pool == pool]
        for pool in ("train", "test")
    }
    for pool, wanted in told.items():
        assert [(p.old, p.new, p.label, p.trap, p.anchor) for p in pairs.made(pool)] == wanted


def test_a_sample_is_half_conflicts_where_there_are_enough():
    hot = [Pair(str(n), "x", frozenset({"UPDATE"}), "corpus", "zz-1") for n in range(20)]
    cold = [Pair(str(n), "y", frozenset({"NONE"}), "corpus", "zz-1") for n in range(30)]

    def conflicts(count, rows):
        found = mixture.sample(rows, count, random.Random(1))
        return len(found), sum(row.labels <= CONFLICTS for row in found)

    assert conflicts(20, hot + cold) == (20, 10)
    assert conflicts(48, hot + cold) == (48, 20)
    assert conflicts(20, hot[:3] + cold) == (20, 3)
    assert conflicts(20, hot + cold[:3]) == (20, 17)


def test_batches_hold_every_row_once_with_its_like():
    lengths = [random.Random(n).randint(4, 60) for n in range(1000)]
    found = list(mixture.batches(lengths, 32, random.Random(3)))
    assert sorted(index for batch in found for index in batch) == list(range(1000))
    spread = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in found]
    assert max(spread) <= 4
