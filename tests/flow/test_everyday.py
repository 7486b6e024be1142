"""How many changes of everyday life does the engine act on by itself, and which look-alikes does it leave alone?

Each row of `everyday_pairs.json` is told as a user would: the older sentence, the newer one a day later, with default
settings and nobody outside to ask. A change counts as acted on where a fact of the older sentence was retired or asked
about; a look-alike where neither happened. `of`: the value of the one fact that is meant, where a sentence makes two.
`later`: written after the readings had been mended on the others. When they were first run, 63 of 78 changes were acted
on and 1 of 85 look-alikes touched; before the mending 38 and 2. The figures are those that docs/limits.md tells.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock

ROWS = json.loads((Path(__file__).parent / "everyday_pairs.json").read_text(encoding="utf-8"))
CHANGES = [row for row in ROWS if row["expected"] == "replaced"]
LOOK_ALIKES = [row for row in ROWS if row["expected"] == "kept"]
FIRST = datetime(2025, 3, 12, 9, tzinfo=UTC)

LEAST_ACTED_ON = 155
"""Of the changes: 157 are, and a machine that rounds otherwise may lose two. What is missed, docs/limits.md tells."""
WRONGLY_TOUCHED: set[tuple[str, str]] = set()
"""Look-alikes that are known to touch the older fact. One that is mended has to go from here."""


def touched(row):
    """Whether a fact of the older sentence is no longer served as true without a question, after the newer one."""
    clock = FrozenClock(FIRST)
    with Memory.open(":memory:", clock=clock) as memory:
        told = [decision.fact_id for decision in memory.remember(row["old"]) if decision.fact_id]
        clock.set(FIRST + timedelta(days=1))
        memory.remember(row["new"])
        assert memory.check_invariants() == []
        facts = [memory.history(fact_id).fact for fact_id in told]
        meant = [fact for fact in facts if row.get("of", "") in (fact.value or "").lower()]
        asked = {fact.id for conflict in memory.conflicts() for fact in conflict.facts}
        return any(fact.status != "active" or fact.id in asked for fact in meant)


@pytest.fixture(scope="module")
def outcomes():
    return {(row["old"], row["new"]): touched(row) for row in ROWS}


def test_most_everyday_changes_are_acted_on(outcomes):
    missed = [f"{row['old']} | {row['new']}" for row in CHANGES if not outcomes[row["old"], row["new"]]]
    assert len(CHANGES) - len(missed) >= LEAST_ACTED_ON, missed


def test_look_alikes_leave_the_older_fact_alone(outcomes):
    assert {(row["old"], row["new"]) for row in LOOK_ALIKES if outcomes[row["old"], row["new"]]} == WRONGLY_TOUCHED


def test_no_pair_is_told_twice():
    assert len({(row["old"], row["new"]) for row in ROWS}) == len(ROWS)
    assert (len(CHANGES), len(LOOK_ALIKES)) == (170, 144)
