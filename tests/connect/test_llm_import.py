"""Does an import have an LLM asked in few requests, or not at all where told so, and say before what it takes?"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stilltrue.connect.importers import ask_about, estimate_import, import_data
from stilltrue.memory import Memory
from stilltrue.model.verdict import Relation
from stilltrue.testing import FrozenClock, ScriptedExpert

TEXTS = [
    "User enjoys long hikes in Norway.",
    "User packs a tent for hikes in Norway.",
    "User hikes in Norway mostly alone.",
]


@pytest.fixture
def expert():
    return ScriptedExpert(lambda _, new: Relation.UPDATE if "alone" in new else Relation.OVERLAP)


@pytest.fixture
def memory(embedder, expert):
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    with Memory.open(":memory:", clock=clock, embedder=embedder, pair_model="off", expert=expert) as opened:
        yield opened
        assert opened.check_invariants() == []


def jsonl(texts=TEXTS):
    lines = [{"text": text, "at": f"2025-0{month}-01"} for month, text in enumerate(texts, start=1)]
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.mark.parametrize("inline", [True, False])
def test_C11_an_import_asks_about_all_its_facts_in_one_request(memory, expert, inline):
    memory.configure(classify_before_write=inline)
    report = import_data(memory, jsonl())
    assert len(expert.requests) == 1
    assert len(expert.pairs) > 1
    assert report.decisions == {"ACCEPT": 3, "SUPERSEDE": 1}
    assert memory.stats().counts["jobs"] == 0


def test_C11_without_asking_it_is_left_to_drain(memory, expert):
    report = import_data(memory, jsonl(), asks=False)
    assert (report.decisions, expert.requests) == ({"ACCEPT": 3}, [])
    assert memory.stats().counts["jobs"] > 0
    seen = []
    again = ask_about(memory, report, lambda done, whole: seen.append((done, whole)))
    assert again.decisions == {"ACCEPT": 3, "SUPERSEDE": 1}
    assert seen[-1][0] == seen[-1][1] > 0


def test_C11_a_second_import_without_asking_asks_nothing_either(memory, expert):
    import_data(memory, jsonl(), asks=False)
    import_data(memory, jsonl([*TEXTS, "The cat is grey."]), asks=False)
    assert expert.requests == []


def test_C11_the_estimate_is_what_the_import_then_asks(memory, expert):
    import_data(memory, jsonl(TEXTS[:1]))
    before = memory.stats().counts
    told = estimate_import(memory, jsonl())
    assert (expert.requests, memory.stats().counts) == ([], before)
    import_data(memory, jsonl())
    assert (told.requests, told.pairs) == (len(expert.requests), len(expert.pairs))
    assert told.tokens > 0


def test_C11_an_estimate_needs_no_llm(memory, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_bytes(jsonl())
    bare = Memory(replace(memory.engine, expert=None))
    assert estimate_import(bare, file).pairs > 0
    assert bare.stats().counts["facts"] == 0
