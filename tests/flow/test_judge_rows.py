"""Does the local judge work in its tiers, without anybody outside, as it ships? Rows that no other file names."""

import json
import re
import socket
from pathlib import Path

import pytest

from stilltrue import Memory
from stilltrue.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def memory(monkeypatch):
    """As a newcomer opens it, with every way to the outside shut."""

    def refused(*_, **__):
        raise AssertionError("something was asked outside")

    monkeypatch.setattr(socket.socket, "connect", refused)
    with Memory.open(":memory:", settings=Settings()) as memory:
        yield memory
        assert memory.check_invariants() == []


def spoke(decision):
    """Which tiers said something of the pair, in their order."""
    return [reason.source.value for weighed in decision.receipt.considered for reason in weighed.judgement.evidence
            if reason.relation is not None]  # fmt: skip


def test_B9_an_exact_repeat_needs_no_model(memory):
    memory.remember("The API timeout is 30 seconds.", author="ana", said_at="2025-01-10")
    [decision] = memory.remember("The API timeout is 30 seconds.", author="ben", said_at="2025-03-02")
    assert decision.action == "REINFORCE"
    assert "pair_model" not in spoke(decision)


def test_B9_quantities_are_compared_after_conversion(memory):
    memory.remember("The session timeout is 60 s.", author="ana", said_at="2025-01-10")
    [same] = memory.remember("The session timeout is 1 minute.", author="ben", said_at="2025-03-02")
    assert same.action == "REINFORCE"
    assert spoke(same)[0] == "typed"
    [other] = memory.remember("The session timeout is now 60 ms.", author="ana", said_at="2025-05-02")
    assert other.action == "SUPERSEDE"


def test_B9_what_no_rule_settles_goes_to_the_local_model(memory):
    memory.remember("User enjoys long hikes.", said_at="2025-01-10")
    [decision] = memory.remember("User dreads long hikes these days.", said_at="2025-03-02")
    assert "pair_model" in spoke(decision)
    assert decision.receipt.cost.llm_calls == 0


def test_E14_the_end_of_a_bond_ends_what_it_carried(memory):
    memory.remember("User is apartment hunting with Amari.", said_at="2024-09-14")
    memory.remember("User is allergic to cats.", said_at="2024-09-15")
    [decision] = memory.remember("User broke up with Amari.", said_at="2025-02-16")
    [weighed] = [weighed for weighed in decision.receipt.considered if "apartment" in weighed.text]
    assert weighed.fact_id in decision.targets
    assert weighed.judgement.relation.is_conflict
    assert "User is allergic to cats." in {fact.text for fact in memory.lookup("user")}
    hunting = memory.search("apartment hunting", as_of="2024-12-01").results
    assert "User is apartment hunting with Amari." in {fact.text for fact in hunting}


def test_F1_the_judge_ships_and_works_offline(memory):
    assert memory.stats().models["pair model"].startswith("minilm-pairs")
    memory.remember("The office is in Ghent.", said_at="2025-01-10")
    [decision] = memory.remember("The office is now in Antwerp.", said_at="2025-03-02")
    assert decision.action == "SUPERSEDE"


def test_F1_its_precision_and_recall_are_published_with_intervals_beside_others():
    page = (ROOT / "docs" / "how-often-is-it-right.md").read_text("utf-8")
    interval = r"\d\.\d\d \(\d\.\d\d–\d\.\d\d\)"
    for kind in ("hard", "plain"):
        assert re.search(rf"\| {kind}: \*\*both, as it ships\*\* \| {interval} \| {interval} ", page)
    peers = json.loads((ROOT / "bench" / "results" / "judge_peers.json").read_text("utf-8"))
    assert [row["who"] for row in peers["rows"] if row["who"] not in page] == []
